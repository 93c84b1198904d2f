#include "confine/protected.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "confine/globs.h"
#include "confine/memo.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Read by editors, agents and shells, which then run what it says.
constexpr auto in_root = std::to_array<const char*>({
    "husk.yaml",
    "agentrail.yaml",
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
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".inputrc",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".config/fish",
    ".agents",
    ".agent",
    ".kiro",
    ".qwen",
    ".roo",
    ".continue",
    ".husky",
    ".amazonq",
    ".augment",
    ".cline",
    ".clinerules",
    ".crush.json",
    "crush.json",
    ".factory",
    ".junie",
    ".kilocode",
    ".trae",
    "opencode.jsonc",
    ".github/hooks",
    ".amp",
    ".openhands",
    ".fleet",
    ".github/mcp.json",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    ".gvimrc",
    ".helix",
    "mise.toml",
    ".mise.toml",
    ".mise",
    "mise.local.toml",
    ".config/mise",
    ".hg/hgrc",
    ".hg/sharedpath",
    ".hg/hgrc-not-shared",
    ".mise.local.toml",
    ".config/mise.toml",
});

// The directories above it that a command could move away, with it in them; the highest first. In
// mode open those are the user's, wherever they are; nobody moves /home.
std::vector<fs::path> movable_above(const Wanted& wanted, const fs::path& path) {
    const std::vector<fs::path> roots = writable_roots(wanted);
    std::vector<fs::path> found;
    fs::path directory = "/";
    for (const fs::path& part : path.parent_path().relative_path()) {
        const bool can_be_moved =
            wanted.closed()
                ? std::ranges::any_of(
                      roots, [&](const fs::path& root) { return is_within(directory, root); })
                : directory != "/" && ::access(directory.c_str(), W_OK) == 0;
        directory /= part;
        if (can_be_moved) found.push_back(directory);
    }
    return found;
}

// What is trusted does not depend on which part of the roots a call may use.
Wanted with_all_roots(const Wanted& wanted) {
    Wanted whole = wanted;
    if (!wanted.allowed || wanted.narrowed.empty()) return whole;
    whole.workspace = wanted.narrowed.front();
    whole.writable.assign(wanted.narrowed.begin() + 1, wanted.narrowed.end());
    return whole;
}

// Keeps what a command can reach: names in the roots that it may write, and names that such a root
// lies in.
void keep_reachable(const Wanted& wanted, Names& names) {
    if (!wanted.allowed) return;
    const std::vector<fs::path> roots = writable_roots(wanted);
    std::erase_if(names, [&](const auto& entry) {
        const std::string& name = entry.first;
        return root_above(name, roots) == nullptr &&
               std::ranges::none_of(roots,
                                    [&](const fs::path& root) { return is_within(root, name); });
    });
}

// The mason writes no settings of git below what the user protects by name.
void protect_from_everybody(Names& names, const std::vector<fs::path>& paths) {
    for (auto& [name, what] : names)
        if (std::ranges::any_of(paths, [&](const fs::path& path) { return is_within(name, path); }))
            what.is_git_settings = what.is_gitlink = false;
}

// The names of all roots, also of those that the allowed paths have taken away.
Protected survey(const Wanted& wanted, const Protected* earlier) {
    NameWalk walk(writable_roots(wanted));
    for (const fs::path& root : walk.roots())
        for (const char* name : in_root) walk.add(root / name);
    Protected result;
    result.git = survey_git(wanted, walk, earlier != nullptr ? &earlier->git : nullptr);
    // Mode open protects only these names, and protects them anywhere.
    NameWalk anywhere(held_roots(wanted));
    NameWalk& named = wanted.closed() ? walk : anywhere;
    for (const fs::path& path : wanted.protect) {
        if (is_glob(path)) walk.depend_on_more();  // what matches can come anywhere
        if (is_glob(path))
            named.add_links(fixed_part(path));
        else
            named.add(without_stars(path));
    }
    // Where it lies in a workspace that is as wide as that.
    if (root_above(wanted.state, walk.roots()) != nullptr) walk.add(wanted.state);
    if (wanted.closed()) result.proof = walk.proof();
    result.names = std::move(walk).take();
    std::vector<fs::path> named_by_user;
    for (const fs::path& path : wanted.protect) named_by_user.push_back(without_stars(path));
    protect_from_everybody(result.names, named_by_user);
    merge(result.names, std::move(anywhere).take());
    return result;
}

}  // namespace

bool is_always_protected(const fs::path& relative) {
    constexpr auto of_git = std::to_array<const char*>(
        {".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes",
         ".git/remotes", ".git/branches", ".git/commondir"});
    const auto holds_it = [&](const char* name) { return is_within(relative, name); };
    return std::ranges::any_of(in_root, holds_it) || std::ranges::any_of(of_git, holds_it);
}

Protected look_around(const Wanted& wanted, const Protected* earlier) {
    Protected result = survey(with_all_roots(wanted), earlier);
    keep_reachable(wanted, result.names);
    return result;
}

Result<void> check_readable(const GitSurvey& git) {
    if (git.unreadable.empty()) return {};
    const Unreadable& first = git.unreadable.front();
    const bool is_included = !first.included_by.empty();
    return failure("protect", 0,
                   "git may read " + first.path.string() +
                       (is_included ? ", which " + first.included_by + " includes" : "") +
                       ", but Husk cannot (" + first.why +
                       "), so it does not know which hooks to protect; make it readable" +
                       (is_included ? ", or do not include it" : ""));
}

Result<Protected> find_protected(const Wanted& wanted, const Protected* earlier) {
    const Wanted whole = with_all_roots(wanted);
    Protected result = survey(whole, earlier);
    CHECK(check_readable(result.git));
    NameWalk walk(writable_roots(whole));
    const std::vector<fs::path> matches = TRY(find_matches(whole, Links::Refused));
    for (const fs::path& path : matches) walk.add(path);
    protect_from_everybody(result.names, matches);
    merge(result.names, std::move(walk).take());
    CHECK(add_behind_memo(whole, result));
    keep_reachable(wanted, result.names);
    return result;
}

bool is_still_so(const Protected& found) {
    return !found.proof.empty() && std::ranges::all_of(found.proof, is_unchanged);
}

bool holds_the_same(const Protected& earlier, const Protected& now) {
    return std::ranges::all_of(now.names, [&](const auto& entry) {
        const auto& [path, name] = entry;
        if (name.state == State::Absent) return true;
        const auto known = earlier.names.find(path);
        return known != earlier.names.end() && name.seen.is_certain &&
               (known->second.state == State::Pinned) == (name.state == State::Pinned) &&
               known->second.seen == name.seen;
    });
}

namespace {

// The roots in a protected directory. The list of a call may name one: it is only read there.
std::set<fs::path> protected_roots(const Names& names, const std::vector<fs::path>& roots) {
    std::set<fs::path> found;
    for (const fs::path& root : roots)
        if (std::ranges::any_of(names, [&](const auto& entry) {
                return entry.second.state != State::Pinned && is_within(root, entry.first);
            }))
            found.insert(root);
    return found;
}

// Links on the way to the user's own files must not lead elsewhere, not even for a moment.
void hold_links(const Wanted& wanted, Steps& steps) {
    constexpr uint64_t is_link = 1;
    NameWalk walk(held_roots(wanted));
    for (const fs::path& path : wanted.protect)
        walk.add_links(is_glob(path) ? fixed_part(path) : without_stars(path));
    for (const auto& [path, name] : std::move(walk).take())
        if (name.state == State::Link)
            steps.add(
                {wire::WallOp::Protect, "hold the link " + path, 0, is_link, 0, {path}, true});
}

}  // namespace

void add_protection(const Wanted& wanted, const Names& names, Steps& steps) {
    enum Writable : uint64_t { No, AsItIs };
    const auto mount = [&](const char* what, const std::string& path, Writable writable) {
        steps.add({wire::WallOp::Protect, what + path, writable, 0, 0, {path}, true});
    };
    const std::vector<fs::path> roots =
        wanted.allowed ? writable_roots(wanted) : std::vector<fs::path>();
    const auto counts = [&](const std::string& path, const Name& name) {
        return name.state != State::Absent && (roots.empty() || root_above(path, roots) != nullptr);
    };
    for (const fs::path& root : protected_roots(names, roots)) mount("protect ", root.string(), No);
    std::set<fs::path> pinned;
    for (const auto& [path, name] : names) {
        if (!counts(path, name)) continue;
        const fs::path last = name.state == State::Pinned ? fs::path(path) / "." : fs::path(path);
        for (const fs::path& above : movable_above(wanted, last))
            if (pinned.insert(above).second) mount("pin ", above.string(), AsItIs);
    }
    for (const auto& [path, name] : names)
        if (counts(path, name) && name.state != State::Pinned) mount("protect ", path, No);
    hold_links(wanted, steps);
}

}  // namespace husk::confine
