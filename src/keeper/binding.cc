#include "binding.h"

#include <stdint.h>

#include "caller.h"
#include "datagrams.h"
#include "sys.h"

namespace binding {

Name read(const seccomp_notif& asked) {
#if defined(__aarch64__)
    constexpr int bind_call = 200;
#else
    constexpr int bind_call = 49;
#endif
    constexpr unsigned path_at = 2;
    constexpr uint16_t af_unix = 1;
    static char address[128];
    const auto size = static_cast<uint32_t>(asked.data.args[2]);
    if (asked.data.nr != bind_call || size <= path_at || size >= sizeof address) return {};
    const auto pid = static_cast<int>(asked.pid);
    if (sys::process_vm_read(pid, asked.data.args[1], address, size) != static_cast<long>(size))
        return {};
    uint16_t family = 0;
    memcpy(&family, address, sizeof family);
    if (family != af_unix) return {};
    address[size] = 0;
    Name name{address + path_at, address[path_at] != 0, false};
    if (!name.is_path) address[path_at] = '@';
    const long taken = caller::take_descriptor(pid, static_cast<int>(asked.data.args[0]));
    if (taken < 0) return {};
    name.is_of_datagrams = datagrams::is_stand_in(static_cast<int>(taken));
    caller::let_go(static_cast<int>(taken));
    return name;
}

}  // namespace binding
