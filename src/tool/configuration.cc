#include "tool/configuration.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "decide/check.h"
#include "os/file.h"
#include "request/rule_layers.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// The readers refuse what is larger, so one byte more is enough to tell.
constexpr size_t largest = (size_t{1} << 20) + 1;

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

fs::path users_file() {
    if (const fs::path config = variable("XDG_CONFIG_HOME"); config.is_absolute())
        return config / "husk" / "husk.yaml";
    if (const fs::path home = variable("HOME"); home.is_absolute())
        return home / ".config" / "husk" / "husk.yaml";
    return {};
}

std::unexpected<std::vector<Complaint>> refusal(const fs::path& path, std::string message) {
    return std::unexpected(std::vector<Complaint>{{{path.string(), 0}, std::move(message)}});
}

std::expected<RuleTexts, std::vector<Complaint>> read_named(const fs::path& path) {
    auto text = read_rules_text(path);
    if (!text) return std::unexpected(std::move(text).error());
    return read_rules(*text, path.string());
}

bool is_absent(std::error_code failed, fs::file_type type) {
    return type == fs::file_type::not_found || failed == std::errc::permission_denied;
}

std::expected<RuleTexts, std::vector<Complaint>> read_if_there(const fs::path& path) {
    if (path.empty()) return RuleTexts{};
    std::error_code failed;
    const fs::file_type type = fs::status(path, failed).type();
    if (is_absent(failed, type)) return RuleTexts{};
    // Reading a pipe that somebody has put there would never end.
    if (!failed && type != fs::file_type::regular) return refusal(path, "it is no regular file");
    return read_named(path);
}

// The user's file and what the one beside the work narrows.
struct Layers {
    RuleTexts rules;
    std::vector<Complaint> ignored;
};

std::expected<Layers, std::vector<Complaint>> read_layers(const ConfigurationFiles& files) {
    auto users = read_if_there(files.users);
    if (!users) return std::unexpected(std::move(users).error());
    std::error_code failed;
    if (fs::equivalent(files.users, files.here, failed)) return Layers{*std::move(users), {}};
    const auto here = read_if_there(files.here);
    if (!here) return std::unexpected(here.error());
    Narrowed narrow = narrowed(*here);
    return Layers{together(*std::move(users), narrow.rules), std::move(narrow.ignored)};
}

}  // namespace

std::expected<std::string, std::vector<Complaint>> read_rules_text(const fs::path& path) {
    auto text = os::read_file(path, largest);
    if (text) return *std::move(text);
    return refusal(path, std::generic_category().message(text.error().code));
}

std::expected<decide::Rules, std::vector<Complaint>> usable_rules(const RuleTexts& texts) {
    decide::Compiled compiled = decide::compile(texts);
    if (compiled.usable()) return std::move(compiled.rules);
    std::vector<Complaint> complaints;
    for (const decide::Problem& problem : compiled.problems)
        if (problem.fatal) complaints.push_back({problem.where, problem.message});
    return std::unexpected(std::move(complaints));
}

ConfigurationFiles find_configuration(const fs::path& named, const fs::path& working_dir) {
    ConfigurationFiles files;
    files.named = named.empty() ? fs::path(variable("HUSK_CONFIG")) : named;
    files.users = users_file();
    files.here = working_dir / "husk.yaml";
    return files;
}

std::expected<Configuration, std::vector<Complaint>> read_configuration(
    const ConfigurationFiles& files, const PacksOn& packs_on) {
    Layers layers;
    if (files.named.empty()) {
        auto read = read_layers(files);
        if (!read) return std::unexpected(std::move(read).error());
        layers = *std::move(read);
    } else {
        auto read = read_named(files.named);
        if (!read) return std::unexpected(std::move(read).error());
        layers.rules = *std::move(read);
    }
    if (packs_on)
        for (const decide::Pack* pack : decide::all_packs())
            layers.rules.packs.try_emplace(
                std::string(pack->name),
                std::ranges::find(*packs_on, pack->name) != packs_on->end());
    auto rules = usable_rules(layers.rules);
    if (!rules) return std::unexpected(std::move(rules).error());
    return Configuration{*std::move(rules), std::move(layers.ignored)};
}

}  // namespace husk::tool
