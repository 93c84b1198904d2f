#include "confine/git_checkouts.h"

#include <algorithm>
#include <array>
#include <climits>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "confine/git_repository.h"
#include "confine/located.h"
#include "confine/reading.h"
#include "keeper/walls_wire.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// In a directory of git: what it runs, and what tells it to look elsewhere.
constexpr auto in_git_dir = std::to_array<const char*>(
    {"hooks", "config", "config.worktree", "commondir", "info/attributes", "remotes", "branches"});

// Of these, the files that git writes by itself in everyday work.
constexpr auto settings_files = std::to_array<const char*>({"config", "config.worktree"});

// In the directory of a worktree: what leads git to other settings.
constexpr auto worktree_files =
    std::to_array<const char*>({"commondir", "gitdir", "config.worktree"});

bool contains(const std::vector<fs::path>& paths, const fs::path& path) {
    return std::ranges::find(paths, path) != paths.end();
}

// A command can make as many files as it likes, and the survey runs outside of its limits. What is
// beyond these bounds is unread.
struct Budget {
    size_t listed = 5000;                 // entries of directories, and files that are included
    size_t indexed = 8'000'000;           // entries of indexes
    size_t names = wire::max_orders / 2;  // bytes: the mason takes no more orders
    // Bytes, likewise: the steps that make names read-only, and pin every directory above them. The
    // rest of the message is for other steps.
    size_t walls = wire::max_walls / 4 * 3;
};
constexpr const char* too_much = "there are too many repositories, or they lie too deep";

// What the step for a path takes in the message with the walls.
size_t size_of_step(const fs::path& path) {
    constexpr size_t alignment = 8;
    return sizeof(wire::WallStep) + path.native().size() + alignment;
}

class Surveyor {
public:
    Surveyor(const Wanted& wanted, NameWalk& walk, const GitSurvey* earlier)
        : home_(wanted.home), walk_(walk) {
        if (earlier != nullptr) known_ = earlier->indexes;
        for (const fs::path& file : global_settings(home_)) hold_behind_links(file);
        add_named_globally(home_, global_);
        note_unreadable(global_);
        global_.unreadable.clear();
        for (const fs::path& root : walk_.roots()) {
            add_templates(root, global_);
            visit_root(root);
        }
        // Their first checkout is not in the workspace, but its index is.
        for (const fs::path& git_dir : wanted.git_dirs) {
            walk_.depend_on_more();
            visit(git_dir.parent_path(), git_dir);
        }
        // Only what is the user's own from the beginning is trusted.
        const std::vector<fs::path> trusted = result_.trusted;
        for (; !later_.empty(); later_.pop_front()) later_.front()();
        result_.trusted = trusted;
    }
    GitSurvey result() && {
        add_risks();
        return std::move(result_);
    }

private:
    bool is_ours(const fs::path& path) const {
        return contains(walk_.roots(), path) || root_above(path, walk_.roots()) != nullptr;
    }

    // The directories above the path that a command could move away, and that are not pinned yet.
    std::vector<fs::path> to_pin_above(const fs::path& path) const {
        const fs::path& root = *root_above(path, walk_.roots());
        std::vector<fs::path> found;
        for (fs::path above = path.parent_path(); above != root && !pinned_.contains(above);
             above = above.parent_path())
            found.push_back(above);
        return found;
    }

    void hold(const fs::path& path) {
        if (root_above(path, walk_.roots()) == nullptr || contains(walk_.roots(), path)) return;
        if (is_full_ || held_.contains(path)) return;
        const size_t size = sizeof(wire::NameOrder) + path.native().size();
        size_t walls = 0;
        std::vector<fs::path> pins;
        if (may_be_there(path)) {  // nothing is mounted for what is not there
            pins = to_pin_above(path);
            walls = size_of_step(path);
            for (const fs::path& above : pins) walls += size_of_step(above);
        }
        is_full_ = size > budget_.names || walls > budget_.walls;
        if (is_full_) return;
        budget_.names -= size;
        budget_.walls -= walls;
        pinned_.insert(pins.begin(), pins.end());
        held_.insert(path);
        walk_.add(path);
    }
    // Holds what a reader of the path gets, and the links on the way. Returns its path without
    // links.
    fs::path hold_behind_links(const fs::path& path) {
        walk_.depend_on(path);
        fs::path real = walk_.add_links(path);
        hold(real);
        return real;
    }
    // Nothing may come where git looks for a directory that is not there.
    std::optional<fs::path> follow(const GitDir& dir) {
        const fs::path real = walk_.add_links(dir.named);
        if (!dir.path) hold(real);
        return dir.path;
    }
    bool has_room() const { return !is_full_ && budget_.names > PATH_MAX && budget_.listed > 0; }
    // Something in `path` had no room, and this has not been said of anything in it.
    bool is_cut_short() const { return is_full_ && !is_told_; }

    void visit_root(const fs::path& root) {
        const fs::path git = root / ".git";
        // A new repository would hide the one that it lies in.
        const bool hides = visit_enclosing(root);
        if (may_be_there(git)) enter({.kind = Checkout::Root, .git = git, .must_go = hides}, root);
        // Git takes the directory itself for a repository if its .git is none.
        if (may_be_git_dir(root)) enter({.kind = Checkout::Bare, .git = root}, root);
    }

    // The repository that a root lies in can have submodules, worktrees and hooks in the root.
    // Returns false if there is none.
    bool visit_enclosing(const fs::path& root) {
        for (fs::path above = root; above.has_relative_path();) {
            above = above.parent_path();
            if (!may_be_there(above / ".git")) {
                walk_.depend_on(above / ".git");
                continue;
            }
            const GitDir git_dir = git_dir_of(above / ".git");
            if (git_dir.path) visit(above, *git_dir.path);
            return true;
        }
        return false;
    }

    // Goes on in the repository of a checkout, if there is one.
    void enter(Checkout entered, const fs::path& checkout) {
        const auto git_dir = follow(git_dir_of(entered.git));
        if (git_dir != entered.git) {
            walk_.depend_on_more();
            hold(entered.git);
        }
        if (git_dir) entered.hooks = visit(checkout, *git_dir);
        result_.checkouts.push_back(std::move(entered));
    }

    // Returns the directories in roots that git takes hooks from.
    std::vector<fs::path> visit(const fs::path& checkout, const fs::path& git_dir) {
        const fs::path common = follow(common_dir_of(git_dir)).value_or(git_dir);
        // Git makes and removes files in .git whenever it looks. Only these names lead further.
        for (const char* name : {"index", "worktrees", "modules"}) walk_.depend_on(git_dir / name);
        if (common != git_dir) walk_.depend_on_more();
        for (const fs::path& one : {common, git_dir}) {
            hold_settings(one);
            trust(one);
        }
        const NamedBySettings named = named_in(git_dir, common);
        std::set<fs::path> trees = {checkout};
        for (const std::string& one : named.trees) {
            const fs::path tree = walk_.add_links(git_dir / one);
            if (is_within(tree, "/proc"))
                note_unreadable({git_dir / "config", "core.worktree leads into /proc"});
            trees.insert(tree);
        }
        std::vector<fs::path> hooks;
        for (const std::string& remote : named.remotes)
            later_.emplace_back([this, path = checkout / remote] { follow_remote(path); });
        for (const fs::path& tree : trees) {
            std::ranges::move(add_hooks(tree, git_dir, common, named), std::back_inserter(hooks));
            add_templates(tree, named);
            later_.emplace_back([this, tree, git_dir, uses_sha256 = named.uses_sha256] {
                follow_index(tree, git_dir, uses_sha256);
            });
        }
        for (const fs::path& one : {common, git_dir}) search(one);
        return hooks;
    }

    void trust(const fs::path& directory) {
        if (!contains(result_.trusted, directory)) result_.trusted.push_back(directory);
    }

    void hold_settings(const fs::path& git_dir) {
        for (const char* name : in_git_dir) hold(git_dir / name);
        for (const char* name : settings_files) walk_.set_git_settings(git_dir / name);
    }

    // For other directories of git.
    void search(const fs::path& git_dir) {
        if (!searched_.insert(git_dir).second) return;
        if (is_ours(git_dir))
            later_.emplace_back([this, git_dir] { add_modules(git_dir / "modules"); });
        later_.emplace_back([this, git_dir] { add_worktrees(git_dir); });
    }

    // The directories of git of submodules. These can have names with slashes, so every directory
    // is searched that git does not take for a repository.
    void add_modules(const fs::path& modules, int depth = 0) {
        constexpr int deepest = 6;
        std::error_code failed;
        fs::directory_iterator entries(modules, failed);
        if (!is_gone(failed)) walk_.depend_on_more();
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
            if (!has_room() || depth > deepest) return add_unread(modules, too_much);
            --budget_.listed;
            const fs::path path = entries->path();
            std::error_code unknown;
            const bool is_directory = entries->is_directory(unknown);
            if (!is_directory && !is_link(path) && !unknown) continue;
            // A command can take HEAD away for a while, but not the protected settings.
            if (is_link(path) || may_be_there(path / "HEAD") || may_be_there(path / "config"))
                add_module(path);
            if (is_cut_short()) return add_unread(modules, too_much);
            if (!is_link(path) && !is_git_dir(path)) add_modules(path, depth + 1);
        }
        if (failed && !is_gone(failed)) add_unread(modules, "it cannot be listed");
    }

    void add_module(const fs::path& module) {
        result_.checkouts.push_back({.kind = Checkout::Module, .git = module});
        if (is_link(module)) return hold(module);
        hold_settings(module);
        search(module);
    }

    void add_unread(const fs::path& path, const std::string& why) {
        walk_.depend_on_more();
        is_told_ = true;
        result_.checkouts.push_back({.kind = Checkout::Unread,
                                     .git = path,
                                     .risk = why,
                                     .seen = see(path.native(), Extent::Whole)});
    }

    // With the settings of the user. Which of them count depends on more settings, so all do.
    NamedBySettings named_in(const fs::path& git_dir, const fs::path& common) {
        NamedBySettings named = global_;
        for (const fs::path& file : {git_dir / "config.worktree", common / "config"}) {
            walk_.depend_on(file);
            add_named_by_file(file, home_, named);
        }
        for (const std::string& one : named.includes) hold_behind_links(one);
        note_unreadable(named);
        const size_t own = named.includes.size() - global_.includes.size();
        budget_.listed -= std::min(own, budget_.listed);
        return named;
    }

    // What cannot be read elsewhere, the user's git cannot read either: no command made it so.
    void note_unreadable(const NamedBySettings& named) {
        for (const Unreadable& one : named.unreadable) note_unreadable(one);
    }
    void note_unreadable(Unreadable one) {
        if (!is_ours(one.path)) return;
        walk_.depend_on_more();
        result_.unreadable.push_back(std::move(one));
    }

    // Returns the directories of hooks that are in roots. A relative one is looked for in the
    // checkout, and by `git receive-pack` in the directory of git.
    std::vector<fs::path> add_hooks(const fs::path& checkout, const fs::path& git_dir,
                                    const fs::path& common, const NamedBySettings& named) {
        add_links_in(common / "hooks");
        std::vector<fs::path> in_roots;
        for (const std::string& one : named.hooks) {
            if (one.empty()) continue;  // there are none
            for (const fs::path& start : {checkout, git_dir, common}) {
                fs::path hooks = (start / one / "").lexically_normal().parent_path();
                if (start != checkout && hooks == start) continue;
                // Husky's, which run those beside them.
                if (hooks.filename() == "_") hooks = hooks.parent_path();
                hooks = hold_behind_links(hooks);
                add_links_in(hooks);
                if (root_above(hooks, walk_.roots()) == nullptr) continue;
                trust(hooks);
                in_roots.push_back(hooks);
            }
        }
        return in_roots;
    }

    // Git copies all that is in such a directory into new repositories, links as links.
    void add_templates(const fs::path& checkout, const NamedBySettings& named) {
        for (const std::string& one : named.templates) {
            const fs::path real = hold_behind_links(checkout / one);
            if (root_above(real, walk_.roots()) == nullptr) continue;
            add_links_in(real);
            add_links_in(real / "hooks");
        }
    }

    // A hook that is a link runs what it leads to.
    void add_links_in(const fs::path& hooks) {
        if (!listed_hooks_.insert(hooks).second) return;
        walk_.depend_on(hooks);
        std::error_code failed;
        fs::directory_iterator entries(hooks, failed);
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
            if (!is_link(entries->path())) continue;
            if (!has_room()) return add_unread(hooks, too_much);
            hold_behind_links(entries->path());
        }
        if (failed && !is_gone(failed)) note_unreadable({hooks, failed.message()});
    }

    std::shared_ptr<const GitIndex> read_index(const fs::path& git_dir, size_t hash_size) {
        ReadIndex now{see(git_dir / "index", Extent::Target), hash_size, nullptr};
        // The same file can have several names.
        const auto known = std::ranges::find_if(known_, [&](const ReadIndex& one) {
            return one.file.identity == now.file.identity && one.hash_size == hash_size;
        });
        if (now.file.is_certain && known != known_.end())
            now.index = known->index;
        else
            now.index = std::make_shared<GitIndex>(index_of(git_dir, hash_size, budget_.indexed));
        // Git does not look whether the other part is as it was.
        if (!now.index->shared.empty()) walk_.depend_on_more();
        const bool is_whole = now.index->shared.empty() && now.index->unreadable.empty();
        if (is_whole && now.file.is_certain) {
            known_.push_back(now);
            result_.indexes.push_back(now);
        }
        return now.index;
    }

    void follow_index(const fs::path& checkout, const fs::path& git_dir, bool uses_sha256) {
        if (!followed_.insert({checkout, git_dir}).second) return;
        const auto index = read_index(git_dir, uses_sha256 ? sha256_size : sha1_size);
        gitlinks_ += index->gitlinks.size();
        const bool is_too_much = gitlinks_ > most_gitlinks || !has_room();
        if (is_too_much || !index->unreadable.empty())
            add_unread(git_dir / "index", is_too_much ? too_much : index->unreadable);
        if (is_too_much) return;
        for (const std::string& gitlink : index->gitlinks) {
            walk_.depend_on_more();
            follow_gitlink(checkout / gitlink, git_dir / "index");
            if (is_full_) return add_unread(git_dir / "index", too_much);
        }
    }

    // Some commands of git go through links on the way.
    void follow_gitlink(const fs::path& gitlink, const fs::path& index) {
        const fs::path checkout = walk_.add_links(gitlink);
        const fs::path git = checkout / ".git";
        hold(gitlink / ".git");
        hold(git);
        walk_.set_gitlink(git);
        const bool is_in_root = root_above(git, walk_.roots()) != nullptr;
        // An index in a conflict names it three times.
        if (!is_in_root || !entered_.insert(git).second || !may_be_there(git)) return;
        later_.emplace_back([this, git, checkout, index] {
            enter({.kind = Checkout::Entered, .git = git}, checkout);
            if (is_cut_short()) add_unread(index, too_much);
        });
    }

    // In a root: a command may have made the repository, or made it the remote.
    void follow_remote(const fs::path& path) {
        const fs::path real = walk_.add_links(path).lexically_normal();
        const fs::path repository = real.has_filename() ? real : real.parent_path();
        if (root_above(repository, walk_.roots()) == nullptr) return;
        walk_.depend_on_more();
        const fs::path with_suffix = repository.native() + ".git";
        // Where git looks, in its order.
        for (const fs::path& one :
             {repository / ".git", repository, with_suffix / ".git", with_suffix}) {
            const bool is_repository =
                one.filename() == ".git" ? may_be_there(one) : may_be_git_dir(one);
            if (!is_repository || !entered_.insert(one).second) continue;
            enter({.kind = Checkout::Remote, .git = one}, repository);
            if (is_full_) return add_unread(one, too_much);
        }
    }

    // The command may remove a worktree in the workspace, so that is looked at afterwards. One that
    // lies elsewhere, or is a root, is held.
    void add_worktrees(const fs::path& common) {
        std::error_code failed;
        fs::directory_iterator all(common / "worktrees", failed);
        if (!is_gone(failed)) walk_.depend_on_more();
        for (; !failed && all != fs::directory_iterator(); all.increment(failed)) {
            if (!has_room()) return add_unread(common / "worktrees", too_much);
            --budget_.listed;
            if (is_ours(common)) add_modules(all->path() / "modules");
            add_worktree(all->path(), common);
        }
        if (failed && !is_gone(failed)) add_unread(common / "worktrees", "it cannot be listed");
        if (is_cut_short()) add_unread(common / "worktrees", too_much);
    }

    void add_worktree(const fs::path& own, const fs::path& common) {
        const auto git = path_in(own / "gitdir", "");
        const fs::path checkout = git ? (own / *git).parent_path().lexically_normal() : fs::path();
        // Without the way to its checkout git does not look at its settings.
        const NamedBySettings named = git ? named_in(own, common) : NamedBySettings();
        std::vector<fs::path> hooks = add_hooks(checkout, own, common, named);
        if (!git || !is_ours(checkout) || contains(walk_.roots(), checkout)) {
            for (const char* name : worktree_files) hold(own / name);
            walk_.set_git_settings(own / "config.worktree");
            if (git && is_ours(own) && !may_be_there(checkout))
                result_.without_checkout.push_back(own);
            return;
        }
        result_.checkouts.push_back(
            {.kind = Checkout::Worktree, .git = checkout / ".git", .hooks = std::move(hooks)});
        follow_index(checkout, own, named.uses_sha256);
    }

    void add_risks() {
        for (Checkout& one : result_.checkouts) {
            if (one.kind == Checkout::Unread) continue;
            one.risk = risk_of(one.git, one.hooks, result_.trusted).value_or("");
            if (one.kind == Checkout::Worktree && !one.risk.empty()) hold_worktree(one.git);
        }
    }

    // The user wants this worktree to be as it is.
    void hold_worktree(const fs::path& git) {
        hold(git);
        const GitDir git_dir = git_dir_of(git);
        const fs::path own = git_dir.path.value_or(without_links(git_dir.named));
        if (root_above(own, walk_.roots()) == nullptr) return;
        if (!git_dir.path) return hold(own);
        for (const char* name : worktree_files) hold(own / name);
    }

    fs::path home_;
    NameWalk& walk_;
    Budget budget_;
    NamedBySettings global_;
    std::vector<ReadIndex> known_;
    size_t gitlinks_ = 0;
    std::set<fs::path> searched_;                       // directories of git
    std::set<std::pair<fs::path, fs::path>> followed_;  // working trees with directories of git
    std::set<fs::path> entered_;                        // .git of gitlinks
    std::set<fs::path> listed_hooks_;
    std::set<fs::path> held_;
    std::set<fs::path> pinned_;  // directories above what is held
    // Breadth first: what lies deep, or came last, takes no room from the repositories of the
    // roots.
    std::deque<std::function<void()>> later_;
    bool is_full_ = false;  // something was beyond the bounds
    bool is_told_ = false;  // something is known to be unread
    GitSurvey result_;
};

}  // namespace

GitSurvey survey_git(const Wanted& wanted, NameWalk& walk, const GitSurvey* earlier) {
    if (walk.roots().empty()) return {};
    return Surveyor(wanted, walk, earlier).result();
}

}  // namespace husk::confine
