// Names and times: the server of the proxy in a thread, with a name server of the test's own and
// with limits that can be waited for.

#include "proxy/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <tuple>

#include "os/file.h"
#include "os/socket.h"
#include "proxy/test_network.h"

namespace husk::proxy {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace testing_network;
using testing::HasSubstr;
using testing::StartsWith;

// The only answer of a name server: the same addresses to every question of type A, and none
// to others.
std::string answer_to(std::string_view query, const std::vector<std::string>& addresses,
                      const std::string& flags) {
    const std::string_view question = query.substr(12);
    const bool wants_v4 = question[question.size() - 3] == 1;
    const size_t count = wants_v4 ? addresses.size() : 0;
    std::string message(query.substr(0, 2));
    message += flags + "\0\1\0"s + static_cast<char>(count) + "\0\0\0\0"s;
    message += question;
    for (size_t i = 0; i < count; ++i) {
        const Address address = *parse_address(addresses[i]);
        message += "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4"s;
        message.append(reinterpret_cast<const char*>(&address.bytes[12]), 4);
    }
    return message;
}

// On one port of loopback, over UDP and TCP.
class NameServer {
public:
    enum class Manner { Plain, OnlyOverTcp, Silent, Failing, ForgedFirst };

    NameServer(std::vector<std::string> addresses, Manner manner)
        : addresses_(std::move(addresses)), manner_(manner) {
        // Until there is a port that is free for both.
        while (!tcp_) {
            udp_ = bound(SOCK_DGRAM);
            tcp_ = bound(SOCK_STREAM, port_of(udp_));
        }
        over_udp_ = std::thread([this] { serve_udp(); });
        over_tcp_ = std::thread([this] { serve_tcp(); });
    }
    ~NameServer() {
        ::shutdown(udp_.get(), SHUT_RDWR);
        ::shutdown(tcp_.get(), SHUT_RDWR);
        over_udp_.join();
        over_tcp_.join();
    }
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;

    uint16_t port() const { return port_of(udp_); }
    int questions() const { return questions_; }

private:
    void serve_udp() {
        for (;;) {
            char query[512];
            sockaddr_in from{};
            socklen_t size = sizeof from;
            auto* address = reinterpret_cast<sockaddr*>(&from);
            const ssize_t got = ::recvfrom(udp_.get(), query, sizeof query, 0, address, &size);
            if (got < 20) return;
            ++questions_;
            const auto send = [&](const std::string& message) {
                ::sendto(udp_.get(), message.data(), message.size(), 0, address, size);
            };
            const std::string_view text(query, static_cast<size_t>(got));
            if (manner_ == Manner::Silent) continue;
            if (manner_ == Manner::ForgedFirst) {
                std::string forged = answer_to(text, {"6.6.6.6"}, "\x81\x80");
                forged[0] = static_cast<char>(forged[0] + 1);
                send(forged);
                send("x");
            }
            if (manner_ == Manner::OnlyOverTcp)
                send(answer_to(text, {}, "\x83\x80"));
            else if (manner_ == Manner::Failing)
                send(answer_to(text, {}, "\x81\x82"));
            else
                send(answer_to(text, addresses_, "\x81\x80"));
        }
    }
    void serve_tcp() {
        for (;;) {
            Wire wire(os::Fd(::accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
            if (!wire.is_open()) return;
            const std::string size = wire.read(2);
            const std::string query = wire.read(static_cast<unsigned char>(size[1]));
            const std::string message = answer_to(query, addresses_, "\x81\x80");
            wire.send("\0"s + static_cast<char>(message.size()));
            // In two pieces, as a stream may come.
            wire.send(message.substr(0, 5));
            wire.send(message.substr(5));
        }
    }

    std::vector<std::string> addresses_;
    Manner manner_;
    os::Fd udp_;
    os::Fd tcp_;
    std::atomic<int> questions_ = 0;
    std::thread over_udp_;
    std::thread over_tcp_;
};

class Serving {
public:
    Serving(const std::string& list, const Limits& limits, uint16_t dns_port = 53,
            const std::string& hosts = "") {
        os::Fd listener = bound(SOCK_STREAM);
        port_ = port_of(listener);
        ::fcntl(listener.get(), F_SETFL, O_NONBLOCK);
        auto pair = os::socket_pair(SOCK_STREAM);
        session_ = std::move(pair->first);
        hosts_ = os::text_file(hosts).value();
        resolv_conf_ = os::text_file("nameserver 127.0.0.1\n").value();
        Sources sources{
            .hosts = path_of(hosts_), .resolv_conf = path_of(resolv_conf_), .port = dns_port};
        server_ = Server::make({.allow = AllowList::parse(list).value(),
                                .listener = std::move(listener),
                                .session_end = std::move(pair->second),
                                .log = {},
                                .names = {},
                                .raw_listener = {},
                                .mason = {},
                                .published = {}},
                               limits, sources)
                      .value();
        thread_ = std::thread([this] { EXPECT_TRUE(server_->run()); });
    }
    ~Serving() {
        session_.reset();
        thread_.join();
    }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    Wire client() const { return Wire::to(port_); }
    Wire connect(const std::string& target) const {
        Wire wire = client();
        wire.send("CONNECT " + target + " HTTP/1.1\r\n\r\n");
        return wire;
    }
    std::string answer(const std::string& target) const {
        return connect(target).read_until("\r\n\r\n");
    }
    std::string whole_answer(const std::string& target) const { return connect(target).read_all(); }

private:
    static std::string path_of(const os::Fd& file) {
        return "/proc/self/fd/" + std::to_string(file.get());
    }

    uint16_t port_ = 0;
    os::Fd session_;
    os::Fd hosts_;
    os::Fd resolv_conf_;
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

// The list that lets a name lead to this machine.
std::string list_for(const std::string& name, const Origin& origin) {
    return name + ":" + std::to_string(origin.port()) + "\n" + origin.address() + "\n";
}

TEST(Names, AreResolvedWhateverTheNameServerIsLike) {
    using enum NameServer::Manner;
    for (const auto manner : {Plain, OnlyOverTcp, ForgedFirst}) {
        Origin origin(echo);
        NameServer names({"127.0.0.1"}, manner);
        const Serving proxy(list_for("good.example", origin), {}, names.port());
        Wire wire = proxy.connect("Good.Example.:" + std::to_string(origin.port()));
        EXPECT_THAT(wire.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
        wire.send("hello");
        EXPECT_EQ(wire.read(5), "hello");
    }
}

TEST(Names, ThatAreNotAllowedAreNotAskedFor) {
    NameServer names({"127.0.0.1"}, NameServer::Manner::Plain);
    const Serving proxy("good.example", {}, names.port());
    EXPECT_THAT(proxy.answer("secret-in-a-name.evil.example:443"), StartsWith("HTTP/1.1 403 "));
    EXPECT_EQ(names.questions(), 0);
}

TEST(Names, DoNotLeadIntoThePrivateNetwork) {
    Origin origin(echo);
    for (const char* address : {"127.0.0.1", "0.0.0.0", "169.254.169.254", "10.0.0.1"}) {
        NameServer names({address}, NameServer::Manner::Plain);
        const Serving proxy("good.example:*\n*.example:*\nlocalhost:*\n", {}, names.port());
        const std::string answer =
            proxy.whole_answer("good.example:" + std::to_string(origin.port()));
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << address;
        EXPECT_THAT(answer, HasSubstr("leads to "s + address));
    }
    // Not by the hosts file either.
    const Serving proxy("good.example:*", {}, 1, "127.0.0.1 good.example\n");
    EXPECT_THAT(proxy.answer("good.example:" + std::to_string(origin.port())),
                StartsWith("HTTP/1.1 403 "));
    EXPECT_EQ(origin.connections(), 0);
}

TEST(Names, OfTheHostsFileComeFirst) {
    Origin origin(echo);
    NameServer names({"127.0.0.2"}, NameServer::Manner::Plain);
    const Serving proxy(list_for("box", origin), {}, names.port(), "127.0.0.1 box # mine\n");
    EXPECT_THAT(proxy.answer("box:" + std::to_string(origin.port())), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(names.questions(), 0);
}

TEST(Names, LeadToTheFirstAddressThatAnswers) {
    Origin origin(echo);  // on 127.0.0.1 only
    NameServer names({"127.0.0.2", "127.0.0.3", "10.0.0.1", "127.0.0.1"},
                     NameServer::Manner::Plain);
    const std::string port = ":" + std::to_string(origin.port());
    const Serving proxy("good.example" + port + "\n127.0.0.1" + port + "\n127.0.0.2" + port +
                            "\n127.0.0.3" + port + "\n",
                        {}, names.port());
    EXPECT_THAT(proxy.answer("good.example" + port), StartsWith("HTTP/1.1 200 "));
}

TEST(Names, WithoutAnAddressAreSaidToHaveNone) {
    for (const auto manner : {NameServer::Manner::Plain, NameServer::Manner::Failing}) {
        NameServer names({}, manner);
        const Serving proxy("good.example", {}, names.port());
        const std::string answer = proxy.whole_answer("good.example:443");
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 502 "));
        EXPECT_THAT(answer, HasSubstr("no address was found for good.example"));
    }
    // Nobody listens there.
    const uint16_t gone = port_of(bound(SOCK_DGRAM));
    const Serving proxy("good.example", {}, gone);
    EXPECT_THAT(proxy.answer("good.example:443"), StartsWith("HTTP/1.1 502 "));
}

TEST(Names, ThatTakeLongDoNotHoldUpOthers) {
    Origin origin(echo);
    NameServer names({}, NameServer::Manner::Silent);
    const Serving proxy("slow.example\n" + origin.address(), {}, names.port());
    Wire slow = proxy.connect("slow.example:443");
    EXPECT_THAT(proxy.answer(origin.address()), StartsWith("HTTP/1.1 200 "));
    // Two questions, asked twice.
    EXPECT_THAT(slow.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 502 "));
    EXPECT_EQ(names.questions(), 4);
}

TEST(Times, AreLimitedForAHead) {
    Limits limits;
    limits.head = 100ms;
    const Serving proxy("good.example", limits);
    Wire wire = proxy.client();
    wire.send("CONNECT good.exa");
    EXPECT_THAT(wire.read_all(), StartsWith("HTTP/1.1 408 "));
    Wire silent = proxy.client();
    EXPECT_THAT(silent.read_all(), StartsWith("HTTP/1.1 408 "));
}

TEST(Times, AreLimitedForAConnection) {
    // The queue of a listener that accepts nobody is full after two: the third waits.
    const os::Fd deaf = bound(SOCK_STREAM);
    ::listen(deaf.get(), 0);
    const std::string target = "127.0.0.1:" + std::to_string(port_of(deaf));
    std::vector<os::Fd> crowd;
    for (int i = 0; i < 4; ++i) {
        crowd.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const SocketAddress address = socket_address(*parse_address("127.0.0.1"), port_of(deaf));
        std::ignore = ::connect(crowd.back().get(), address.generic(), address.size);
    }
    Limits limits;
    limits.connect = 200ms;
    const Serving proxy(target, limits);
    EXPECT_THAT(proxy.answer(target), StartsWith("HTTP/1.1 504 "));
}

TEST(Times, AreLimitedForTunnelsThatSayNothing) {
    Origin origin(echo);
    Limits limits;
    limits.idle = 1500ms;
    const Serving proxy(origin.address(), limits);
    Wire wire = proxy.connect(origin.address());
    wire.read_until("\r\n\r\n");
    // Each byte gives it new time.
    for (int i = 0; i < 4; ++i) {
        pollfd nothing{wire.fd().get(), POLLIN, 0};
        ASSERT_EQ(::poll(&nothing, 1, 500), 0);
        wire.send("x");
        ASSERT_EQ(wire.read(1), "x");
    }
    EXPECT_EQ(wire.read_end(), ECONNRESET);
}

TEST(Times, AreLimitedForAFarewell) {
    Limits limits;
    limits.farewell = 100ms;
    const Serving proxy("good.example", limits);
    Wire wire = proxy.connect("evil.example:443");
    EXPECT_THAT(wire.read_all(), StartsWith("HTTP/1.1 403 "));
    // The client goes on talking to nobody; that ends.
    while (wire.send("x")) ::poll(nullptr, 0, 10);
}

TEST(Places, AreUsedAgain) {
    Origin origin(echo);
    Limits limits;
    limits.connections = 3;
    const Serving proxy(origin.address(), limits);
    for (int i = 0; i < 50; ++i)
        EXPECT_THAT(proxy.answer(origin.address()), StartsWith("HTTP/1.1 200 ")) << i;
}

}  // namespace
}  // namespace husk::proxy
