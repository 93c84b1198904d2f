#include "run/published.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "confine/own_network.h"

namespace husk::run {
namespace {

std::string advice(int error) {
    if (error == EADDRINUSE)
        return "something listens there already, perhaps another session that publishes this port; "
               "end it (see `husk shells`), or choose another port";
    if (error == EACCES) return "only root may publish a port below 1024; choose another one";
    return "it cannot be published";
}

Result<os::Fd> listen_on(uint16_t port) {
    os::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // What the last session left behind there is no reason to wait.
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener.get(), SOMAXCONN) != 0) {
        const int error = errno;
        return failure("publish " + std::to_string(port), error, advice(error));
    }
    return listener;
}

}  // namespace

bool publishes(const confine::Wanted& wanted) {
    return !wanted.publish.empty() && wanted.closed() && wanted.network.kind != Network::Kind::Open;
}

Result<std::vector<os::Fd>> listen_for(const confine::Wanted& wanted) {
    constexpr size_t most = 8;
    const std::vector<uint16_t>& ports = wanted.publish;
    if (!confine::has_own_network(wanted) || !wanted.machine.pid_namespace)
        return failure("publish", 0,
                       "this machine has no namespaces for a network and processes of the "
                       "session's own; see `husk doctor`");
    if (ports.size() > most)
        return failure("publish", 0,
                       "a session can publish at most " + std::to_string(most) + " ports");
    std::vector<os::Fd> listeners;
    for (const uint16_t port : ports) listeners.push_back(TRY(listen_on(port)));
    return listeners;
}

}  // namespace husk::run
