#include "confine/git_dirs.h"

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

void find_below(const fs::path& modules, int depth, std::vector<fs::path>& found) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(modules, failed)) {
        if (found.size() >= most_dirs || depth > deepest) return;
        if (entry.is_symlink(failed) || !entry.is_directory(failed)) continue;
        // A command can take the one away for a while, but not the other.
        if (fs::exists(entry.path() / "HEAD", failed) ||
            fs::exists(entry.path() / "config", failed)) {
            found.push_back(entry.path());
            find_below(entry.path() / "modules", depth + 1, found);
        } else {
            find_below(entry.path(), depth + 1, found);
        }
    }
}

bool is_git_dir(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path / "HEAD", failed) &&
           fs::is_directory(path / "objects", failed) && fs::is_directory(path / "refs", failed);
}

}  // namespace

std::vector<fs::path> nested_git_dirs(const fs::path& git_dir) {
    std::vector<fs::path> found;
    find_below(git_dir / "modules", 0, found);
    return found;
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
