#include "os/capability_set.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace husk::os {

bool has_capability(int capability) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
    constexpr int bits = 32;
    const auto& half = sets.at(static_cast<size_t>(capability / bits));
    return (half.effective >> (capability % bits) & 1U) != 0;
}

}  // namespace husk::os
