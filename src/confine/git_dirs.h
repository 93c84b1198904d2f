// Where git keeps what belongs to a checkout.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace husk::confine {

// The path in a file of git, behind `start`: all of the file except the newlines at its end.
std::optional<std::filesystem::path> path_in(const std::filesystem::path& file,
                                             std::string_view start);

// A directory without links in its path. Neither a path nor unknown: there is none.
struct GitDir {
    std::optional<std::filesystem::path> path = {};
    bool is_unknown = false;
};
GitDir real_directory(const std::filesystem::path& path);
// The directory that a .git is or leads to.
GitDir git_dir_of(const std::filesystem::path& git);
// The directory that holds its settings and hooks.
std::filesystem::path common_dir_of(const std::filesystem::path& git_dir);

// The directories of git inside of one: of submodules, which have hooks and settings of their own.
struct NestedGitDirs {
    std::vector<std::filesystem::path> found;
    std::vector<std::filesystem::path> unlisted;  // directories that may hold more of them
};
NestedGitDirs nested_git_dirs(const std::filesystem::path& git_dir);

// If `root` is a worktree: the .git of its repository, which has to be writable too. The files in
// the workspace are not trusted: the repository itself has to name the worktree as its own.
std::optional<std::filesystem::path> repository_of_worktree(const std::filesystem::path& root);

}  // namespace husk::confine
