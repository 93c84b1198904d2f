#include "request/yaml_edit.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/text.h"
#include "request/document.h"
#include "request/yaml_lines.h"

namespace husk::yaml {
namespace {

using Kind = DocumentNode::Kind;
using Failed = std::unexpected<std::string>;

Failed by_hand(const std::string& why) {
    return Failed(why + ", so that it cannot be changed without guessing; edit the file by hand");
}

std::string emitted(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return scalar(*text);
    return flow_list(std::get<std::vector<std::string>>(value));
}

DocumentNode text_node(const std::string& text) {
    DocumentNode node;
    node.kind = Kind::Text;
    node.text = text;
    return node;
}

DocumentNode node_of(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return text_node(*text);
    DocumentNode node;
    node.kind = Kind::List;
    for (const std::string& item : std::get<std::vector<std::string>>(value))
        node.items.push_back(text_node(item));
    return node;
}

// Apart from lines.
bool mean_the_same(const DocumentNode& one, const DocumentNode& other) {
    const auto same_entry = [](const DocumentEntry& a, const DocumentEntry& b) {
        return a.key == b.key && mean_the_same(a.value, b.value);
    };
    return one.kind == other.kind && one.text == other.text &&
           std::ranges::equal(one.items, other.items, mean_the_same) &&
           std::ranges::equal(one.entries, other.entries, same_entry);
}

// The place of a value in the tree, made if need be; null when something is in its way.
DocumentNode* place_of(DocumentNode& root, const Path& path) {
    DocumentNode* node = &root;
    for (const std::string& key : path) {
        if (node->kind == Kind::Nothing) node->kind = Kind::Map;
        if (node->kind != Kind::Map) return nullptr;
        auto found = std::ranges::find(node->entries, key, &DocumentEntry::key);
        if (found == node->entries.end()) {
            node->entries.push_back({key, 0, {}});
            found = node->entries.end() - 1;
        }
        node = &found->value;
    }
    return node;
}

// An entry of the document and the lines that are its own: from its key to before the next one.
struct Found {
    const DocumentEntry* entry = nullptr;
    size_t first = 0;  // indexes of lines
    size_t last = 0;   // that says something
};

class Editor {
public:
    Editor(std::string_view text, const DocumentNode& document)
        : text_(text), document_(document) {}

    Edited set(const Path& path, const Value& value) {
        const Way way = walk(path);
        if (way.in_braces)
            return open_and_try_again(way.found,
                                      [&](Editor opened) { return opened.set(path, value); });
        if (way.depth == path.size()) return replace(*way.found, value);
        return add(way.found, std::span(path).subspan(way.depth), value);
    }

    // One more in a list that has some; `all` are those and the new one.
    Edited append(const Path& path, const std::vector<std::string>& all) {
        const Way way = walk(path);
        if (way.in_braces) return set(path, all);
        return append(*way.found, all.back());
    }

    Edited remove(const Path& path) {
        const Way way = walk(path);
        if (way.in_braces)
            return open_and_try_again(way.found,
                                      [&](Editor opened) { return opened.remove(path); });
        CHECK(without_comments_inside(*way.found));
        const auto begin = text_.lines.begin() + static_cast<ptrdiff_t>(way.found->first);
        text_.lines.erase(begin,
                          begin + static_cast<ptrdiff_t>(way.found->last - way.found->first) + 1);
        return text_.text();
    }

private:
    // Behind the last entry of a list that has some.
    Edited append(const Found& found, const std::string& item) {
        const auto parts = key_line(text_.lines[found.first], found.entry->key);
        if (!parts) return by_hand("the list does not begin on the line of its key");
        if (parts->value.starts_with('[')) return append_in_brackets(found, item);
        const std::string& line = text_.lines[found.entry->value.items[0].line - 1];
        insert(found.last + 1, {std::string(indentation(line), ' ') + "- " + scalar(item)});
        return text_.text();
    }

    // How far the keys of a path are there, and the last one that is.
    struct Way {
        std::optional<Found> found = {};
        size_t depth = 0;
        bool in_braces = false;  // the next key is there, but has no line of its own
    };

    Way walk(const Path& path) const {
        Way way;
        size_t end = text_.lines.size();
        const DocumentNode* map = &document_;
        for (; way.depth < path.size(); ++way.depth) {
            const auto entry =
                std::ranges::find(map->entries, path[way.depth], &DocumentEntry::key);
            if (entry == map->entries.end()) return way;
            way.in_braces = !stands_first(*entry);
            if (way.in_braces) return way;
            if (entry + 1 != map->entries.end()) end = (entry + 1)->line - 1;
            way.found = Found{&*entry, entry->line - 1, last_line(entry->line - 1, end)};
            map = &entry->value;
        }
        return way;
    }

    bool stands_first(const DocumentEntry& entry) const {
        return key_line(text_.lines[entry.line - 1], entry.key).has_value();
    }

    size_t last_line(size_t first, size_t end) const {
        size_t last = first;
        for (size_t at = first; at < end && at < text_.lines.size(); ++at)
            if (says_something(text_.lines[at])) last = at;
        return last;
    }

    void insert(size_t at, const std::vector<std::string>& lines) {
        text_.lines.insert(text_.lines.begin() + static_cast<ptrdiff_t>(at), lines.begin(),
                           lines.end());
    }

    // New keys, at the end of the section that was found, or of the file.
    Edited add(const std::optional<Found>& section, std::span<const std::string> keys,
               const Value& value) {
        size_t at = text_.lines.size();
        size_t indent = 0;
        if (section) {
            const DocumentNode& map = section->entry->value;
            if (map.kind == Kind::Map && map.entries.empty())
                return in_place_of_braces(*section, keys, value);
            if (map.kind == Kind::Map && !stands_first(map.entries[0]))
                return append_in_braces(*section, keys, value);
            at = section->last + 1;
            indent = map.kind == Kind::Map ? indentation(text_.lines[map.entries[0].line - 1])
                                           : indentation(text_.lines[section->first]) + 2;
        }
        insert(at, block(indent, keys, value));
        return text_.text();
    }

    static std::vector<std::string> block(size_t indent, std::span<const std::string> keys,
                                          const Value& value) {
        std::vector<std::string> lines;
        for (const std::string& key : keys) {
            lines.push_back(std::string(indent, ' ') + scalar(key) + ":");
            indent += 2;
        }
        lines.back() += " " + emitted(value);
        return lines;
    }

    Edited in_place_of_braces(const Found& section, std::span<const std::string> keys,
                              const Value& value) {
        auto parts = key_line(text_.lines[section.first], section.entry->key);
        if (!parts || section.first != section.last)
            return by_hand("its braces span several lines");
        parts->value.clear();
        text_.lines[section.first] = parts->text();
        insert(section.first + 1, block(indentation(text_.lines[section.first]) + 2, keys, value));
        return text_.text();
    }

    Edited append_in_braces(const Found& section, std::span<const std::string> keys,
                            const Value& value) {
        std::string line = scalar(keys.front()) + ": ";
        std::string closing;
        for (const std::string& key : keys.subspan(1)) {
            line += "{" + scalar(key) + ": ";
            closing += "}";
        }
        return insert_before_closing('}', section, line + emitted(value) + closing);
    }

    Edited append_in_brackets(const Found& list, const std::string& item) {
        return insert_before_closing(']', list, scalar(item));
    }

    Edited insert_before_closing(char bracket, const Found& found, const std::string& what) {
        std::string& line = text_.lines[found.last];
        const size_t closing = line.rfind(bracket, comment_start(line));
        if (closing == line.npos) return by_hand("its end cannot be found");
        const size_t before = closing == 0 ? line.npos : line.find_last_not_of(" \t", closing - 1);
        if (before == line.npos) {  // the bracket has a line of its own
            const std::string indent(indentation(line) + 2, ' ');
            if (!end_with_comma(found)) return by_hand("its last entry cannot be found");
            insert(found.last, {indent + what + ","});
            return text_.text();
        }
        const bool first = line[before] == '[' || line[before] == '{' || line[before] == ',';
        line.insert(before + 1, (line[before] == ',' ? " " : first ? "" : ", ") + what);
        return text_.text();
    }

    // The last entry above a closing bracket that stands alone.
    bool end_with_comma(const Found& found) {
        for (size_t at = found.last; at-- > found.first;) {
            std::string& line = text_.lines[at];
            if (!says_something(line)) continue;
            const size_t end = comment_start(line);
            const size_t last = line.find_last_not_of(" \t", end - 1);
            if (last == line.npos) return false;
            if (!std::string_view(",[{").contains(line[last])) line.insert(last + 1, ",");
            return true;
        }
        return false;
    }

    std::expected<void, std::string> without_comments_inside(const Found& found) const {
        for (size_t at = found.first + 1; at <= found.last; ++at)
            if (comment_start(text_.lines[at]) < text_.lines[at].size())
                return by_hand("there are comments inside of what would be replaced");
        return {};
    }

    Edited replace(const Found& found, const Value& value) {
        auto parts = key_line(text_.lines[found.first], found.entry->key);
        if (!parts) return by_hand("its key does not stand at the beginning of a line");
        CHECK(without_comments_inside(found));
        parts->value = emitted(value);
        text_.lines[found.first] = parts->text();
        const auto begin = text_.lines.begin() + static_cast<ptrdiff_t>(found.first);
        text_.lines.erase(begin + 1, begin + static_cast<ptrdiff_t>(found.last - found.first) + 1);
        return text_.text();
    }

    // A section in braces on one line becomes one of lines; then it can be changed like others.
    Edited open_and_try_again(const std::optional<Found>& section,
                              const std::function<Edited(Editor)>& again) {
        if (!section) return by_hand("the whole file is in braces");
        auto parts = key_line(text_.lines[section->first], section->entry->key);
        if (!parts || section->first != section->last || !parts->value.starts_with('{'))
            return by_hand("its section is in braces over several lines");
        parts->value.clear();
        const std::string indent(indentation(text_.lines[section->first]) + 2, ' ');
        std::vector<std::string> lines;
        for (const DocumentEntry& entry : section->entry->value.entries) {
            auto inner = written(entry.value);
            if (!inner) return by_hand("its section holds lists of maps in braces");
            lines.push_back(indent + scalar(entry.key) + ":" + (inner->empty() ? "" : " ") +
                            *inner);
        }
        text_.lines[section->first] = parts->text();
        insert(section->first + 1, lines);
        const std::string opened = text_.text();
        const auto document = read_yaml(opened);
        if (!document || !mean_the_same(*document, document_)) return by_hand("it is in braces");
        return again(Editor(opened, *document));
    }

    // On one line.
    static std::optional<std::string> written(const DocumentNode& node) {
        if (node.kind == Kind::Nothing) return "";
        if (node.kind == Kind::Text) return scalar(node.text);
        if (node.kind == Kind::Map) {
            std::vector<std::string> entries;
            for (const DocumentEntry& entry : node.entries) {
                const auto inner = written(entry.value);
                if (!inner) return std::nullopt;
                entries.push_back(scalar(entry.key) + ": " + *inner);
            }
            return "{" + text::join(entries, ", ") + "}";
        }
        std::vector<std::string> items;
        for (const DocumentNode& item : node.items) {
            if (item.kind != Kind::Text) return std::nullopt;
            items.push_back(item.text);
        }
        return flow_list(items);
    }

    Lines text_;
    const DocumentNode& document_;
};

// A section goes with the only thing that it holds. Nothing when there is no such key.
std::optional<Path> all_that_goes(const DocumentNode& root, const Path& path) {
    const DocumentNode* node = &root;
    size_t keep = 0;  // keys that are left, counted from the top
    for (size_t depth = 0; depth < path.size(); ++depth) {
        const auto found = std::ranges::find(node->entries, path[depth], &DocumentEntry::key);
        if (found == node->entries.end()) return std::nullopt;
        if (node->entries.size() > 1) keep = depth;
        node = &found->value;
    }
    return Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(keep) + 1);
}

void take_away(DocumentNode& root, const Path& path) {
    const Path above(path.begin(), path.end() - 1);
    DocumentNode& section = *place_of(root, above);
    std::erase_if(section.entries,
                  [&](const DocumentEntry& entry) { return entry.key == path.back(); });
    if (section.entries.empty()) section.kind = Kind::Nothing;
}

Edited checked(Edited edited, const DocumentNode& wanted) {
    if (!edited) return edited;
    const auto document = read_yaml(*edited);
    if (document && mean_the_same(*document, wanted)) return edited;
    return by_hand("the file is written in an unusual way");
}

Failed not_readable(const DocumentError& error) {
    return Failed("line " + std::to_string(error.line) + ": " + error.message);
}

}  // namespace

Edited with_value(std::string_view text, const Path& path, const Value& value) {
    const auto document = read_yaml(text);
    if (!document) return not_readable(document.error());
    DocumentNode wanted = *document;
    DocumentNode* place = place_of(wanted, path);
    if (place == nullptr) return by_hand(text::join(path, ".") + " has no place there");
    *place = node_of(value);
    return checked(Editor(text, *document).set(path, value), wanted);
}

Edited with_item(std::string_view text, const Path& path, const std::string& item) {
    const auto document = read_yaml(text);
    if (!document) return not_readable(document.error());
    DocumentNode wanted = *document;
    DocumentNode* place = place_of(wanted, path);
    if (place == nullptr || place->kind == Kind::Text || place->kind == Kind::Map)
        return by_hand(text::join(path, ".") + " is no list there");
    const auto is_item = [&](const DocumentNode& one) { return one.text == item; };
    if (std::ranges::any_of(place->items, is_item)) return std::string(text);
    if (place->items.empty()) return with_value(text, path, std::vector{item});
    std::vector<std::string> texts;
    for (const DocumentNode& one : place->items) texts.push_back(one.text);
    texts.push_back(item);
    place->items.push_back(text_node(item));
    return checked(Editor(text, *document).append(path, texts), wanted);
}

Edited without(std::string_view text, const Path& path) {
    const auto document = read_yaml(text);
    if (!document) return not_readable(document.error());
    const auto going = all_that_goes(*document, path);
    if (!going) return Failed(text::join(path, ".") + " does not stand there");
    DocumentNode wanted = *document;
    take_away(wanted, *going);
    return checked(Editor(text, *document).remove(*going), wanted);
}

}  // namespace husk::yaml
