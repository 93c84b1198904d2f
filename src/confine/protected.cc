#include "confine/protected.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>

#include "confine/git_dirs.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Read by editors, agents and shells, which then run what it says.
constexpr auto in_root = std::to_array<const char*>({
    "husk.yaml",
    ".vscode",
    ".idea",
    ".cursor",
    ".claude",
    ".codex",
    ".gemini",
    ".opencode",
    "opencode.json",
    ".mcp.json",
    ".envrc",
    ".devcontainer",
    ".zed",
    ".windsurf",
    ".aider.conf.yml",
    ".github/copilot",
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/info/attributes",
});

constexpr auto in_git_dir = std::to_array<const char*>({
    "hooks",
    "config",
    "config.worktree",
    "info/attributes",
});

// Before every call, so it matters what it costs: names are compared as text.
void sort_in(const fs::path& path, Protected& result) {
    struct stat info{};
    auto& where = ::lstat(path.c_str(), &info) == 0 ? result.present : result.absent;
    const auto text = [](const fs::path& one) -> const std::string& { return one.native(); };
    if (std::ranges::find(where, path.native(), text) == where.end()) where.push_back(path);
}

// "/x/memo/**" protects all that /x/memo holds, and so does "/x/memo".
fs::path without_stars(fs::path path) {
    while (path.has_relative_path() &&
           (path.filename() == "**" || path.filename() == "*" || path.filename().empty()))
        path = path.parent_path();
    return path;
}

}  // namespace

Protected find_protected(const Wanted& wanted) {
    Protected result;
    for (const fs::path& root : writable_roots(wanted)) {
        std::error_code failed;
        const bool repository = fs::is_directory(root / ".git", failed);
        for (const char* name : in_root) {
            // A repository that the command makes is its own.
            const bool possible = repository || !std::string_view(name).starts_with(".git/");
            if (possible) sort_in(root / name, result);
        }
        for (const fs::path& git_dir : nested_git_dirs(root))
            for (const char* name : in_git_dir) sort_in(git_dir / name, result);
    }
    for (const fs::path& git_dir : wanted.git_dirs)
        for (const char* name : in_git_dir) sort_in(git_dir / name, result);
    for (const fs::path& path : wanted.protect) sort_in(without_stars(path), result);
    // Where it lies in a workspace that is as wide as that.
    for (const fs::path& root : writable_roots(wanted))
        if (is_within(wanted.state, root)) sort_in(wanted.state, result);
    return result;
}

void add_protection(const Wanted& wanted, const std::vector<fs::path>& present, Steps& steps) {
    const std::vector<fs::path> roots = writable_roots(wanted);
    std::set<fs::path> pinned;
    for (const fs::path& path : present) {
        for (const fs::path& root : roots) {
            if (!is_within(path, root)) continue;
            fs::path above = root;
            for (const fs::path& part : path.parent_path().lexically_relative(root)) {
                if (part == ".") break;
                above /= part;
                if (!pinned.insert(above).second) continue;
                steps.add({wire::WallOp::Protect,
                           "pin " + above.string(),
                           1,
                           0,
                           0,
                           {above.string()},
                           true});
            }
        }
    }
    for (const fs::path& path : present)
        steps.add(
            {wire::WallOp::Protect, "protect " + path.string(), 0, 0, 0, {path.string()}, true});
}

}  // namespace husk::confine
