#include "request/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "request/withheld_variables.h"

namespace husk {
namespace {

using std::string_view_literals::operator""sv;

// What programs look for below HOME and may only be read, where it really is.
void add_originals(const std::filesystem::path& home, std::map<std::string, std::string>& result) {
    constexpr std::pair<const char*, const char*> originals[] = {
        {"GIT_CONFIG_GLOBAL", ".gitconfig"},
        {"RUSTUP_HOME", ".rustup"},
        {"PYENV_ROOT", ".pyenv"},
        {"NVM_DIR", ".nvm"}};
    std::error_code failed;
    for (const auto& [variable, name] : originals)
        if (std::filesystem::exists(home / name, failed)) result[variable] = home / name;
}

// A variable that is already set keeps its value.
void add_patience(std::map<std::string, std::string>& result) {
    for (const auto& [name, value] : without_network) {
        const char* set = std::getenv(name);
        if (set == nullptr || is_withheld(name, set)) result[name] = value;
    }
}

std::map<std::string, std::string> variables_of(const Surroundings& surroundings) {
    if (!surroundings.closed) return {};
    std::map<std::string, std::string> result = {{"HOME", surroundings.home},
                                                 {"TMPDIR", surroundings.temporary}};
    if (!surroundings.true_home.empty()) add_originals(surroundings.true_home, result);
    // /run/screen, where it would lie, is read-only.
    if (std::getenv(screen_directory) == nullptr)
        result[screen_directory] = surroundings.temporary / "screen";
    if (surroundings.offline) add_patience(result);
    if (surroundings.proxy_port == 0) return result;
    const std::string proxy = "http://127.0.0.1:" + std::to_string(surroundings.proxy_port);
    for (const char* name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
        result[name] = proxy;
    for (const char* name : {"no_proxy", "NO_PROXY"}) result[name] = "localhost,127.0.0.1,::1";
    return result;
}

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

std::string only_absolute(std::string_view path) {
    std::string kept;
    for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find(':', at), path.size());
        if (path.substr(at, end - at).starts_with('/'))
            kept.append(kept.empty() ? "" : ":").append(path.substr(at, end - at));
        at = end + 1;
    }
    return kept;
}

// Variables with directories that programs of the command search. A relative entry names a
// directory that commands can write.
constexpr auto search_paths = std::to_array({"PATH="sv, "LD_LIBRARY_PATH="sv});

// An empty LD_LIBRARY_PATH names no directory; an empty PATH would mean the working directory.
void keep_absolute_entries(std::vector<std::string>& entries) {
    for (std::string& entry : entries)
        for (const std::string_view start : search_paths)
            if (entry.starts_with(start))
                entry.replace(start.size(), std::string::npos,
                              only_absolute(std::string_view(entry).substr(start.size())));
    std::erase(entries, "LD_LIBRARY_PATH=");
    for (std::string& entry : entries)
        if (entry == "PATH=") entry += usual_path;
}

// Display :1 is a socket with this name.
std::string socket_of_display(std::string_view value) {
    if (!value.starts_with(':')) return "";
    return "/tmp/.X11-unix/X" + std::string(value.substr(1, value.find('.') - 1));
}

// Whether the variable leads to a socket that the session was given.
bool leads_to_given(std::string_view name, std::string_view value,
                    const std::vector<std::filesystem::path>& sockets) {
    const std::string display = name == "DISPLAY" ? socket_of_display(value) : "";
    return std::ranges::any_of(sockets, [&](const std::filesystem::path& socket) {
        const std::string path = socket.string();
        if (path.empty()) return false;
        if (path == display || path == value) return true;
        const size_t at = value.find(path);
        if (at == std::string_view::npos) return false;
        const std::string_view before = value.substr(0, at);
        const std::string_view after = value.substr(at + path.size());
        return (before == "unix:path=" || before == "unix://") &&
               (after.empty() || after.starts_with(','));
    });
}

bool is_dropped(std::string_view name, std::string_view value, const Surroundings& surroundings) {
    return surroundings.closed && is_withheld(name, value) &&
           !leads_to_given(name, value, surroundings.sockets);
}

}  // namespace

std::string absolute_entries(std::string_view path) {
    const std::string kept = only_absolute(path);
    return kept.empty() ? std::string(usual_path) : kept;
}

std::vector<std::string> command_environment(
    const std::map<std::string, std::optional<std::string>>& changes,
    const std::filesystem::path& working_dir, const Surroundings& surroundings) {
    const std::map<std::string, std::string> own = variables_of(surroundings);
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string name(text.substr(0, text.find('=')));
        if (name == "PWD" || name == "OLDPWD" || changes.contains(name) || own.contains(name))
            continue;
        const std::string_view value = text.substr(std::min(name.size() + 1, text.size()));
        if (is_dropped(name, value, surroundings)) continue;
        result.emplace_back(text);
    }
    result.push_back("PWD=" + working_dir.string());
    for (const auto& [name, value] : own)
        if (!changes.contains(name)) result.push_back(name + "=" + value);
    for (const auto& [name, value] : changes)
        if (value) result.push_back(name + "=" + *value);
    if (surroundings.closed) keep_absolute_entries(result);
    return result;
}

std::vector<std::string> dropped_variables(
    const std::map<std::string, std::optional<std::string>>& changes,
    const Surroundings& surroundings) {
    constexpr auto untold = std::to_array({"TMP"sv, "TEMP"sv, "TEMPDIR"sv});
    const std::map<std::string, std::string> own = variables_of(surroundings);
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string name(text.substr(0, text.find('=')));
        const std::string_view value = text.substr(std::min(name.size() + 1, text.size()));
        if (changes.contains(name) || own.contains(name) ||
            std::ranges::find(untold, name) != untold.end())
            continue;
        if (value.empty() || name.starts_with("HUSK_")) continue;
        if (is_dropped(name, value, surroundings)) result.push_back(name);
    }
    std::ranges::sort(result);
    return result;
}

constexpr std::string_view dropped_note_start = "dropped from the environment: ";

std::string note_on_dropped(const std::vector<std::string>& variables) {
    constexpr size_t most = 12;
    if (variables.empty()) return "";
    std::string note(dropped_note_start);
    for (size_t i = 0; i < std::min(most, variables.size()); ++i)
        note.append(i == 0 ? "" : ", ").append(variables[i]);
    if (variables.size() > most)
        note += " and " + std::to_string(variables.size() - most) + " more";
    return note +
           ", which may hold secrets, lead out of the session, or change what bash runs; "
           "`environment.pass` in husk.yaml keeps a variable";
}

bool is_note_on_dropped(std::string_view note) { return note.starts_with(dropped_note_start); }

std::map<std::string, std::optional<std::string>> agent_environment() {
    return {{"TERM", "dumb"},     {"PAGER", "cat"},
            {"GIT_PAGER", "cat"}, {"GIT_TERMINAL_PROMPT", "0"},
            {"NO_COLOR", "1"},    {"DEBIAN_FRONTEND", "noninteractive"}};
}

}  // namespace husk
