#include "os/landlock.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "os/pretend.h"

namespace husk::os::landlock {
namespace {

// Numbers of the kernel's interface that an older header may not have.
constexpr uint64_t refer = 1ULL << 13;      // ABI 2
constexpr uint64_t truncate = 1ULL << 14;   // ABI 3
constexpr uint64_t ioctl_dev = 1ULL << 15;  // ABI 5
constexpr uint64_t scope_abstract = 1ULL << 0;
constexpr uint64_t scope_signal = 1ULL << 1;

}  // namespace

int abi() {
    static const long of_kernel =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return std::min(static_cast<int>(std::max(of_kernel, 0L)), pretended().landlock);
}

uint64_t all_rights(int abi) {
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    if (abi >= 2) rights |= refer;
    if (abi >= 3) rights |= truncate;
    if (abi >= 5) rights |= ioctl_dev;
    return abi >= 1 ? rights : 0;
}

uint64_t reading() {
    return LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
}

uint64_t listing() { return LANDLOCK_ACCESS_FS_READ_DIR; }

uint64_t writing(int abi) {
    return all_rights(abi) &
           ~uint64_t{LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK};
}

uint64_t on_files(uint64_t rights) {
    return rights & (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                     LANDLOCK_ACCESS_FS_READ_FILE | truncate | ioctl_dev);
}

uint64_t scopes(int abi) { return abi >= abi_of_scopes ? scope_abstract | scope_signal : 0; }

}  // namespace husk::os::landlock
