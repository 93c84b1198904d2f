// A text in YAML or JSON as a tree in which everything knows its line.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk {

struct DocumentEntry;

struct DocumentNode {
    enum class Kind { Nothing, Text, List, Map };
    Kind kind = Kind::Nothing;
    size_t line = 0;                  // from 1
    std::string text;                 // of a Text; numbers and words such as `true` are texts too
    std::vector<DocumentNode> items;  // of a List
    std::vector<DocumentEntry> entries;  // of a Map, in their order

    // The value of a key, or null when there is none.
    const DocumentNode* find(std::string_view key) const;
};

struct DocumentEntry {
    std::string key;
    size_t line = 0;
    DocumentNode value;
};

// "nothing", "a text", "a list", "a map"
const char* word(DocumentNode::Kind kind);

struct DocumentError {
    size_t line = 0;      // from 1; 0 when it is about the whole text
    std::string message;  // for whoever wrote the text
};

// One document, without anchors, aliases and tags. A key that stands twice in a map is an
// error. An empty text is Nothing.
std::expected<DocumentNode, DocumentError> read_yaml(std::string_view text);

// For a file of another program: the same, but the result has only this key of the top-level map.
// The values of the other keys must be YAML, with any of its features.
std::expected<DocumentNode, DocumentError> read_yaml_key(std::string_view text,
                                                         std::string_view key);

// Comments are allowed. Of a key that stands twice in a map the last value counts, in the
// place of the first: so has JavaScript it.
std::expected<DocumentNode, DocumentError> read_json(std::string_view text);

// Why a text is not even looked at: too large, not UTF-8, or with a NUL in it.
std::optional<DocumentError> unreadable(std::string_view text);

}  // namespace husk
