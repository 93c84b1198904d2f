// Makes a tree of what a parser of YAML or JSON meets, one thing after the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/document.h"

namespace husk {

class DocumentBuilder {
public:
    enum class Twice { IsAnError, LastCounts };  // a key in one map

    explicit DocumentBuilder(Twice twice) : twice_(twice) {}

    // Each is false when the document cannot be used; `error` says why.
    bool begin(DocumentNode::Kind list_or_map, size_t line);
    bool end();
    bool key(std::string key, size_t line);
    bool text(std::string text, size_t line);
    bool nothing(size_t line);

    bool expects_key() const;
    bool fail(size_t line, std::string message);

    const std::optional<DocumentError>& error() const { return error_; }
    DocumentNode take() { return std::move(root_); }

private:
    struct Open {
        DocumentNode node;
        std::optional<DocumentEntry> key;  // whose value comes next
        std::map<std::string, size_t> places;
    };

    bool add(DocumentNode node);

    Twice twice_;
    DocumentNode root_;
    std::vector<Open> open_;
    std::optional<DocumentError> error_;
};

}  // namespace husk
