#include "caller_path.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>

#include "path.h"
#include "sys.h"

namespace caller_path {
namespace {

long open_below(int start, const char* path, int at_links) {
    open_how how{};
    how.flags = static_cast<__u64>(O_PATH | O_CLOEXEC | O_DIRECTORY | at_links);
    how.resolve = RESOLVE_NO_MAGICLINKS;
    return sys::openat2(start, path, &how, sizeof how);
}

}  // namespace

long open_start(int proc, Start start) {
    if (start.directory < 0 && start.directory != AT_FDCWD) return -EBADF;
    Path path;
    path.add(start.pid);
    path.add(start.directory == AT_FDCWD ? "/cwd" : "/fd/");
    if (start.directory != AT_FDCWD) path.add(start.directory);
    const long opened = sys::openat(proc, path.text, O_PATH | O_CLOEXEC | O_DIRECTORY);
    return opened == -ENOENT ? -EBADF : opened;
}

long open_directory(int proc, Start start, const char* path, int at_links) {
    if (path[0] == '/') return open_below(AT_FDCWD, path, at_links);
    const long first = open_start(proc, start);
    if (first < 0) return first;
    const long opened = open_below(static_cast<int>(first), path, at_links);
    sys::close(static_cast<int>(first));
    return opened;
}

}  // namespace caller_path
