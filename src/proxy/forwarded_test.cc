// What programs without a proxy setting see: names that stand for addresses, and connections that
// begin with a preamble.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <cerrno>
#include <thread>

#include "keeper/forwarding.h"
#include "os/file.h"
#include "os/socket.h"
#include "proxy/server.h"
#include "proxy/test_network.h"

namespace husk::proxy {
namespace {

using namespace testing_network;
using namespace std::string_literals;

class Forwarding {
public:
    Forwarding(const std::string& list, const std::string& hosts) {
        os::Fd raw = bound(SOCK_STREAM);
        os::Fd names = bound(SOCK_DGRAM);
        raw_port_ = port_of(raw);
        name_port_ = port_of(names);
        ::fcntl(raw.get(), F_SETFL, O_NONBLOCK);
        auto pair = os::socket_pair(SOCK_STREAM);
        session_ = std::move(pair->first);
        hosts_ = os::text_file(hosts).value();
        nothing_ = os::text_file("nameserver 127.0.0.1\n").value();
        Estate estate;
        estate.allow = AllowList::parse(list).value();
        estate.session_end = std::move(pair->second);
        estate.names = std::move(names);
        estate.raw_listener = std::move(raw);
        // Nobody answers on port 1, so that what is not in the hosts file does not exist.
        server_ =
            Server::make(std::move(estate), {},
                         {.hosts = path_of(hosts_), .resolv_conf = path_of(nothing_), .port = 1})
                .value();
        thread_ = std::thread([this] { EXPECT_TRUE(server_->run()); });
    }
    ~Forwarding() {
        session_.reset();
        thread_.join();
    }
    Forwarding(const Forwarding&) = delete;
    Forwarding& operator=(const Forwarding&) = delete;

    // The address that stands for the name; "" if there is none.
    std::string look_up(const std::string& name) const {
        const os::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        const SocketAddress server = socket_address(*parse_address("127.0.0.1"), name_port_);
        const timeval patience{10, 0};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(socket.get(), server.generic(), server.size) != 0) return "";
        const Question question{.id = 7, .name = name};
        const std::string message = encode(question);
        ::send(socket.get(), message.data(), message.size(), 0);
        char answer[512];
        const ssize_t got = ::recv(socket.get(), answer, sizeof answer, 0);
        if (got <= 0) return "";
        const auto found = decode({answer, static_cast<size_t>(got)}, question);
        return found && !found->empty() ? to_text(found->front()) : "";
    }
    Wire begin(const unsigned char (&kind)[2], const std::string& address, uint16_t port) const {
        const auto parsed = parse_address(address);
        std::string preamble = {static_cast<char>(kind[0]), static_cast<char>(kind[1]),
                                static_cast<char>(port >> 8), static_cast<char>(port & 0xff)};
        for (size_t i = 12; i < 16; ++i) preamble += static_cast<char>(parsed->bytes[i]);
        Wire wire = Wire::to(raw_port_);
        wire.send(preamble);
        return wire;
    }
    // What `connect` would say: 0, or an errno.
    int error_of(const std::string& address, uint16_t port) const {
        const std::string answer = begin(forwarding::blocking, address, port).read(1);
        return answer.empty() ? -1 : static_cast<unsigned char>(answer[0]);
    }

private:
    static std::string path_of(const os::Fd& file) {
        return "/proc/self/fd/" + std::to_string(file.get());
    }

    uint16_t raw_port_ = 0;
    uint16_t name_port_ = 0;
    os::Fd session_;
    os::Fd hosts_;
    os::Fd nothing_;
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

TEST(Forwarded, NamesStandForTheSameAddressEachTime) {
    const Forwarding proxy("first.example\n*.wild.example\n", "");
    EXPECT_EQ(proxy.look_up("first.example"), "198.18.0.1");
    EXPECT_EQ(proxy.look_up("a.wild.example"), "198.18.0.2");
    EXPECT_EQ(proxy.look_up("First.Example"), "");  // decode compares what it asked for
    EXPECT_EQ(proxy.look_up("a.wild.example"), "198.18.0.2");
    EXPECT_EQ(proxy.look_up("first.example"), "198.18.0.1");
    EXPECT_EQ(proxy.look_up("wild.example"), "");
    EXPECT_EQ(proxy.look_up("other.example"), "");
    EXPECT_EQ(proxy.look_up("localhost"), "127.0.0.1");
}

TEST(Forwarded, ConnectionsPassBytesBothWays) {
    Origin origin(echo);
    const Forwarding proxy("good.example:" + std::to_string(origin.port()) +
                               "\n127.0.0.1:" + std::to_string(origin.port()) + "\n",
                           "127.0.0.1 good.example\n");
    const std::string address = proxy.look_up("good.example");
    Wire blocking = proxy.begin(forwarding::blocking, address, origin.port());
    blocking.send("hello");
    EXPECT_EQ(blocking.read(6), "\0hello"s);
    Wire other = proxy.begin(forwarding::nonblocking, address, origin.port());
    other.send("hello");
    EXPECT_EQ(other.read(5), "hello");
    other.finish();
    EXPECT_EQ(other.read_end(), 0);
}

TEST(Forwarded, ConnectionsObeyTheList) {
    Origin origin(echo);
    const uint16_t port = origin.port();
    const Forwarding proxy("good.example:1\nlocalhost:2\n10.9.9.9:3\n", "127.0.0.1 good.example\n");
    const std::string address = proxy.look_up("good.example");
    EXPECT_EQ(proxy.error_of(address, port), ECONNREFUSED) << "the port is not listed";
    EXPECT_EQ(proxy.error_of(address, 1), ECONNREFUSED) << "it leads to a private address";
    EXPECT_EQ(proxy.error_of("127.0.0.1", port), ECONNREFUSED);
    EXPECT_EQ(proxy.error_of("127.0.0.2", port), ECONNREFUSED);
    EXPECT_EQ(proxy.error_of("10.9.9.9", port), ECONNREFUSED);
    EXPECT_EQ(proxy.error_of("169.254.169.254", 80), ECONNREFUSED);
    EXPECT_EQ(proxy.error_of("198.18.99.1", 1), ENETUNREACH) << "it stands for nothing";
    Wire silent = proxy.begin(forwarding::nonblocking, address, port);
    EXPECT_EQ(silent.read_end(), ECONNRESET);
    EXPECT_EQ(origin.connections(), 0);
}

// A name may lead elsewhere each time that it is looked up: what counts is what is connected to.
TEST(Forwarded, NamesDoNotLeadIntoThePrivateNetwork) {
    Origin origin(echo);
    for (const char* target : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::1"}) {
        const Forwarding proxy("good.example:*\n*.example:*\nlocalhost:*\n",
                               std::string(target) + " good.example\n");
        EXPECT_EQ(proxy.error_of(proxy.look_up("good.example"), origin.port()), ECONNREFUSED)
            << target;
    }
    EXPECT_EQ(origin.connections(), 0);
}

TEST(Forwarded, PreamblesOfOtherKindsAreReset) {
    Origin origin(echo);
    const Forwarding proxy("localhost:" + std::to_string(origin.port()) + "\n", "");
    for (const char* kind : {"GE", "hr", "HX", "  "}) {
        const unsigned char bytes[2] = {static_cast<unsigned char>(kind[0]),
                                        static_cast<unsigned char>(kind[1])};
        Wire wire = proxy.begin(bytes, "127.0.0.1", origin.port());
        EXPECT_NE(wire.read_end(), -1) << kind;
    }
    EXPECT_EQ(origin.connections(), 0);
    EXPECT_EQ(proxy.error_of("127.0.0.1", origin.port()), 0);
}

TEST(StandIns, AreNotUnlimited) {
    StandIns all({"known.example"});
    const uint32_t first = all.address_of("known.example");
    uint32_t last = first;
    int number = 0;
    while (last != 0 && number < 200'000)
        last = all.address_of(std::to_string(number++) + ".wild.example");
    EXPECT_EQ(last, 0U);
    EXPECT_LT(number, 1 << 17);
    EXPECT_EQ(all.address_of("known.example"), first);
    EXPECT_EQ(all.name_of(first), "known.example");
    EXPECT_EQ(all.name_of(first - 1), "");
    EXPECT_EQ(all.name_of(forwarding::own_address), "");
}

}  // namespace
}  // namespace husk::proxy
