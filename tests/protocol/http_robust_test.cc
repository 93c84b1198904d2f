// What no honest client says, and how `husk serve` takes it.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "http_client.h"

namespace husk::test {
namespace {

TEST(ServeRobust, RequestsInARowAreAnsweredInOrder) {
    const Husk husk;
    const HttpServer server(husk);
    HttpWire wire(server.port());
    std::string many;
    const auto call = [](const std::string& command) {
        return Json{{"tool", "bash"}, {"arguments", {{"command", command}}}}.dump();
    };
    many += server.text("POST", "/v1/calls", call("sleep 0.2; echo first"));
    many += server.text("GET", "/v1/nothing");
    many += server.text("POST", "/v1/calls", call("echo third"));
    for (int i = 0; i < 50; ++i) many += server.text("GET", "/healthz");
    wire.say(many);
    EXPECT_THAT(wire.answer().body, testing::HasSubstr("first\\n"));
    EXPECT_EQ(wire.answer().status, 404);
    EXPECT_THAT(wire.answer().body, testing::HasSubstr("third\\n"));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(wire.answer().body, "ok\n");
}

TEST(ServeRobust, ARequestMayComeByteByByte) {
    const Husk husk;
    const HttpServer server(husk);
    HttpWire wire(server.port());
    for (const char letter : server.text("POST", "/v1/verdicts", R"({"command":"true"})"))
        wire.say(std::string(1, letter));
    EXPECT_EQ(wire.answer().json()["decision"], "allow");
}

TEST(ServeRobust, WhatIsNotHttpIsRefused) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
    const std::string token = "Authorization: Bearer " + server.token() + "\r\n";
    const std::pair<std::string, int> cases[] = {
        {"hello\r\n\r\n", 400},
        {std::string("\0\1\2\3\r\n\r\n", 8), 400},
        {"GET /v1 HTTP/1.0\r\n" + host + token + "\r\n", 400},
        {"GET /v1 HTTP/2.0\r\n" + host + token + "\r\n", 400},
        {"GET v1 HTTP/1.1\r\n" + host + token + "\r\n", 400},
        {"GET /%zz HTTP/1.1\r\n" + host + token + "\r\n", 400},
        {"GET /v1 HTTP/1.1\r\n" + token + "\r\n", 403},
        {"GET /v1 HTTP/1.1\r\n" + host + host + token + "\r\n", 403},
        {"GET /v1 HTTP/1.1\r\n" + host + token + "Long: " + std::string(20'000, 'x') + "\r\n\r\n",
         431},
        {"POST /v1/calls HTTP/1.1\r\n" + host + token + "Content-Length: 99999999\r\n\r\n", 413},
        {"POST /mcp HTTP/1.1\r\n" + host + token + "Content-Length: 99999999\r\n\r\n", 413},
        {"POST /v1/calls HTTP/1.1\r\n" + host + token + "Content-Length: x\r\n\r\n", 400},
        {"POST /v1/calls HTTP/1.1\r\n" + host + token +
             "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         400},
        {"POST /v1/calls HTTP/1.1\r\n" + host + token + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
         400},
    };
    for (const auto& [text, status] : cases) {
        HttpWire wire(server.port());
        wire.say(text);
        EXPECT_EQ(wire.answer().status, status) << text.substr(0, 60);
        EXPECT_TRUE(wire.is_closed(10s)) << text.substr(0, 60);
    }
    EXPECT_EQ(server.get("/v1").status, 200);
}

TEST(ServeRobust, ABodyIsReadOnlyFromWhoMayAndUpToItsBound) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string large = R"({"command":")" + std::string(2 << 20, 'x') + R"("})";
    EXPECT_EQ(server.ask("POST", "/v1/verdicts", large).status, 413);
    EXPECT_EQ(server.ask("POST", "/v1/verdicts", large, {{"Authorization", "Bearer x"}}).status,
              401);
    HttpWire chunked(server.port());
    std::string text = server.text("POST", "/v1/verdicts", "", {{"Transfer-Encoding", "chunked"}});
    text.erase(text.find("Content-Length: 0\r\n"), std::string("Content-Length: 0\r\n").size());
    chunked.say(text);
    for (int i = 0; i < 40 && chunked.say("10000\r\n" + std::string(0x10000, 'x') + "\r\n"); ++i) {
    }
    EXPECT_EQ(chunked.answer().status, 413);
}

TEST(ServeRobust, ABodyInChunksMayArriveByteByByte) {
    const Husk husk;
    const HttpServer server(husk);
    std::string head = server.text("POST", "/v1/verdicts", "", {{"Transfer-Encoding", "chunked"}});
    head.erase(head.find("Content-Length: 0\r\n"), std::string("Content-Length: 0\r\n").size());
    const std::string call = R"({"command":"true"})";
    const std::string no_chunk = "0\r\n\r\n";
    for (const auto& [body, status] :
         {std::pair(no_chunk, 400), std::pair("12\r\n" + call + "\r\n" + no_chunk, 200)}) {
        HttpWire wire(server.port());
        for (const char letter : head + body) ASSERT_TRUE(wire.say({&letter, 1}));
        EXPECT_EQ(wire.answer().status, status) << body;
    }
}

TEST(ServeRobust, WhoAsksFirstIsToldToGoOn) {
    const Husk husk;
    const HttpServer server(husk);
    HttpWire wire(server.port());
    const std::string body = R"({"command":"true"})";
    std::string text = server.text("POST", "/v1/verdicts", body, {{"Expect", "100-continue"}});
    wire.say(text.substr(0, text.size() - body.size()));
    EXPECT_EQ(wire.head().status, 100);
    wire.say(body);
    EXPECT_EQ(wire.answer().status, 200);
}

TEST(ServeRobust, WhoNeverFinishesIsNotWaitedFor) {
    const Husk husk;
    const HttpServer server(husk);
    std::vector<std::unique_ptr<HttpWire>> slow;
    for (int i = 0; i < 50; ++i) {
        slow.push_back(std::make_unique<HttpWire>(server.port()));
        slow.back()->say("GET /v1 HTTP/1.1\r\nHo");
    }
    EXPECT_EQ(server.get("/v1").status, 200);
    for (const auto& wire : slow) EXPECT_EQ(wire->answer(30s).status, 408);
    EXPECT_TRUE(eventually([&] { return server.metric("husk_http_connections") == 1; }));
}

TEST(ServeRobust, AnAnswerThatNobodyReadsIsDropped) {
    const Husk husk;
    const HttpServer server(husk);
    const Json call = server.bash("head -c 60000000 /dev/zero | tr '\\0' x");
    const HttpWire wire(server.port());
    const int small = 4096;
    ::setsockopt(wire.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    wire.say(server.text("GET", "/v1/shells/" + call["shell_id"].get<std::string>() + "/follow"));
    const uint64_t bytes = server.resident_bytes();
    EXPECT_TRUE(eventually([&] { return server.metric("husk_http_connections") == 1; }, 60s));
    if (sanitized) GTEST_SKIP() << memory_tells_nothing;
    EXPECT_LT(bytes, 60U << 20);
}

}  // namespace
}  // namespace husk::test
