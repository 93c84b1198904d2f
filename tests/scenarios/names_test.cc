// How commands look names up in a session with a network of its own, and which ports are theirs.
#include <gmock/gmock.h>

#include "walled.h"

namespace husk::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> attempts(const json& report) {
    std::vector<std::string> found;
    for (const json& denial : report["denials"])
        found.push_back(denial["operation"].get<std::string>() + " " +
                        denial["target"].get<std::string>());
    return found;
}

class Names : public Walled, public testing::TestWithParam<Who> {
protected:
    Names() : Walled(GetParam()) {}
};

// Whoever answers is asked once for each kind of address: nothing waits, and nothing is tried
// again.
TEST_P(Names, AreAnsweredAtOnceWithoutANetwork) {
    const json report = report_in("workspace", "getent ahosts example.org; echo $?");
    EXPECT_EQ(report["output"], "2\n") << report;
    EXPECT_THAT(attempts(report), ElementsAre("resolve example.org"));
    const json& denial = report["denials"][0];
    EXPECT_EQ(denial["allow_with"], "network: [\"example.org\"]");
    EXPECT_EQ(denial["count"], 1);
    EXPECT_EQ(denial["process"], "getent");
    EXPECT_GT(denial["pid"], 1);
}

TEST_P(Names, AreToldByEveryLanguageAsMissing) {
    const json report = report_in(
        "workspace",
        "python3 -c 'import socket; socket.getaddrinfo(\"a.example\", 80)' 2>&1 | tail -1;"
        "node -e 'require(\"https\").get(\"https://b.example/\").on(\"error\", e => "
        "console.log(e.code))'; curl -sS http://c.example 2>&1");
    const std::string output = report["output"];
    EXPECT_THAT(output, HasSubstr("Name or service not known")) << report;
    EXPECT_THAT(output, HasSubstr("ENOTFOUND"));
    EXPECT_THAT(output, HasSubstr("Could not resolve host: c.example"));
    EXPECT_THAT(attempts(report),
                ElementsAre("resolve a.example", "resolve b.example", "resolve c.example"));
}

TEST_P(Names, OfTheSessionItselfAreKnownAndNoDenial) {
    const json report = report_in("workspace",
                                  "getent ahosts localhost >/dev/null && "
                                  "getent ahosts any.localhost >/dev/null && "
                                  "getent ahosts \"$(hostname)\" >/dev/null && echo all; "
                                  "getent hosts 192.0.2.9; getent ahosts nobody.invalid");
    EXPECT_EQ(report["output"], "all\n") << report;
    EXPECT_THAT(report["denials"], IsEmpty());
}

// Each call of a session is told of its own names, also of those that another one asked for.
TEST_P(Names, AreToldToTheCallThatAsked) {
    const auto call = [&](const std::string& command) {
        return attempts(report_in("workspace", command, {"--session", "names"}));
    };
    EXPECT_THAT(call("getent hosts one.example"), ElementsAre("resolve one.example"));
    EXPECT_THAT(call("getent hosts one.example"), ElementsAre("resolve one.example"));
    EXPECT_THAT(call("true"), IsEmpty());
}

TEST_P(Names, CannotBeAskedForElsewhere) {
    const json report = report_in(
        "workspace",
        "python3 -c '\n"
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "try: s.connect((\"192.0.2.53\", 53))\n"
        "except OSError as e: print(e.strerror)'; rm -f /etc/resolv.conf; cat /etc/resolv.conf");
    const std::string output = report["output"];
    EXPECT_THAT(output, HasSubstr("Network is unreachable")) << report;
    EXPECT_THAT(output, HasSubstr("nameserver 127.0.0.1\n"));
}

// What no library would send: the resolver drops it or says so, and goes on answering.
TEST_P(Names, AreAnsweredAfterBrokenQuestions) {
    const json report = report_in("workspace", R"(python3 - <<'END'
import os, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("127.0.0.1", 53))
s.setblocking(False)
header = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0"
broken = [b"", b"\0", header, header + b"\x3f", header + b"\xc0\x0c\0\1\0\1",
          header + b"\x07example\0\0\1\0\3", header + b"\x01a" * 200, header[:5] + b"\7" + header[6:],
          header[:2] + b"\x81\x80" + header[4:] + b"\1a\0\0\1\0\1", os.urandom(4000)]
for each in broken + [os.urandom(n) for n in range(600)]:
    try: s.send(each)
    except OSError: pass
s.close()
try: socket.getaddrinfo("after.example", 80)
except socket.gaierror as e: print(e.strerror)
END
)");
    EXPECT_EQ(report["output"], "Name or service not known\n") << report;
    EXPECT_THAT(attempts(report), testing::Contains("resolve after.example"));
}

// A name is as long as its asker likes, and comes as often: neither pushes out what came first.
TEST_P(Names, OfAFloodLeaveTheFirstOneInTheReport) {
    const json report = report_in("workspace", R"(getent hosts first.example; python3 - <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("127.0.0.1", 53))
s.settimeout(10)
for i in range(3000):
    label = b"\x3f" + b"x" * 59 + b"%04d" % i
    s.send(b"\x12\x34\x01\0\0\1\0\0\0\0\0\0" + label + b"\7example\0\0\1\0\1")
    assert s.recv(512)[3] & 15 == 3
print("answered")
END
)");
    EXPECT_EQ(report["output"], "answered\n") << report;
    EXPECT_EQ(report["denials"][0]["target"], "first.example") << report;
    EXPECT_EQ(report["denials_total"], 3001);
}

TEST_P(Names, AreThoseOfTheMachineWithAnOpenNetwork) {
    EXPECT_EQ(in("workspace", "cat /etc/resolv.conf", {"--network", "open"}).out,
              read_text("/etc/resolv.conf"));
    EXPECT_EQ(in("open", "cat /etc/resolv.conf").out, read_text("/etc/resolv.conf"));
}

// Without one, a package manager gives up after its first attempt.
TEST_P(Names, AreAskedForOnceByAPackageManager) {
    write(work() / "package.json", R"({"dependencies": {"left-pad": "1.3.0"}})");
    const json report =
        report_in("workspace",
                  "npm install --registry http://registry.example 2>&1 | grep -c ENOTFOUND; "
                  "echo $npm_config_fetch_retries");
    EXPECT_THAT(report["output"].get<std::string>(), testing::EndsWith("\n0\n")) << report;
    ASSERT_THAT(attempts(report), ElementsAre("resolve registry.example"));
    EXPECT_EQ(report["denials"][0]["count"], 1);
}

constexpr const char* serve_and_ask = R"(python3 - <<'END'
import socket
s = socket.create_server(("127.0.0.1", 80))
c = socket.create_connection(("127.0.0.1", 80), 10)
s.accept()[0].sendall(b"from port 80\n")
print(c.recv(99).decode(), end="")
END
)";

TEST_P(Names, HaveEveryPortOfTheSessionsOwnNetwork) {
    const json report = report_in("workspace", serve_and_ask);
    EXPECT_EQ(report["output"], "from port 80\n") << report;
    EXPECT_EQ(in("read-only", serve_and_ask).out, "from port 80\n");
    // The machine's own ports stay as they are.
    EXPECT_EQ(read_text("/proc/sys/net/ipv4/ip_unprivileged_port_start"), "1024\n");
}

INSTANTIATE_TEST_SUITE_P(, Names, both(), who_name);

}  // namespace
}  // namespace husk::test
