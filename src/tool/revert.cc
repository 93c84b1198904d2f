#include "tool/revert.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/id.h"
#include "base/terminal_text.h"
#include "base/utf8.h"
#include "confine/globs.h"
#include "confine/links.h"
#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "keeper/walls_wire.h"
#include "os/fd.h"
#include "os/file.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

os::Fd open_parent(const fs::path& root, const fs::path& path) {
    const os::Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    open_how how{};
    how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const fs::path parent = path.parent_path().lexically_relative(root);
    return os::Fd(
        static_cast<int>(::syscall(SYS_openat2, top.get(), parent.c_str(), &how, sizeof how)));
}

bool move(const os::Fd& from, const fs::path& name, int to, const fs::path& kept) {
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
    return ::syscall(SYS_renameat2, from.get(), name.c_str(), to, kept.c_str(), no_replace) == 0;
}

enum class Otherwise { Remove, PutAside };

bool take_away(const fs::path& root, const fs::path& path, const fs::path& keep, Otherwise other) {
    const os::Fd parent = open_parent(root, path);
    const fs::path name = path.filename();
    struct stat info{};
    if (!parent || ::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    std::error_code failed;
    fs::create_directories(keep, failed);
    const std::string kept = name.string() + "-" + random_id(6);
    if (move(parent, name, AT_FDCWD, keep / kept)) return true;
    if (errno != EXDEV) return false;
    if (other == Otherwise::PutAside)
        return move(parent, name, parent.get(), ".husk-reverted" + kept);
    fs::remove_all(fs::path("/proc/self/fd/" + std::to_string(parent.get())) / name, failed);
    return !failed;
}

bool is_there(const fs::path& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0;
}

// One call's work on what it left behind.
class Reversal {
public:
    Reversal(const confine::Protected& before, std::vector<fs::path> roots, const fs::path& keep,
             Report& report)
        : before_(before), roots_(std::move(roots)), keep_(keep), report_(report) {}

    void of_links() {
        for (const confine::KeptLink& link : before_.links) {
            const auto now = confine::target_of(link.path);
            const fs::path* root = root_of(link.path);
            if (root == nullptr || now == link.target || !is_there(link.path)) continue;
            if (!undo(*root, link.path, Otherwise::Remove)) continue;
            const os::Fd parent = open_parent(*root, link.path);
            std::ignore =
                ::symlinkat(link.target.c_str(), parent.get(), link.path.filename().c_str());
        }
    }

    void of_names() {
        std::vector<std::string_view> untouched;
        for (const confine::SeenFile& root : before_.roots)
            if (confine::is_unchanged(root)) untouched.push_back(root.path);
        std::string_view done;  // most names share their directory with the one before
        for (const fs::path& path : before_.absent) {
            const fs::path* root = root_of(path);
            if (root == nullptr) continue;
            const std::string_view whole = path.native();
            const std::string_view parent = whole.substr(0, whole.rfind('/'));
            if (std::ranges::find(untouched, parent) != untouched.end()) continue;
            const bool there = is_there(path);
            // Git does not enter a repository through a link; only what is in it can be meant.
            const bool matters = there || !whole.ends_with("/.git");
            if (matters && parent != root->native() && parent != done) {
                done = parent;
                const auto link = confine::link_above(path, *root, before_.links);
                if (link && undo(*root, *link, Otherwise::Remove)) continue;
            }
            if (there) undo(*root, path, Otherwise::Remove);
        }
    }

    // Where directories are the user's own business, and links are.
    void of_single_names(const confine::Wanted& wanted) {
        for (const fs::path& path : before_.absent)
            if (is_there(path)) undo(roots_[0], path, Otherwise::Remove);
        of_matches(wanted);
    }

    void of_matches(const confine::Wanted& wanted) {
        const auto matches = confine::find_matches(wanted, confine::Links::Told);
        if (!matches) {
            report_.notes.push_back("what it made was not compared with what is protected: " +
                                    matches.error().text());
            return;
        }
        for (const fs::path& path : *matches) {
            const bool is_new = std::ranges::find(before_.matches, path) == before_.matches.end();
            const fs::path* root = is_new ? root_of(path) : nullptr;
            if (root != nullptr) undo(*root, path, Otherwise::Remove);
        }
    }

    void of_checkouts(const confine::Wanted& wanted) {
        for (const confine::RiskyCheckout& one : confine::risky_checkouts(wanted, before_.git)) {
            const std::string name = text::one_line(one.git.string());
            const std::string cause = text::one_line(one.cause);
            const fs::path* root = root_of(one.git);
            if (one.entered && root != nullptr && undo(*root, one.git, Otherwise::PutAside)) {
                report_.notes.push_back(name +
                                        " was taken away because git goes there by itself, "
                                        "and would obey it: " +
                                        cause);
            } else {
                report_.notes.push_back(warning(name, cause));
            }
        }
    }

    static std::string warning(const std::string& name, const std::string& cause) {
        return "whoever runs git where " + name + " is runs what was written there: " + cause;
    }

private:
    const fs::path* root_of(const fs::path& path) const {
        const std::string_view text = path.native();
        const auto found = std::ranges::find_if(roots_, [&](const fs::path& root) {
            const std::string_view start = root.native();
            return text.size() > start.size() && text.starts_with(start) &&
                   (start == "/" || text[start.size()] == '/');
        });
        return found == roots_.end() ? nullptr : &*found;
    }

    bool undo(const fs::path& root, const fs::path& path, Otherwise other) {
        const bool done = take_away(root, path, keep_, other);
        if (done) report_.reverted.push_back(text::to_utf8(path.string()));
        return done;
    }

    const confine::Protected& before_;
    std::vector<fs::path> roots_;
    const fs::path& keep_;
    Report& report_;
};

// As the mason reads it; empty when it is too long for that.
std::string forbidden_name(const fs::path& path, size_t root, const fs::path& root_path) {
    const std::string line =
        ",\"reverted\":" + nlohmann::json(text::to_utf8(path.string())).dump() + "}\n";
    std::string texts = path.string() + '\0' + line + '\0';
    constexpr size_t alignment = 8;
    while ((texts.size() + sizeof(wire::ForbiddenName)) % alignment != 0) texts += '\0';
    const size_t size = sizeof(wire::ForbiddenName) + texts.size();
    if (size > UINT16_MAX) return {};
    wire::ForbiddenName header{};
    header.root = static_cast<uint16_t>(root);
    header.relative =
        static_cast<uint16_t>(sizeof header + root_path.string().size() + 1);  // behind the slash
    header.line = static_cast<uint16_t>(sizeof header + path.string().size() + 1);
    header.size = static_cast<uint16_t>(size);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + texts;
}

}  // namespace

void forbid_absent(const run::Session& session, const fs::path& keep) {
    if (!session.can_forbid()) return;
    const std::vector<fs::path> roots = confine::writable_roots(session.wanted());
    const auto known = confine::find_protected(session.wanted());
    if (!known) return;  // the next call says why
    std::string names;
    for (const fs::path& path : known->absent) {
        for (size_t root = 0; root < roots.size(); ++root) {
            if (roots[root] == "/" || !confine::is_within(path, roots[root])) continue;
            // It is in the list without the link, too.
            if (confine::link_above(path, roots[root], {})) break;
            const std::string name = forbidden_name(path, root, roots[root]);
            if (names.size() + name.size() <= wire::max_forbidden) names += name;
            break;
        }
    }
    std::error_code failed;
    fs::create_directories(keep, failed);
    const auto kept = os::open(keep, O_PATH | O_DIRECTORY);
    if (kept && !names.empty()) std::ignore = session.forbid(names, *kept, roots);
}

void revert(const confine::Protected& before, const confine::Wanted& wanted, const fs::path& keep,
            Report& report) {
    if (!wanted.closed()) return Reversal(before, {"/"}, keep, report).of_single_names(wanted);
    Reversal reversal(before, confine::writable_roots(wanted), keep, report);
    reversal.of_links();
    reversal.of_names();
    reversal.of_matches(wanted);
    reversal.of_checkouts(wanted);
}

std::vector<std::string> warnings_since(const confine::Protected& before,
                                        const run::Session& session) {
    std::vector<std::string> warnings;
    const auto now = session.protection();
    if (!now || now->git.entered == before.git.entered) return warnings;
    for (const confine::RiskyCheckout& one : confine::risky_checkouts(session.wanted(), before.git))
        warnings.push_back(
            Reversal::warning(text::one_line(one.git.string()), text::one_line(one.cause)));
    return warnings;
}

}  // namespace husk::tool
