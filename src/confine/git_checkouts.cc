#include "confine/git_checkouts.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "confine/git_dirs.h"
#include "confine/git_index.h"
#include "confine/git_named.h"
#include "confine/git_settings.h"
#include "confine/reading.h"
#include "confine/remembered.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// In a directory of git: what it runs, and what tells it to look elsewhere.
constexpr auto in_git_dir = std::to_array<const char*>({
    "hooks",
    "config",
    "config.worktree",
    "commondir",
    "info/attributes",
});

bool contains(const std::vector<fs::path>& paths, const fs::path& path) {
    const auto text = [](const fs::path& one) -> const std::string& { return one.native(); };
    return std::ranges::find(paths, path.native(), text) != paths.end();
}

// As git reads a path from a file: all of it, but for the newlines at its end.
std::optional<fs::path> path_in(const fs::path& file, std::string_view start) {
    const auto text = small_file(file);
    if (!text || !text->starts_with(start)) return std::nullopt;
    const size_t end = text->find_last_not_of("\r\n");
    if (end == std::string::npos || end < start.size()) return std::nullopt;
    return text->substr(start.size(), end + 1 - start.size());
}

// A directory, or nothing, or the admission that nobody can tell.
struct Directory {
    std::optional<fs::path> path = {};
    bool is_unknown = false;
};

Directory real_directory(const fs::path& path) {
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    if (failed) return {.is_unknown = !is_gone(failed)};
    if (!fs::is_directory(real, failed)) return {.is_unknown = bool(failed)};
    return {.path = std::move(real)};
}

Directory git_dir_of(const fs::path& git) {
    Directory directory = real_directory(git);
    if (directory.path || directory.is_unknown || !may_be_there(git)) return directory;
    if (!small_file(git)) return {.is_unknown = true};
    const auto elsewhere = path_in(git, "gitdir: ");
    return elsewhere ? real_directory(git.parent_path() / *elsewhere) : Directory();
}

fs::path common_dir_of(const fs::path& git_dir) {
    const auto elsewhere = path_in(git_dir / "commondir", "");
    if (!elsewhere) return git_dir;
    return real_directory(git_dir / *elsewhere).path.value_or(git_dir);
}

NamedPaths named_by_settings_of(const fs::path& common, const fs::path& home) {
    static thread_local Remembered<NamedPaths> known;
    const fs::path settings = common / "config";
    return known.get(settings, [&] {
        NamedPaths named = named_by_file(settings, home);
        const bool is_all = named.files.empty();
        return std::pair(std::move(named), is_all);
    });
}

// A hook that is a link runs what it leads to.
std::vector<fs::path> linked_hooks(const fs::path& hooks) {
    static thread_local Remembered<std::vector<fs::path>> known;
    return known.get(hooks, [&] {
        std::vector<fs::path> targets;
        std::error_code failed;
        for (const fs::directory_entry& entry : fs::directory_iterator(hooks, failed)) {
            if (!entry.is_symlink(failed)) continue;
            const fs::path target = fs::read_symlink(entry.path(), failed);
            targets.push_back(fs::weakly_canonical(hooks / target, failed));
        }
        return std::pair(std::move(targets), true);
    });
}

class Surveyor {
public:
    explicit Surveyor(const Wanted& wanted)
        : roots_(writable_roots(wanted)), home_(wanted.home), is_simple_(wanted.git_dirs.empty()) {
        result_.global = global_settings(home_);
        for (const fs::path& root : roots_) visit_root(root);
        // Their first checkout is not in the workspace, but its index is.
        for (const fs::path& git_dir : wanted.git_dirs) visit(git_dir.parent_path(), git_dir);
    }
    GitSurvey result() && {
        if (!is_simple_) result_.seen.clear();
        return std::move(result_);
    }

private:
    bool is_ours(const fs::path& path) const {
        return std::ranges::any_of(roots_,
                                   [&](const fs::path& root) { return is_within(path, root); });
    }

    void visit_root(const fs::path& root) {
        const fs::path git = root / ".git";
        struct stat info{};
        const bool there = look_at(git, info, true);
        if (!there) {
            result_.bare.push_back(git);
            return;
        }
        if (S_ISDIR(info.st_mode)) {
            // Git makes and removes a file in .git whenever it looks; what matters is what comes.
            for (const char* name : {"index", "config"}) look_at(git / name);
            // What they hold leads further.
            for (const char* name : {"worktrees", "modules", "commondir"})
                if (look_at(git / name)) is_simple_ = false;
            return visit(root, git);
        }
        is_simple_ = false;
        result_.names.push_back(git);
        if (const Directory git_dir = git_dir_of(git); git_dir.path) visit(root, *git_dir.path);
    }

    bool look_at(const fs::path& path) {
        struct stat info{};
        return look_at(path, info, false);
    }

    bool look_at(const fs::path& path, struct stat& info, bool itself_only) {
        const bool there = ::lstat(path.c_str(), &info) == 0;
        result_.seen.push_back(
            {path.native(), there ? std::optional(identity_of(info)) : std::nullopt, itself_only});
        if (there && (S_ISLNK(info.st_mode) || (!itself_only && !has_settled(info))))
            is_simple_ = false;
        return there;
    }

    void visit(const fs::path& checkout, const fs::path& git_dir) {
        if (!visited_.insert(checkout).second) return;
        const fs::path common = common_dir_of(git_dir);
        if (common != git_dir) is_simple_ = false;
        for (const fs::path& one : {common, git_dir}) {
            add_git_dir(one);
            if (!contains(result_.git_dirs, one)) result_.git_dirs.push_back(one);
        }
        add_named(checkout, common);
        follow_index(checkout, git_dir, common);
    }

    void add_git_dir(const fs::path& git_dir) {
        if (!known_.insert(git_dir).second) return;
        if (!is_ours(git_dir)) return;
        for (const char* name : in_git_dir) result_.names.push_back(git_dir / name);
        add_modules(git_dir);
        add_worktrees(git_dir);
    }

    void add_modules(const fs::path& git_dir) {
        const NestedGitDirs nested = nested_git_dirs(git_dir);
        for (const fs::path& path : nested.unlisted) add_unread(path, "it cannot be listed");
        for (const fs::path& module : nested.found) {
            result_.modules.push_back(module);
            add_git_dir(module);
        }
    }

    void add_unread(const fs::path& path, const std::string& why) {
        is_simple_ = false;
        result_.unread.push_back({see(path.native(), false), why});
    }

    void add_named(const fs::path& checkout, const fs::path& common) {
        const NamedPaths own = named_by_settings_of(common, home_);
        for (const fs::path& file : own.files) look_at(file);
        for (const NamedPaths* named : {&own, &result_.global->named}) {
            for (const fs::path& one : named->hooks) {
                fs::path hooks = (checkout / one).lexically_normal();
                // Husky's, which run those beside them.
                if (hooks.filename() == "_") hooks = hooks.parent_path();
                add_name(hooks);
                add_links_in(hooks);
            }
            for (const fs::path& one : named->files) add_name(one);
        }
        add_links_in(common / "hooks");
    }

    void add_links_in(const fs::path& hooks) {
        look_at(hooks);
        const std::vector<fs::path> targets = linked_hooks(hooks);
        if (!targets.empty()) is_simple_ = false;
        for (const fs::path& target : targets) add_name(target);
    }

    void add_name(const fs::path& path) {
        if (is_ours(path) && !contains(roots_, path) && known_.insert(path).second)
            result_.names.push_back(path);
    }

    void follow_index(const fs::path& checkout, const fs::path& git_dir, const fs::path& common) {
        const GitIndex index = index_of(git_dir, common);
        // Git does not look whether the other part is as it was.
        if (!index.shared.empty()) is_simple_ = false;
        gitlinks_ += index.gitlinks.size();
        const bool too_many = gitlinks_ > most_gitlinks;
        if (too_many || !index.unreadable.empty())
            add_unread(git_dir / "index",
                       too_many ? "there are too many repositories" : index.unreadable);
        if (too_many) return;
        for (const std::string& gitlink : index.gitlinks) {
            is_simple_ = false;
            const fs::path path = fs::path(checkout.string() + "/" + gitlink).lexically_normal();
            if (!is_ours(path)) continue;
            const fs::path git = path / ".git";
            if (!known_.insert(git).second)
                continue;  // an index in a conflict names it three times
            result_.names.push_back(git);
            // Git goes through no link.
            const Directory real = real_directory(path);
            if (!may_be_there(git) || (real.path && *real.path != path)) continue;
            result_.entered.push_back(git);
            if (const Directory inner = git_dir_of(git); inner.path) visit(path, *inner.path);
        }
    }

    // One in the workspace has to go away when the command says so: it is looked at afterwards. One
    // that lies elsewhere, or is all of the workspace, is held.
    void add_worktrees(const fs::path& common) {
        std::error_code failed;
        fs::directory_iterator all(common / "worktrees", failed);
        if (!failed) is_simple_ = false;
        if (failed && !is_gone(failed)) add_unread(common / "worktrees", "it cannot be listed");
        for (const fs::directory_entry& entry : all) {
            add_modules(entry.path());
            const auto git = path_in(entry.path() / "gitdir", "");
            const fs::path checkout = git ? git->parent_path().lexically_normal() : fs::path();
            if (git && is_ours(checkout) && !contains(roots_, checkout)) {
                result_.worktrees.push_back(checkout / ".git");
                if (visited_.insert(checkout).second) follow_index(checkout, entry.path(), common);
                continue;
            }
            for (const char* name : {"commondir", "gitdir", "config.worktree"})
                result_.names.push_back(entry.path() / name);
        }
    }

    std::vector<fs::path> roots_;
    fs::path home_;
    bool is_simple_;
    size_t gitlinks_ = 0;
    std::set<fs::path> visited_;
    std::set<fs::path> known_;
    GitSurvey result_;
};

std::optional<std::string> risky_file(const fs::path& path) {
    if (!may_be_there(path)) return std::nullopt;
    const auto text = small_file(path);
    return text ? risky_setting(*text) : path.filename().string();
}

std::optional<std::string> hook_in(const fs::path& hooks) {
    std::error_code failed;
    fs::directory_iterator entries(hooks, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed))
        if (entries->path().extension() != ".sample")
            return "hooks/" + entries->path().filename().string();
    if (failed && !is_gone(failed)) return "hooks, which cannot be listed";
    return std::nullopt;
}

// How git would come to run something in the checkout. Settings that were protected all the time
// are the user's own.
std::optional<std::string> risk_of(const fs::path& git, const std::vector<fs::path>& trusted) {
    const Directory found = git_dir_of(git);
    if (found.is_unknown) return "it cannot be looked at";
    if (!found.path || contains(trusted, *found.path)) return std::nullopt;
    const fs::path& git_dir = *found.path;
    const fs::path common = common_dir_of(git_dir);
    if (auto risk = risky_file(git_dir / "config.worktree"); risk) return risk;
    if (contains(trusted, common)) return std::nullopt;
    if (auto risk = risky_file(common / "config"); risk) return risk;
    return hook_in(common / "hooks");
}

// A new one in its place would hide it.
bool lies_in_repository(const fs::path& path) {
    for (fs::path above = path; above.has_relative_path();) {
        above = above.parent_path();
        if (may_be_there(above / ".git")) return true;
    }
    return false;
}

}  // namespace

GitSurvey survey_git(const Wanted& wanted) {
    GitSurvey result = Surveyor(wanted).result();
    // What is risky already is so because the user wants it.
    std::erase_if(result.worktrees, [&](const fs::path& git) {
        const bool risky = risk_of(git, result.git_dirs).has_value();
        if (risky) result.trusted.push_back(git);
        return risky;
    });
    return result;
}

std::vector<RiskyCheckout> risky_checkouts(const Wanted& wanted, const GitSurvey& before) {
    std::vector<RiskyCheckout> found;
    const bool same = std::ranges::all_of(before.seen, is_unchanged);
    if (same && !before.seen.empty()) return found;
    const GitSurvey now = Surveyor(wanted).result();
    const auto look_at = [&](const fs::path& git, bool entered) {
        const auto risk = risk_of(git, before.git_dirs);
        if (risk) found.push_back({git, *risk, entered});
        return risk.has_value();
    };
    for (const fs::path& git : now.entered)
        if (!contains(before.entered, git)) look_at(git, true);
    // `git submodule update` uses one that is there already.
    for (const fs::path& module : now.modules)
        if (!contains(before.modules, module)) look_at(module, true);
    for (const fs::path& git : before.worktrees) {
        // Hidden, nobody would look at it any more.
        const bool hidden = !contains(now.worktrees, git) && git_dir_of(git).path.has_value();
        if (!look_at(git, true) && hidden)
            found.push_back({git, "its repository was told that it is gone", true});
    }
    for (const fs::path& git : now.worktrees)
        if (!contains(before.worktrees, git) && !contains(before.trusted, git)) look_at(git, false);
    for (const fs::path& git : before.bare) look_at(git, lies_in_repository(git.parent_path()));
    // If it was like that before, the user is told only.
    for (const Unread& one : now.unread)
        found.push_back(
            {one.file.path, one.why,
             std::ranges::find(before.unread, one.file, &Unread::file) == before.unread.end(),
             Risk::Unread});
    return found;
}

}  // namespace husk::confine
