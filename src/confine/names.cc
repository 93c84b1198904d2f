#include "confine/names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>

#include "confine/reading.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

std::string parent_of(const std::string& path) {
    return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

bool is_own(const os::Fd& directory) {
    struct stat info{};
    return ::fstat(directory.get(), &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

NameWalk::Entry NameWalk::look(const os::Fd& above, const std::string& path, Extent extent) {
    struct stat info{};
    const std::string name = path.substr(path.rfind('/') + 1);
    const int error =
        ::fstatat(above.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    Entry entry{.seen = seen_as(path, extent, error, info)};
    if (is_gone(error)) return entry;
    entry.state = error == EACCES && !is_own(above) ? State::Foreign : State::Unknown;
    if (error != 0) return entry;
    entry.state = S_ISLNK(info.st_mode) ? State::Link : State::Present;
    entry.is_directory = S_ISDIR(info.st_mode);
    if (entry.state != State::Link) return entry;
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(above.get(), name.c_str(), target.data(), target.size());
    entry.target.assign(target.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return entry;
}

const NameWalk::Directory& NameWalk::directory(const std::string& path, const fs::path& root) {
    if (const auto known = directories_.find(path); known != directories_.end())
        return known->second;
    constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Directory result;
    if (path == root.native()) {
        result.fd = os::Fd(::open(path.c_str(), flags));
        result.entry.state = is_gone(errno) ? State::Absent : State::Unknown;
        depends_on_.push_back(see(path, Extent::Whole));
    } else if (const Directory& above = directory(parent_of(path), root); above.fd) {
        result.entry = look(above.fd, path, Extent::Itself);
        depends_on_.push_back(result.entry.seen);
        const std::string name = path.substr(path.rfind('/') + 1);
        if (result.entry.is_directory)
            result.fd = os::Fd(::openat(above.fd.get(), name.c_str(), flags));
        // Something else came there in between, or it is no directory.
        if (result.entry.state == State::Present)
            result.entry.state = result.entry.is_directory ? State::Unknown : State::Absent;
    } else {
        result.entry = above.entry;
    }
    // A command can make as many directories as it likes, and as deep. Nobody uses `above` any
    // more.
    constexpr size_t most_open = 64;
    if (directories_.size() >= most_open) directories_.clear();
    return directories_.emplace(path, std::move(result)).first->second;
}

void NameWalk::add(const fs::path& path) {
    if (names_.contains(path.native())) return;
    const fs::path* root = root_above(path, roots_);
    const Directory& above = directory(parent_of(path.native()), root != nullptr ? *root : "/");
    Entry entry =
        above.fd ? look(above.fd, path.native(), Extent::Whole)
                 : Entry{.state = above.entry.state, .seen = see(path.native(), Extent::Whole)};
    if (entry.state == State::Foreign) return depend_on_more();
    if (entry.state == State::Link) {
        depend_on_more();
        // Links outside of the roots are the user's own. Git enters no repository through a link.
        if (root == nullptr)
            entry.state = entry.seen.identity == FileIdentity{} ? State::Unknown : State::Present;
        else if (!above.fd && path.filename() == ".git")
            entry.state = State::Absent;
        else if (is_behind_links_)  // somebody replaces names while they are looked at
            entry.state = State::Unknown;
        else
            return add_behind_links(path);
    }
    if (root == nullptr) depend_on_more();
    names_.emplace(path.native(), Name{entry.state, std::move(entry.seen)});
}

// The target is added even if it does not exist yet.
void NameWalk::add_behind_links(const fs::path& path) {
    const fs::path real = add_links(path);
    is_behind_links_ = true;
    if (root_above(real, roots_) != nullptr) add(real);
    is_behind_links_ = false;
}

fs::path NameWalk::add_links(const fs::path& path) {
    constexpr int most_links = 40;  // the kernel follows no more
    std::deque<fs::path> rest(path.begin(), path.end());
    fs::path real = "/";
    for (int links = 0; !rest.empty();) {
        const fs::path part = rest.front();
        rest.pop_front();
        if (part == "..") real = real.parent_path();
        if (part.empty() || part == "." || part == ".." || part == "/") continue;
        const fs::path next = real / part;
        std::error_code failed;
        const fs::path target = fs::read_symlink(next, failed);
        if (failed || ++links > most_links) {
            real = next;
            continue;
        }
        depend_on_more();
        if (root_above(next, roots_) != nullptr)
            names_.insert_or_assign(next, Name{State::Link, see(next, Extent::Whole), target});
        if (target.is_absolute()) real = "/";
        rest.insert(rest.begin(), target.begin(), target.end());
    }
    return real;
}

void NameWalk::depend_on(const fs::path& path) {
    depends_on_.push_back(see(path.native(), Extent::Target));
}

std::vector<SeenFile> NameWalk::proof() const {
    if (!is_provable_) return {};
    std::vector<SeenFile> proof;
    for (const auto& [path, name] : names_) {
        // The times of the root tell that nothing came into it.
        const bool is_in_root =
            std::ranges::find(roots_, fs::path(parent_of(path))) != roots_.end();
        if (name.state != State::Absent || !is_in_root) proof.push_back(name.seen);
    }
    for (const SeenFile& seen : depends_on_)
        if (!names_.contains(seen.path)) proof.push_back(seen);
    const bool is_certain = std::ranges::all_of(proof, &SeenFile::is_certain);
    return is_certain ? proof : std::vector<SeenFile>();
}

}  // namespace husk::confine
