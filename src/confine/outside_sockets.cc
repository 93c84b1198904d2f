#include "confine/outside_sockets.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "confine/located.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "confine/walls.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

bool lies_in_one_of(const fs::path& path, const std::vector<fs::path>& places) {
    return std::ranges::any_of(places,
                               [&](const fs::path& place) { return is_within(path, place); });
}

}  // namespace

Result<void> check_sockets(const Wanted& wanted) {
    if (wanted.sockets.size() > wire::max_sockets)
        return failure("sockets", E2BIG,
                       "at most " + std::to_string(wire::max_sockets) + " sockets can be given");
    for (const fs::path& socket : wanted.sockets) {
        const auto directory = seen_at(socket.parent_path());
        if (!directory || directory->type != S_IFDIR)
            return failure("sockets", ENOENT,
                           socket.string() + ": its directory has to exist before the session");
        const auto now = seen_at(socket);
        if (now && now->type != S_IFSOCK)
            return failure("sockets", ENOTSOCK, socket.string() + ": this is no unix socket");
        if (!now && lies_in_one_of(socket, writable_roots(wanted)))
            return failure("sockets", ENOENT,
                           socket.string() +
                               ": in a directory that commands can write, the socket "
                               "has to exist before the session");
    }
    if (!wanted.sockets.empty() && !has_witness(wanted))
        return failure("sockets", ENOSYS,
                       "without a seccomp listener no outside socket can be given; remove the "
                       "setting, or use mode: open");
    return {};
}

void hold_sockets(const Wanted& wanted, Steps& steps) {
    for (const fs::path& socket : wanted.sockets) {
        const fs::path directory = socket.parent_path();
        const bool only_this = lies_in_one_of(socket, writable_roots(wanted));
        Step step{wire::WallOp::HoldSocket, "open the directory of " + socket.string(),
                  only_this ? 1U : 0U};
        step.texts = {directory.string(), socket.filename().string(), socket.string()};
        if (const auto seen = seen_at(directory)) step.identity = *seen;
        steps.add(std::move(step));
    }
}

std::vector<fs::path> hidden_sockets(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    std::vector<fs::path> hidden;
    std::ranges::copy_if(wanted.sockets, std::back_inserter(hidden), [&](const fs::path& socket) {
        const bool in_home = has_home(wanted) && is_within(socket, wanted.home);
        const bool is_private = is_within(socket, "/tmp") || is_within(socket, "/dev/shm");
        const bool is_hidden = in_home ? lies_in_one_of(socket, secrets) : is_private;
        const bool is_shown = lies_in_one_of(socket, writable_roots(wanted));
        return is_hidden && !is_shown && wanted.identity_of(socket).type == S_IFSOCK;
    });
    return hidden;
}

}  // namespace husk::confine
