#include "place/warden_mounts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "place/warden_wire.h"

namespace husk::place::warden {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { take(-1); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void take(int fd) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
    }
    int get() const { return fd_; }

private:
    int fd_;
};

std::string text_of(const char* name) {
    const Descriptor file(::open(name, O_RDONLY | O_CLOEXEC));
    std::string text;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::read(file.get(), buffer, sizeof buffer)) > 0)
        text.append(buffer, static_cast<size_t>(got));
    return text;
}

// The arguments of the first process, as it got them: nobody in here can change its memory.
std::vector<std::string> planned() {
    const std::string line = text_of("/proc/1/cmdline");
    std::vector<std::string> words;
    for (size_t at = 0; at < line.size();) {
        const size_t end = line.find('\0', at);
        if (end == std::string::npos) break;
        words.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// No link on the way is followed.
void walk_to(const std::string& where, Descriptor& at) {
    at.take(::open("/", O_PATH | O_CLOEXEC));
    for (size_t begin = 1; begin < where.size() && at.get() >= 0;) {
        const size_t end =
            where.find('/', begin) == std::string::npos ? where.size() : where.find('/', begin);
        const std::string name = where.substr(begin, end - begin);
        at.take(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        begin = end + 1;
    }
}

// See warden_wire.h for the words.
bool is_held(const std::string& word) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned long long inode = 0;
    char kind = 0;
    int behind = 0;
    if (std::sscanf(word.c_str(), "%u:%u:%llu:%c:%n", &major, &minor, &inode, &kind, &behind) != 4)
        return false;
    Descriptor at(-1);
    walk_to(word.substr(static_cast<size_t>(behind)), at);
    struct statx info{};
    if (at.get() < 0 || ::statx(at.get(), "", AT_EMPTY_PATH, STATX_INO, &info) != 0) return false;
    const bool same =
        info.stx_dev_major == major && info.stx_dev_minor == minor && info.stx_ino == inode;
    // Since Linux 5.8. Before it is only seen whether something can be written.
    const bool tells = (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
    const bool is_mount = !tells || (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    struct statvfs system{};
    if (::fstatvfs(at.get(), &system) != 0) return false;
    const bool may_write = (system.f_flag & ST_RDONLY) == 0;
    return same && is_mount && (kind == mount_writable || !may_write);
}

}  // namespace

bool all_is_mounted_as_planned() {
    const std::vector<std::string> words = planned();
    if (words.size() < first_mount) {
        std::fputs("husk: the container's first process is not the one it was made with\n", stderr);
        return false;
    }
    const std::string boot = text_of("/proc/sys/kernel/random/boot_id");
    if (!boot.starts_with(words[first_mount - 1])) return true;
    for (size_t i = first_mount; i < words.size(); ++i) {
        if (is_held(words[i])) continue;
        const size_t slash = words[i].find('/');
        std::fprintf(stderr,
                     "husk: %s was replaced while the container was made or since, and is not kept "
                     "any more: end the session, or call again\n",
                     slash == std::string::npos ? "a file" : words[i].c_str() + slash);
        return false;
    }
    return true;
}

}  // namespace husk::place::warden
