#include "confine/names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "confine/reading.h"
#include "os/fd.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

bool is_own(const os::Fd& directory) {
    struct stat info{};
    return ::fstat(directory.get(), &info) == 0 && info.st_uid == ::geteuid();
}

// What is at a name in a directory.
Name name_in(const os::Fd& directory, const std::string& path, Extent extent) {
    Name name{.seen = see_in(directory.get(), path, extent)};
    if (name.seen.error == 0)
        name.state = name.seen.identity.type == S_IFLNK ? State::Link : State::Present;
    else if (!is_gone(name.seen.error))
        name.state =
            name.seen.error == EACCES && !is_own(directory) ? State::Foreign : State::Unknown;
    return name;
}

enum class Follow { On, NoFurther };

// Calls `at_link` with each link on the path and its target, and `at_up` with each directory that
// the path leaves by `..`. Returns the path without links, or, where one of them says that the path
// is to be followed no further, with all behind it as it was written.
template <class AtLink, class AtUp>
fs::path follow(const fs::path& path, const AtLink& at_link, const AtUp& at_up) {
    constexpr int most_links = 40;  // the kernel follows no more
    std::deque<fs::path> rest(path.begin(), path.end());
    fs::path real = "/";
    const auto as_written = [&](const fs::path& part) {
        fs::path whole = real / part;
        for (const fs::path& behind : rest) whole /= behind;
        return whole;
    };
    for (int links = 0; !rest.empty();) {
        const fs::path part = rest.front();
        rest.pop_front();
        if (part == "..") {
            if (real != "/" && at_up(real) == Follow::NoFurther) return as_written(part);
            real = real.parent_path();
        }
        if (part.empty() || part == "." || part == ".." || part == "/") continue;
        const fs::path next = real / part;
        std::error_code failed;
        const fs::path target = fs::read_symlink(next, failed);
        // A link in /proc leads elsewhere for each process.
        if (failed || is_within(next, "/proc") || ++links > most_links) {
            real = next;
            continue;
        }
        if (at_link(next, target) == Follow::NoFurther) return as_written(part);
        if (target.is_absolute()) real = "/";
        rest.insert(rest.begin(), target.begin(), target.end());
    }
    return real;
}

bool leaves_a_directory(const fs::path& path) {
    return std::ranges::find(path, fs::path("..")) != path.end();
}

}  // namespace

void merge(Names& names, Names more) {
    for (auto& [path, name] : more) {
        const auto [known, is_new] = names.try_emplace(path, name);
        if (!is_new && known->second.state == State::Pinned) known->second = std::move(name);
    }
}

// Goes from the root to the name. Returns what is there, or what on the path decides it.
Name NameWalk::look(const std::string& path, const std::string& root) {
    constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Name top{.state = State::Unknown, .seen = see(root, Extent::Whole)};
    depends_on_.insert(top.seen);
    os::Fd directory(::open(root.c_str(), flags));
    if (!directory && is_gone(errno)) top.state = State::Absent;
    if (!directory) return top;
    for (size_t at = root.size();;) {
        at = path.find('/', at + 1);
        if (at == std::string::npos) return name_in(directory, path, Extent::Whole);
        const std::string above = path.substr(0, at);
        Name name = name_in(directory, above, Extent::Itself);
        depends_on_.insert(name.seen);
        if (name.state != State::Present) return name;
        name.state = State::Absent;  // in what is no directory
        if (name.seen.identity.type != S_IFDIR) return name;
        directory = os::Fd(::openat(directory.get(), above.c_str() + above.rfind('/') + 1, flags));
        name.state = State::Unknown;  // something else came there in between
        if (!directory) return name;
    }
}

void NameWalk::add(const fs::path& path) {
    const auto known = names_.find(path.native());
    if (known != names_.end() && known->second.state != State::Pinned) return;
    if (leaves_a_directory(path) && !is_behind_links_) return add_behind_links(path);
    const fs::path* root = root_above(path, roots_);
    Name name = look(path.native(), root != nullptr ? root->native() : "/");
    const bool is_on_the_path = name.seen.path != path.native();
    if (is_on_the_path) name.seen = see(path.native(), Extent::Whole);
    if (name.state == State::Foreign) return depend_on_more();
    if (name.state == State::Link) {
        depend_on_more();
        // Links outside of the roots are the user's own. Git enters no repository through a link.
        if (root == nullptr)
            name.state = name.seen.error != 0 ? State::Unknown : State::Present;
        else if (is_on_the_path && path.filename() == ".git")
            name.state = State::Absent;
        else if (is_behind_links_)  // somebody replaces names while they are looked at
            name.state = State::Unknown;
        else
            return add_behind_links(path);
    }
    if (root == nullptr) depend_on_more();
    // The times of the root tell that nothing came into it.
    const bool is_in_root = root != nullptr && path.parent_path() == *root;
    if (name.state != State::Absent || !is_in_root) depends_on_.insert(name.seen);
    names_.insert_or_assign(path.native(), std::move(name));
}

void NameWalk::set_git_settings(const fs::path& path) {
    const auto known = names_.find(path.native());
    if (known != names_.end()) known->second.is_git_settings = true;
}

void NameWalk::set_gitlink(const fs::path& path) {
    const auto known = names_.find(path.native());
    if (known != names_.end()) known->second.is_gitlink = true;
}

// The target is added even if it does not exist yet.
void NameWalk::add_behind_links(const fs::path& path) {
    const fs::path real = add_links(path);
    is_behind_links_ = true;
    if (root_above(real, roots_) != nullptr) add(real);
    is_behind_links_ = false;
}

fs::path NameWalk::add_links(const fs::path& path) {
    const auto at_link = [&](const fs::path& link, const fs::path& target) {
        depend_on_more();
        if (root_above(link, roots_) != nullptr)
            names_.insert_or_assign(link,
                                    Name{State::Link, see(link.native(), Extent::Whole), target});
        return Follow::On;
    };
    const auto at_up = [&](const fs::path& directory) {
        if (const fs::path* root = root_above(directory, roots_)) pin(directory, *root);
        return Follow::On;
    };
    return follow(path, at_link, at_up);
}

// A path leads nowhere behind what is not there. Nothing may come there either: it could be a link.
void NameWalk::pin(const fs::path& path, const fs::path& root) {
    depend_on_more();
    Name name = look(path.native(), root.native());
    if (name.state == State::Foreign) return;
    if (name.state == State::Present) name.state = State::Pinned;
    if (name.state == State::Link) name.state = State::Unknown;  // it has come just now
    name.seen = see(path.native(), Extent::Itself);
    names_.try_emplace(path.native(), std::move(name));
}

void NameWalk::depend_on(const fs::path& path) {
    depends_on_.insert(see(path.native(), Extent::Target));
}

std::set<SeenFile> NameWalk::proof() const {
    const bool is_certain = std::ranges::all_of(depends_on_, &SeenFile::is_certain);
    return is_provable_ && is_certain ? depends_on_ : std::set<SeenFile>();
}

fs::path resolved_up_to_roots(const fs::path& path, const std::vector<fs::path>& roots) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path, failed);
    const auto outside_only = [&](const fs::path& one) {
        return root_above(one, roots) != nullptr ? Follow::NoFurther : Follow::On;
    };
    return follow(
        failed ? path : absolute,
        [&](const fs::path& link, const fs::path&) { return outside_only(link); }, outside_only);
}

}  // namespace husk::confine
