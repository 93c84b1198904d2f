#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "cli/consent.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/tool_options.h"
#include "contract/contract.h"
#include "decide/check.h"
#include "render/report_json.h"
#include "render/table.h"
#include "render/text_or_null.h"
#include "request/setting_keys.h"
#include "request/settings_list.h"
#include "tool/configuration_edit.h"
#include "tool/contract_layer.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ConfigOptions {
    config::Settings flags;
    std::string config;
    bool json = false;
    std::string key;
    std::string value;
    std::vector<std::string> more;  // of a list
};

const char* word(config::Origin::Kind kind) {
    switch (kind) {
        case config::Origin::Kind::BuiltIn: return "built in";
        case config::Origin::Kind::Contract: return "contract";
        case config::Origin::Kind::File: return "file";
        case config::Origin::Kind::Variable: return "variable";
        case config::Origin::Kind::Flag: return "flag";
        case config::Origin::Kind::Call: return "call";
    }
    std::unreachable();
}

const char* word(tool::Standing standing) {
    switch (standing) {
        case tool::Standing::Nothing: return "not there";
        case tool::Standing::Narrows: return "may only narrow";
        case tool::Standing::Trusted: return "trusted";
    }
    std::unreachable();
}

// A pack that the contract's own checks use is on, even if the rules do not use it.
void add_own_packs(const config::Settings& settings, std::vector<config::Line>& lines) {
    const auto* contract =
        settings.contract.is_given() ? contract::find_contract(settings.contract.value) : nullptr;
    if (contract == nullptr) return;
    for (const std::string_view pack : contract->defaults.own_packs)
        for (config::Line& line : lines)
            if (line.key == "packs." + std::string(pack) && line.value == "off")
                line = {line.key,
                        "on",
                        {config::Origin::Kind::Contract, std::string(contract->name), 0}};
}

std::vector<config::Line> lines_in_force(const tool::Configuration& configuration) {
    std::vector<config::Line> lines = config::lines_of(configuration.settings);
    for (config::Line& line : lines)
        if (line.key == "state" && line.value.empty()) line.value = configuration.state;
    for (const decide::Pack* pack : decide::all_packs())
        if (!configuration.settings.rules.packs.contains(std::string(pack->name)))
            lines.push_back(
                {"packs." + std::string(pack->name), pack->on_by_default ? "on" : "off", {}});
    add_own_packs(configuration.settings, lines);
    return lines;
}

// "environment.set.CC" has three parts; all other keys have one or two.
yaml::Path path_of(const std::string& key) {
    yaml::Path path;
    for (size_t at = 0; at <= key.size();) {
        const size_t dot = path.size() == 2 ? key.npos : key.find('.', at);
        const size_t end = std::min(dot, key.size());
        path.push_back(key.substr(at, end - at));
        at = end + 1;
    }
    return path;
}

const config::Key* key_named(const yaml::Path& path) {
    if (path.size() > 2) return nullptr;
    return config::find_key(path.size() == 2 ? path[0] : "", path.back());
}

// As it is read best: a size that nobody wrote is seldom a round one.
std::string for_people(const config::Line& line) {
    const config::Key* key = key_named(path_of(line.key));
    const bool odd = key != nullptr && key->unit == config::Unit::Size && line.value.ends_with('K');
    const auto bytes = odd ? text::parse_size(line.value) : std::nullopt;
    if (bytes) return text::format_size(*bytes);
    if (!line.value.empty()) return line.value;
    const yaml::Path path = path_of(line.key);
    const bool is_list = path.size() == 2 && config::find_list_key(path[0], path[1]) != nullptr;
    return is_list ? "nothing (empty list)" : "-";
}

std::string text_of(const tool::Configuration& configuration) {
    std::vector<render::Row> rows = {{"KEY", "VALUE", "FROM"}};
    for (const config::Line& line : lines_in_force(configuration))
        rows.push_back({line.key, for_people(line), to_text(line.origin)});
    return render::table(rows, 0);  // a path that is cut is no path
}

Json json_of(const tool::Configuration& configuration) {
    Json settings = Json::array();
    for (const config::Line& line : lines_in_force(configuration)) {
        const config::Origin& origin = line.origin;
        settings.push_back({{"key", line.key},
                            {"value", line.value},
                            {"from", word(origin.kind)},
                            {"name", render::text_or_null(origin.name)},
                            {"line", origin.line == 0 ? Json(nullptr) : Json(origin.line)}});
    }
    Json ignored = Json::array();
    for (const Complaint& one : configuration.ignored)
        ignored.push_back(
            {{"file", one.where.file}, {"line", one.where.line}, {"entry", one.message}});
    const tool::ConfigurationFiles& files = configuration.files;
    return {{"settings", std::move(settings)},
            {"files",
             {{"named", render::text_or_null(files.named.string())},
              {"user", render::text_or_null(files.users.string())},
              {"workspace", render::text_or_null(files.here.string())},
              {"agent", render::text_or_null(files.agents.string())}}},
            {"workspace_file", word(configuration.here)},
            {"agent_file", word(configuration.agents)},
            {"ignored", std::move(ignored)}};
}

int show(const ConfigOptions& options) {
    const auto configuration =
        tool::read_with_contract(options.config, options.flags, tool::Contracts::Named);
    if (!configuration) return fail(configuration.error());
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(json_of(*configuration)) + "\n");
        return 0;
    }
    write_out(STDOUT_FILENO, text_of(*configuration));
    tell_ignored(*configuration);
    tell_dead_rules(configuration->settings.rules);
    return 0;
}

bool is_list(const yaml::Path& path) {
    const std::string section = path.size() == 2 ? path[0] : "";
    if (section == "permissions") return path[1] != "mode";
    if (path == yaml::Path{"environment", "unset"}) return true;
    return path.size() <= 2 && config::find_list_key(section, path.back()) != nullptr;
}

// What is there without having a line while it says nothing.
bool is_key(const yaml::Path& path) {
    const std::string& section = path[0];
    if (path.size() == 3) return section == "environment" && path[1] == "set";
    if (section == "packs") return path.size() == 2;
    return is_list(path) || section == "rules";
}

int get(const ConfigOptions& options) {
    const auto configuration =
        tool::read_with_contract(options.config, options.flags, tool::Contracts::Named);
    if (!configuration) return fail(configuration.error());
    const auto lines = lines_in_force(*configuration);
    std::string values;
    std::vector<std::string_view> names;
    bool found = is_key(path_of(options.key));
    for (const config::Line& line : lines) {
        names.push_back(line.key);
        if (line.key != options.key) continue;
        found = true;
        if (!line.value.empty()) values += line.value + "\n";
    }
    if (found) return write_out(STDOUT_FILENO, values) ? 0 : husk_failed;
    const std::string meant = text::closest(options.key, names);
    return fail("there is no key \"" + options.key + "\"; " +
                (meant.empty() ? "husk config lists them" : "did you mean " + meant + "?"));
}

// Not read_configuration: what is wrong elsewhere shall not keep anybody from changing this.
int edit(const ConfigOptions& options, const std::function<yaml::Edited(std::string_view)>& change,
         const std::string& done) {
    const std::filesystem::path file = tool::find_configuration(options.config).own();
    const auto edited = tool::edit_configuration(file, change);
    if (!edited) return fail(file.string() + " was not changed: " + edited.error());
    write_out(STDOUT_FILENO, options.key + done + file.string() + "\n");
    return 0;
}

// A list in one line, but not [ab]*, which is a pattern.
bool looks_like_yaml(const std::string& value) {
    return value.starts_with('[') && value.ends_with(']') &&
           value.find_first_of(",\"'") != std::string::npos;
}

int set(const ConfigOptions& options) {
    const yaml::Path path = path_of(options.key);
    std::vector<std::string> values = {options.value};
    values.insert(values.end(), options.more.begin(), options.more.end());
    if (is_list(path) && looks_like_yaml(values[0]))
        return fail("give the values one after the other: husk config set " + options.key + " A B");
    if (is_list(path) && values[0] == "[]") values.clear();
    const bool one = values.size() == 1 && !is_list(path);
    const yaml::Value value = one ? yaml::Value(values[0]) : yaml::Value(values);
    return edit(
        options, [&](std::string_view text) { return yaml::with_value(text, path, value); },
        " is set in ");
}

int unset(const ConfigOptions& options) {
    return edit(
        options, [&](std::string_view text) { return yaml::without(text, path_of(options.key)); },
        " no longer stands in ");
}

// Those who write the file or read one value of it take a key.
CLI::App* add_with_key(CLI::App& app, const char* name, const char* description,
                       const std::shared_ptr<ConfigOptions>& options) {
    CLI::App* sub = app.add_subcommand(name, description);
    sub->add_option("KEY", options->key, "For example mode, limits.memory, environment.set.CC")
        ->required();
    return sub;
}

// What may stand in front of `get` too.
}  // namespace

void add_config(CLI::App& app, int& code) {
    auto options = std::make_shared<ConfigOptions>();
    CLI::App* sub = app.add_subcommand("config", "Print what is in force, and where it comes from");
    sub->footer(
        "ConfigOptions are those of the call that is meant. With a contract, by --contract or in a "
        "file,\n"
        "it is what counts for its tools; without one, what counts for husk run.");
    sub->add_flag("--json", options->json, "Print it as JSON");
    add_contract_options(*sub, options->flags, options->config);
    sub->require_subcommand(0, 1);
    CLI::App* getting = add_with_key(*sub, "get", "Print one value, as it is in force", options);
    add_contract_options(*getting, options->flags, options->config);
    getting->callback([options, &code] { code = get(*options); });
    CLI::App* setting = add_with_key(*sub, "set", "Write a value into your husk.yaml", options);
    // The first is apart, because CLI11 takes [] in a list of options for no value at all.
    setting->add_option("VALUE", options->value, "What it is to be; [] is the empty list")
        ->required();
    setting->add_option("MORE", options->more, "Further values of a list");
    add_config(*setting, options->config);
    setting->callback([options, &code] { code = set(*options); });
    CLI::App* unsetting = add_with_key(*sub, "unset", "Take a key out of your husk.yaml", options);
    add_config(*unsetting, options->config);
    unsetting->callback([options, &code] { code = unset(*options); });
    sub->callback([sub, options, &code] {
        if (sub->get_subcommands().empty()) code = show(*options);
    });
}

}  // namespace husk::cli
