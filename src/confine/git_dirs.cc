#include "confine/git_dirs.h"

#include "confine/git_index.h"
#include "confine/located.h"
#include "confine/seen_file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 6;

bool is_git_dir(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path / "HEAD", failed) &&
           fs::is_directory(path / "objects", failed) && fs::is_directory(path / "refs", failed);
}

// A submodule can have a name with slashes, so every directory is searched that git does not take
// for a repository.
void find_below(const fs::path& modules, int depth, size_t& most, NestedGitDirs& result) {
    std::error_code failed;
    fs::directory_iterator entries(modules, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        if (most == 0 || depth > deepest) return result.unlisted.push_back(modules);
        --most;
        const fs::path path = entries->path();
        std::error_code unknown;
        const bool is_directory = entries->is_directory(unknown);
        const bool is_link = entries->is_symlink(unknown);
        if (!is_directory && !is_link && !unknown) continue;
        // A command can take HEAD away for a while, but not the protected settings.
        if (is_link || may_be_there(path / "HEAD") || may_be_there(path / "config"))
            result.found.push_back(path);
        const fs::path inner = is_git_dir(path) ? path / "modules" : path;
        if (!is_link) find_below(inner, depth + 1, most, result);
    }
    if (failed && !is_gone(failed)) result.unlisted.push_back(modules);
}

}  // namespace

std::optional<fs::path> path_in(const fs::path& file, std::string_view start) {
    const auto text = small_file(file);
    if (!text || !text->starts_with(start)) return std::nullopt;
    const size_t end = text->find_last_not_of("\r\n");
    if (end == std::string::npos || end < start.size()) return std::nullopt;
    return text->substr(start.size(), end + 1 - start.size()).c_str();  // git stops at a NUL too
}

GitDir real_directory(const fs::path& path) {
    const auto found = locate(path);
    if (!found) {
        const SeenFile seen = see(path.native(), Extent::Target);
        const bool is_gone = seen.is_certain && seen.identity == FileIdentity{};
        return {
            .named = path, .missing = is_gone ? without_links(path) : "", .is_unknown = !is_gone};
    }
    if (found->identity.type != S_IFDIR) return {.named = path};
    return {.named = path, .path = found->path};
}

GitDir git_dir_of(const fs::path& git) {
    GitDir directory = real_directory(git);
    if (directory.path || directory.is_unknown || !directory.missing.empty()) return directory;
    if (!small_file(git)) return {.named = git, .is_unknown = true};
    const auto elsewhere = path_in(git, "gitdir: ");
    return elsewhere ? real_directory(git.parent_path() / *elsewhere) : GitDir{.named = git};
}

GitDir common_dir_of(const fs::path& git_dir) {
    const fs::path file = git_dir / "commondir";
    if (!may_be_there(file)) return {.named = git_dir, .path = git_dir};
    const auto elsewhere = path_in(file, "");
    if (!elsewhere) return {.named = file, .is_unknown = true};
    return real_directory(git_dir / *elsewhere);
}

bool may_be_git_dir(const fs::path& path) {
    return may_be_there(path / "HEAD") &&
           ((may_be_there(path / "objects") && may_be_there(path / "refs")) ||
            may_be_there(path / "commondir"));
}

NestedGitDirs nested_git_dirs(const fs::path& git_dir, size_t& most) {
    NestedGitDirs result;
    find_below(git_dir / "modules", 0, most, result);
    return result;
}

std::optional<fs::path> repository_of_worktree(const fs::path& root) {
    std::error_code failed;
    const fs::path link = root / ".git";
    if (!fs::is_regular_file(fs::symlink_status(link, failed))) return std::nullopt;
    const auto own = git_dir_of(link).path;
    if (!own || own->parent_path().filename() != "worktrees") return std::nullopt;
    const fs::path repository = own->parent_path().parent_path();
    // The way back, written by git outside of the workspace.
    const fs::path back = fs::canonical(path_in(*own / "gitdir", "").value_or(""), failed);
    if (failed || back != fs::canonical(link, failed) || !is_git_dir(repository))
        return std::nullopt;
    return repository;
}

}  // namespace husk::confine
