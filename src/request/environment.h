// The environment that a command gets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace husk {

// What the walls around a command make of its environment.
struct Surroundings {
    bool closed = false;              // without secrets, and without what leads outside
    std::filesystem::path home = {};  // of a closed session
    std::filesystem::path temporary = "/tmp";
    std::filesystem::path true_home = {};             // that of the user, where `home` is another
    uint16_t proxy_port = 0;                          // 0: there is no proxy
    bool offline = false;                             // no other host is in reach
    std::vector<std::filesystem::path> sockets = {};  // outside, and given to the session
};

// This process's environment with `changes` on top (no value: taken out), PWD set to the
// working directory and OLDPWD gone, as NAME=value. What is given on purpose in `changes` stays; in
// a closed session PATH and LD_LIBRARY_PATH have absolute entries only, whoever gives them.
std::vector<std::string> command_environment(
    const std::map<std::string, std::optional<std::string>>& changes,
    const std::filesystem::path& working_dir, const Surroundings& surroundings = {});

// The names of the variables of this process that a closed session does without, sorted; without
// those that Husk replaces by its own.
std::vector<std::string> dropped_variables(
    const std::map<std::string, std::optional<std::string>>& changes,
    const Surroundings& surroundings);
// A sentence that names them and the setting that keeps them; empty if there are none.
std::string note_on_dropped(const std::vector<std::string>& variables);
bool is_note_on_dropped(std::string_view note);

// The absolute entries of a search path. An empty or relative entry names a directory that
// commands can write. Where no entry is absolute, the system's directories are.
std::string absolute_entries(std::string_view path);

// Where GNU screen keeps its sockets, and what tells it so.
inline constexpr const char* screen_directory = "SCREENDIR";

// Variables of a session without a network. There a package manager that tries again only makes its
// user wait, and npm asks its registry for news of itself on every call.
inline constexpr std::pair<const char*, const char*> without_network[] = {
    {"npm_config_fetch_retries", "0"}, {"npm_config_update_notifier", "false"},
    {"YARN_HTTP_RETRY", "0"},          {"PIP_RETRIES", "0"},
    {"UV_HTTP_RETRIES", "0"},          {"CARGO_NET_RETRY", "0"}};

// No pagers, no prompts, no colours: nobody is there to answer or to look.
std::map<std::string, std::optional<std::string>> agent_environment();

}  // namespace husk
