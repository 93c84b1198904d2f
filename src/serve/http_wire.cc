#include "serve/http_wire.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace husk::serve::http {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;

struct Tls::Inside {
    asio::ssl::context context{asio::ssl::context::tls_server};
};

namespace {

Socket adopt(Loop& loop, os::Fd fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
    Socket socket(loop.context());
    error_code failed;
    socket.assign({address.ss_family, 0}, fd.get(), failed);
    if (!failed) fd.release();  // it is the socket's now
    socket.non_blocking(true, failed);
    return socket;
}

// What both kinds do alike. The stream is shared with what is under way, which outlives the wire.
template <class Stream>
class StreamWire : public Wire {
public:
    explicit StreamWire(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

    void read(std::span<char> room, Moved moved) override {
        stream_->async_read_some(
            asio::buffer(room.data(), room.size()),
            [stream = stream_, moved = std::move(moved)](const error_code& failed, size_t bytes) {
                moved(!failed && bytes > 0, bytes);
            });
    }
    void write(std::string_view bytes, Moved moved) override {
        asio::async_write(*stream_, asio::buffer(bytes.data(), bytes.size()),
                          [stream = stream_, moved = std::move(moved)](
                              const error_code& failed, size_t wrote) { moved(!failed, wrote); });
    }
    void close() override {
        error_code ignored;
        auto& socket = stream_->lowest_layer();
        socket.shutdown(asio::socket_base::shutdown_both, ignored);
        socket.close(ignored);
    }

protected:
    std::shared_ptr<Stream> stream_;
};

class PlainWire : public StreamWire<Socket> {
public:
    PlainWire(Loop& loop, os::Fd socket)
        : StreamWire(std::make_shared<Socket>(adopt(loop, std::move(socket)))), loop_(loop) {}
    void greet(Greeted greeted) override {
        loop_.post([greeted = std::move(greeted)] { greeted(true); });
    }

private:
    Loop& loop_;
};

using TlsStream = asio::ssl::stream<Socket>;

class TlsWire : public StreamWire<TlsStream> {
public:
    TlsWire(Loop& loop, os::Fd socket, asio::ssl::context& context)
        : StreamWire(std::make_shared<TlsStream>(adopt(loop, std::move(socket)), context)) {}
    void greet(Greeted greeted) override {
        stream_->async_handshake(asio::ssl::stream_base::server,
                                 [stream = stream_, greeted = std::move(greeted)](
                                     const error_code& failed) { greeted(!failed); });
    }
};

}  // namespace

Tls::Tls(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Tls::Tls(Tls&&) noexcept = default;
Tls& Tls::operator=(Tls&&) noexcept = default;
Tls::~Tls() = default;

Result<Tls> Tls::load(const std::string& certificate, const std::string& key) {
    auto inside = std::make_unique<Inside>();
    asio::ssl::context& context = inside->context;
    error_code failed;
    context.use_certificate_chain_file(certificate, failed);
    if (failed) return failure("--tls-cert", 0, certificate + ": " + failed.message());
    context.use_private_key_file(key, asio::ssl::context::pem, failed);
    if (failed) return failure("--tls-key", 0, key + ": " + failed.message());
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
    return Tls(std::move(inside));
}

std::unique_ptr<Wire> plain_wire(Loop& loop, os::Fd socket) {
    return std::make_unique<PlainWire>(loop, std::move(socket));
}

std::unique_ptr<Wire> tls_wire(Loop& loop, os::Fd socket, Tls& tls) {
    return std::make_unique<TlsWire>(loop, std::move(socket), tls.inside().context);
}

}  // namespace husk::serve::http
