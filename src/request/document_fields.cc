#include "request/document_fields.h"

#include "base/terminal_text.h"
#include "base/text.h"

namespace husk {

void complain_of_kind(Reader& reader, const DocumentNode& node, const std::string& name,
                      std::string_view expected) {
    reader.complain(
        node.line, name + " must be " + std::string(expected) + ", and here is " + word(node.kind));
}

void complain_of_key(Reader& reader, const DocumentEntry& entry, const std::string& name,
                     std::span<const std::string_view> known) {
    std::string message = "unknown key \"" + text::one_line(entry.key) + "\" in " + name + "; ";
    if (const std::string meant = text::closest(entry.key, known); !meant.empty())
        message += "did you mean \"" + meant + "\"?";
    else
        message +=
            "it has " + text::join(std::vector<std::string>(known.begin(), known.end()), ", ");
    reader.complain(entry.line, std::move(message));
}

bool is_map(Reader& reader, const DocumentNode& node, const std::string& name) {
    if (node.kind == DocumentNode::Kind::Map) return true;
    if (node.kind != DocumentNode::Kind::Nothing) complain_of_kind(reader, node, name, "a map");
    return false;
}

std::string text_of(Reader& reader, const DocumentNode& node, const std::string& name) {
    if (node.kind == DocumentNode::Kind::Text) return node.text;
    complain_of_kind(reader, node, name, "a text");
    return "";
}

const std::vector<DocumentNode>& list_of(Reader& reader, const DocumentNode& node,
                                         const std::string& name) {
    if (node.kind == DocumentNode::Kind::Text || node.kind == DocumentNode::Kind::Map)
        complain_of_kind(reader, node, name, "a list");
    return node.items;
}

std::vector<std::string> texts_of(Reader& reader, const DocumentNode& node,
                                  const std::string& name) {
    std::vector<std::string> texts;
    for (const DocumentNode& item : list_of(reader, node, name))
        texts.push_back(text_of(reader, item, "an entry of " + name));
    return texts;
}

std::unexpected<std::vector<Complaint>> refused(Reader reader) {
    std::ranges::stable_sort(reader.complaints, {},
                             [](const Complaint& one) { return one.where.line; });
    return std::unexpected(std::move(reader.complaints));
}

}  // namespace husk
