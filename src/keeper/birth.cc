#include "birth.h"

#include <linux/fcntl.h>

#include "message.h"
#include "sys.h"

namespace birth {

Gifts receive(husk::wire::Birth& birth) {
    const message::Received got = message::receive(husk::wire::birth_fd, &birth, sizeof birth, 0);
    const auto has = [&birth](husk::wire::BirthFlag flag) { return (birth.flags & flag) != 0; };
    constexpr husk::wire::BirthFlag optional[] = {husk::wire::HasListener, husk::wire::HasCgroup,
                                                  husk::wire::HasWalls, husk::wire::HasDenials};
    unsigned wanted = 1;
    for (const husk::wire::BirthFlag flag : optional) wanted += has(flag) ? 1U : 0U;
    wanted += has(husk::wire::HasDenials) ? 1U : 0U;  // two descriptors
    if (got.size != sizeof birth || birth.magic != husk::wire::magic ||
        birth.version != husk::wire::version || got.fd_count != wanted)
        return {};
    birth.cgroup[sizeof birth.cgroup - 1] = 0;
    Gifts gifts;
    gifts.client = static_cast<int>(sys::fcntl(husk::wire::birth_fd, F_DUPFD_CLOEXEC, 10));
    // The lock stays where the socket was: one descriptor, closed in no child by accident.
    sys::dup3(got.fds[0], husk::wire::birth_fd, O_CLOEXEC);
    sys::close(got.fds[0]);
    unsigned next = 1;
    if (has(husk::wire::HasListener)) gifts.listener = got.fds[next++];
    if (has(husk::wire::HasCgroup)) gifts.cgroup = got.fds[next++];
    if (has(husk::wire::HasWalls)) gifts.walls = got.fds[next++];
    if (has(husk::wire::HasDenials)) {
        gifts.denials = got.fds[next++];
        gifts.settled = got.fds[next++];
    }
    return gifts;
}

}  // namespace birth
