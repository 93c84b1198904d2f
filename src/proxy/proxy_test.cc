// The real program, in front of real servers on loopback.

#include "proxy/proxy.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "os/events.h"
#include "os/file.h"
#include "os/socket.h"
#include "patience.h"
#include "proxy/test_network.h"

namespace husk::proxy {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace testing_network;
using testing::HasSubstr;
using testing::StartsWith;

bool becomes_true(const std::function<bool()>& condition,
                  std::chrono::milliseconds patience = 10s) {
    const auto end = os::Clock::now() + test::patient(patience);
    while (!condition()) {
        if (os::Clock::now() > end) return false;
        std::ignore = os::wait_for({}, os::Clock::now() + 5ms);
    }
    return true;
}

// The proxies that this process has started: it adopts what is nobody's child.
std::set<pid_t> proxies() {
    std::set<pid_t> found;
    const std::string self = std::to_string(::getpid());
    std::ifstream children("/proc/self/task/" + self + "/children");
    for (pid_t pid = 0; children >> pid;) {
        std::ifstream words("/proc/" + std::to_string(pid) + "/cmdline");
        std::string name;
        if (std::getline(words, name, '\0') && name == "husk-proxy") found.insert(pid);
    }
    return found;
}

// Starts one and says which it is.
Result<pid_t> start_and_adopt(const std::vector<std::string>& allow, const os::Fd& listener,
                              const os::Fd& log, const os::Fd& session_end) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::set<pid_t> before = proxies();
    CHECK(start_proxy({.allow = allow, .requests = &listener}, log, session_end));
    for (const pid_t pid : proxies())
        if (!before.contains(pid)) return pid;
    return failure("adopt", ESRCH, "it ended at once");
}

// How it ended, as waitpid has it; nothing if it did not.
std::optional<int> ending_of(pid_t pid) {
    int status = 0;
    if (!becomes_true([&] { return ::waitpid(pid, &status, WNOHANG) == pid; })) return std::nullopt;
    return status;
}

// A proxy that lives as long as this does, and ends well.
class Running {
public:
    explicit Running(const std::vector<std::string>& allow)
        : listener_(bound(SOCK_STREAM)), log_(::memfd_create("denials", MFD_CLOEXEC)) {
        ::fcntl(log_.get(), F_SETFL, O_APPEND);
        auto pair = os::socket_pair(SOCK_STREAM);
        EXPECT_TRUE(pair);
        session_ = std::move(pair->first);
        const auto pid = start_and_adopt(allow, listener_, log_, pair->second);
        EXPECT_TRUE(pid) << pid.error().step << " " << pid.error().detail;
        pid_ = pid.value_or(-1);
        port_ = port_of(listener_);
        // From here on only the proxy listens: when it is gone, so is the port.
        listener_.reset();
    }
    ~Running() {
        end_session();
        EXPECT_EQ(ending_of(pid_), 0);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    Wire client() const { return Wire::to(port_); }
    Wire tunnel(const std::string& target) const {
        Wire wire = client();
        wire.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
        EXPECT_EQ(wire.read_until("\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
        return wire;
    }
    std::string answer(const std::string& request) const {
        Wire wire = client();
        wire.send(request);
        return wire.read_all();
    }
    std::string denials() const { return os::read_at(log_, 0, 1 << 20).value_or("unreadable"); }
    void end_session() { session_.reset(); }
    pid_t pid() const { return pid_; }

private:
    os::Fd listener_;
    os::Fd log_;
    os::Fd session_;
    pid_t pid_ = -1;
    uint16_t port_ = 0;
};

std::string get(const std::string& host, const std::string& path = "/") {
    return "GET http://" + host + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

// Answers with the head that it was sent.
void mirror(Wire& wire) {
    const std::string head = wire.read_until("\r\n\r\n");
    wire.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + head);
}

TEST(Proxy, TunnelsToWhatIsListed) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    Wire wire = proxy.tunnel(origin.address());
    ASSERT_TRUE(wire.send("hello"));
    EXPECT_EQ(wire.read(5), "hello");
    ASSERT_TRUE(wire.send("again"));
    EXPECT_EQ(wire.read(5), "again");
    EXPECT_EQ(proxy.denials(), "");
}

TEST(Proxy, PassesOnWhatCameWithTheHead) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    Wire wire = proxy.client();
    wire.send("CONNECT " + origin.address() + " HTTP/1.1\r\n\r\nearly");
    wire.read_until("\r\n\r\n");
    EXPECT_EQ(wire.read(5), "early");
}

TEST(Proxy, ForwardsPlainRequests) {
    Origin origin(mirror);
    const Running proxy({origin.address()});
    EXPECT_EQ(proxy.answer(get(origin.address(), "/a?b")),
              "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nGET /a?b HTTP/1.1\r\nHost: " +
                  origin.address() + "\r\nConnection: close\r\n\r\n");
}

TEST(Proxy, PassesOnOneRequestAndNothingBehindIt) {
    Origin origin([](Wire& wire) {
        std::string all = wire.read_until("\r\n\r\n");
        all += wire.read(4);
        // What is behind the body would have come by now: it was in the same packet.
        pollfd more{wire.fd().get(), POLLIN, 0};
        if (::poll(&more, 1, 300) != 0) all += "MORE";
        wire.send(all);
    });
    const Running proxy({origin.address()});
    const std::string head =
        "POST http://" + origin.address() + "/ HTTP/1.1\r\nHost: " + origin.address() + "\r\n";
    const std::string smuggled = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    EXPECT_THAT(proxy.answer(head + "Content-Length: 4\r\n\r\nbody" + smuggled),
                testing::EndsWith("\r\n\r\nbody"));
    Origin chunked([](Wire& wire) {
        std::string all = wire.read_until("\r\n\r\n");
        all += wire.read_until("0\r\n\r\n");
        pollfd more{wire.fd().get(), POLLIN, 0};
        if (::poll(&more, 1, 300) != 0) all += "MORE";
        wire.send(all);
    });
    const Running other({chunked.address()});
    EXPECT_THAT(other.answer("POST http://" + chunked.address() + "/ HTTP/1.1\r\nHost: " +
                             chunked.address() + "\r\nTransfer-Encoding: chunked\r\n\r\n" +
                             "4\r\nbody\r\n0\r\n\r\n" + smuggled),
                testing::EndsWith("\r\n\r\n4\r\nbody\r\n0\r\n\r\n"));
}

TEST(Proxy, DeniesWhatIsNotListed) {
    Origin origin(echo);
    const Running proxy({"good.example"});
    const std::string plain = proxy.answer(get("evil.example"));
    EXPECT_THAT(plain, StartsWith("HTTP/1.1 403 Forbidden\r\n"));
    EXPECT_THAT(plain, HasSubstr("Content-Type: text/plain"));
    EXPECT_THAT(plain, HasSubstr("evil.example:80"));
    EXPECT_THAT(plain, HasSubstr("the list `network` of husk.yaml"));
    EXPECT_THAT(proxy.answer("CONNECT evil.example:22 HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 403 Forbidden\r\n"));
    EXPECT_THAT(proxy.answer("CONNECT " + origin.address() + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 403 "));
    EXPECT_EQ(origin.connections(), 0);
    EXPECT_THAT(proxy.denials(),
                testing::MatchesRegex(
                    "\\{\"ns\":[0-9]+,\"operation\":\"connect\",\"address\":\"evil.example:80\","
                    "\"allow_with\":\"network: \\[evil.example:80\\]\"\\}\n"
                    "\\{[^}]*evil.example:22[^}]*\\}\n\\{[^}]*127.0.0.1:[^}]*\\}\n"));
}

TEST(Proxy, DeniesEverythingWithAnEmptyList) {
    Origin origin(echo);
    const Running proxy(std::vector<std::string>{});
    for (const std::string& target : {origin.address(), std::string("localhost:80"),
                                      std::string("example.com:443"), std::string("[::1]:80")})
        EXPECT_THAT(proxy.answer("CONNECT " + target + " HTTP/1.1\r\n\r\n"),
                    StartsWith("HTTP/1.1 403 "));
    EXPECT_EQ(origin.connections(), 0);
}

TEST(Proxy, KeepsItsLogSmall) {
    const Running proxy(std::vector<std::string>{});
    for (int i = 0; i < 1100; ++i)
        ASSERT_THAT(proxy.answer("CONNECT x.example:1 HTTP/1.1\r\n\r\n"), HasSubstr(" 403 "));
    EXPECT_EQ(std::ranges::count(proxy.denials(), '\n'), 1000);
}

TEST(Proxy, RefusesNonsense) {
    const Running proxy({"good.example:*"});
    for (const std::string& request :
         {"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n"s, "\x16\x03\x01\x02\x00\x01"s,
          "GET http://good.example@127.0.0.1/ HTTP/1.1\r\nHost: good.example\r\n\r\n"s, "\n\n\n"s,
          "GET http://good.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n"s})
        EXPECT_THAT(proxy.answer(request), StartsWith("HTTP/1.1 400 Bad Request\r\n")) << request;
    EXPECT_THAT(proxy.answer(std::string(100'000, 'x')), StartsWith("HTTP/1.1 431 "));
    EXPECT_EQ(proxy.denials(), "");
}

TEST(Proxy, SurvivesGarbage) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    unsigned seed = 1;
    for (int round = 0; round < 300; ++round) {
        std::string bytes = round % 3 == 0 ? "CONNECT " : round % 3 == 1 ? "GET http://" : "";
        const int size = rand_r(&seed) % 2000;
        for (int i = 0; i < size; ++i) bytes += static_cast<char>(rand_r(&seed));
        Wire wire = proxy.client();
        ASSERT_TRUE(wire.is_open());
        wire.send(bytes);
        if (round % 2 == 0) wire.finish();
        if (round % 4 == 0) wire.read_all();
    }
    Wire wire = proxy.tunnel(origin.address());
    wire.send("alive");
    EXPECT_EQ(wire.read(5), "alive");
}

TEST(Proxy, SaysThatNobodyListens) {
    // Nobody else gets a port that is bound, and nobody listens there.
    const os::Fd silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any = socket_address(*parse_address("127.0.0.1"), 0);
    ASSERT_EQ(::bind(silent.get(), any.generic(), any.size), 0);
    const uint16_t port = port_of(silent);
    const Running proxy({"127.0.0.1:*"});
    const std::string answer =
        proxy.answer("CONNECT 127.0.0.1:" + std::to_string(port) + " HTTP/1.1\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 502 Bad Gateway\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection refused"));
}

TEST(Proxy, ReachesThisMachineByItsNameWhereThatIsListed) {
    Origin origin(echo);
    const std::string target = "localhost:" + std::to_string(origin.port());
    const Running proxy({target});
    Wire wire = proxy.tunnel(target);
    wire.send("hello");
    EXPECT_EQ(wire.read(5), "hello");
}

TEST(Proxy, PassesOnHalfAnEnd) {
    // The server answers only when the client has ended, and the answer comes back.
    Origin origin([](Wire& wire) {
        const std::string all = wire.read_all();
        wire.send("got " + std::to_string(all.size()));
        wire.finish();
    });
    const Running proxy({origin.address()});
    Wire wire = proxy.tunnel(origin.address());
    ASSERT_TRUE(wire.send(std::string(1'000'000, 'x')));
    wire.finish();
    EXPECT_EQ(wire.read_all(), "got 1000000");
    // And the other way round: the server has ended, the client still talks.
    std::string heard;
    {
        Origin talker([&](Wire& server) {
            server.send("bye");
            server.finish();
            heard = server.read_all();
        });
        const Running other({talker.address()});
        Wire client = other.tunnel(talker.address());
        EXPECT_EQ(client.read_all(), "bye");
        ASSERT_TRUE(client.send("still here"));
        client.finish();
    }
    EXPECT_EQ(heard, "still here");
}

TEST(Proxy, PassesOnAReset) {
    Origin origin([](Wire& wire) {
        wire.read(1);
        const linger at_once{1, 0};
        ::setsockopt(wire.fd().get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        wire = Wire(os::Fd());
    });
    const Running proxy({origin.address()});
    Wire wire = proxy.tunnel(origin.address());
    wire.send("x");
    EXPECT_EQ(wire.read_end(), ECONNRESET);
}

TEST(Proxy, CarriesManyBytesBothWaysAtOnce) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    Wire wire = proxy.tunnel(origin.address());
    std::string bytes;
    for (int i = 0; i < 1'000'000; ++i) bytes += std::to_string(i);
    std::thread sender([&] {
        wire.send(bytes);
        wire.finish();
    });
    const std::string back = wire.read_all();
    sender.join();
    EXPECT_TRUE(back == bytes) << back.size() << " of " << bytes.size();
}

std::string process_file(pid_t pid, const std::string& name) {
    return os::read_file("/proc/" + std::to_string(pid) + "/" + name).value_or("");
}

long resident_kb(pid_t pid) {
    const std::string status = process_file(pid, "status");
    return std::strtol(status.c_str() + status.find("VmRSS:") + 6, nullptr, 10);
}

// Clock ticks of CPU: the 12th and 13th word behind the name in parentheses.
long cpu_ticks(pid_t pid) {
    const std::string stat = process_file(pid, "stat");
    std::istringstream words(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) words >> skipped;
    long user = 0;
    long system = 0;
    words >> user >> system;
    return user + system;
}

TEST(Proxy, IsNotHeldUpByASlowClientAndItsMemoryStaysFlat) {
    Origin origin([](Wire& wire) {
        const std::string order = wire.read(1);
        if (order == "e") return echo(wire);
        // More than anybody takes, until the connection is gone.
        const std::string block(1 << 16, 'x');
        while (wire.send(block)) continue;
    });
    const Running proxy({origin.address()});
    std::vector<Wire> slow;
    for (int i = 0; i < 50; ++i) {
        slow.push_back(proxy.tunnel(origin.address()));
        slow.back().send("f");
        slow.push_back(proxy.client());
        slow.back().send("CONNECT half a head");
    }
    for (int i = 0; i < 20; ++i) {
        Wire wire = proxy.tunnel(origin.address());
        wire.send("equick");
        EXPECT_EQ(wire.read(5), "quick");
    }
    // It does not spin either: what cannot go on is not looked at.
    ASSERT_TRUE(becomes_true([&] {
        const long before = cpu_ticks(proxy.pid());
        std::ignore = os::wait_for({}, os::Clock::now() + 300ms);
        return cpu_ticks(proxy.pid()) - before <= 1;
    }));
    EXPECT_GT(resident_kb(proxy.pid()), 0);
    EXPECT_LT(resident_kb(proxy.pid()), 8 * 1024);
}

TEST(Proxy, ServesTwoHundredAtOnce) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    std::vector<Wire> wires;
    for (int i = 0; i < 200; ++i) wires.push_back(proxy.tunnel(origin.address()));
    for (size_t i = 0; i < wires.size(); ++i) ASSERT_TRUE(wires[i].send("n" + std::to_string(i)));
    for (size_t i = 0; i < wires.size(); ++i) {
        const std::string expected = "n" + std::to_string(i);
        EXPECT_EQ(wires[i].read(expected.size()), expected);
    }
}

TEST(Proxy, LetsThoseBeyondItsPlacesWait) {
    Origin origin(echo);
    const Running proxy({origin.address()});
    std::vector<Wire> wires;
    for (int i = 0; i < 256; ++i) wires.push_back(proxy.tunnel(origin.address()));
    Wire next = proxy.client();
    next.send("CONNECT " + origin.address() + " HTTP/1.1\r\n\r\n");
    pollfd wanted{next.fd().get(), POLLIN, 0};
    EXPECT_EQ(::poll(&wanted, 1, 200), 0);
    wires.pop_back();
    EXPECT_THAT(next.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(Proxy, EndsWithItsSession) {
    Origin origin(echo);
    Running proxy({origin.address()});
    Wire wire = proxy.tunnel(origin.address());
    proxy.end_session();
    EXPECT_NE(wire.read_end(), -1);
    EXPECT_TRUE(becomes_true([&] { return !proxy.client().is_open(); }));
}

TEST(Proxy, EndsWithTheProcessThatIsItsSession) {
    const os::Fd listener = bound(SOCK_STREAM);
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const auto process = os::Fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    const auto pid = start_and_adopt({}, listener, {}, process);
    ASSERT_TRUE(pid);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(ending_of(*pid), 0);
}

TEST(Proxy, IsNotStartedWithAListThatCannotBeUnderstood) {
    const os::Fd listener = bound(SOCK_STREAM);
    auto pair = os::socket_pair(SOCK_STREAM);
    for (const char* entry :
         {"", "*", "https://a.example", "a.example\nb.example", "a.example\n"}) {
        const auto started =
            start_proxy({.allow = {entry}, .requests = &listener}, {}, pair->second);
        ASSERT_FALSE(started) << entry;
        EXPECT_EQ(started.error().step, "network");
    }
}

TEST(Proxy, IsNotStartedWithoutAListener) {
    auto pair = os::socket_pair(SOCK_STREAM);
    const auto file = os::text_file("not a socket");
    const auto started = start_proxy({.requests = &*file}, {}, pair->second);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().step, "proxy");
}

}  // namespace
}  // namespace husk::proxy
