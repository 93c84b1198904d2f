#include "confine/git_named.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "confine/git_index.h"

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

fs::path variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

}  // namespace

void add_named_by_file(const fs::path& settings, const fs::path& home, NamedBySettings& named) {
    const auto text = small_file(settings);
    if (!text) return;
    const NamedBySettings own = named_by(*text);
    for (const std::string& one : own.hooks) named.hooks.push_back(expanded(one, home));
    for (const std::string& one : own.includes) {
        const fs::path file = (settings.parent_path() / expanded(one, home)).lexically_normal();
        const bool is_known =
            std::ranges::find(named.includes, file.native()) != named.includes.end();
        if (is_known || named.includes.size() >= most_files) continue;
        named.includes.push_back(file);
        add_named_by_file(file, home, named);
    }
}

std::vector<fs::path> global_settings(const fs::path& home) {
    std::vector<fs::path> files = {"/etc/gitconfig", variable("GIT_CONFIG_SYSTEM"),
                                   variable("GIT_CONFIG_GLOBAL")};
    if (!home.empty()) files.push_back(home / ".gitconfig");
    const fs::path config = variable("XDG_CONFIG_HOME");
    if (!config.empty() || !home.empty())
        files.push_back((config.empty() ? home / ".config" : config) / "git" / "config");
    std::erase_if(files, [](const fs::path& path) { return !path.is_absolute(); });
    return files;
}

}  // namespace husk::confine
