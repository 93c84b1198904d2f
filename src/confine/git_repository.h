// One repository as git finds it, and whether git would run a program because of what is in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk::confine {

// The path in a file of git, behind `start`: all of the file except the newlines at its end.
std::optional<std::filesystem::path> path_in(const std::filesystem::path& file,
                                             std::string_view start);

// Where git looks for a directory.
struct GitDir {
    std::filesystem::path named = {};                // as it is written, with links
    std::optional<std::filesystem::path> path = {};  // without links; empty: none can be seen there
};
// The directory that a .git is or leads to.
GitDir git_dir_of(const std::filesystem::path& git);
// The directory that holds the settings and hooks of a directory of git.
GitDir common_dir_of(const std::filesystem::path& git_dir);
// Returns true if the directory is one of git.
bool is_git_dir(const std::filesystem::path& path);
// Returns true if git may take the directory for a repository, whatever is missing of it now.
bool may_be_git_dir(const std::filesystem::path& path);

// If `root` is a worktree: the .git of its repository, which has to be writable too. The files in
// the workspace are not trusted: the repository itself has to name the worktree as its own.
std::optional<std::filesystem::path> repository_of_worktree(const std::filesystem::path& root);

// The checkout that `root`, a directory in it, lies in, and the .git of its repository.
struct Enclosing {
    std::filesystem::path checkout;
    std::filesystem::path git_dir;
};
// Nothing if root has a .git of its own, or if the checkout or the repository belongs to somebody
// else: git would not use it either.
std::optional<Enclosing> repository_around(const std::filesystem::path& root);

// Returns how git would come to run something in the checkout with this .git and these directories
// of hooks. Settings and hooks in `trusted` directories were protected all the time, so they are
// the user's own.
std::optional<std::string> risk_of(const std::filesystem::path& git,
                                   const std::vector<std::filesystem::path>& hooks,
                                   const std::vector<std::filesystem::path>& trusted);

}  // namespace husk::confine
