// husk-proxy: the way out of a session whose network has only a loopback. It lives outside, on the
// network of the machine, and is born with descriptor 3 (docs/proxy.md). 0, 1 and 2 lead nowhere.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "os/socket.h"
#include "proxy/birth.h"
#include "proxy/server.h"

namespace {

using namespace husk;

constexpr rlim_t descriptors_of_one = 3;  // client, and two questions or the server
constexpr rlim_t other_descriptors = 32;

// It reads what walled commands send: should they ever get it to do something, let it be little.
void give_up_privileges() {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
}

// As many connections as there can be descriptors for.
size_t affordable(size_t connections) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return connections;
    const rlim_t wanted = connections * descriptors_of_one + other_descriptors;
    files.rlim_cur = std::min(std::max(files.rlim_cur, wanted), files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur >= wanted) return connections;
    const rlim_t left = files.rlim_cur - std::min(files.rlim_cur, other_descriptors);
    return std::max<size_t>(left / descriptors_of_one, 1);
}

// Otherwise somebody else who accepts from it could make us wait for ever.
Result<void> keep_from_blocking(const os::Fd& listener) {
    if (!listener) return {};
    const int flags = ::fcntl(listener.get(), F_GETFL);
    if (flags < 0 || ::fcntl(listener.get(), F_SETFL, flags | O_NONBLOCK) != 0)
        return failure("fcntl", errno, "the listening socket");
    return {};
}

Result<std::unique_ptr<proxy::Server>> be_born(const os::Fd& socket) {
    os::Message message =
        TRY(os::receive_message(socket, sizeof(proxy::BirthHeader) + proxy::longest_list));
    proxy::Estate estate = TRY(proxy::decode_birth(message.data, std::move(message.fds)));
    CHECK(keep_from_blocking(estate.listener));
    CHECK(keep_from_blocking(estate.raw_listener));
    for (const auto& one : estate.published) CHECK(keep_from_blocking(one.listener));
    proxy::Limits limits;
    limits.connections = affordable(limits.connections);
    return proxy::Server::make(std::move(estate), limits, {});
}

}  // namespace

int main() {
    give_up_privileges();
    os::Fd socket(3);
    const auto server = be_born(socket);
    if (!server) return 1;
    if (::send(socket.get(), &proxy::ready_byte, 1, MSG_NOSIGNAL) != 1) return 1;
    socket.reset();
    return (*server)->run() ? 0 : 1;
}
