// Bytes to and from one client, over TCP, a UNIX socket, or TLS.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"
#include "serve/http_loop.h"

namespace husk::serve::http {

// Callbacks come on the loop's thread, never from within the call; after close() with a failure.
class Wire {
public:
    virtual ~Wire() = default;
    using Greeted = std::function<void(bool well)>;
    using Moved = std::function<void(bool well, size_t bytes)>;
    virtual void greet(Greeted greeted) = 0;
    // At least one byte; a failure at the end.
    virtual void read(std::span<char> room, Moved moved) = 0;
    // All of them; they must stay where they are until then.
    virtual void write(std::string_view bytes, Moved moved) = 0;
    virtual void close() = 0;
};

// The certificate and its key, for as long as connections are made with them.
class Tls {
public:
    static Result<Tls> load(const std::string& certificate, const std::string& key);
    Tls(Tls&&) noexcept;
    Tls& operator=(Tls&&) noexcept;
    ~Tls();

    struct Inside;
    Inside& inside() { return *inside_; }

private:
    explicit Tls(std::unique_ptr<Inside> inside);
    std::unique_ptr<Inside> inside_;
};

std::unique_ptr<Wire> plain_wire(Loop& loop, os::Fd socket);
std::unique_ptr<Wire> tls_wire(Loop& loop, os::Fd socket, Tls& tls);

}  // namespace husk::serve::http
