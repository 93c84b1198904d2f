// Reading a document into values of ours: what is wrong with it is collected, with its line.
#pragma once

#include <algorithm>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "request/document.h"
#include "request/rules_file.h"

namespace husk {

// The file that is read, and what has been found wrong with it.
struct Reader {
    std::string file;
    std::vector<Complaint> complaints = {};

    Where at(size_t line) const { return {file, line}; }
    void complain(size_t line, std::string message) {
        complaints.push_back({at(line), std::move(message)});
    }
};

void complain_of_kind(Reader& reader, const DocumentNode& node, const std::string& name,
                      std::string_view expected);

// Of a key that is none of the `known` ones of `name`.
void complain_of_key(Reader& reader, const DocumentEntry& entry, const std::string& name,
                     std::span<const std::string_view> known);

// Whether there is something to read: a map. Nothing at all is an empty one.
bool is_map(Reader& reader, const DocumentNode& node, const std::string& name);

// Each complains of what is no such thing, and gives an empty one instead.
std::string text_of(Reader& reader, const DocumentNode& node, const std::string& name);
// No list at all is an empty one: `allow:` with nothing behind it.
const std::vector<DocumentNode>& list_of(Reader& reader, const DocumentNode& node,
                                         const std::string& name);
std::vector<std::string> texts_of(Reader& reader, const DocumentNode& node,
                                  const std::string& name);

// The complaints in the order of their lines.
std::unexpected<std::vector<Complaint>> refused(Reader reader);

// A key of a map, and what becomes of its value.
template <class Target>
struct Field {
    std::string_view name;
    void (*read)(Reader& reader, const DocumentEntry& entry, Target& target);
};

template <class Target>
void read_fields(Reader& reader, const DocumentNode& node, const std::string& name,
                 std::span<const Field<Target>> fields, Target& target) {
    if (!is_map(reader, node, name)) return;
    std::vector<std::string_view> known;
    for (const Field<Target>& field : fields) known.push_back(field.name);
    for (const DocumentEntry& entry : node.entries) {
        const auto field = std::ranges::find(fields, entry.key, &Field<Target>::name);
        if (field == fields.end())
            complain_of_key(reader, entry, name, known);
        else
            field->read(reader, entry, target);
    }
}

}  // namespace husk
