#include "cli/limit_option.h"

#include <string_view>

#include "request/setting_keys.h"

namespace husk::cli {
namespace {

const config::Key* key_of(std::string_view name) {
    if (name == "wall") return config::find_key("timeouts", "default");
    return config::find_key("limits", name);
}

std::string all_names() {
    std::string all;
    for (const config::Key& key : config::keys())
        if (key.section == "limits") all += std::string(key.name) + ", ";
    return all + "wall";
}

}  // namespace

Result<void> set_limit(config::Settings& flags, const std::string& text) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string quoted = "\"" + text + "\"";
    const config::Key* key = key_of(name);
    if (key == nullptr)
        return failure(
            "--limit", 0,
            quoted + " names no limit; there are " + all_names() + "; for example memory=2G");
    const std::string example = name + "=" + std::string(key->example);
    if (equals == std::string::npos)
        return failure("--limit", 0, quoted + " has no value; write " + example);
    if (config::set(flags, *key, text.substr(equals + 1), config::from_flag("--limit"))) return {};
    return failure(
        "--limit", 0,
        quoted + ": the value is not " + config::words_for(*key) + "; for example " + example);
}

CLI::Option* add_limit_option(CLI::App& app, config::Settings& flags) {
    return app
        .add_option_function<std::vector<std::string>>(
            "--limit",
            [&flags](const std::vector<std::string>& all) {
                for (const std::string& each : all) {
                    const auto done = set_limit(flags, each);
                    if (!done) throw CLI::ValidationError(done.error().step, done.error().detail);
                }
            },
            "NAME=VALUE, may be repeated: " + all_names() + "; for example memory=2G, cpu=none")
        ->allow_extra_args(false);
}

}  // namespace husk::cli
