// What the proxy is for: a process whose network has nothing but a loopback reaches what is
// listed, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cstring>
#include <tuple>

#include "os/socket.h"
#include "proxy/proxy.h"
#include "proxy/test_network.h"

namespace husk::proxy {
namespace {

using namespace testing_network;

bool enter_empty_network() {
    const int user = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
    if (::unshare(CLONE_NEWNET | user) != 0) return false;
    const os::Fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_flags = IFF_UP;
    return ::ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0;
}

// The walled process: makes the listener, waits until somebody serves it, and tells what it could
// reach: directly, through the proxy, and through the proxy where it may not.
void live_inside(const os::Fd& outside, const std::string& origin, uint16_t origin_port) {
    if (!enter_empty_network()) return;
    // While nobody can listen there but the one outside.
    std::string report = Wire::to(origin_port).is_open() ? "direct\n" : "walled\n";
    const os::Fd listener = bound(SOCK_STREAM);
    const int fd = listener.get();
    std::ignore = os::send_message(outside, "listener", std::span(&fd, 1));
    std::ignore = os::receive_message(outside, 16);
    for (const std::string& target : {origin, std::string("127.0.0.1:1")}) {
        Wire wire = Wire::to(port_of(listener));
        wire.send("CONNECT " + target + " HTTP/1.1\r\n\r\nhello");
        report += wire.read_until("\r\n\r\n").substr(0, 12) + "\n";
        if (target == origin) report += wire.read(5) + "\n";
    }
    std::ignore = os::send_message(outside, report, {});
}

TEST(Proxy, IsTheOnlyWayOutOfAnEmptyNetwork) {
    auto pair = os::socket_pair(SOCK_SEQPACKET);
    auto session = os::socket_pair(SOCK_STREAM);
    ASSERT_TRUE(pair && session);
    const os::Fd early = bound(SOCK_STREAM);
    const uint16_t port = port_of(early);
    const std::string address = "127.0.0.1:" + std::to_string(port);
    // Before there are threads.
    const pid_t child = ::fork();
    if (child == 0) {
        pair->first.reset();
        live_inside(pair->second, address, port);
        ::_exit(0);
    }
    pair->second.reset();
    std::thread origin([&] {
        Wire wire(os::Fd(::accept4(early.get(), nullptr, nullptr, SOCK_CLOEXEC)));
        echo(wire);
    });
    auto message = os::receive_message(pair->first, 64);
    EXPECT_TRUE(message && message->fds.size() == 1) << "no network namespace";
    if (message && message->fds.size() == 1) {
        EXPECT_TRUE(
            start_proxy({.allow = {address}, .requests = &message->fds[0]}, {}, session->second));
        EXPECT_TRUE(os::send_message(pair->first, "served", {}));
        const auto report = os::receive_message(pair->first, 4096);
        EXPECT_EQ(report->data, "walled\nHTTP/1.1 200\nhello\nHTTP/1.1 403\n");
    }
    ::shutdown(early.get(), SHUT_RDWR);
    session->first.reset();
    origin.join();
    ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace husk::proxy
