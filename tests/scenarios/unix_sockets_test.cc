// Unix sockets of a session work in it, and lead to nobody outside.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "os/fd.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class UnixSockets : public testing::TestWithParam<Who> {
protected:
    // Runs Python in the workspace. The script can use `there`, the names of types by `types`, and
    // `talks`, which is true if two sockets of a type can talk by an address.
    json python(const std::string& script, std::vector<std::string> options = {},
                const std::string& mode = "workspace") {
        place_.write(place_.work() / "script.py", std::string(prelude) + script);
        return place_.report_in(mode, "PATH=/usr/bin:/bin:$PATH python3 script.py",
                                std::move(options));
    }

    static constexpr const char* prelude = R"(
import errno, os, socket, sys, threading, time
types = {"stream": socket.SOCK_STREAM, "packets": socket.SOCK_SEQPACKET}
def made(kind, address):
    server = socket.socket(socket.AF_UNIX, kind)
    server.bind(address)
    server.listen(5)
    return server
def connected(kind, address):
    client = socket.socket(socket.AF_UNIX, kind)
    client.connect(address)
    return client
def talks(kind, address):
    server = made(kind, address)
    client = connected(kind, address)
    client.send(b"question")
    taken = server.accept()[0]
    taken.send(taken.recv(99) + b" answered")
    return client.recv(99) == b"question answered"
def error_of(call):
    try:
        call()
        return "none"
    except OSError as failure:
        return errno.errorcode[failure.errno]
)";

    Walled place_{GetParam()};
};

TEST_P(UnixSockets, LeadToTheSessionByPathAndByAbstractName) {
    for (const std::string mode : {"workspace", "read-only"}) {
        const json report = python(R"(
places = ["/tmp", "/dev/shm", os.environ["HOME"]] + sys.argv[1:]
if os.access(".", os.W_OK): places += [os.getcwd(), "."]
for name, kind in types.items():
    for place in places:
        print(name, "path", talks(kind, place + "/of-" + name + str(len(place))))
    print(name, "abstract", talks(kind, "\0of-" + name))
)",
                                   {}, mode);
        const auto output = report["output"].get<std::string>();
        EXPECT_EQ(report["exit_code"], 0) << output;
        EXPECT_THAT(lines_of(output), testing::Each(testing::EndsWith("True"))) << output;
        EXPECT_GE(lines_of(output).size(), 8U);
        EXPECT_THAT(report["denials"], IsEmpty()) << report["denials"];
    }
}

TEST_P(UnixSockets, ComeInPairsOfEveryType) {
    const json report = python(R"(
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    one.send(b"there")
    other.send(other.recv(99) + b" and back")
    print(one.recv(99), os.get_inheritable(one.fileno()))
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
print(error_of(lambda: one.recv(1)))
one.send(b"two"); one.send(b"messages")
print(other.recv(99), other.recv(99))
)");
    EXPECT_EQ(report["output"],
              "b'there and back' False\nb'there and back' False\nb'there and back' False\n"
              "EAGAIN\nb'two' b'messages'\n");
    EXPECT_THAT(report["denials"], IsEmpty());
}

// What a program hears without walls, in the words of errno.
TEST_P(UnixSockets, FailAsTheyDoWithoutWalls) {
    const std::string script = R"(
os.mkdir("/tmp/closed"); made(socket.SOCK_STREAM, "/tmp/closed/name"); os.chmod("/tmp/closed", 0)
gone = made(socket.SOCK_STREAM, "/tmp/gone"); gone.close()
bound = socket.socket(socket.AF_UNIX); bound.bind("/tmp/bound")
packets = made(socket.SOCK_SEQPACKET, "/tmp/packets")
os.symlink("loop", "/tmp/loop")
for address in ("/tmp/none", "/tmp/none/below", "/etc/passwd/below", "/tmp/loop", "/etc/passwd",
                "/etc", "/tmp/gone", "/tmp/bound", "/tmp/packets", "\0nobody"):
    print(address.lstrip("\0"), error_of(lambda: connected(socket.SOCK_STREAM, address)))
full = socket.socket(socket.AF_UNIX); full.bind("/tmp/full"); full.listen(0)
first = connected(socket.SOCK_STREAM, "/tmp/full")
second = socket.socket(socket.AF_UNIX); second.setblocking(False)
print(error_of(lambda: second.connect("/tmp/full")))
other = made(socket.SOCK_STREAM, "/tmp/other")
third = connected(socket.SOCK_STREAM, "/tmp/other")
print(error_of(lambda: third.connect("/tmp/other")))
second.setblocking(True)
second.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, bytes([0] * 8 + [0x20, 0xa1, 7] + [0] * 5))
begun = time.monotonic()
print(error_of(lambda: second.connect("/tmp/full")), time.monotonic() - begun > 0.4)
)";
    const json report = python(script);
    EXPECT_EQ(report["output"],
              "/tmp/none ENOENT\n/tmp/none/below ENOENT\n/etc/passwd/below ENOTDIR\n"
              "/tmp/loop ELOOP\n/etc/passwd ECONNREFUSED\n/etc ECONNREFUSED\n"
              "/tmp/gone ECONNREFUSED\n/tmp/bound ECONNREFUSED\n/tmp/packets EPROTOTYPE\n"
              "nobody ECONNREFUSED\nEAGAIN\nEISCONN\nEAGAIN True\n");
    EXPECT_THAT(report["denials"], IsEmpty()) << report["denials"];
}

TEST_P(UnixSockets, OfAFullBacklogHoldUpNobodyElse) {
    const json report = python(R"(
full = socket.socket(socket.AF_UNIX); full.bind("/tmp/full"); full.listen(0)
first = connected(socket.SOCK_STREAM, "/tmp/full")
ended = []
def wait():
    connected(socket.SOCK_STREAM, "/tmp/full")
    ended.append(True)
threads = [threading.Thread(target=wait) for _ in range(10)]
for thread in threads: thread.start()
print(all(talks(socket.SOCK_STREAM, "/tmp/other%d" % i) for i in range(20)), ended)
taken = [full.accept() for _ in range(11)]
for thread in threads: thread.join(30)
print(len(ended))
)");
    EXPECT_EQ(report["output"], "True []\n10\n");
}

// Other processes keep taking the flag away that lets the mason connect without waiting.
TEST_P(UnixSockets, WhoseFlagsChangeMeanwhileHoldUpNobodyElse) {
    const json report = python(R"(
import fcntl, signal
full = socket.socket(socket.AF_UNIX); full.bind("/tmp/full"); full.listen(0)
first = connected(socket.SOCK_STREAM, "/tmp/full")
swapped = socket.socket(socket.AF_UNIX)
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        while True: fcntl.fcntl(swapped.fileno(), fcntl.F_SETFL, 0)
    children.append(child)
waiting = os.fork()
if waiting == 0:
    swapped.connect("/tmp/full")
    os._exit(0)
print(all(talks(socket.SOCK_STREAM, "/tmp/other%d" % i) for i in range(300)))
for child in children + [waiting]:
    os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
)");
    EXPECT_EQ(report["output"], "True\n");
}

TEST_P(UnixSockets, ThatWaitAreInterruptedBySignals) {
    const json report = python(R"(
import signal
full = socket.socket(socket.AF_UNIX); full.bind("/tmp/full"); full.listen(0)
first = connected(socket.SOCK_STREAM, "/tmp/full")
class Late(Exception): pass
def late(*_): raise Late()
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    connected(socket.SOCK_STREAM, "/tmp/full")
except Late:
    print("interrupted")
)");
    EXPECT_EQ(report["output"], "interrupted\n");
}

TEST_P(UnixSockets, ServeTheManagersOfPython) {
    const json report = python(R"(
import multiprocessing
def work(box): box["done"] = os.getppid() != 0
if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    with multiprocessing.Manager() as manager:
        box = manager.dict()
        process = multiprocessing.Process(target=work, args=(box,))
        process.start(); process.join()
        print(box["done"], process.exitcode)
)");
    EXPECT_EQ(report["output"], "True 0\n");
    EXPECT_THAT(report["denials"], IsEmpty());
}

TEST_P(UnixSockets, TellTheUserOfThePeer) {
    const json report = python(R"(
import struct
server = made(socket.SOCK_STREAM, "/tmp/server")
client = connected(socket.SOCK_STREAM, "/tmp/server")
taken = server.accept()[0]
def peer(one): return struct.unpack("iii", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
print(peer(taken)[1:] == (os.getuid(), os.getgid()), peer(client) == (os.getpid(), os.getuid(), os.getgid()))
print(error_of(lambda: taken.getsockopt(socket.SOL_SOCKET, 77)))
)");
    EXPECT_EQ(report["output"], "True True\nENOPROTOOPT\n");
}

// A listener of the host, which counts who comes.
class Listener {
public:
    explicit Listener(const fs::path& path) : path_(path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        socket_ = os::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const bool listens =
            ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
            ::listen(socket_.get(), 9) == 0 && ::chmod(path.c_str(), 0777) == 0;
        EXPECT_TRUE(listens) << path;
    }
    ~Listener() { ::unlink(path_.c_str()); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    bool was_reached() const {
        return os::Fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)).get() >= 0;
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
    os::Fd socket_;
};

TEST_P(UnixSockets, OfSomebodyElseAreDeniedWithTheSettingThatAllowsThem) {
    if (::access("/run", W_OK) != 0) GTEST_SKIP() << "nothing outside that a session can see";
    const Listener outside("/run/husk-test-" + unique_word());
    const Listener inside(place_.work() / "socket");
    for (const Listener* one : {&outside, &inside}) {
        const json report =
            python("import sys\nprint(error_of(lambda: connected(socket.SOCK_STREAM, '" +
                   one->path().string() + "')))");
        EXPECT_EQ(report["output"], "EACCES\n") << one->path();
        EXPECT_FALSE(one->was_reached());
        ASSERT_EQ(report["denials"].size(), 1U) << report.dump();
        const json& denial = report["denials"][0];
        EXPECT_EQ(denial["operation"], "connect");
        EXPECT_EQ(denial["target"], one->path().string());
        EXPECT_EQ(denial["allow_with"], "sockets: [\"" + one->path().string() + "\"]");
    }
}

// The parent of the session's pid 1, as the host sees it.
pid_t mason_above(pid_t process) {
    for (pid_t at = process; at > 1;) {
        const std::string status = read_text("/proc/" + std::to_string(at) + "/status");
        if (status.starts_with("Name:\thusk-mason\n")) return at;
        const size_t parent = status.find("PPid:");
        if (parent == std::string::npos) return -1;
        at = std::stoi(status.substr(parent + 5));
    }
    return -1;
}

TEST_P(UnixSockets, WaitWhileTheMasonIsStoppedAndNothingOpens) {
    const Listener other(place_.work() / "socket");
    const std::string word = unique_word();
    place_.write(place_.work() / "server.py", std::string(prelude) + R"(
while not os.path.exists("go"): time.sleep(0.01)
os.write(1, b"asking ")
outcome = error_of(lambda: connected(socket.SOCK_STREAM, "socket"))
os.write(1, (outcome + " " + str(talks(socket.SOCK_STREAM, "/tmp/own"))).encode())
)");
    const std::string id = place_.husk().background(
        "cd " + place_.work().string() + " && PATH=/usr/bin:/bin:$PATH python3 server.py " + word,
        {"--mode", "workspace", "--cwd", place_.work().string()});
    ASSERT_TRUE(eventually([&] { return !processes_with("server.py " + word).empty(); }));
    const pid_t mason = mason_above(processes_with("server.py " + word).back());
    ASSERT_GT(mason, 1);
    ::kill(mason, SIGSTOP);
    place_.write(place_.work() / "go", "");
    const auto output = [&] { return place_.husk()({"output", id}).out; };
    EXPECT_TRUE(eventually([&] { return output().find("asking") != std::string::npos; }));
    EXPECT_FALSE(eventually([&] { return other.was_reached(); }, 300ms));
    ::kill(mason, SIGCONT);
    EXPECT_TRUE(eventually([&] {
        return output().find("asking EACCES True") != std::string::npos;
    })) << output();
    EXPECT_FALSE(other.was_reached());
}

// There the sockets of the session are among those of the host.
TEST_P(UnixSockets, AreToldFromThoseOfTheHostWhereTheNetworkIsOpen) {
    const Listener host(place_.work() / "socket");
    const json report = python(R"(
print(talks(socket.SOCK_STREAM, "/tmp/own"), error_of(lambda: connected(socket.SOCK_STREAM, "socket")))
)",
                               {"--network", "open"});
    EXPECT_EQ(report["output"], "True EACCES\n");
    EXPECT_FALSE(host.was_reached());
    EXPECT_EQ(report["denials"].size(), 1U) << report["denials"];
}

TEST_P(UnixSockets, OfAnotherSessionAreOutOfReach) {
    place_.write(place_.work() / "server.py", std::string(prelude) + R"(
server = made(socket.SOCK_STREAM, "shared")
open("ready", "w").close()
server.settimeout(20)
try:
    server.accept()
    open("reached", "w").close()
except TimeoutError:
    pass
)");
    place_.in("workspace", "PATH=/usr/bin:/bin:$PATH python3 server.py",
              {"--session", "other", "--background"});
    ASSERT_TRUE(eventually([&] { return fs::exists(place_.work() / "ready"); }));
    const json report = python("print(error_of(lambda: connected(socket.SOCK_STREAM, 'shared')))");
    EXPECT_EQ(report["output"], "EACCES\n");
    EXPECT_EQ(report["denials"].size(), 1U);
    const json own = place_.report_in(
        "workspace",
        "PATH=/usr/bin:/bin:$PATH python3 -c 'import socket; socket.socket(1).connect(\"shared\")'",
        {"--session", "other"});
    EXPECT_EQ(own["exit_code"], 0) << own["output"];
    EXPECT_TRUE(eventually([&] { return fs::exists(place_.work() / "reached"); }));
}

constexpr const char* visit = R"(
import os, stat
print(error_of(lambda: connected(socket.SOCK_STREAM, sys.argv[1])), stat.S_ISSOCK(os.stat(sys.argv[1]).st_mode))
)";

TEST_P(UnixSockets, ThatASettingNamesCanBeReachedWhereverTheyLie) {
    place_.write(place_.home() / ".gnupg" / "key", "");
    place_.write(place_.home() / "plain" / "file", "");
    place_.write(place_.work() / "script.py", std::string(prelude) + visit);
    std::vector<fs::path> paths = {place_.outside() / "socket", place_.home() / ".gnupg" / "socket",
                                   place_.home() / "plain" / "socket", place_.work() / "socket"};
    if (::access("/run", W_OK) == 0) paths.push_back("/run/husk-test-" + unique_word());
    for (const fs::path& path : paths) {
        const Listener listener(path);
        const json report = place_.report_in(
            "workspace", "PATH=/usr/bin:/bin:$PATH python3 script.py " + path.string(),
            {"--allow-socket", path.string()});
        EXPECT_EQ(report["output"], "none True\n") << path;
        EXPECT_TRUE(listener.was_reached()) << path;
        EXPECT_THAT(report["denials"], IsEmpty()) << report["denials"];
    }
}

TEST_P(UnixSockets, ThatASettingNamesAreFoundAgainAfterTheirServerBeganAgain) {
    const fs::path path = place_.outside() / "socket";
    place_.write(place_.work() / "script.py", std::string(prelude) + visit);
    const std::vector<std::string> options = {"--allow-socket", path.string(), "--session", "s"};
    const std::string command = "PATH=/usr/bin:/bin:$PATH python3 script.py " + path.string();
    for (int i = 0; i < 2; ++i) {
        const Listener listener(path);
        EXPECT_EQ(place_.report_in("workspace", command, options)["output"], "none True\n");
        EXPECT_TRUE(listener.was_reached());
    }
}

TEST_P(UnixSockets, ThatASettingNamesAreNotGivenWhereACommandCouldHaveChosenThem) {
    const Listener other(place_.outside() / "other");
    fs::create_symlink(other.path(), place_.work() / "link");
    const Ran ran =
        place_.in("workspace", "true", {"--allow-socket", (place_.work() / "link").string()});
    EXPECT_EQ(ran.code, 125);
    EXPECT_THAT(ran.err, HasSubstr("sockets")) << ran.err;
    // A name in the workspace stands for the socket that was there when the session began.
    const Listener given(place_.work() / "given");
    const Listener stranger(place_.work() / "stranger");
    const std::string swap = "mv given kept; mv stranger given; ";
    place_.write(place_.work() / "script.py", std::string(prelude) + visit);
    const json report = place_.report_in(
        "workspace", swap + "PATH=/usr/bin:/bin:$PATH python3 script.py $PWD/given",
        {"--allow-socket", given.path().string()});
    EXPECT_EQ(report["output"], "EACCES True\n");
    EXPECT_FALSE(stranger.was_reached());
}

// Who reaches the socket of the session's nursery can ask for everything, outside of all walls.
TEST_P(UnixSockets, OfTheNurseryAreOutOfReach) {
    place_.write(place_.work() / "script.py", std::string(prelude) + R"(
import glob, sys
for path in glob.glob(sys.argv[1] + "/sessions/*/control"):
    print(error_of(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(path)))
)");
    // Beside the program: where sessions see it.
    const TempDir state(fs::path(HUSK_BINARY).parent_path());
    ASSERT_EQ(::chown(state.path().c_str(), place_.uid(), place_.uid()), 0);
    for (const char* network : {"none", "open"}) {
        const json report = place_.report_in(
            "workspace", "PATH=/usr/bin:/bin:$PATH python3 script.py " + state.path().string(),
            {"--session", network, "--network", network, "--state", state.path().string()});
        EXPECT_THAT(report["output"].get<std::string>(),
                    testing::MatchesRegex("((EACCES|ECONNREFUSED)\n)+"))
            << report;
        place_.husk()({"session", "end", network, "--state", state.path().string()});
    }
}

// The C library looks for these first, and goes on without them.
TEST_P(UnixSockets, ThatEveryProgramAsksForAreNoDenials) {
    const json report =
        place_.report_in("workspace", "id; getent passwd nobody; ls -l / >/dev/null");
    EXPECT_THAT(report["denials"], IsEmpty()) << report["denials"];
}

// They could send to any path. Nobody can send to one, either, so it gets no name.
TEST_P(UnixSockets, ForDatagramsSendNothingAndGetNoName) {
    const json report = python(R"(
one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
print(one.type == socket.SOCK_DGRAM, error_of(lambda: one.connect("/tmp/nobody")))
print(*[error_of(lambda: send("/tmp/x")) for send in (lambda to: one.sendto(b"x", to), lambda to: one.sendmsg([b"x"], [], 0, to))])
print(error_of(lambda: one.bind("/tmp/d")), error_of(lambda: one.bind("\0d")), os.path.exists("/tmp/d"))
)");
    EXPECT_EQ(report["output"], "True ENOENT\nENOTCONN ENOTCONN\nEPERM EPERM False\n");
    ASSERT_EQ(report["denials"].size(), 2U) << report;
    EXPECT_EQ(report["denials"][0]["operation"], "unix datagram");
    EXPECT_EQ(report["denials"][0]["target"], "/tmp/d");
    EXPECT_EQ(report["denials"][0]["allow_with"], "mode: open");
    EXPECT_EQ(report["denials"][1]["target"], "@d");
}

// The kernel makes a file for it.
TEST_P(UnixSockets, WithAPathWhereNothingCanBeWrittenAreDenials) {
    const json report = python(R"(
for path in ("/usr/x.sock", "/usr", "/tmp/fine"):
    print(error_of(lambda: socket.socket(socket.AF_UNIX).bind(path)))
)");
    EXPECT_EQ(report["output"], "EROFS\nEADDRINUSE\nnone\n") << report;
    ASSERT_EQ(report["denials"].size(), 1U) << report;
    EXPECT_EQ(report["denials"][0]["operation"], "create");
    EXPECT_EQ(report["denials"][0]["target"], "/usr/x.sock");
}

// Nobody takes the log of a session, as in a container.
TEST_P(UnixSockets, OfProgramsThatLogAreNoDenials) {
    const json report = python("import syslog; syslog.syslog('x'); print('went on')");
    EXPECT_EQ(report["output"], "went on\n");
    EXPECT_THAT(report["denials"], IsEmpty()) << report["denials"];
}

TEST_P(UnixSockets, AreRefusedWithoutAWitness) {
    place_.write(place_.work() / "script.py",
                 std::string(prelude) + "print(error_of(lambda: socket.socket(socket.AF_UNIX)))");
    EXPECT_EQ(
        place_.pretending("listener=no", "workspace", "PATH=/usr/bin:/bin:$PATH python3 script.py")
            .out,
        "EPERM\n");
}

TEST_P(UnixSockets, DoNotMakeDenialsOfConnectionsThatSucceed) {
    const json report = python(R"(
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(5)
client = socket.create_connection(server.getsockname())
client.send(b"x")
print(server.accept()[0].recv(9), error_of(lambda: socket.create_connection(("127.0.0.1", 1))))
)");
    EXPECT_EQ(report["output"], "b'x' ECONNREFUSED\n");
    EXPECT_THAT(report["denials"], IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(As, UnixSockets, testing::Values(Who::Caller, Who::OrdinaryUser),
                         [](const auto& about) {
                             return about.param == Who::Caller ? "Caller" : "OrdinaryUser";
                         });

}  // namespace
}  // namespace husk::test
