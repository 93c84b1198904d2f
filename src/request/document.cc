#include "request/document.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "request/document_builder.h"

namespace husk {
namespace {

constexpr size_t largest = size_t{1} << 20;
// Nothing that is read here is nested deeper than a handful.
constexpr size_t deepest = 32;

size_t line_at(std::string_view text, size_t offset) {
    return 1 + static_cast<size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

size_t first_invalid(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        const text::Rune rune = text::first_rune(text.substr(at));
        if (rune.form != text::Rune::Form::Whole) break;
        at += rune.bytes;
    }
    return at;
}

}  // namespace

const DocumentNode* DocumentNode::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &DocumentEntry::key);
    return found == entries.end() ? nullptr : &found->value;
}

const char* word(DocumentNode::Kind kind) {
    switch (kind) {
        case DocumentNode::Kind::Nothing: return "nothing";
        case DocumentNode::Kind::Text: return "a text";
        case DocumentNode::Kind::List: return "a list";
        case DocumentNode::Kind::Map: return "a map";
    }
    std::unreachable();
}

std::optional<DocumentError> unreadable(std::string_view text) {
    if (text.size() > largest) {
        return DocumentError{0, "it has more than " + std::to_string(largest) +
                                    " bytes, which no file of rules needs"};
    }
    if (const size_t nul = text.find('\0'); nul != std::string_view::npos)
        return DocumentError{line_at(text, nul), "there is a NUL byte; is this a text file?"};
    if (const size_t at = first_invalid(text); at < text.size())
        return DocumentError{line_at(text, at), "this is not UTF-8; save the file as UTF-8"};
    return std::nullopt;
}

bool DocumentBuilder::fail(size_t line, std::string message) {
    if (!error_) error_ = DocumentError{line, std::move(message)};
    return false;
}

bool DocumentBuilder::expects_key() const {
    return !open_.empty() && open_.back().node.kind == DocumentNode::Kind::Map && !open_.back().key;
}

bool DocumentBuilder::begin(DocumentNode::Kind list_or_map, size_t line) {
    if (expects_key()) return fail(line, "a key must be a text");
    if (open_.size() == deepest)
        return fail(
            line, "lists and maps are nested more than " + std::to_string(deepest) + " deep here");
    Open opened;
    opened.node.kind = list_or_map;
    opened.node.line = line;
    open_.push_back(std::move(opened));
    return true;
}

bool DocumentBuilder::end() {
    DocumentNode done = std::move(open_.back().node);
    open_.pop_back();
    return add(std::move(done));
}

bool DocumentBuilder::key(std::string key, size_t line) {
    Open& map = open_.back();
    const auto [place, fresh] = map.places.emplace(key, map.node.entries.size());
    if (!fresh && twice_ == Twice::IsAnError) {
        const size_t before = map.node.entries[place->second].line;
        return fail(line, "\"" + key + "\" is given twice, in line " + std::to_string(before) +
                              " and in line " + std::to_string(line));
    }
    map.key = DocumentEntry{std::move(key), line, {}};
    return true;
}

bool DocumentBuilder::text(std::string text, size_t line) {
    if (expects_key()) return key(std::move(text), line);
    DocumentNode node;
    node.kind = DocumentNode::Kind::Text;
    node.line = line;
    node.text = std::move(text);
    return add(std::move(node));
}

bool DocumentBuilder::nothing(size_t line) {
    if (expects_key()) return fail(line, "there is no key before the colon");
    DocumentNode node;
    node.line = line;
    return add(std::move(node));
}

bool DocumentBuilder::add(DocumentNode node) {
    if (open_.empty()) {
        root_ = std::move(node);
        return true;
    }
    Open& parent = open_.back();
    if (parent.node.kind == DocumentNode::Kind::List) {
        parent.node.items.push_back(std::move(node));
        return true;
    }
    DocumentEntry entry = *std::exchange(parent.key, std::nullopt);
    if (node.kind == DocumentNode::Kind::Nothing)
        node.line = entry.line;  // what is not there has none
    entry.value = std::move(node);
    const size_t place = parent.places.at(entry.key);
    if (place == parent.node.entries.size())
        parent.node.entries.push_back(std::move(entry));
    else
        parent.node.entries[place].value = std::move(entry.value);
    return true;
}

}  // namespace husk
