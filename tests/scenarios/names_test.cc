// How commands look names up in a session with a network of its own, and which ports are theirs.
#include <gmock/gmock.h>

#include <csignal>

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
    for (int again = 0; again < 4; ++again)
        EXPECT_THAT(call("getent hosts one.example"), ElementsAre("resolve one.example")) << again;
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

// A server of the machine's loopback. It says which name it was asked for.
constexpr const char* host_server =
    "exec python3 -u -c 'import http.server as s\n"
    "class H(s.BaseHTTPRequestHandler):\n"
    "    def do_GET(self):\n"
    "        self.send_response(200); self.end_headers()\n"
    "        self.wfile.write(b\"outside\\n\")\n"
    "h = s.ThreadingHTTPServer((\"127.0.0.1\", 0), H)\n"
    "print(h.server_port)\nh.serve_forever()' 2>/dev/null";

constexpr const char* without_proxy =
    "unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY; ";

class ListedNames : public Walled, public testing::TestWithParam<Who> {
protected:
    ListedNames()
        : Walled(GetParam()),
          server_(husk(), {"run", "--cwd", outside().string(), "--", host_server}),
          port_(server_.line().value_or("0")) {}

    json ask(const std::string& command, const std::string& hosts) {
        return report_in("workspace", without_proxy + command, {"--network", hosts});
    }

    Live server_;
    std::string port_;
};

TEST_P(ListedNames, StandForTheSameAddressEachTime) {
    const json report = ask(
        "one=$(getent ahostsv4 a.example | head -1); two=$(getent ahostsv4 A.example | head -1);"
        "[ \"${one%% *}\" = \"${two%% *}\" ] && echo ${one%%.*}; getent ahosts x.y.b.example "
        ">/dev/null && echo below; getent ahosts b.example || echo none",
        "a.example,*.b.example");
    EXPECT_EQ(report["output"], "198\nbelow\nnone\n") << report;
    EXPECT_THAT(attempts(report), ElementsAre("resolve b.example"));
    EXPECT_EQ(report["denials"][0]["allow_with"], "network: [b.example]");
}

TEST_P(ListedNames, OfTheMachinesLoopbackAreReachedByEveryLanguage) {
    const std::string url = "http://localhost:" + port_ + "/";
    const json report =
        ask("curl -sS -m 9 " + url + "; node -e 'fetch(\"" + url +
                "\").then(r => r.text()).then(t => process.stdout.write(t))'; "
                "exec 3<>/dev/tcp/localhost/" +
                port_ +
                "; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -1 <&3; python3 -c '\n"
                "import urllib.request\n"
                "print(urllib.request.urlopen(\"" +
                url +
                "\", timeout=9).read().decode(), "
                "end=\"\")'",
            "localhost:" + port_);
    EXPECT_EQ(report["output"], "outside\noutside\noutside\noutside\n") << report;
    EXPECT_THAT(report["denials"], IsEmpty());
}

TEST_P(ListedNames, OpenNoOtherPort) {
    const json report = ask("curl -sS -m 9 http://a.example:" + port_ +
                                "/ 2>&1 | grep -c curl; exec 3<>/dev/tcp/a.example/" + port_,
                            "a.example:1,localhost:1");
    EXPECT_EQ(report["denials"][0]["target"], "a.example:" + port_) << report;
    EXPECT_EQ(report["denials"][0]["allow_with"], "network: [a.example:" + port_ + "]");
    const json local = ask("exec 3<>/dev/tcp/127.0.0.1/" + port_, "localhost:1");
    EXPECT_THAT(local["output"].get<std::string>(), HasSubstr("Connection refused")) << local;
    EXPECT_THAT(local["denials"], IsEmpty()) << "that port is the session's own";
}

// An entry that is there already is no advice.
TEST_P(ListedNames, AreNotAdvisedAgainForDatagrams) {
    const json report = ask(R"(python3 - <<'END'
import socket
for address in ("192.0.2.1", "192.0.2.2"):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try: s.sendto(b"x", (address, 53))
    except OSError as e: print(e.strerror)
END
)",
                            "192.0.2.1:53");
    EXPECT_EQ(report["output"], "Network is unreachable\nNetwork is unreachable\n") << report;
    ASSERT_EQ(report["denials"].size(), 2U) << report;
    EXPECT_EQ(report["denials"][0]["allow_with"], "network: open");
    EXPECT_EQ(report["denials"][1]["allow_with"], "network: open") << "no entry is for datagrams";
}

// Whoever makes the bytes up that the mason sends gets no further than through the front door.
TEST_P(ListedNames, CannotBeForgedAtThePortOfTheProxy) {
    const json report = ask(R"(python3 - <<'END'
import socket, struct
PORT = )" + port_ + R"(
def tell(kind, address, port, more=b""):
    s = socket.create_connection(("127.0.0.1", 3129), 20)
    s.settimeout(20)
    try:
        s.sendall(kind + struct.pack("!H", port) + socket.inet_aton(address) + more)
        return s.recv(1)
    except OSError:
        return b"reset"
for address in ("127.0.0.1", "127.0.0.2", "198.18.0.1", "198.19.255.255", "198.18.0.0", "0.0.0.0",
                "10.0.0.1", "169.254.169.254", "192.0.2.1", "255.255.255.255"):
    answer = tell(b"HR", address, PORT, b"GET / HTTP/1.0\r\n\r\n")
    assert answer not in (b"\0", b""), (address, answer)
    answer = tell(b"HN", address, PORT, b"GET / HTTP/1.0\r\n\r\n")
    assert answer in (b"reset", b""), (address, answer)
for kind in (b"\0\0", b"GE", b"HX", b"hr"):
    assert tell(kind, "127.0.0.1", PORT) in (b"reset", b""), kind
print("closed")
END
)",
                            "a.example:1,localhost:1");
    EXPECT_EQ(report["output"], "closed\n") << report;
}

INSTANTIATE_TEST_SUITE_P(, ListedNames, both(), who_name);

constexpr const char* session_server =
    "exec python3 -u -c 'import http.server as s\n"
    "class H(s.BaseHTTPRequestHandler):\n"
    "    def do_GET(self):\n"
    "        self.send_response(200); self.end_headers()\n"
    "        self.wfile.write(b\"inside\\n\")\n"
    "    def log_message(*_): pass\n"
    "import socket\n"
    "s.ThreadingHTTPServer.address_family = socket.%FAMILY%\n"
    "h = s.ThreadingHTTPServer((\"%ADDRESS%\", %PORT%), H)\n"
    "print(\"ready\")\nh.serve_forever()'";

class PublishedPorts : public Walled, public testing::TestWithParam<Who> {
protected:
    PublishedPorts() : Walled(GetParam()) {}

    // One that nobody listens on now.
    static std::string free_port() {
        return run_program({"python3", "-c",
                            "import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); "
                            "print(s.getsockname()[1], end=\"\")"})
            .out;
    }
    std::vector<std::string> serve(const std::string& port, std::string family = "AF_INET",
                                   std::string address = "127.0.0.1") {
        std::string text = session_server;
        for (const auto& [mark, value] : {std::pair<std::string, std::string>{"%FAMILY%", family},
                                          {"%ADDRESS%", address},
                                          {"%PORT%", port}})
            text.replace(text.find(mark), mark.size(), value);
        return {"run",           "--mode",    "workspace", "--checks", "off", "--cwd",
                work().string(), "--publish", port,        "--",       text};
    }
    Ran fetch(const std::string& port) const {
        return run_program({"curl", "-sS", "-m", "20", "http://127.0.0.1:" + port + "/"});
    }
};

TEST_P(PublishedPorts, AreReachedFromTheMachineWhileTheSessionLives) {
    const std::string port = free_port();
    {
        Live server(husk(), serve(port));
        ASSERT_EQ(server.line(), "ready");
        EXPECT_EQ(fetch(port).out, "inside\n");
        EXPECT_EQ(fetch(port).out, "inside\n");
        const std::string link = "http://127.0.0.1:" + port;
        EXPECT_THAT(husk()({"shells"}).out, HasSubstr(" publishes " + link + "\n"));
        const json shell = husk()({"shells", "--json"}).json()["shells"][0];
        EXPECT_EQ(shell["confinement"]["published"], json::array({link})) << shell;
        server.signal(SIGINT);
        server.code();
    }
    // curl says 7 when nobody listens.
    EXPECT_TRUE(eventually([&] { return fetch(port).code == 7; }));
}

TEST_P(PublishedPorts, AreThoseOfEitherLoopback) {
    const std::string port = free_port();
    Live server(husk(), serve(port, "AF_INET6", "::1"));
    ASSERT_EQ(server.line(), "ready");
    EXPECT_EQ(fetch(port).out, "inside\n");
}

TEST_P(PublishedPorts, AreTakenOnlyOnce) {
    const std::string port = free_port();
    Live server(husk(), serve(port));
    ASSERT_EQ(server.line(), "ready");
    const Ran second = in("workspace", "echo second", {"--publish", port});
    EXPECT_EQ(second.code, 125);
    EXPECT_EQ(second.out, "");
    EXPECT_THAT(second.err, HasSubstr("publish " + port + ": "));
    EXPECT_THAT(second.err, HasSubstr("another session that publishes this port"));
}

TEST_P(PublishedPorts, ThatNobodyServesEndConnections) {
    const std::string port = free_port();
    Live session(husk(), {"run", "--mode", "workspace", "--checks", "off", "--cwd", work().string(),
                          "--publish", port, "--", "echo ready; exec sleep 60"});
    ASSERT_EQ(session.line(), "ready");
    EXPECT_NE(fetch(port).code, 0);
}

TEST_P(PublishedPorts, BelowAThousandAreRootsOnly) {
    const Ran ran = in("workspace", "echo ran", {"--publish", "81"});
    if (uid() == 0) {
        EXPECT_EQ(ran.out, "ran\n") << ran.err;
        return;
    }
    EXPECT_EQ(ran.code, 125);
    EXPECT_THAT(ran.err, HasSubstr("only root may publish a port below 1024"));
}

INSTANTIATE_TEST_SUITE_P(, PublishedPorts, both(), who_name);

INSTANTIATE_TEST_SUITE_P(, Names, both(), who_name);

}  // namespace
}  // namespace husk::test
