// Who gets into `husk serve`, and how.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <memory>
#include <vector>

#include "http_client.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

TEST(ServeAccess, NeedsTheTokenEverywhereButForHealth) {
    const Husk husk;
    const HttpServer server(husk);
    const Headers none = {{"Authorization", ""}};
    const Headers wrong = {{"Authorization", "Bearer " + std::string(48, 'x')}};
    for (const char* path :
         {"/v1", "/v1/shells", "/v1/events", "/metrics", "/mcp", "/v1/nothing"}) {
        EXPECT_EQ(server.get(path, none).status, 401) << path;
        EXPECT_EQ(server.get(path, wrong).status, 401) << path;
    }
    EXPECT_EQ(server.get("/", none).status, 401);
    EXPECT_EQ(server.get("/healthz", none).body, "ok\n");
    EXPECT_EQ(server.get("/v1").status, 200);
    EXPECT_EQ(server.get("/").status, 200);
}

TEST(ServeAccess, TheTokenIsItsOwnersAloneAndStays) {
    const Husk husk;
    std::string token;
    {
        const HttpServer server(husk);
        token = server.token();
        struct stat info{};
        ASSERT_EQ(::stat((husk.state() / "http-token").c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777U, 0600U);
    }
    const HttpServer again(husk);
    EXPECT_EQ(again.token(), token);
    EXPECT_EQ(again.get("/v1").status, 200);
}

// A page of somebody else's must not get here through a name that it lets point to loopback.
TEST(ServeAccess, OnlyByItsOwnNameAndFromItsOwnPages) {
    const Husk husk;
    const HttpServer server(husk, {"--name", "husk.example"});
    const std::string port = ":" + std::to_string(server.port());
    EXPECT_EQ(server.get("/v1", {{"Host", "localhost" + port}}).status, 200);
    EXPECT_EQ(server.get("/v1", {{"Host", "husk.example"}}).status, 200);
    for (const std::string& host : {"evil.example" + port, "127.0.0.1" + port + "0",
                                    std::string("localhost"), "127.0.0.1.evil" + port})
        EXPECT_EQ(server.get("/v1", {{"Host", host}}).status, 403) << host;
    EXPECT_EQ(server.get("/v1", {{"Origin", "http://localhost" + port}}).status, 200);
    EXPECT_EQ(server.get("/v1", {{"Origin", "http://evil.example"}}).status, 403);
    EXPECT_EQ(server.get("/v1", {{"Origin", "null"}}).status, 403);
    EXPECT_EQ(server.get("/healthz", {{"Host", "evil.example"}}).status, 403);
}

TEST(ServeAccess, ALinkLetsABrowserInOnce) {
    const Husk husk;
    const HttpServer server(husk);
    const Headers browser = {{"Authorization", ""}};
    const HttpAnswer first = server.get(server.link(), browser);
    EXPECT_EQ(first.status, 303);
    EXPECT_EQ(server.get(server.link(), browser).status, 403);
    const std::string given = first.headers.at("set-cookie");
    EXPECT_THAT(given, HasSubstr("HttpOnly"));
    EXPECT_THAT(given, HasSubstr("SameSite=Strict"));
    EXPECT_THAT(given, testing::Not(HasSubstr(server.token())));
    const std::string cookie = given.substr(0, given.find(';'));
    const std::string origin = "http://127.0.0.1:" + std::to_string(server.port());
    EXPECT_EQ(server.get("/v1", {{"Authorization", ""}, {"Cookie", cookie}}).status, 200);
    const auto post = [&](const std::string& from) {
        return server
            .post("/v1/verdicts", {{"command", "true"}},
                  {{"Authorization", ""}, {"Cookie", cookie}, {"Origin", from}})
            .status;
    };
    EXPECT_EQ(post(origin), 200);
    EXPECT_EQ(post(""), 403);
    EXPECT_EQ(post("http://127.0.0.1:1"), 403);
    const std::string url = server.post("/v1/links", Json::object()).json()["url"];
    EXPECT_EQ(server.get(url.substr(url.find("/open/")), browser).status, 303);
}

TEST(ServeAccess, BeyondLoopbackOnlyWithATokenAndTls) {
    const Husk husk;
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--listen", "0.0.0.0:0"},
          {"--listen", "[::]:0"},
          {"--listen", "0.0.0.0:0", "--auth", "none"}}) {
        std::vector<std::string> args = {"serve", "--mode", "open", "--cwd", husk.dir().string()};
        args.insert(args.end(), options.begin(), options.end());
        EXPECT_TRUE(is_refusal(husk(args))) << options[1];
    }
}

TEST(ServeAccess, WithoutATokenItSaysSoLoudly) {
    const Husk husk;
    Live process(husk, {"serve", "--mode", "open", "--listen", "127.0.0.1:0", "--auth", "none"});
    process.line();
    EXPECT_THAT(process.line().value_or(""), HasSubstr("WARNING: --auth none"));
    const HttpServer server(husk, {"--auth", "none"});
    EXPECT_EQ(server.get("/v1", {{"Authorization", ""}}).json()["auth"], "none");
    EXPECT_EQ(server.get("/v1", {{"Host", "evil.example"}}).status, 403);
}

TEST(ServeAccess, GuessesAreSlowedDown) {
    const Husk husk;
    const HttpServer server(husk);
    // Far faster than twenty a second, because none waits for the answer of another.
    std::vector<std::unique_ptr<HttpWire>> guesses;
    for (int i = 0; i < 200; ++i) {
        guesses.push_back(std::make_unique<HttpWire>(server.port()));
        guesses.back()->say(server.text("GET", "/v1", "", {{"Authorization", "Bearer no"}}));
    }
    bool slowed = false;
    for (const auto& wire : guesses) slowed |= wire->answer().status == 429;
    EXPECT_TRUE(slowed);
    EXPECT_EQ(server.get("/v1").status, 200);  // who knows it is not kept out
}

TEST(ServeAccess, ASocketIsForItsOwnerAndNeedsNoToken) {
    const Husk husk;
    const std::string path = (husk.dir() / "husk.sock").string();
    Live process(husk, {"serve", "--mode", "open", "--socket", path});
    EXPECT_THAT(process.line().value_or(""), HasSubstr("listening at " + path));
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    HttpWire wire(path);
    wire.say("GET /v1 HTTP/1.1\r\nHost: whatever\r\n\r\n");
    EXPECT_EQ(wire.answer().status, 200);
    process.signal(SIGTERM);
    EXPECT_EQ(process.code(), 0);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ServeAccess, SpeaksTlsWithTheGivenCertificate) {
    const Husk husk;
    const std::string key = (husk.dir() / "key.pem").string();
    const std::string certificate = (husk.dir() / "cert.pem").string();
    const Ran made = run_program({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                  "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                                  certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                                  "subjectAltName=DNS:localhost,IP:127.0.0.1"});
    ASSERT_EQ(made.code, 0) << made.err;
    const HttpServer server(husk, {"--tls-cert", certificate, "--tls-key", key});
    const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/v1";
    const Ran ran = run_program({"curl", "-sS", "--cacert", certificate, "-H",
                                 "Authorization: Bearer " + server.token(), url});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.json()["name"], "husk");
    HttpWire plain(server.port());
    plain.say("GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(plain.is_closed(15s));
    EXPECT_TRUE(is_refusal(husk({"serve", "--tls-cert", certificate})));
}

}  // namespace
}  // namespace husk::test
