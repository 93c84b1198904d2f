#include "confine/memo.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "confine/globs.h"
#include "confine/mount_names.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view directory_name = "memo";
// As for patterns: each link leads to something that is a mount, and each directory is read before
// a call.
constexpr size_t most_links = 256;
constexpr size_t most_entries = 50'000;

std::unexpected<Error> refused(const fs::path& memo, const std::string& why) {
    return failure("protect", 0, memo.string() + " " + why);
}

// What one `memo` holds and leads to.
class Search {
public:
    Search(const Wanted& wanted, fs::path memo) : wanted_(wanted), memo_(std::move(memo)) {}

    Result<void> run() {
        CHECK(look_into(memo_, Below::Searched));
        const std::vector<fs::path> direct = links_;
        for (const fs::path& link : direct) {
            const fs::path target = target_of(link);
            std::error_code failed;
            if (is_apart(target) && fs::is_directory(target, failed))
                CHECK(look_into(target, Below::Skipped));
        }
        return {};
    }

    // The directories that were searched, as they were before.
    const std::vector<SeenFile>& directories() const { return directories_; }
    bool has_links() const { return !links_.empty(); }

    Result<Names> names() const {
        NameWalk walk(held_roots(wanted_));
        std::vector<fs::path> bases = {memo_};
        for (const fs::path& link : links_) {
            const fs::path target = target_of(link);
            if (!is_apart(target) || !can_be_held(target)) continue;
            walk.add(link);
            bases.push_back(target);
        }
        Names names = std::move(walk).take();
        // No command can replace a link or a directory in a directory that is read-only.
        std::erase_if(names, [&](const auto& one) {
            const State state = one.second.state;
            return (state == State::Link || state == State::Pinned) && is_within(one.first, memo_);
        });
        merge(names, TRY(mounts_below(bases)));
        return names;
    }

private:
    enum class Below { Searched, Skipped };

    Result<void> look_into(const fs::path& directory, Below below) {
        directories_.push_back(see(directory.native(), Extent::Whole));
        std::error_code failed;
        fs::directory_iterator entries(directory, failed);
        // A command that cannot enter a directory cannot use the links in it.
        if (is_gone(failed) || (failed && ::access(directory.c_str(), X_OK) != 0)) return {};
        if (failed)
            return refused(memo_, "may lead elsewhere: " + directory.string() +
                                      " cannot be searched for links (" + failed.message() +
                                      "); make it readable");
        for (; entries != fs::directory_iterator(); entries.increment(failed)) {
            if (++entries_ > most_entries)
                return refused(memo_, "has more than " + std::to_string(most_entries) +
                                          " files that have to be searched for links before a "
                                          "call; move some of them elsewhere");
            const fs::file_type type = entries->symlink_status(failed).type();
            if (type == fs::file_type::symlink) links_.push_back(entries->path());
            if (links_.size() > most_links)
                return refused(memo_, "leads through more than " + std::to_string(most_links) +
                                          " links, each of which would be a mount; use fewer");
            if (type == fs::file_type::directory && below == Below::Searched)
                CHECK(look_into(entries->path(), below));
        }
        return {};
    }

    // Also where nothing is there yet.
    fs::path target_of(const fs::path& link) const {
        return NameWalk(held_roots(wanted_)).add_links(link);
    }

    // Neither in `memo`, which is held anyway, nor a directory that `memo` is in: the whole
    // workspace would be read-only. Husk's own files are not the agent's.
    bool is_apart(const fs::path& target) const {
        return !is_within(target, memo_) && !is_within(memo_, target) &&
               (wanted_.state.empty() || !is_within(wanted_.state, target));
    }

    // A device or a socket is written through a read-only mount too.
    static bool can_be_held(const fs::path& target) {
        std::error_code failed;
        const fs::file_type type = fs::symlink_status(target, failed).type();
        return type == fs::file_type::regular || type == fs::file_type::directory ||
               type == fs::file_type::not_found;
    }

    // In the mode open, a mount that the machine has made since the session began comes on top of
    // what is held. One of the same object would look the same, so these are always held again.
    Result<Names> mounts_below(const std::vector<fs::path>& bases) const {
        if (wanted_.closed()) return Names();
        const std::vector<MountedTree> trees = TRY(mounted_trees_now());
        NameWalk walk(held_roots(wanted_));
        for (const MountedTree& tree : trees)
            if (root_above(tree.point, bases) != nullptr) walk.add(tree.point);
        Names names = std::move(walk).take();
        for (auto& [path, name] : names) name.seen.is_certain = false;
        return names;
    }

    const Wanted& wanted_;
    fs::path memo_;
    std::vector<fs::path> links_;
    std::vector<SeenFile> directories_;
    size_t entries_ = 0;
};

}  // namespace

Result<void> add_behind_memo(const Wanted& wanted, Protected& found) {
    if (wanted.mode == Mode::ReadOnly) return {};
    for (const fs::path& path : wanted.protect) {
        const fs::path name = without_stars(path);
        if (is_glob(path) || name.filename() != directory_name) continue;
        Search search(wanted, without_links(name));
        CHECK(search.run());
        const bool is_certain = std::ranges::all_of(search.directories(), &SeenFile::is_certain);
        if (search.has_links() || !is_certain) found.proof.clear();
        if (!found.proof.empty())
            found.proof.insert(search.directories().begin(), search.directories().end());
        merge(found.names, TRY(search.names()));
    }
    return {};
}

}  // namespace husk::confine
