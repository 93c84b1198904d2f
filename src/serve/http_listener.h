// Where clients connect: an address, a UNIX socket, or a descriptor that somebody opened for us.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "serve/http_connection.h"

namespace husk::serve::http {

// "127.0.0.1:4875", "[::1]:0", "0.0.0.0:443". Names are not looked up, but for localhost.
struct Address {
    std::string host;
    uint16_t port = 0;
};
std::optional<Address> read_address(const std::string& text);

Result<os::Fd> listen_on(const Address& address);
// For this user only. One that nobody listens on any more is replaced.
Result<os::Fd> listen_at_path(const std::string& path);
// Descriptors that systemd, or somebody like it, has opened for this process (LISTEN_FDS).
std::vector<os::Fd> inherited_sockets();

// Of a socket: its own address, and the port; empty and 0 for a UNIX socket.
Address address_of(int socket);
bool is_unix(int socket);

class Listener {
public:
    // `tls` may be null.
    Listener(Loop& loop, os::Fd socket, Tls* tls, const Service& service, size_t most);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // No more clients; those that are here are answered, and leave.
    void close();
    size_t connections() const { return connections_.size(); }

private:
    void listen();
    void accept();

    Loop& loop_;
    os::Fd socket_;
    Tls* tls_;
    const Service& service_;
    size_t most_;
    Timer again_;
    std::unique_ptr<Readable> readable_;
    std::set<std::shared_ptr<Connection>> connections_;
};

}  // namespace husk::serve::http
