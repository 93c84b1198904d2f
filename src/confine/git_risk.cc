#include "confine/git_risk.h"

#include <algorithm>

#include "confine/git_dirs.h"
#include "confine/git_index.h"
#include "confine/git_settings.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

bool is_one_of(const fs::path& path, const std::vector<fs::path>& paths) {
    return std::ranges::find(paths, path) != paths.end();
}

std::optional<std::string> risky_file(const fs::path& path) {
    if (!may_be_there(path)) return std::nullopt;
    const auto text = small_file(path);
    return text ? risky_setting(*text) : path.filename().string();
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

// A directory that does not exist can be filled by a later call.
std::optional<std::string> risk_of_finding(const GitDir& found, const std::string& what) {
    if (found.is_unknown) return what + " cannot be looked at";
    if (!found.path) return what + " leads to nothing yet";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> risk_of(const Checkout& one, const std::vector<fs::path>& trusted) {
    if (!may_be_there(one.git)) return std::nullopt;
    if (is_link(one.git)) return "it is a link";
    for (const fs::path& hooks : one.hooks)
        if (auto risk = is_one_of(hooks, trusted) ? std::nullopt : hook_in(hooks); risk)
            return risk;
    const GitDir found = git_dir_of(one.git);
    if (auto risk = risk_of_finding(found, "it"); risk) return risk;
    if (is_one_of(*found.path, trusted)) return std::nullopt;
    const GitDir common = common_dir_of(*found.path);
    if (auto risk = risk_of_finding(common, "commondir"); risk) return risk;
    if (auto risk = risky_file(*found.path / "config.worktree"); risk) return risk;
    if (is_one_of(*common.path, trusted)) return std::nullopt;
    if (auto risk = risky_file(*common.path / "config"); risk) return risk;
    return hook_in(*common.path / "hooks");
}

}  // namespace husk::confine
