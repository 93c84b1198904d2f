#include "request/settings_file.h"

#include "base/terminal_text.h"
#include "request/rule_sections.h"
#include "request/setting_keys.h"

namespace husk::config {
namespace {

using Kind = DocumentNode::Kind;

Origin at(const Reader& reader, size_t line) { return from_file(reader.at(line)); }

// `network: none`, `network: [a.org, b.org]`, `network: {hosts: [a.org]}`
void read_network(Reader& reader, const DocumentEntry& entry, Settings& settings) {
    const DocumentNode* hosts = &entry.value;
    if (hosts->kind == Kind::Map) {
        hosts = entry.value.find("hosts");
        constexpr std::string_view known[] = {"hosts"};
        for (const DocumentEntry& each : entry.value.entries)
            if (each.key != known[0]) complain_of_key(reader, each, "network", known);
        if (hosts == nullptr) return;
    }
    Network network{Network::Kind::Hosts, texts_of(reader, *hosts, "network")};
    if (network.hosts.empty()) network.kind = Network::Kind::None;
    for (const std::string& host : network.hosts)
        if (host.empty() || host == "none" || host == "open" || host.contains(','))
            reader.complain(entry.line, "\"" + text::one_line(host) +
                                            "\" is no host; write network: none, "
                                            "network: open, or a list of hosts");
    settings.network = {std::move(network), at(reader, entry.line)};
}

void read_value(Reader& reader, const DocumentEntry& entry, const Key& key, Settings& settings) {
    if (key.unit == Unit::Network && entry.value.kind != Kind::Text &&
        entry.value.kind != Kind::Nothing)
        return read_network(reader, entry, settings);
    const std::string name = full_name(key.section, key.name);
    if (entry.value.kind != Kind::Text)
        return complain_of_kind(reader, entry.value, name, words_for(key));
    if (const auto done = set(settings, key, entry.value.text, at(reader, entry.line)); !done)
        reader.complain(entry.line, name + ": " + done.error());
}

void read_list(Reader& reader, const DocumentEntry& entry, const ListKey& key, Settings& settings) {
    const std::string name = full_name(key.section, key.name);
    const bool is_empty = entry.value.kind == Kind::List && entry.value.items.empty();
    if (is_empty && key.may_be_empty) (settings.*key.place).push_back({"", at(reader, entry.line)});
    for (const DocumentNode& item : list_of(reader, entry.value, name)) {
        std::string text = text_of(reader, item, "an entry of " + name);
        if (item.kind != Kind::Text) continue;
        if (const std::string wrong = complaint_about(key, text); !wrong.empty())
            reader.complain(item.line, name + ": " + wrong);
        (settings.*key.place).push_back({std::move(text), at(reader, item.line)});
    }
}

void set_variable(Reader& reader, size_t line, const std::string& name,
                  std::optional<std::string> value, Settings& settings) {
    const ListKey& names = *find_list_key("environment", "pass");
    if (const std::string wrong = complaint_about(names, name); !wrong.empty())
        reader.complain(line, "environment: " + wrong);
    settings.variables[name] = {std::move(value), at(reader, line)};
}

void read_variables(Reader& reader, const DocumentEntry& entry, Settings& settings) {
    if (entry.key == "unset") {
        for (const DocumentNode& item : list_of(reader, entry.value, "environment.unset"))
            set_variable(reader, item.line, text_of(reader, item, "an entry of environment.unset"),
                         std::nullopt, settings);
        return;
    }
    if (!is_map(reader, entry.value, "environment.set")) return;
    for (const DocumentEntry& variable : entry.value.entries)
        set_variable(reader, variable.line, variable.key,
                     text_of(reader, variable.value, "environment.set." + variable.key), settings);
}

// What stands in a section, or at the top of the file; "" is that.
std::vector<std::string_view> names_in(std::string_view section) {
    std::vector<std::string_view> names;
    const auto add = [&](std::string_view name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    const auto look_at = [&](const auto& key) {
        if (key.section == section)
            add(key.name);
        else if (section.empty())
            add(key.section);
    };
    for (const Key& key : keys()) look_at(key);
    for (const ListKey& key : list_keys()) look_at(key);
    if (section == "environment") {
        add("set");
        add("unset");
    }
    if (section.empty())
        for (const Field<RuleTexts>& rules : rule_sections()) add(rules.name);
    return names;
}

void complain_of_unknown(Reader& reader, const DocumentEntry& entry, const std::string& section) {
    // What --limit calls so has its place elsewhere.
    if (section == "limits" && (entry.key == "wall" || entry.key == "timeout"))
        return reader.complain(entry.line, "unknown key \"" + entry.key +
                                               "\" in limits; did you mean timeouts.default?");
    complain_of_key(reader, entry, section.empty() ? "this file" : section, names_in(section));
}

// The contract docware also knows its keys as `maxMemoryUsage`, and one by a shorter name.
std::string name_in(std::string_view section, std::string_view key) {
    if (section != "docware") return std::string(key);
    if (key == "streaming") return "enable_streaming";
    std::string name;
    for (const char letter : key) {
        const bool is_capital = letter >= 'A' && letter <= 'Z';
        if (is_capital) name += '_';
        name += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return name;
}

void read_section(Reader& reader, const DocumentEntry& section, Settings& settings) {
    if (!is_map(reader, section.value, section.key)) return;
    for (const DocumentEntry& entry : section.value.entries) {
        const bool variables =
            section.key == "environment" && (entry.key == "set" || entry.key == "unset");
        const std::string name = name_in(section.key, entry.key);
        if (name != entry.key && section.value.find(name) != nullptr)
            reader.complain(entry.line, "\"" + entry.key + "\" in " + section.key +
                                            " is another spelling of \"" + name +
                                            "\", which is there too; delete one of them");
        if (const Key* key = find_key(section.key, name))
            read_value(reader, entry, *key, settings);
        else if (const ListKey* list = find_list_key(section.key, name))
            read_list(reader, entry, *list, settings);
        else if (variables)
            read_variables(reader, entry, settings);
        else
            complain_of_unknown(reader, entry, section.key);
    }
}

void read_entry(Reader& reader, const DocumentEntry& entry, Settings& settings) {
    const auto rules = rule_sections();
    const auto rule = std::ranges::find(rules, entry.key, &Field<RuleTexts>::name);
    if (rule != rules.end()) return rule->read(reader, entry, settings.rules);
    if (const Key* key = find_key("", entry.key)) return read_value(reader, entry, *key, settings);
    if (const ListKey* list = find_list_key("", entry.key))
        return read_list(reader, entry, *list, settings);
    const auto known = names_in("");
    if (std::ranges::find(known, entry.key) == known.end())
        return complain_of_unknown(reader, entry, "");
    read_section(reader, entry, settings);
}

std::expected<Settings, std::vector<Complaint>> settings_in(
    const std::expected<DocumentNode, DocumentError>& document, const std::string& file_name) {
    Reader reader{file_name};
    if (!document) {
        reader.complain(document.error().line, document.error().message);
        return refused(std::move(reader));
    }
    Settings settings;
    if (is_map(reader, *document, "this file"))
        for (const DocumentEntry& entry : document->entries) read_entry(reader, entry, settings);
    if (reader.complaints.empty()) return settings;
    return refused(std::move(reader));
}

}  // namespace

std::expected<Settings, std::vector<Complaint>> read_settings(std::string_view text,
                                                              const std::string& file_name) {
    return settings_in(read_yaml(text), file_name);
}

std::expected<Settings, std::vector<Complaint>> read_agents_file(std::string_view text,
                                                                 const std::string& file_name) {
    return settings_in(read_yaml_key(text, "permissions"), file_name);
}

}  // namespace husk::config
