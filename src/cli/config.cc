#include <unistd.h>

#include <algorithm>

#include "cli/consent.h"
#include "cli/setting_option.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "decide/check.h"
#include "render/report_json.h"
#include "render/table.h"
#include "request/setting_keys.h"
#include "request/settings_list.h"
#include "tool/configuration_edit.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    config::Settings flags;
    std::string config;
    bool json = false;
    std::string key;
    std::vector<std::string> values;
};

const char* word(config::Origin::Kind kind) {
    switch (kind) {
        case config::Origin::Kind::BuiltIn: return "built in";
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

std::vector<config::Line> lines_in_force(const tool::Configuration& configuration) {
    std::vector<config::Line> lines = config::lines_of(configuration.settings);
    for (config::Line& line : lines)
        if (line.key == "state" && line.value.empty()) line.value = configuration.state;
    for (const decide::Pack* pack : decide::all_packs())
        if (!configuration.settings.rules.packs.contains(std::string(pack->name)))
            lines.push_back(
                {"packs." + std::string(pack->name), pack->on_by_default ? "on" : "off", {}});
    return lines;
}

std::string text_of(const tool::Configuration& configuration) {
    std::vector<render::Row> rows = {{"KEY", "VALUE", "FROM"}};
    for (const config::Line& line : lines_in_force(configuration))
        rows.push_back({line.key, line.value.empty() ? "-" : line.value, to_text(line.origin)});
    return render::table(rows, 0);  // a path that is cut is no path
}

Json path_or_null(const std::filesystem::path& path) {
    return path.empty() ? Json(nullptr) : Json(path.string());
}

Json json_of(const tool::Configuration& configuration) {
    Json settings = Json::array();
    for (const config::Line& line : lines_in_force(configuration)) {
        const config::Origin& origin = line.origin;
        settings.push_back({{"key", line.key},
                            {"value", line.value},
                            {"from", word(origin.kind)},
                            {"name", origin.name.empty() ? Json(nullptr) : Json(origin.name)},
                            {"line", origin.line == 0 ? Json(nullptr) : Json(origin.line)}});
    }
    Json ignored = Json::array();
    for (const Complaint& one : configuration.ignored)
        ignored.push_back(
            {{"file", one.where.file}, {"line", one.where.line}, {"entry", one.message}});
    const tool::ConfigurationFiles& files = configuration.files;
    return {{"settings", std::move(settings)},
            {"files",
             {{"named", path_or_null(files.named)},
              {"user", path_or_null(files.users)},
              {"workspace", path_or_null(files.here)}}},
            {"workspace_file", word(configuration.here)},
            {"ignored", std::move(ignored)}};
}

int show(const Options& options) {
    const auto configuration = tool::read_configuration(options.config, options.flags);
    if (!configuration) return fail(configuration.error());
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(json_of(*configuration)) + "\n");
        return 0;
    }
    write_out(STDOUT_FILENO, text_of(*configuration));
    tell_ignored(*configuration);
    return 0;
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

bool is_list(const yaml::Path& path) {
    const std::string section = path.size() == 2 ? path[0] : "";
    if (section == "permissions") return path[1] != "mode";
    if (path == yaml::Path{"environment", "unset"}) return true;
    return path.size() <= 2 && config::find_list_key(section, path.back()) != nullptr;
}

int set(const Options& options) {
    // Not read_configuration: what is wrong elsewhere shall not keep anybody from setting this.
    const std::filesystem::path file = tool::find_configuration(options.config).own();
    const yaml::Path path = path_of(options.key);
    const bool one = options.values.size() == 1 && !is_list(path);
    const yaml::Value value = one ? yaml::Value(options.values[0]) : yaml::Value(options.values);
    const auto done = tool::edit_configuration(
        file, [&](std::string_view text) { return yaml::with_value(text, path, value); });
    if (!done) return fail(file.string() + " was not changed: " + done.error());
    return 0;
}

}  // namespace

void add_config(CLI::App& app, int& code) {
    auto options = std::make_shared<Options>();
    CLI::App* sub = app.add_subcommand("config", "Print what is in force, and where it comes from");
    sub->add_flag("--json", options->json, "Print it as JSON");
    add_working_directory(*sub, options->flags);
    add_setting(*sub, "--state", options->flags, "state", state_description);
    add_config(*sub, options->config);
    sub->require_subcommand(0, 1);
    CLI::App* setting = sub->add_subcommand("set", "Write a value into your husk.yaml");
    setting->add_option("KEY", options->key, "For example mode, limits.memory, environment.set.CC")
        ->required();
    setting->add_option("VALUE", options->values, "One, or those of a list")->required();
    add_config(*setting, options->config);
    setting->callback([options, &code] { code = set(*options); });
    sub->callback([sub, options, &code] {
        if (sub->get_subcommands().empty()) code = show(*options);
    });
}

}  // namespace husk::cli
