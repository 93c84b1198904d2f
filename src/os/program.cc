#include "os/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <vector>

namespace husk::os {
namespace {

constexpr int most_links = 40;  // as for the kernel

// Where distributions install bash. The last one is that of NixOS.
constexpr std::array bash_places = {"/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash",
                                    "/run/current-system/sw/bin/bash"};

// Follows a path one name at a time, and looks at each directory, link and file by descriptor.
class Walk {
public:
    explicit Walk(std::string path) : asked_(std::move(path)) {}

    Result<Program> to_the_end() {
        CHECK(start_at_root());
        owner_of_root_ = directory_.st_uid;
        if (!asked_.starts_with('/')) return refused("it is not an absolute path");
        push(asked_);
        while (!names_.empty()) {
            const std::string name = std::move(names_.back());
            names_.pop_back();
            if (name.empty() || name == ".") continue;
            CHECK(step(name));
        }
        return checked_program();
    }

private:
    std::unexpected<Error> refused(const std::string& why) const {
        return failure("program", 0, asked_ + ": " + why);
    }

    Result<void> start_at_root() {
        at_ = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!at_ || ::fstat(at_.get(), &directory_) != 0) return failure("open", errno, "/");
        where_ = "/";
        return {};
    }

    // The names of a path, the first one last.
    void push(const std::string& path) {
        std::vector<std::string> names;
        for (size_t from = 0; from <= path.size();) {
            const size_t to = std::min(path.find('/', from), path.size());
            names.push_back(path.substr(from, to - from));
            from = to + 1;
        }
        names_.insert(names_.end(), names.rbegin(), names.rend());
    }

    // In a user namespace that does not map root, root's files belong to whoever "/" belongs to.
    bool is_root(uid_t owner) const { return owner == 0 || owner == owner_of_root_; }
    static bool others_write(const struct stat& info) {
        return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    }

    // Whether root alone decides what the entry of this directory is. In a sticky directory nobody
    // else can replace an entry that belongs to root.
    bool decided_by_root(const struct stat& entry) const {
        if (!is_root(directory_.st_uid)) return false;
        if (!others_write(directory_)) return true;
        return (directory_.st_mode & S_ISVTX) != 0 && is_root(entry.st_uid);
    }

    Result<void> step(const std::string& name) {
        if (!S_ISDIR(directory_.st_mode)) return failure("program", ENOTDIR, where_.string());
        Fd next(::openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat entry{};
        if (!next || ::fstat(next.get(), &entry) != 0) return failure("program", errno, asked_);
        if (!decided_by_root(entry))
            return refused("others than root can change " + where_.string());
        if (S_ISLNK(entry.st_mode)) return follow(next);
        at_ = std::move(next);
        directory_ = entry;
        where_ = name == ".." ? where_.parent_path() : where_ / name;
        return {};
    }

    Result<void> follow(const Fd& link) {
        if (++links_ > most_links) return failure("program", ELOOP, asked_);
        char target[PATH_MAX];
        const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
        if (size <= 0 || size == sizeof target) return failure("readlink", errno, asked_);
        const std::string path(target, static_cast<size_t>(size));
        if (path.starts_with('/')) CHECK(start_at_root());
        push(path);
        return {};
    }

    Result<Program> checked_program() {
        if (!S_ISREG(directory_.st_mode)) return refused("it is not a regular file");
        if (!is_root(directory_.st_uid) || others_write(directory_))
            return refused("others than root can change it");
        if (::faccessat(AT_FDCWD, where_.c_str(), X_OK, AT_EACCESS) != 0)
            return failure("program", errno, asked_);
        return Program{std::move(at_), where_.string()};
    }

    std::string asked_;
    uid_t owner_of_root_ = 0;
    Fd at_;
    struct stat directory_{};            // that of `at_`, which at the end is the file
    std::filesystem::path where_ = "/";  // of `at_`
    std::vector<std::string> names_;     // still to go, the next one last
    int links_ = 0;
};

}  // namespace

Result<Program> open_program(const std::string& path) { return Walk(path).to_the_end(); }

Result<Program> open_bash() {
    std::string why;
    for (const char* place : bash_places) {
        auto program = open_program(place);
        if (program) return program;
        if (program.error().code != ENOENT)
            why += (why.empty() ? "" : "; ") + program.error().text();
    }
    std::string places;
    for (const char* place : bash_places)
        places += (places.empty() ? "" : ", ") + std::string(place);
    return failure("bash", why.empty() ? ENOENT : EPERM,
                   why.empty() ? "install it; Husk looks at " + places : why);
}

}  // namespace husk::os
