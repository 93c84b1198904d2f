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

// Where git finds a directory.
struct GitDir {
    std::filesystem::path named = {};                // as it is written, with links
    std::optional<std::filesystem::path> path = {};  // without links; empty: there is none
    std::filesystem::path missing = {};  // where it would be, if a file or link leads to nothing
    bool is_unknown = false;             // it may be anywhere: something cannot be read
};
// The directory at a path, through links.
GitDir real_directory(const std::filesystem::path& path);
// The directory that a .git is or leads to.
GitDir git_dir_of(const std::filesystem::path& git);
// The directory that holds the settings and hooks of a directory of git.
GitDir common_dir_of(const std::filesystem::path& git_dir);
// Returns true if git may take the directory for a repository.
bool may_be_git_dir(const std::filesystem::path& path);

// The directories of git inside of one: of submodules, which have hooks and settings of their own.
struct NestedGitDirs {
    std::vector<std::filesystem::path> found;     // directories and links
    std::vector<std::filesystem::path> unlisted;  // directories that may hold more of them
};
// Lists `most` entries of directories at most, and subtracts them.
NestedGitDirs nested_git_dirs(const std::filesystem::path& git_dir, size_t& most);

// If `root` is a worktree: the .git of its repository, which has to be writable too. The files in
// the workspace are not trusted: the repository itself has to name the worktree as its own.
std::optional<std::filesystem::path> repository_of_worktree(const std::filesystem::path& root);

}  // namespace husk::confine
