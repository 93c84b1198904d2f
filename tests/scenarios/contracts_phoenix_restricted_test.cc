// Restricted mode of the contract `phoenix` (REQ-BASH-008): its description is held to what
// commands really get.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "contract_calls.h"

namespace husk::test {
namespace {

// Tries one thing after the other, and prints for each the name of the error, or "fine".
const char* const attempts = R"(
import errno, os, socket, sys
work, stranger = sys.argv[1], int(sys.argv[2])
def tell(what, action):
    try:
        action()
        print(what, "fine")
    except OSError as error:
        print(what, errno.errorcode[error.errno])
def connect(address, port, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(5)
        one.connect((address, port))
def serve(port):
    with socket.socket() as one:
        one.bind(("0.0.0.0", port))
        one.listen()
        connect("127.0.0.1", one.getsockname()[1])
for place in (work, "/tmp", "/dev/shm", "/var/tmp", "/etc", os.environ["HOME"]):
    tell("create", lambda: open(place + "/new", "w"))
tell("note", lambda: open(sys.argv[4]))
tell("secret", lambda: open("/etc/shadow"))
tell("write", lambda: open(work + "/file", "a"))
tell("remove", lambda: os.unlink(work + "/file"))
tell("rename", lambda: os.rename(work + "/file", work + "/new"))
tell("mkdir", lambda: os.mkdir(work + "/new"))
tell("link", lambda: os.symlink("x", work + "/new"))
tell("truncate", lambda: os.truncate(work + "/file", 0))
tell("chmod", lambda: os.chmod(work + "/file", 0o600))
tell("utime", lambda: os.utime(work + "/file"))
tell("connect", lambda: connect("192.0.2.1", 80))
tell("datagram", lambda: connect("192.0.2.1", 53, socket.SOCK_DGRAM))
tell("localhost", lambda: connect("127.0.0.1", int(sys.argv[3])))
tell("low-port", lambda: serve(80))
tell("port", lambda: serve(0))
tell("unix", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind("\\0name"))
tell("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
tell("signal", lambda: os.kill(stranger, 0))
)";

// A server outside that a confined command must not reach.
class ServerOutside {
public:
    ServerOutside() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, any, size) != 0 || ::listen(socket_, 1) != 0 ||
            ::getsockname(socket_, any, &size) != 0)
            throw std::runtime_error("there is no port to listen on");
        port_ = ntohs(address.sin_port);
    }
    ~ServerOutside() { ::close(socket_); }
    ServerOutside(const ServerOutside&) = delete;
    ServerOutside& operator=(const ServerOutside&) = delete;
    int port() const { return port_; }

private:
    int socket_;
    int port_ = 0;
};

// A file in /tmp that was written without walls.
class NoteOutside {
public:
    NoteOutside() { write_text(path_, "a note"); }
    ~NoteOutside() { std::filesystem::remove(path_); }
    NoteOutside(const NoteOutside&) = delete;
    NoteOutside& operator=(const NoteOutside&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/" + unique_word();
};

// What the attempts got on a machine that lacks something: pairs of attempt and error.
std::vector<std::pair<std::string, std::string>> tried_without(const std::string& pretend) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    write_text(restricted.work() + "/file", "text");
    write_text(restricted.work() + "/attempts.py", attempts);
    const ServerOutside server;
    const NoteOutside note;
    const std::string command = "python3 attempts.py \"$PWD\" " + std::to_string(::getpid()) + " " +
                                std::to_string(server.port()) + " " + note.path();
    std::vector<std::string> words = {"env", "HUSK_PRETEND=" + pretend};
    for (std::string& word :
         restricted.husk().argv(restricted.args("bash", Json{{"command", command}}.dump())))
        words.push_back(std::move(word));
    std::istringstream text(text_of(run_program(words).json()));
    std::vector<std::pair<std::string, std::string>> all;
    for (std::string what, error; text >> what >> error;) all.emplace_back(what, error);
    EXPECT_EQ(all.size(), 24U) << text.str();
    return all;
}

TEST(PhoenixRestricted, REQ_BASH_008_TheDescriptionNamesTheErrorsThatTheWallsGive) {
    const Husk husk;
    const Ran tools = husk({"tools", "--contract", "phoenix", "--mode", "read-only"});
    const std::string told = tools.json()["tools"][0]["description"];
    const std::string walls = told.substr(told.find("RESTRICTED MODE"));
    std::set<std::string> named;
    const std::regex name("\\bE[A-Z]{3,}\\b");
    for (std::sregex_iterator at(walls.begin(), walls.end(), name), end; at != end; ++at)
        named.insert(at->str());
    std::set<std::string> given;
    for (const char* pretend : {"landlock=1000", "mountns=no", "netns=no"}) {
        for (const auto& [what, error] : tried_without(pretend)) {
            const bool is_port = what == "port" || what == "low-port";
            EXPECT_EQ(error == "fine", is_port && pretend != std::string("netns=no"))
                << what << " " << error << " " << pretend;
            if (error != "fine") given.insert(error);
        }
    }
    EXPECT_EQ(given, named);
}

// An accepted hole is in the description, and the description says what a command really can do.
TEST(PhoenixRestricted, REQ_BASH_008_TheDescriptionTellsThatSignalsReachOutside) {
    const auto with = [](const char* pretend, const Husk& husk, std::vector<std::string> args) {
        std::vector<std::string> words = {"env", "HUSK_PRETEND=" + std::string(pretend)};
        for (std::string& word : husk.argv(std::move(args))) words.push_back(std::move(word));
        return run_program(words);
    };
    const std::vector<std::string> restricted = {"--contract", "phoenix",  "--mode",
                                                 "read-only",  "--accept", "signals"};
    const auto described = [&](const char* pretend) {
        std::vector<std::string> args = {"tools"};
        args.insert(args.end(), restricted.begin(), restricted.end());
        const Ran tools = with(pretend, Husk(), args);
        return tools.json()["tools"][0]["description"].get<std::string>();
    };
    const char* open = "landlock=1,pidns=no";
    EXPECT_THAT(described(open), testing::HasSubstr("reach every process of this user"));
    EXPECT_THAT(described(open), testing::Not(testing::HasSubstr("ESRCH")));
    EXPECT_THAT(described("landlock=1000"), testing::HasSubstr("they fail with ESRCH"));

    const Conversation talk("phoenix", {"--mode", "read-only", "--accept", "signals"});
    const std::string command = "kill -0 " + std::to_string(::getpid()) + "; echo rc=$?";
    const Ran ran = with(open, talk.husk(), talk.args("bash", Json{{"command", command}}.dump()));
    EXPECT_EQ(text_of(ran.json()), "rc=0\n");
}

// Each start of the command takes one line from a pipe. A second start would take a second line.
TEST(PhoenixRestricted, REQ_BASH_008_AFailedCommandIsNotTriedAgain) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    const std::string path = restricted.work() + "/tickets";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int tickets = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(tickets, 0);
    ASSERT_EQ(::write(tickets, "1\n2\n3\n", 6), 6);
    const Json result = restricted.call(
        "bash", {{"command", "read -r ticket <tickets; echo start $ticket; echo a >made"}});
    EXPECT_THAT(text_of(result), testing::StartsWith("[command failed: exit code 1]\nstart 1\n"));
    EXPECT_THAT(text_of(result), testing::HasSubstr("made: Read-only file system"));
    std::string left(16, '\0');
    left.resize(static_cast<size_t>(std::max<ssize_t>(::read(tickets, left.data(), 16), 0)));
    EXPECT_EQ(left, "2\n3\n");
    EXPECT_FALSE(std::filesystem::exists(restricted.work() + "/made"));
    ::close(tickets);
}

TEST(PhoenixRestricted, REQ_BASH_008_APortIsSeenInsideOnly) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    const auto said = [&](const std::string& command, const char* mode) {
        return text_of(restricted.call("bash", {{"command", command}, {"mode", mode}}));
    };
    write_text(restricted.work() + "/index.html", "of the workspace\n");
    const std::string text =
        said("exec python3 -u -m http.server --bind 0.0.0.0 8123", "background");
    const std::string fetch =
        "for i in $(seq 200); do curl -sf http://127.0.0.1:8123/ && break; sleep 0.05; done";
    EXPECT_EQ(said(fetch, "default"), "of the workspace\n");
    EXPECT_NE(run_program({"curl", "-sf", "-m", "5", "http://127.0.0.1:8123/index.html"}).out,
              "of the workspace\n");
    said(between(text, "To stop: ", "</reminder>"), "default");
}

}  // namespace
}  // namespace husk::test
