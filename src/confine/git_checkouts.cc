#include "confine/git_checkouts.h"

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "confine/git_dirs.h"
#include "confine/git_named.h"
#include "confine/git_risk.h"
#include "confine/git_settings.h"
#include "confine/reading.h"
#include "keeper/walls_wire.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// In a directory of git: what it runs, and what tells it to look elsewhere.
constexpr auto in_git_dir = std::to_array<const char*>(
    {"hooks", "config", "config.worktree", "commondir", "info/attributes"});

// In the directory of a worktree: what leads git to other settings.
constexpr auto worktree_files =
    std::to_array<const char*>({"commondir", "gitdir", "config.worktree"});

bool contains(const std::vector<fs::path>& paths, const fs::path& path) {
    return std::ranges::find(paths, path) != paths.end();
}

// A command can make as many files as it likes, and the survey runs outside of its limits. What is
// beyond these bounds is unread.
struct Budget {
    size_t listed = 5000;                 // entries of directories
    size_t indexed = 8'000'000;           // entries of indexes
    size_t names = wire::max_orders / 2;  // bytes: the mason takes no more orders
};
constexpr const char* too_much = "there are too many repositories";

class Surveyor {
public:
    Surveyor(const Wanted& wanted, NameWalk& walk, const GitSurvey* earlier)
        : home_(wanted.home), walk_(walk), earlier_(earlier) {
        for (const fs::path& file : global_settings(home_)) {
            walk_.depend_on(file);
            hold(walk_.add_links(file));
            add_named_by_file(file, home_, global_);
        }
        for (const fs::path& root : walk_.roots()) visit_root(root);
        // Their first checkout is not in the workspace, but its index is.
        for (const fs::path& git_dir : wanted.git_dirs) {
            walk_.depend_on_more();
            visit(git_dir.parent_path(), git_dir);
        }
    }
    GitSurvey result() && { return std::move(result_); }

private:
    bool is_ours(const fs::path& path) const {
        return contains(walk_.roots(), path) || root_above(path, walk_.roots()) != nullptr;
    }

    void hold(const fs::path& path) {
        if (root_above(path, walk_.roots()) == nullptr || contains(walk_.roots(), path)) return;
        const size_t size = sizeof(wire::NameOrder) + path.native().size();
        if (size <= budget_.names) walk_.add(path);
        budget_.names -= std::min(size, budget_.names);
    }
    bool has_room() const { return budget_.names > PATH_MAX && budget_.listed > 0; }

    void visit_root(const fs::path& root) {
        const fs::path git = root / ".git";
        if (may_be_there(git)) enter(Checkout::Root, root, git);
        // Git takes the directory itself for a repository if its .git is none.
        if (may_be_git_dir(root)) enter(Checkout::Bare, root, root);
        visit_enclosing(root);
    }

    // The repository that a root lies in can have submodules, worktrees and hooks in the root.
    void visit_enclosing(const fs::path& root) {
        for (fs::path above = root; above.has_relative_path();) {
            above = above.parent_path();
            if (!may_be_there(above / ".git")) {
                walk_.depend_on(above / ".git");
                continue;
            }
            const GitDir git_dir = git_dir_of(above / ".git");
            if (git_dir.path) visit(above, *git_dir.path);
            return;
        }
    }

    // Goes on in the repository of a checkout, if there is one. Nothing may come where its .git
    // leads to nothing.
    void enter(Checkout::Kind kind, const fs::path& checkout, const fs::path& git) {
        Checkout entered{kind, git};
        const GitDir git_dir = git_dir_of(git);
        walk_.add_links(git_dir.named);
        if (git_dir.path != git) {
            walk_.depend_on_more();
            hold(git);
        }
        hold(git_dir.missing);
        if (git_dir.path) entered.hooks = visit(checkout, *git_dir.path);
        result_.checkouts.push_back(std::move(entered));
    }

    // Returns the directories in roots that git takes hooks from.
    std::vector<fs::path> visit(const fs::path& checkout, const fs::path& git_dir) {
        const GitDir shared = common_dir_of(git_dir);
        walk_.add_links(shared.named);
        hold(shared.missing);
        const fs::path common = shared.path.value_or(git_dir);
        // Git makes and removes files in .git whenever it looks. Only these names lead further.
        for (const char* name : {"index", "worktrees", "modules"}) walk_.depend_on(git_dir / name);
        if (common != git_dir) walk_.depend_on_more();
        for (const fs::path& one : {common, git_dir}) {
            add_git_dir(one);
            trust(one);
        }
        std::vector<fs::path> hooks;
        for (const fs::path& tree : work_trees(checkout, git_dir, common)) {
            std::ranges::move(add_named(tree, common), std::back_inserter(hooks));
            follow_index(tree, git_dir, common);
        }
        return hooks;
    }

    void trust(const fs::path& directory) {
        if (!contains(result_.trusted, directory)) result_.trusted.push_back(directory);
    }

    // Settings can name another one, and which of them counts depends on more settings.
    static std::vector<fs::path> work_trees(const fs::path& checkout, const fs::path& git_dir,
                                            const fs::path& common) {
        std::vector<fs::path> trees = {checkout};
        for (const fs::path& file : {common / "config", git_dir / "config.worktree"})
            for (const std::string& one : work_trees_in(small_file(file).value_or("")))
                trees.push_back(without_links(git_dir / one));
        std::ranges::sort(trees);
        trees.erase(std::ranges::unique(trees).begin(), trees.end());
        return trees;
    }

    void add_git_dir(const fs::path& git_dir) {
        if (!surveyed_.insert(git_dir).second) return;
        for (const char* name : in_git_dir) hold(git_dir / name);
        if (is_ours(git_dir)) add_modules(git_dir);
        add_worktrees(git_dir);
    }

    void add_modules(const fs::path& git_dir) {
        const NestedGitDirs nested = nested_git_dirs(git_dir, budget_.listed);
        if (may_be_there(git_dir / "modules")) walk_.depend_on_more();
        for (const fs::path& path : nested.unlisted) add_unread(path, "it cannot be listed");
        for (const fs::path& module : nested.found) {
            if (!has_room()) return add_unread(git_dir / "modules", too_much);
            result_.checkouts.push_back({Checkout::Module, module});
            if (is_link(module))
                hold(module);
            else
                add_git_dir(module);
        }
    }

    void add_unread(const fs::path& path, const std::string& why) {
        walk_.depend_on_more();
        result_.checkouts.push_back(
            {Checkout::Unread, path, {}, why, see(path.native(), Extent::Whole)});
    }

    std::vector<fs::path> add_named(const fs::path& checkout, const fs::path& common) {
        NamedBySettings named = global_;
        add_named_by_file(common / "config", home_, named);
        walk_.depend_on(common / "config");
        for (const std::string& one : named.includes) {
            walk_.depend_on(one);
            hold(walk_.add_links(one));
        }
        add_links_in(common / "hooks");
        std::vector<fs::path> in_roots;
        for (const std::string& one : named.hooks) {
            fs::path hooks = (checkout / one).lexically_normal();
            // Husky's, which run those beside them.
            if (hooks.filename() == "_") hooks = hooks.parent_path();
            hooks = walk_.add_links(hooks);
            hold(hooks);
            add_links_in(hooks);
            if (root_above(hooks, walk_.roots()) == nullptr) continue;
            trust(hooks);
            in_roots.push_back(hooks);
        }
        return in_roots;
    }

    // A hook that is a link runs what it leads to.
    void add_links_in(const fs::path& hooks) {
        walk_.depend_on(hooks);
        std::error_code failed;
        for (const fs::directory_entry& entry : fs::directory_iterator(hooks, failed))
            if (is_link(entry.path()) && has_room()) hold(walk_.add_links(entry.path()));
    }

    std::shared_ptr<const GitIndex> read_index(const fs::path& git_dir, const fs::path& common) {
        const std::string settings = small_file(common / "config").value_or("");
        ReadIndex now{.file = see(git_dir / "index", Extent::Target),
                      .hash_size = uses_sha256(settings) ? sha256_size : sha1_size,
                      .index = nullptr};
        // The same file can have several names.
        const auto find_in = [&](const std::vector<ReadIndex>& read) {
            for (const ReadIndex& known : read)
                if (known.file.identity == now.file.identity && known.hash_size == now.hash_size)
                    now.index = known.index;
        };
        if (now.file.is_certain) find_in(result_.indexes);
        if (now.file.is_certain && earlier_ != nullptr) find_in(earlier_->indexes);
        if (!now.index)
            now.index =
                std::make_shared<GitIndex>(index_of(git_dir, now.hash_size, budget_.indexed));
        // Git does not look whether the other part is as it was.
        if (!now.index->shared.empty()) walk_.depend_on_more();
        const bool is_whole = now.index->shared.empty() && now.index->unreadable.empty();
        if (is_whole && now.file.is_certain) result_.indexes.push_back(now);
        return now.index;
    }

    void follow_index(const fs::path& checkout, const fs::path& git_dir, const fs::path& common) {
        if (!followed_.insert({checkout, git_dir}).second) return;
        const std::shared_ptr<const GitIndex> index = read_index(git_dir, common);
        gitlinks_ += index->gitlinks.size();
        const bool is_too_much = gitlinks_ > most_gitlinks || !has_room();
        if (is_too_much || !index->unreadable.empty())
            add_unread(git_dir / "index", is_too_much ? too_much : index->unreadable);
        if (is_too_much) return;
        for (const std::string& gitlink : index->gitlinks) {
            walk_.depend_on_more();
            const fs::path path = checkout / gitlink;
            const fs::path git = path / ".git";
            // An index in a conflict names it three times.
            if (root_above(path, walk_.roots()) == nullptr || !entered_.insert(git).second)
                continue;
            hold(git);
            // Git goes through no link.
            const GitDir real = real_directory(path);
            if (!may_be_there(git) || (real.path && *real.path != path)) continue;
            enter(Checkout::Entered, path, git);
        }
    }

    // The command may remove a worktree in the workspace, so that is looked at afterwards. One that
    // lies elsewhere, or is a root, is held.
    void add_worktrees(const fs::path& common) {
        std::error_code failed;
        fs::directory_iterator all(common / "worktrees", failed);
        if (!is_gone(failed)) walk_.depend_on_more();
        if (failed && !is_gone(failed)) add_unread(common / "worktrees", "it cannot be listed");
        for (const fs::directory_entry& entry : all) {
            if (!has_room()) return add_unread(common / "worktrees", too_much);
            --budget_.listed;
            if (is_ours(common)) add_modules(entry.path());
            const auto git = path_in(entry.path() / "gitdir", "");
            const fs::path checkout = git ? git->parent_path().lexically_normal() : fs::path();
            if (git && is_ours(checkout) && !contains(walk_.roots(), checkout)) {
                result_.checkouts.push_back(
                    {Checkout::Worktree, checkout / ".git", add_named(checkout, common)});
                follow_index(checkout, entry.path(), common);
                continue;
            }
            for (const char* name : worktree_files) hold(entry.path() / name);
        }
    }

    fs::path home_;
    NameWalk& walk_;
    const GitSurvey* earlier_;
    Budget budget_;
    NamedBySettings global_;
    size_t gitlinks_ = 0;
    std::set<fs::path> surveyed_;                       // directories of git
    std::set<std::pair<fs::path, fs::path>> followed_;  // working trees with directories of git
    std::set<fs::path> entered_;                        // .git of gitlinks
    GitSurvey result_;
};

// A new repository there would hide the one that it lies in.
bool lies_in_repository(const fs::path& path) {
    for (fs::path above = path; above.has_relative_path();) {
        above = above.parent_path();
        if (may_be_there(above / ".git")) return true;
    }
    return false;
}

// The user wants this worktree to be as it is.
void hold_worktree(const fs::path& git, NameWalk& walk) {
    walk.add(git);
    const GitDir git_dir = git_dir_of(git);
    const fs::path own = git_dir.path.value_or(git_dir.missing);
    if (root_above(own, walk.roots()) == nullptr) return;
    if (!git_dir.path) return walk.add(own);
    for (const char* name : worktree_files) walk.add(own / name);
}

const Checkout* find(const GitSurvey& survey, const Checkout& wanted) {
    const auto found = std::ranges::find_if(survey.checkouts, [&](const Checkout& one) {
        return one.kind == wanted.kind && one.git == wanted.git;
    });
    return found == survey.checkouts.end() ? nullptr : &*found;
}

// Whether a checkout that has become risky is taken away; else the user is told.
bool must_go(const Checkout& now, const Checkout* before) {
    switch (now.kind) {
        case Checkout::Root: return lies_in_repository(now.git.parent_path());
        case Checkout::Worktree: return before != nullptr;
        case Checkout::Unread:
            return before == nullptr || before->seen.identity != now.seen.identity;
        case Checkout::Bare:
        case Checkout::Entered:
        case Checkout::Module: break;
    }
    return true;
}

}  // namespace

GitSurvey survey_git(const Wanted& wanted, NameWalk& walk, const GitSurvey* earlier) {
    if (walk.roots().empty()) return {};
    GitSurvey result = Surveyor(wanted, walk, earlier).result();
    for (Checkout& one : result.checkouts) {
        if (one.kind != Checkout::Worktree) continue;
        one.risk = risk_of(one, result.trusted).value_or("");
        if (!one.risk.empty()) hold_worktree(one.git, walk);
    }
    return result;
}

std::vector<RiskyCheckout> risky_checkouts(const GitSurvey& now, const GitSurvey& before) {
    std::vector<RiskyCheckout> found;
    for (const Checkout& one : now.checkouts) {
        const Checkout* was = find(before, one);
        const bool is_unread = one.kind == Checkout::Unread;
        const bool is_worktree = one.kind == Checkout::Worktree;
        // The others were protected all the time. A worktree that was risky is so because the user
        // wants it.
        if (was != nullptr && !is_unread && !(is_worktree && was->risk.empty())) continue;
        const auto risk = is_unread ? one.risk : risk_of(one, before.trusted);
        // Without its HEAD, a workspace is no bare repository.
        const fs::path goes = one.kind == Checkout::Bare ? one.git / "HEAD" : one.git;
        if (risk) found.push_back({goes, *risk, must_go(one, was), is_unread});
    }
    // Nobody would look at a worktree any more that its repository does not know.
    for (const Checkout& one : before.checkouts) {
        if (one.kind != Checkout::Worktree || !one.risk.empty() || find(now, one) != nullptr)
            continue;
        if (may_be_there(one.git))
            found.push_back({one.git, "its repository was told that it is gone"});
    }
    return found;
}

}  // namespace husk::confine
