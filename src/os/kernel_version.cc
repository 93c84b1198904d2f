#include "os/kernel_version.h"

#include <sys/utsname.h>

#include <cstdio>
#include <utility>

namespace husk::os {

bool kernel_is_at_least(int major, int minor) {
    static const std::pair<int, int> version = [] {
        utsname name{};
        std::pair<int, int> result{0, 0};
        if (::uname(&name) == 0)
            std::sscanf(name.release, "%d.%d", &result.first, &result.second);  // NOLINT
        return result;
    }();
    return version >= std::pair(major, minor);
}

}  // namespace husk::os
