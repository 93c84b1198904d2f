#include "run/blank_pool.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <vector>

#include "base/id.h"
#include "os/file.h"

namespace husk::run {
namespace {

// Names that this process has seen and not yet tried. Others may be faster with any of them.
struct Seen {
    std::mutex guard;
    std::vector<std::string> names;
    unsigned rest = 0;  // so many times not to look again after finding none
};

Seen& seen() {
    static Seen one;
    return one;
}

constexpr unsigned rest_after_none = 64;
constexpr size_t most_seen = 1024;

bool next_name(const os::Fd& blank, std::string& name) {
    Seen& known = seen();
    const std::lock_guard lock(known.guard);
    if (known.names.empty()) {
        if (known.rest > 0) {
            --known.rest;
            return false;
        }
        known.names = os::list(blank).value_or(std::vector<std::string>());
        if (known.names.size() > most_seen) known.names.resize(most_seen);
        if (known.names.empty()) known.rest = rest_after_none;
    }
    if (known.names.empty()) return false;
    name = std::move(known.names.back());
    known.names.pop_back();
    return true;
}

}  // namespace

bool take_blank(const os::Fd& blank, const os::Fd& to, const std::string& name) {
    for (std::string candidate; next_name(blank, candidate);) {
        const long moved = ::syscall(SYS_renameat2, blank.get(), candidate.c_str(), to.get(),
                                     name.c_str(), RENAME_NOREPLACE);
        if (moved == 0) return true;
        if (errno == EEXIST) return false;
    }
    errno = 0;
    return false;
}

void give_back(const os::Fd& dir, const std::string& path, const os::Fd& blank) {
    struct stat info{};
    const bool known = ::fstatat(dir.get(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (blank && known && S_ISREG(info.st_mode)) {
        bool empty = info.st_size == 0;
        if (!empty) {
            const auto file = os::open_at(dir, path, O_WRONLY | O_NOFOLLOW);
            empty = file && ::ftruncate(file->get(), 0) == 0;
        }
        constexpr int letters = 12;
        const std::string name = random_id(letters);
        if (empty && ::renameat(dir.get(), path.c_str(), blank.get(), name.c_str()) == 0) return;
    }
    ::unlinkat(dir.get(), path.c_str(), 0);
}

}  // namespace husk::run
