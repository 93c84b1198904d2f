#include "confine/git_repository.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "confine/git_index.h"
#include "confine/git_settings.h"
#include "confine/located.h"
#include "confine/seen_file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

bool is_one_of(const fs::path& path, const std::vector<fs::path>& paths) {
    return std::ranges::find(paths, path) != paths.end();
}

GitDir directory_at(const fs::path& path) {
    const auto found = locate(path);
    if (!found || found->identity.type != S_IFDIR) return {.named = path};
    return {.named = path, .path = found->path};
}

std::optional<std::string> risky_file(const fs::path& path) {
    const auto text = small_file(path);
    if (text) return risky_setting(*text);
    if (is_gone(text.error().code)) return std::nullopt;
    return path.filename().string() + ", which cannot be read";
}

std::optional<std::string> hook_in(const fs::path& hooks) {
    if (is_link(hooks)) return "hooks, which is a link";
    std::error_code failed;
    fs::directory_iterator entries(hooks, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed))
        if (entries->path().extension() != ".sample")
            return (hooks.filename() / entries->path().filename()).string();
    if (failed && !is_gone(failed)) return "hooks, which cannot be listed";
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> path_in(const fs::path& file, std::string_view start) {
    const auto text = small_file(file);
    if (!text || !text->starts_with(start)) return std::nullopt;
    const size_t end = text->find_last_not_of("\r\n");
    if (end == std::string::npos || end < start.size()) return std::nullopt;
    return text->substr(start.size(), end + 1 - start.size()).c_str();  // git stops at a NUL too
}

GitDir git_dir_of(const fs::path& git) {
    GitDir itself = directory_at(git);
    if (itself.path) return itself;
    const auto elsewhere = path_in(git, "gitdir: ");
    return elsewhere ? directory_at(git.parent_path() / *elsewhere) : itself;
}

GitDir common_dir_of(const fs::path& git_dir) {
    const fs::path file = git_dir / "commondir";
    if (!may_be_there(file)) return {.named = git_dir, .path = git_dir};
    const auto elsewhere = path_in(file, "");
    return elsewhere ? directory_at(git_dir / *elsewhere) : GitDir{.named = file};
}

bool is_git_dir(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path / "HEAD", failed) &&
           fs::is_directory(path / "objects", failed) && fs::is_directory(path / "refs", failed);
}

bool may_be_git_dir(const fs::path& path) {
    return may_be_there(path / "HEAD") &&
           ((may_be_there(path / "objects") && may_be_there(path / "refs")) ||
            may_be_there(path / "commondir"));
}

std::optional<fs::path> repository_of_worktree(const fs::path& root) {
    std::error_code failed;
    const fs::path link = root / ".git";
    if (!fs::is_regular_file(fs::symlink_status(link, failed))) return std::nullopt;
    const auto own = git_dir_of(link).path;
    if (!own || own->parent_path().filename() != "worktrees") return std::nullopt;
    const fs::path repository = own->parent_path().parent_path();
    // The way back, written by git outside of the workspace.
    const fs::path back = fs::canonical(*own / path_in(*own / "gitdir", "").value_or(""), failed);
    if (failed || back != fs::canonical(link, failed) || !is_git_dir(repository))
        return std::nullopt;
    return repository;
}

std::optional<Enclosing> repository_around(const fs::path& root) {
    const auto is_own = [](const fs::path& path) {
        struct stat info{};
        return ::lstat(path.c_str(), &info) == 0 && info.st_uid == ::geteuid();
    };
    if (may_be_there(root / ".git") || may_be_git_dir(root)) return std::nullopt;
    for (fs::path above = root.parent_path(); above.has_relative_path();
         above = above.parent_path()) {
        const fs::path git = above / ".git";
        if (may_be_git_dir(above)) return std::nullopt;  // the workspace is a part of a repository
        if (!may_be_there(git)) continue;
        std::error_code failed;
        const bool is_directory = fs::is_directory(fs::symlink_status(git, failed));
        if (is_directory && !is_git_dir(git)) return std::nullopt;
        const auto found = is_directory ? std::optional(git) : repository_of_worktree(above);
        if (!found || !is_own(above) || !is_own(git) || !is_own(*found)) return std::nullopt;
        return Enclosing{above, *found};
    }
    return std::nullopt;
}

// A directory that cannot be seen is suspect, and one that does not exist can be filled later.
std::optional<std::string> risk_of(const fs::path& git, const std::vector<fs::path>& hooks,
                                   const std::vector<fs::path>& trusted) {
    if (!may_be_there(git)) return std::nullopt;
    if (is_link(git)) return "it is a link";
    for (const fs::path& one : hooks)
        if (auto risk = is_one_of(one, trusted) ? std::nullopt : hook_in(one); risk) return risk;
    const auto own = git_dir_of(git).path;
    if (!own) return "it leads to no directory that can be seen";
    if (is_one_of(*own, trusted)) return std::nullopt;
    const auto common = common_dir_of(*own).path;
    if (!common) return "commondir leads to no directory that can be seen";
    if (auto risk = risky_file(*own / "config.worktree"); risk) return risk;
    if (is_one_of(*common, trusted)) return std::nullopt;
    if (auto risk = risky_file(*common / "config"); risk) return risk;
    return hook_in(*common / "hooks");
}

}  // namespace husk::confine
