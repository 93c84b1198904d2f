#include "request/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace husk {
namespace {

using std::string_view_literals::operator""sv;

// Anywhere in a name, between underscores or at its ends.
constexpr auto secret_words = std::to_array({
    "TOKEN"sv,
    "SECRET"sv,
    "SECRETS"sv,
    "PASSWORD"sv,
    "PASSWD"sv,
    "PASSPHRASE"sv,
    "PASS"sv,
    "APIKEY"sv,
    "PAT"sv,
    "AUTH"sv,
    "CREDENTIAL"sv,
    "CREDENTIALS"sv,
    "COOKIE"sv,
    "DSN"sv,
    "KEY"sv,
    "PRIVATE"sv,
});

// Whole names: secrets, sockets of others, and what makes a program run something first.
constexpr auto names = std::to_array({
    "BASH_ENV"sv,
    "ENV"sv,
    "SHELLOPTS"sv,
    "BASHOPTS"sv,
    "PS4"sv,
    "PROMPT_COMMAND"sv,
    "GLOBIGNORE"sv,
    "IFS"sv,
    "CDPATH"sv,
    "FIGNORE"sv,
    "PYTHONSTARTUP"sv,
    "PYTHONINSPECT"sv,
    "PERL5OPT"sv,
    "PERL5DB"sv,
    "RUBYOPT"sv,
    "NODE_OPTIONS"sv,
    "JAVA_TOOL_OPTIONS"sv,
    "GIT_ASKPASS"sv,
    "SSH_ASKPASS"sv,
    "GIT_SSH"sv,
    "GIT_SSH_COMMAND"sv,
    "GIT_EXTERNAL_DIFF"sv,
    "GIT_PROXY_COMMAND"sv,
    "SSH_AUTH_SOCK"sv,
    "SSH_AGENT_PID"sv,
    "GPG_AGENT_INFO"sv,
    "DBUS_SESSION_BUS_ADDRESS"sv,
    "DBUS_SYSTEM_BUS_ADDRESS"sv,
    "XDG_RUNTIME_DIR"sv,
    "DOCKER_HOST"sv,
    "CONTAINER_HOST"sv,
    "KUBECONFIG"sv,
    "DATABASE_URL"sv,
    "REDIS_URL"sv,
    "MONGO_URL"sv,
    "MONGODB_URI"sv,
    "PGPASSFILE"sv,
    "NETRC"sv,
    "DISPLAY"sv,
    "WAYLAND_DISPLAY"sv,
    "XAUTHORITY"sv,
    "TMUX"sv,
    "STY"sv,
    "TMP"sv,
    "TEMP"sv,
    "TEMPDIR"sv,
    "NOTIFY_SOCKET"sv,
    "LISTEN_FDS"sv,
    "LISTEN_PID"sv,
});

constexpr auto starts = std::to_array({
    "LD_"sv,
    "BASH_FUNC_"sv,
    "GIT_CONFIG"sv,
    "AWS_"sv,
    "AZURE_"sv,
    "GCP_"sv,
    "GOOGLE_"sv,
    "OPENAI_"sv,
    "ANTHROPIC_"sv,
    "HUSK_"sv,
    "GLIBC_TUNABLES"sv,
    "MALLOC_"sv,
});

template <class List>
bool has(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

bool has_secret_word(std::string_view name) {
    for (size_t at = 0; at <= name.size();) {
        const size_t end = std::min(name.find('_', at), name.size());
        if (has(secret_words, name.substr(at, end - at))) return true;
        at = end + 1;
    }
    return false;
}

std::string upper(std::string_view name) {
    std::string result(name);
    for (char& letter : result)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return result;
}

// An address of the host's network, which is not that of the session.
bool is_proxy(std::string_view name) {
    return name == "HTTP_PROXY" || name == "HTTPS_PROXY" || name == "ALL_PROXY" ||
           name == "FTP_PROXY" || name == "NO_PROXY";
}

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

std::map<std::string, std::string> variables_of(const Surroundings& surroundings) {
    if (!surroundings.closed) return {};
    std::map<std::string, std::string> result = {{"HOME", surroundings.home},
                                                 {"TMPDIR", surroundings.temporary}};
    if (!surroundings.true_home.empty()) add_originals(surroundings.true_home, result);
    if (surroundings.proxy_port == 0) return result;
    const std::string proxy = "http://127.0.0.1:" + std::to_string(surroundings.proxy_port);
    for (const char* name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
        result[name] = proxy;
    for (const char* name : {"no_proxy", "NO_PROXY"}) result[name] = "localhost,127.0.0.1,::1";
    return result;
}

bool looks_withheld(std::string_view name) {
    const std::string big = upper(name);
    return has(names, big) || has_secret_word(big) || is_proxy(big) ||
           std::ranges::any_of(starts,
                               [&](std::string_view start) { return big.starts_with(start); });
}

}  // namespace

// Asked of every variable before every command, and nearly always of the same ones.
bool is_withheld(std::string_view name) {
    static thread_local std::map<std::string, bool, std::less<>> known;
    if (const auto found = known.find(name); found != known.end()) return found->second;
    constexpr size_t most = 1024;
    if (known.size() >= most) known.clear();
    return known.emplace(name, looks_withheld(name)).first->second;
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
        if (surroundings.closed && is_withheld(name)) continue;
        result.emplace_back(text);
    }
    result.push_back("PWD=" + working_dir.string());
    for (const auto& [name, value] : own)
        if (!changes.contains(name)) result.push_back(name + "=" + value);
    for (const auto& [name, value] : changes)
        if (value) result.push_back(name + "=" + *value);
    return result;
}

std::map<std::string, std::optional<std::string>> agent_environment() {
    return {{"TERM", "dumb"},     {"PAGER", "cat"},
            {"GIT_PAGER", "cat"}, {"GIT_TERMINAL_PROMPT", "0"},
            {"NO_COLOR", "1"},    {"DEBIAN_FRONTEND", "noninteractive"}};
}

}  // namespace husk
