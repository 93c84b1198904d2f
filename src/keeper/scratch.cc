#include "scratch.h"

#include <asm/statfs.h>
#include <linux/fcntl.h>

#include "sys.h"

namespace scratch {
namespace {

constexpr int first_free = 256;  // above all that is put in order elsewhere
int held = -1;

}  // namespace

long hold(const char* directory) {
    const long opened = sys::openat(AT_FDCWD, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return opened;
    auto fd = static_cast<int>(opened);
    const long raised = sys::fcntl(fd, F_DUPFD_CLOEXEC, first_free);
    sys::close_once(fd);
    if (raised < 0) return raised;
    held = static_cast<int>(raised);
    return 0;
}

bool is_full() {
    struct statfs info{};
    if (held < 0 || sys::fstatfs(held, &info) != 0 || info.f_blocks == 0) return false;
    return info.f_bavail == 0 || (info.f_files != 0 && info.f_ffree == 0);
}

}  // namespace scratch
