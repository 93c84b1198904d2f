#include "confine/git_dirs.h"

#include "confine/seen_file.h"
#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_dirs = 5000;
constexpr int deepest = 6;
constexpr size_t longest = 4096;

std::string first_line(const fs::path& path) {
    const auto text = os::read_file(path, longest);
    return text ? text->substr(0, text->find('\n')) : std::string();
}

void find_below(const fs::path& modules, int depth, NestedGitDirs& result) {
    std::error_code failed;
    fs::directory_iterator entries(modules, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        if (result.found.size() >= most_dirs || depth > deepest)
            return result.unlisted.push_back(modules);
        const fs::path path = entries->path();
        std::error_code unknown;
        const bool is_directory = entries->is_directory(unknown);
        if (entries->is_symlink(unknown) || (!is_directory && !unknown)) continue;
        // A command can take the one away for a while, but not the other.
        const bool is_repository = may_be_there(path / "HEAD") || may_be_there(path / "config");
        if (is_repository) result.found.push_back(path);
        find_below(is_repository ? path / "modules" : path, depth + 1, result);
    }
    if (failed && !is_gone(failed)) result.unlisted.push_back(modules);
}

bool is_git_dir(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path / "HEAD", failed) &&
           fs::is_directory(path / "objects", failed) && fs::is_directory(path / "refs", failed);
}

}  // namespace

NestedGitDirs nested_git_dirs(const fs::path& git_dir) {
    NestedGitDirs result;
    find_below(git_dir / "modules", 0, result);
    return result;
}

std::optional<fs::path> repository_of_worktree(const fs::path& root) {
    std::error_code failed;
    const fs::path link = root / ".git";
    if (!fs::is_regular_file(fs::symlink_status(link, failed))) return std::nullopt;
    const std::string line = first_line(link);
    constexpr std::string_view start = "gitdir: ";
    if (!line.starts_with(start)) return std::nullopt;
    const fs::path own = fs::canonical(root / line.substr(start.size()), failed);
    if (failed || own.parent_path().filename() != "worktrees") return std::nullopt;
    const fs::path repository = own.parent_path().parent_path();
    // The way back, written by git outside of the workspace.
    const fs::path back = fs::canonical(first_line(own / "gitdir"), failed);
    if (failed || back != fs::canonical(link, failed) || !is_git_dir(repository))
        return std::nullopt;
    return repository;
}

}  // namespace husk::confine
