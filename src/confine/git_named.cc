#include "confine/git_named.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "confine/git_index.h"
#include "confine/git_settings.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 64;

fs::path home_of(const std::string& user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> texts{};
    ::getpwnam_r(user.c_str(), &entry, texts.data(), texts.size(), &found);
    return found == nullptr ? "" : found->pw_dir;
}

// "~/x" and "~user/x", as git reads paths.
fs::path expanded(const std::string& value, const fs::path& home) {
    if (!value.starts_with('~')) return value;
    const size_t end = std::min(value.find('/'), value.size());
    const fs::path start = end == 1 ? home : home_of(value.substr(1, end - 1));
    return start / value.substr(std::min(end + 1, value.size()));
}

void add_named(const fs::path& settings, const fs::path& home, NamedPaths& result) {
    const auto text = small_file(settings);
    if (!text) return;
    const NamedBySettings named = named_by(*text);
    for (const std::string& one : named.hooks) result.hooks.push_back(expanded(one, home));
    for (const std::string& one : named.includes) {
        fs::path file = (settings.parent_path() / expanded(one, home)).lexically_normal();
        const bool is_known = std::ranges::find(result.files, file) != result.files.end();
        if (is_known || result.files.size() >= most_files) continue;
        result.files.push_back(file);
        add_named(file, home, result);
    }
}

fs::path variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

std::vector<fs::path> global_files(const fs::path& home) {
    std::vector<fs::path> files = {"/etc/gitconfig", variable("GIT_CONFIG_SYSTEM"),
                                   variable("GIT_CONFIG_GLOBAL")};
    if (!home.empty()) files.push_back(home / ".gitconfig");
    const fs::path config = variable("XDG_CONFIG_HOME");
    if (!config.empty() || !home.empty())
        files.push_back((config.empty() ? home / ".config" : config) / "git" / "config");
    std::erase_if(files, [](const fs::path& path) { return !path.is_absolute(); });
    return files;
}

std::shared_ptr<const GlobalSettings> read_global_settings(const fs::path& home) {
    auto result = std::make_shared<GlobalSettings>();
    result->home = home;
    for (const fs::path& file : global_files(home)) {
        result->seen.push_back(see(file.native(), false));
        add_named(file, home, result->named);
    }
    for (const fs::path& file : result->named.files)
        result->seen.push_back(see(file.native(), false));
    return result;
}

}  // namespace

NamedPaths named_by_file(const fs::path& settings, const fs::path& home) {
    NamedPaths result;
    add_named(settings, home, result);
    return result;
}

std::shared_ptr<const GlobalSettings> global_settings(const fs::path& home) {
    using Clock = std::chrono::steady_clock;
    constexpr auto often_enough = std::chrono::milliseconds(500);
    static std::mutex guard;
    static std::shared_ptr<const GlobalSettings> known;
    static Clock::time_point looked_at;
    const std::lock_guard lock(guard);
    const auto now = Clock::now();
    const bool is_recent = known && known->home == home && now - looked_at < often_enough;
    if (is_recent) return known;
    looked_at = now;
    const bool is_same =
        known && known->home == home && std::ranges::all_of(known->seen, is_unchanged);
    if (!is_same) known = read_global_settings(home);
    return known;
}

}  // namespace husk::confine
