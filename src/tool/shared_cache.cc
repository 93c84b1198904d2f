#include "tool/shared_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "confine/replaceable_links.h"
#include "tool/writable_places.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

struct Variable {
    const char* name;
    const char* below;  // the cache
};

// pip, uv, go build, ccache and yarn look below the first.
constexpr auto variables = std::to_array<Variable>({
    {"XDG_CACHE_HOME", ""},
    {"npm_config_cache", "npm"},
    {"GOMODCACHE", "go-mod"},
});

}  // namespace

bool has_shared_cache(const ToolContext& context) {
    return context.mode == Mode::Workspace && !context.cache.empty() && !context.allowed_paths;
}

Result<void> make_shared_cache(const ToolContext& context) {
    if (!has_shared_cache(context)) return {};
    const fs::path& dir = context.cache;
    if (!dir.is_absolute()) return failure("cache", EINVAL, dir.string() + " is no absolute path");
    CHECK(confine::found_without_links_in(writable_places(context), "cache", dir));
    std::error_code failed;
    fs::create_directories(dir.parent_path(), failed);
    constexpr mode_t own_alone = 0700;
    if (::mkdir(dir.c_str(), own_alone) != 0 && errno != EEXIST)
        return failure("cache", errno, dir.string());
    struct stat info{};
    if (::stat(dir.c_str(), &info) != 0) return failure("cache", errno, dir.string());
    if (!S_ISDIR(info.st_mode)) return failure("cache", ENOTDIR, dir.string());
    if (info.st_uid != ::geteuid())
        return failure("cache", EPERM,
                       dir.string() + " belongs to somebody else; name another one");
    return {};
}

void point_to_cache(const fs::path& dir, std::map<std::string, std::optional<std::string>>& env) {
    for (const Variable& one : variables)
        env.emplace(one.name, *one.below == '\0' ? dir.string() : (dir / one.below).string());
}

}  // namespace husk::tool
