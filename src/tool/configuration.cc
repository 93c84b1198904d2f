#include "tool/configuration.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "base/terminal_text.h"
#include "os/file.h"
#include "request/settings_file.h"
#include "request/settings_layers.h"
#include "run/state_dir.h"
#include "tool/trust.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using config::Settings;
using Complaints = std::vector<Complaint>;

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

std::unexpected<Complaints> refusal(const Where& where, std::string message) {
    return std::unexpected(Complaints{{where, std::move(message)}});
}

bool is_absent(std::error_code failed, fs::file_type type) {
    return type == fs::file_type::not_found || failed == std::errc::permission_denied;
}

// Nothing when there is no such file.
std::expected<std::optional<std::string>, Complaints> text_if_there(const fs::path& path) {
    if (path.empty()) return std::nullopt;
    std::error_code failed;
    const fs::file_type type = fs::status(path, failed).type();
    if (is_absent(failed, type)) return std::nullopt;
    return read_rules_text(path);
}

// Reads the file, and notes in `sources` how it was found.
std::expected<std::optional<std::string>, Complaints> read_source(
    const fs::path& path, std::vector<SourceFile>& sources) {
    SourceFile source{.path = path, .stamp = os::stamp_of(path)};
    source.text = TRY(text_if_there(path));
    sources.push_back(source);
    return source.text;
}

std::expected<void, Complaints> check_absolute(const config::Setting<std::string>& path) {
    const std::string& written = path.value;
    if (!path.is_given() || written.starts_with('/') || written.starts_with("~/")) return {};
    return refusal({path.origin.name, path.origin.line},
                   "\"" + text::one_line(written) + "\" must begin with / or ~/");
}

std::expected<Settings, Complaints> read_users(Configuration& configuration) {
    const ConfigurationFiles& files = configuration.files;
    std::optional<std::string> text;
    if (files.named.empty()) {
        text = TRY(read_source(files.users, configuration.sources));
    } else {
        SourceFile source{.path = files.named, .stamp = os::stamp_of(files.named)};
        source.text = text = TRY(read_rules_text(files.named));
        configuration.sources.push_back(std::move(source));
    }
    if (!text) return Settings{};
    Settings users = TRY(config::read_settings(*text, files.own().string()));
    // The user's file stands beside no work that it could be relative to.
    CHECK(check_absolute(users.working_directory));
    CHECK(check_absolute(users.docware_directory));
    CHECK(check_absolute(users.state));
    return users;
}

Settings from_variables() {
    Settings settings;
    if (std::string state = variable("HUSK_STATE"); !state.empty())
        settings.state = {std::move(state), {config::Origin::Kind::Variable, "HUSK_STATE", 0}};
    return settings;
}

fs::path workspace_of(const Settings& flags, const Settings& users) {
    const auto& chosen =
        flags.working_directory.is_given() ? flags.working_directory : users.working_directory;
    if (!chosen.is_given()) return {};
    std::error_code failed;
    return fs::absolute(expanded(chosen.value, ""), failed);
}

fs::path state_of(const Settings& settings) {
    if (!settings.state.is_given()) return run::default_state_path();
    std::error_code failed;
    return fs::absolute(expanded(settings.state.value, ""), failed);
}

fs::path file_beside(const fs::path& workspace, const std::string& name) {
    std::error_code failed;
    const fs::path dir = workspace.empty() ? fs::current_path(failed) : workspace;
    return (dir / "").lexically_normal() / name;
}

// What a file beside the work counts for depends on the list of trusted files.
void add_trust_list(Configuration& configuration) {
    const fs::path list = trust_list(configuration.state);
    if (std::ranges::find(configuration.sources, list, &SourceFile::path) ==
        configuration.sources.end())
        configuration.sources.push_back(
            {.kind = SourceFile::Kind::Trust, .path = list, .stamp = os::stamp_of(list)});
}

// A file beside the work, and what it counts for.
struct Beside {
    Settings settings;
    Standing standing;
};
using ReadFile = std::expected<Settings, Complaints> (*)(std::string_view text,
                                                         const std::string& file_name);

// Nothing where there is no such file.
std::expected<std::optional<Beside>, Complaints> read_beside(const fs::path& file, ReadFile read,
                                                             Configuration& configuration) {
    std::error_code failed;
    if (fs::equivalent(configuration.files.users, file, failed)) return std::nullopt;
    const std::optional<std::string> text = TRY(read_source(file, configuration.sources));
    add_trust_list(configuration);
    if (!text) return std::nullopt;
    Settings here = TRY(read(*text, file.string()));
    CHECK(check_absolute(here.state));
    const bool trusted = is_trusted(configuration.state, file, *text);
    return Beside{std::move(here), trusted ? Standing::Trusted : Standing::Narrows};
}

// What it adds, as far as it may. Returns what it counts for.
Standing add_beside(Configuration& configuration, const Beside& beside) {
    if (beside.standing == Standing::Trusted) {
        configuration.settings =
            config::layered(std::move(configuration.settings), beside.settings);
        return beside.standing;
    }
    config::Narrowed narrowed =
        config::narrowed_by(std::move(configuration.settings), beside.settings);
    configuration.settings = std::move(narrowed.settings);
    std::ranges::move(narrowed.ignored, std::back_inserter(configuration.ignored));
    configuration.rules_beside.push_back(beside.settings.rules);
    return beside.standing;
}

}  // namespace

fs::path expanded(const std::string& written, const fs::path& base) {
    const fs::path home = variable("HOME");
    if (written == "~" && !home.empty()) return home;
    if (written.starts_with("~/") && !home.empty()) return home / written.substr(2);
    return base.empty() || written.empty() ? fs::path(written) : base / written;
}

fs::path base_of(const Configuration& configuration) {
    std::error_code failed;
    return configuration.workspace.empty() ? fs::current_path(failed) : configuration.workspace;
}

fs::path working_directory_of(const Configuration& configuration) {
    const auto& directory = configuration.settings.working_directory;
    return directory.is_given() ? expanded(directory.value, base_of(configuration)) : fs::path();
}

fs::path state_directory_of(const Settings& settings) {
    return settings.state.is_given() ? expanded(settings.state.value, "") : fs::path();
}

std::expected<std::string, std::vector<Complaint>> read_rules_text(const fs::path& path) {
    // `--config <(...)` names a pipe. Elsewhere a pipe that somebody has put in the place of a file
    // would keep the reader waiting.
    const bool is_ours = path.native().starts_with("/dev/") || path.native().starts_with("/proc/");
    auto text = is_ours ? os::read_file(path, largest) : os::read_regular_file(path, largest);
    if (text) return *std::move(text);
    const int code = text.error().code;
    return refusal({path.string(), 0}, code == EINVAL ? "it is no regular file"
                                                      : std::generic_category().message(code));
}

std::expected<decide::Rules, std::vector<Complaint>> usable_rules(const RuleTexts& texts) {
    decide::Compiled compiled = decide::compile(texts);
    if (compiled.usable()) return std::move(compiled.rules);
    std::vector<Complaint> complaints;
    for (const decide::Problem& problem : compiled.problems)
        if (problem.fatal) complaints.push_back({problem.where, problem.message});
    return std::unexpected(std::move(complaints));
}

std::expected<decide::Rules, std::vector<Complaint>> usable_rules(
    const Configuration& configuration) {
    for (const RuleTexts& rules : configuration.rules_beside) CHECK(usable_rules(rules));
    return usable_rules(configuration.settings.rules);
}

ConfigurationFiles find_configuration(const fs::path& named) {
    ConfigurationFiles files;
    files.named = expanded(named.empty() ? variable("HUSK_CONFIG") : named.string(), "");
    files.users = users_file();
    return files;
}

std::expected<Configuration, std::vector<Complaint>> read_configuration(
    const fs::path& named, const Settings& flags, const OfContract& contract) {
    using config::layered;
    Configuration configuration;
    ConfigurationFiles& files = configuration.files = find_configuration(named);
    Settings users = TRY(read_users(configuration));
    const Settings on_top = layered(from_variables(), flags);
    if (contract.specialize) CHECK(contract.specialize(users, layered(users, on_top)));
    configuration.workspace = workspace_of(flags, users);
    // Who is trusted is a matter of the user alone, so the workspace has no say in where that
    // is written.
    configuration.state = state_of(layered(users, on_top));
    std::optional<Beside> here;
    if (files.named.empty()) {
        files.here = file_beside(configuration.workspace, "husk.yaml");
        here = TRY(read_beside(files.here, config::read_settings, configuration));
    }
    const bool trusted = here && here->standing == Standing::Trusted;
    const Settings chosen = layered(trusted ? layered(users, here->settings) : users, on_top);
    if (contract.specialize) {
        CHECK(contract.specialize(users, chosen));
        if (trusted) CHECK(contract.specialize(here->settings, chosen));
    }
    Below below;
    if (contract.below) below = contract.below(chosen);
    configuration.settings = layered(std::move(below.settings), users);
    if (here) configuration.here = add_beside(configuration, *here);
    if (files.named.empty() && !below.agents_file.empty()) {
        files.agents = file_beside(configuration.workspace, below.agents_file);
        const auto agents = TRY(read_beside(files.agents, config::read_agents_file, configuration));
        if (agents) configuration.agents = add_beside(configuration, *agents);
    }
    configuration.settings = layered(std::move(configuration.settings), on_top);
    return configuration;
}

}  // namespace husk::tool
