// Where git keeps what belongs to a workspace.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace husk::confine {

// The directories of git inside of one: of submodules, which have hooks and settings of their own.
struct NestedGitDirs {
    std::vector<std::filesystem::path> found;
    std::vector<std::filesystem::path> unlisted;  // directories that may hold more of them
};
NestedGitDirs nested_git_dirs(const std::filesystem::path& git_dir);

// When `root` is a worktree: the .git of its repository, which has to be writable too. Only if
// that repository itself says that the worktree is its own: what stands in the workspace is not to
// be trusted.
std::optional<std::filesystem::path> repository_of_worktree(const std::filesystem::path& root);

}  // namespace husk::confine
