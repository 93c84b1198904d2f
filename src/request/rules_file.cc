#include "request/rules_file.h"

#include <optional>

#include "base/terminal_text.h"
#include "base/text.h"
#include "request/rule_sections.h"
#include "request/settings_file.h"

namespace husk {
namespace {

// What most fields hold.
template <auto field, class Target>
void read_text(Reader& reader, const DocumentEntry& entry, Target& target) {
    target.*field = text_of(reader, entry.value, entry.key);
}
template <auto field, class Target>
void read_texts(Reader& reader, const DocumentEntry& entry, Target& target) {
    target.*field = texts_of(reader, entry.value, entry.key);
}
template <auto field>
void read_short_rules(Reader& reader, const DocumentEntry& entry, RuleTexts& texts) {
    for (const DocumentNode& item : list_of(reader, entry.value, entry.key)) {
        std::string text = text_of(reader, item, "an entry of " + entry.key);
        (texts.*field).push_back({std::move(text), reader.at(item.line)});
    }
}

void read_mode(Reader& reader, const DocumentEntry& entry, RuleTexts& texts) {
    texts.mode = text_of(reader, entry.value, entry.key);
    texts.mode_where = reader.at(entry.line);
}

// {/home/u/app: ["git push origin main"]}
void read_approved(Reader& reader, const DocumentEntry& entry, RuleTexts& texts) {
    if (!is_map(reader, entry.value, entry.key)) return;
    for (const DocumentEntry& directory : entry.value.entries) {
        if (!directory.key.starts_with('/'))
            reader.complain(directory.line, "the directory \"" + text::one_line(directory.key) +
                                                "\" in approved must begin with /");
        for (const DocumentNode& item : list_of(reader, directory.value, directory.key))
            texts.approved.push_back({directory.key,
                                      text_of(reader, item, "an entry of " + entry.key),
                                      reader.at(item.line)});
    }
}

constexpr Field<RuleTexts> permission_fields[] = {
    {"mode", read_mode},
    {"allow", read_short_rules<&RuleTexts::allow>},
    {"ask", read_short_rules<&RuleTexts::ask>},
    {"deny", read_short_rules<&RuleTexts::deny>},
    {"approved", read_approved},
};

void read_permissions(Reader& reader, const DocumentEntry& entry, RuleTexts& texts) {
    read_fields<RuleTexts>(reader, entry.value, entry.key, permission_fields, texts);
}

// ["psql", ["-h", "--host"], "*prod*"]
void read_match(Reader& reader, const DocumentEntry& entry, LongRule& rule) {
    for (const DocumentNode& word : list_of(reader, entry.value, entry.key)) {
        if (word.kind == DocumentNode::Kind::List && word.items.empty())
            reader.complain(word.line, "an empty list in match leaves no word that could match");
        else if (word.kind == DocumentNode::Kind::List)
            rule.match.push_back(texts_of(reader, word, "match"));
        else
            rule.match.push_back({text_of(reader, word, "an entry of match")});
    }
}

constexpr Field<LongRule> example_fields[] = {
    {"hits", read_texts<&LongRule::hits>},
    {"misses", read_texts<&LongRule::misses>},
};

void read_examples(Reader& reader, const DocumentEntry& entry, LongRule& rule) {
    read_fields<LongRule>(reader, entry.value, entry.key, example_fields, rule);
}

constexpr Field<LongRule> rule_fields[] = {
    {"id", read_text<&LongRule::id>},
    {"match", read_match},
    {"writes", read_texts<&LongRule::writes>},
    {"verdict", read_text<&LongRule::verdict>},
    {"reason", read_text<&LongRule::reason>},
    {"instead", read_text<&LongRule::instead>},
    {"examples", read_examples},
};

void complain_of_missing(Reader& reader, const DocumentNode& node) {
    for (const char* needed : {"id", "verdict"})
        if (node.find(needed) == nullptr)
            reader.complain(node.line, std::string("this rule has no ") + needed);
    if (node.find("match") == nullptr && node.find("writes") == nullptr)
        reader.complain(node.line, "this rule has neither match nor writes");
}

void read_long_rules(Reader& reader, const DocumentEntry& entry, RuleTexts& texts) {
    for (const DocumentNode& item : list_of(reader, entry.value, entry.key)) {
        if (item.kind != DocumentNode::Kind::Map) {
            complain_of_kind(reader, item, "a rule", "a map");
            continue;
        }
        LongRule rule;
        rule.where = reader.at(item.line);
        read_fields<LongRule>(reader, item, "a rule", rule_fields, rule);
        complain_of_missing(reader, item);
        texts.rules.push_back(std::move(rule));
    }
}

std::optional<bool> switch_of(const DocumentNode& node) {
    if (node.kind != DocumentNode::Kind::Text) return std::nullopt;
    if (node.text == "on" || node.text == "true") return true;
    if (node.text == "off" || node.text == "false") return false;
    return std::nullopt;
}

// {rm: on, git: off}, or [rm, git]
void read_packs(Reader& reader, const DocumentEntry& packs, RuleTexts& texts) {
    const DocumentNode& node = packs.value;
    const auto set = [&](const std::string& name, size_t line, bool on) {
        texts.packs[name] = on;
        texts.packs_where[name] = reader.at(line);
    };
    if (node.kind == DocumentNode::Kind::Text)
        complain_of_kind(reader, node, "packs", "a map of names to on or off, or a list of names");
    for (const DocumentNode& item : node.items)
        set(text_of(reader, item, "an entry of packs"), item.line, true);
    for (const DocumentEntry& entry : node.entries) {
        if (const auto on = switch_of(entry.value))
            set(entry.key, entry.line, *on);
        else
            reader.complain(entry.line, "a pack is switched on or off; \"" +
                                            text::one_line(entry.key) + "\" is given neither");
    }
}

constexpr Field<RuleTexts> sections[] = {
    {"permissions", read_permissions},
    {"rules", read_long_rules},
    {"packs", read_packs},
};

}  // namespace

std::string to_text(const Where& where) {
    return where.line == 0 ? where.file : where.file + ":" + std::to_string(where.line);
}

std::string to_text(const std::vector<Complaint>& complaints) {
    std::vector<std::string> all;
    for (const Complaint& one : complaints) {
        const std::string where = to_text(one.where);
        all.push_back(where.empty() ? one.message : where + ": " + one.message);
    }
    return text::join(all, "; ");
}

std::span<const Field<RuleTexts>> rule_sections() { return sections; }

std::expected<RuleTexts, std::vector<Complaint>> read_rules(std::string_view text,
                                                            const std::string& file_name) {
    auto settings = config::read_settings(text, file_name);
    if (!settings) return std::unexpected(std::move(settings).error());
    return std::move(settings->rules);
}

}  // namespace husk
