// How `husk serve` begins and ends: what stays, what goes, and sockets that somebody else opened.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http_client.h"

namespace husk::test {
namespace {

TEST(ServeLife, EndsWithoutItsBackgroundShellsAndFindsThemAgain) {
    const Husk husk;
    const std::string word = unique_word();
    std::string background;
    {
        HttpServer server(husk);
        background = server.bash("echo here; sleep 600", {{"run_in_background", true}})["shell_id"];
        server.begin("sleep 600 # " + word + "\n:");
        ASSERT_TRUE(eventually([&] { return !processes_with(word).empty(); }));
        const auto events = server.stream("/v1/events");
        EXPECT_EQ(server.stop(), 0);
        EXPECT_TRUE(events->is_closed(5s));
    }
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
    const HttpServer again(husk);
    const Json shell = again.get("/v1/shells/" + background).json();
    EXPECT_EQ(shell["live"], true);
    EXPECT_EQ(again.get("/v1/shells/" + background + "/output").json()["text"], "here\n");
    const auto events = again.stream("/v1/events?types=shell");
    again.post("/v1/shells/" + background + "/kill", Json::object());
    EXPECT_EQ(events->event_of("shell.gone")->json()["shell_id"], background);
}

TEST(ServeLife, WhenItIsKilledOnlyTheForegroundGoes) {
    const Husk husk;
    HttpServer server(husk);
    const std::string word = unique_word();
    const std::string background =
        server.bash("sleep 600", {{"run_in_background", true}})["shell_id"];
    server.begin("sleep 600 # " + word + "\n:");
    ASSERT_TRUE(eventually([&] { return !processes_with(word).empty(); }));
    server.kill();
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
    const HttpServer again(husk);
    EXPECT_EQ(again.get("/v1/shells/" + background).json()["status"], "running");
}

TEST(ServeLife, ClientsAreAnsweredBeforeItEnds) {
    const Husk husk;
    HttpServer server(husk);
    HttpWire waiting(server.port());
    const std::string word = unique_word();
    waiting.say(server.text(
        "POST", "/v1/calls",
        Json{{"tool", "bash"}, {"arguments", {{"command", "sleep 600 # " + word + "\n:"}}}}
            .dump()));
    ASSERT_TRUE(eventually([&] { return !processes_with(word).empty(); }));
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(waiting.answer().json()["state"], "cancelled");
}

// As systemd does it: descriptor 3 listens already, and two variables say so.
TEST(ServeLife, TakesASocketThatIsAlreadyOpen) {
    const Husk husk;
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(socket, 16), 0);
    socklen_t length = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    const uint16_t port = ntohs(address.sin_port);
    // Whoever connects before the server is there waits for it.
    HttpWire early(port);
    early.say("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(socket, 3);
        std::vector<std::string> words = husk.argv({"serve", "--mode", "open"});
        const std::string script =
            "exec >/dev/null; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$@\"";
        words.insert(words.begin(), {"bash", "-c", script, "bash"});
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(socket);
    EXPECT_EQ(early.answer().body, "ok\n");
    ::kill(child, SIGTERM);
    EXPECT_EQ(exit_code_of(child), 0);
}

TEST(ServeLife, OptionsThatCannotBeAreRefused) {
    const Husk husk;
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--listen", "nowhere"},
          {"--listen", "127.0.0.1:99999"},
          {"--listen", "example.org:80"},
          {"--auth", "perhaps"},
          {"--socket", "/nonexistent/x"},
          {"--socket", std::string(200, 'x')},
          {"--tls-cert", "/nonexistent", "--tls-key", "/nonexistent"}}) {
        std::vector<std::string> args = {"serve", "--mode", "open"};
        args.insert(args.end(), options.begin(), options.end());
        EXPECT_TRUE(is_refusal(husk(args))) << options[1];
    }
}

TEST(ServeLife, TwoOfThemDoNotShareAPort) {
    const Husk husk;
    const HttpServer server(husk);
    EXPECT_TRUE(is_refusal(husk(
        {"serve", "--mode", "open", "--listen", "127.0.0.1:" + std::to_string(server.port())})));
    EXPECT_EQ(server.get("/healthz").status, 200);
}

}  // namespace
}  // namespace husk::test
