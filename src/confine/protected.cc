#include "confine/protected.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "confine/globs.h"
#include "confine/links.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Read by editors, agents and shells, which then run what it says.
constexpr auto in_root = std::to_array<const char*>({
    "husk.yaml",       ".vscode",       ".idea",         ".cursor",       ".claude",
    ".codex",          ".gemini",       ".opencode",     "opencode.json", ".mcp.json",
    ".envrc",          ".devcontainer", ".zed",          ".windsurf",     ".aider.conf.yml",
    ".github/copilot", ".bashrc",       ".bash_profile", ".bash_login",   ".bash_logout",
    ".bash_aliases",   ".profile",      ".inputrc",      ".zshrc",        ".zshenv",
    ".zprofile",       ".zlogin",       ".zlogout",      ".kshrc",        ".cshrc",
    ".tcshrc",         ".config/fish",  ".agents",       ".agent",        ".kiro",
    ".qwen",           ".roo",          ".continue",     ".husky",
});

constexpr auto names_in_root = static_cast<size_t>(
    std::ranges::count_if(in_root, [](std::string_view name) { return !name.contains('/'); }));

// Whether a directory keeps this user from seeing what is in it that a command could open again. In
// one of somebody else a command sees and makes nothing either.
bool is_hidden_by_own_directory(fs::path path) {
    struct stat info{};
    do path = path.parent_path();
    while (path.has_relative_path() && ::lstat(path.c_str(), &info) != 0);
    return info.st_uid == ::geteuid();
}

// A name that cannot be seen may be there or not: it is treated as both.
void add_to_place(const fs::path& path, Protected& result) {
    struct stat info{};
    const int error = ::lstat(path.c_str(), &info) == 0 ? 0 : errno;
    const bool is_unknown =
        error != 0 && !is_gone(error) && (error != EACCES || is_hidden_by_own_directory(path));
    if (error == 0 && S_ISLNK(info.st_mode))
        result.links.push_back({path, target_of(path).value_or("")});
    if (error == 0 || is_unknown) result.present.push_back(path);
    if (error != 0) result.absent.push_back(path);
}

// Before every call, so it matters what it costs: names are compared as text.
void sort_in(const fs::path& path, Protected& result) {
    const auto text = [](const fs::path& one) -> const std::string& { return one.native(); };
    for (const auto* known : {&result.present, &result.absent})
        if (std::ranges::find(*known, path.native(), text) != known->end()) return;
    add_to_place(path, result);
}

// Names that lie in a root, as they were when it was looked at last.
struct NamesOf {
    std::optional<SeenFile> root = {};  // where its times tell that nothing has changed
    std::vector<fs::path> present = {};
    std::vector<fs::path> absent = {};
};

// Looked for before every call, though they hardly ever change: what was found last is remembered.
std::shared_ptr<const NamesOf> names_in(const fs::path& root, Protected& result) {
    static std::mutex guard;
    static std::map<std::string, std::shared_ptr<const NamesOf>> remembered;
    {
        const std::lock_guard lock(guard);
        const auto known = remembered.find(root.native());
        if (known != remembered.end() && is_unchanged(*known->second->root)) return known->second;
    }
    auto fresh = std::make_shared<NamesOf>();
    struct stat info{};
    if (::lstat(root.c_str(), &info) == 0 && has_settled(info))
        fresh->root = SeenFile{root.native(), identity_of(info)};
    Protected found;
    for (const char* name : in_root)
        if (std::string_view(name).find('/') == std::string_view::npos)
            add_to_place(root / name, found);
    fresh->present = std::move(found.present);
    fresh->absent = std::move(found.absent);
    result.links.insert(result.links.end(), found.links.begin(), found.links.end());
    const bool is_unclear = fresh->present.size() + fresh->absent.size() > names_in_root;
    // What links lead to is elsewhere.
    if (!found.links.empty() || is_unclear) fresh->root.reset();
    constexpr size_t most = 64;
    const std::lock_guard lock(guard);
    remembered.erase(root.native());
    if (!fresh->root) return fresh;
    if (remembered.size() >= most) remembered.clear();
    remembered[root.native()] = fresh;
    return fresh;
}

void add_names_in(const fs::path& root, Protected& result) {
    const auto names = names_in(root, result);
    result.present.insert(result.present.end(), names->present.begin(), names->present.end());
    result.absent.insert(result.absent.end(), names->absent.begin(), names->absent.end());
    if (names->root) result.roots.push_back(*names->root);
    for (const char* name : in_root)
        if (std::string_view(name).find('/') != std::string_view::npos)
            sort_in(root / name, result);
}

// By their times, too: a mount goes when its file is replaced, and the number of a file that is
// gone is given to the next one.
std::vector<SeenFile> held_of(const std::vector<fs::path>& present) {
    std::vector<SeenFile> held;
    for (const fs::path& path : present) {
        struct stat info{};
        if (::lstat(path.c_str(), &info) != 0 || !has_settled(info)) return {};
        held.push_back({path.native(), identity_of(info)});
    }
    return held;
}

// What all of this was found by, and each of the names: none may come, go or become another.
std::vector<SeenFile> proof_of(const Protected& found, const std::vector<fs::path>& roots,
                               std::vector<SeenFile> ways) {
    const bool is_simple = found.links.empty() && !found.git.seen.empty();
    if (!is_simple || found.roots.size() != roots.size()) return {};
    if (found.held.size() != found.present.size()) return {};
    std::vector<SeenFile> proof = std::move(ways);
    for (const auto* part : {&found.roots, &found.git.seen, &found.held})
        proof.insert(proof.end(), part->begin(), part->end());
    // One that has come meanwhile, in the place of what was looked at.
    if (std::ranges::any_of(proof, &SeenFile::is_link)) return {};
    for (const fs::path& path : found.absent) {
        const std::string_view parent = parent_of(path.native());
        const bool is_in_root = std::ranges::any_of(
            roots, [&](const fs::path& root) { return root.native() == parent; });
        if (!is_in_root) proof.push_back({path.native(), std::nullopt, true});
    }
    return proof;
}

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

}  // namespace

Result<Protected> find_protected(const Wanted& wanted) {
    Protected result;
    const std::vector<fs::path> roots = writable_roots(wanted);
    for (const fs::path& root : roots) add_names_in(root, result);
    result.git = survey_git(wanted);
    for (const fs::path& path : result.git.names) add_to_place(path, result);
    for (const fs::path& path : wanted.protect)
        if (!is_glob(path)) sort_in(without_stars(path), result);
    result.matches = TRY(find_matches(wanted, Links::Refused));
    for (const fs::path& path : result.matches) sort_in(path, result);
    // Where it lies in a workspace that is as wide as that.
    for (const fs::path& root : roots)
        if (is_within(wanted.state, root)) sort_in(wanted.state, result);
    std::vector<SeenFile> ways = add_links_above(result, roots);
    for (const fs::path& path : behind_links(result, roots)) sort_in(path, result);
    result.held = held_of(result.present);
    // What a pattern is about can come anywhere.
    if (std::ranges::none_of(wanted.protect, is_glob))
        result.proof = proof_of(result, roots, std::move(ways));
    return result;
}

bool is_still_so(const Protected& found) {
    return !found.proof.empty() && found.git.global == global_settings(found.git.global->home) &&
           std::ranges::all_of(found.proof, is_unchanged);
}

void add_protection(const Wanted& wanted, const std::vector<fs::path>& present, Steps& steps) {
    std::set<fs::path> pinned;
    for (const fs::path& path : present)
        for (const fs::path& above : movable_above(wanted, path))
            if (pinned.insert(above).second)
                steps.add({wire::WallOp::Protect,
                           "pin " + above.string(),
                           1,
                           0,
                           0,
                           {above.string()},
                           true});
    for (const fs::path& path : present)
        steps.add(
            {wire::WallOp::Protect, "protect " + path.string(), 0, 0, 0, {path.string()}, true});
}

}  // namespace husk::confine
