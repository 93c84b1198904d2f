#include "tool/revert.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/id.h"
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

bool move_or_remove(const os::Fd& parent, const fs::path& name, const fs::path& keep) {
    std::error_code failed;
    fs::create_directories(keep, failed);
    const fs::path kept = keep / (name.string() + "-" + random_id(6));
    if (::renameat(parent.get(), name.c_str(), AT_FDCWD, kept.c_str()) == 0) return true;
    if (errno != EXDEV) return false;
    fs::remove_all(fs::path("/proc/self/fd/" + std::to_string(parent.get())) / name, failed);
    return !failed;
}

}  // namespace

std::vector<std::string> take_away(const std::vector<fs::path>& absent,
                                   const std::vector<fs::path>& roots, const fs::path& keep) {
    std::vector<std::string> taken;
    for (const fs::path& path : absent) {
        struct stat info{};
        if (::lstat(path.c_str(), &info) != 0) continue;
        for (const fs::path& root : roots) {
            const fs::path relative = path.lexically_relative(root);
            if (relative.empty() || *relative.begin() == "..") continue;
            const os::Fd parent = open_parent(root, path);
            const fs::path name = path.filename();
            if (!parent || ::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            if (move_or_remove(parent, name, keep)) taken.push_back(path.string());
            break;
        }
    }
    return taken;
}

}  // namespace husk::tool
