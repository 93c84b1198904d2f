#include "proxy/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/body.h"

namespace husk::proxy {
namespace {

using namespace std::string_view_literals;

// The whole way of a request that comes in one piece.
std::expected<Request, Refusal> read(std::string_view bytes) {
    const auto size = head_size(bytes, 0);
    if (!size) return std::unexpected(size.error());
    if (!*size) return std::unexpected(Refusal{0, "incomplete"});
    return parse_request(bytes.substr(0, **size));
}

TEST(Head, OfATunnel) {
    for (const char* text :
         {"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
          "CONNECT example.com:443 HTTP/1.1\r\nhost: EXAMPLE.com\r\n\r\n",
          "CONNECT EXAMPLE.com.:443 HTTP/1.1\r\n\r\n", "CONNECT example.com:443 HTTP/1.0\r\n\r\n",
          "CONNECT example.com:443 HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
          "CONNECT example.com:443 HTTP/1.1\r\nX: \xff y\r\n\r\n"}) {
        const auto request = read(text);
        ASSERT_TRUE(request) << text << request.error().reason;
        EXPECT_EQ(request->kind, Request::Kind::Tunnel);
        EXPECT_EQ(to_text(request->target), "example.com:443");
        EXPECT_EQ(request->forwarded, "");
    }
}

TEST(Head, OfAPlainRequestIsRewritten) {
    const auto request = read(
        "GET http://Example.com:80/a%20b?c=d HTTP/1.1\r\nhost:example.com\r\nAccept: */*\r\n"
        "Proxy-Connection: keep-alive\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
        "Proxy-Authorization: Basic eA==\r\nKeep-Alive: 5\r\nTE: trailers\r\nX-Tab:\ta \r\n\r\n");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->kind, Request::Kind::Plain);
    EXPECT_EQ(to_text(request->target), "example.com:80");
    EXPECT_EQ(request->forwarded,
              "GET /a%20b?c=d HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\nX-Tab: a\r\n"
              "Connection: close\r\n\r\n");
    const struct {
        std::string_view target;
        std::string_view host;
        std::string_view begins;
    } table[] = {
        {"http://example.com", "example.com", "GET / HTTP/1.1\r\nHost: example.com\r\n"},
        {"http://example.com?q", "example.com", "GET /?q HTTP/1.1\r\nHost: example.com\r\n"},
        {"HTTP://example.com/", "example.com:80", "GET / HTTP/1.1\r\nHost: example.com\r\n"},
        {"http://example.com:81/", "example.com:81", "GET / HTTP/1.1\r\nHost: example.com:81\r\n"},
        {"http://[::1]/", "[::1]", "GET / HTTP/1.1\r\nHost: [::1]\r\n"},
        {"http://example.com//@evil/", "example.com", "GET //@evil/ HTTP/1.1\r\n"},
    };
    for (const auto& [target, host, begins] : table) {
        const auto each = read("GET " + std::string(target) +
                               " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
        ASSERT_TRUE(each) << target;
        EXPECT_THAT(each->forwarded, testing::StartsWith(std::string(begins)));
    }
    EXPECT_TRUE(read("GET http://example.com/ HTTP/1.0\r\n\r\n"));
}

TEST(Head, SaysHowTheBodyEnds) {
    const auto post = [](const std::string& field) {
        return read("POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n" + field + "\r\n\r\n");
    };
    EXPECT_EQ(post("X: y")->framing, Framing::None);
    EXPECT_EQ(post("Content-Length: 0")->framing, Framing::None);
    EXPECT_EQ(post("Content-Length: 12")->framing, Framing::Length);
    EXPECT_EQ(post("Content-Length: 12")->length, 12U);
    EXPECT_EQ(post("Transfer-Encoding: Chunked")->framing, Framing::Chunked);
}

TEST(Head, IsRefusedWhereItIsNotClear) {
    const std::string_view table[] = {
        // request lines
        "\r\n\r\n"sv,
        "GET\r\n\r\n"sv,
        "GET http://a.example/\r\n\r\n"sv,
        "GET  http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/ x HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/\t HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "G(T http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        " GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/\xc3\xbc HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        // targets
        "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http:a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http:///a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example@evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"sv,
        "GET http://u:p@a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example%00/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example\\@evil.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/#f HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example#@evil.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example:0/ HTTP/1.1\r\nHost: a.example:0\r\n\r\n"sv,
        "GET http://a.example:/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        "CONNECT a.example HTTP/1.1\r\n\r\n"sv,
        "CONNECT http://a.example:443 HTTP/1.1\r\n\r\n"sv,
        "CONNECT a.example:443/ HTTP/1.1\r\n\r\n"sv,
        "CONNECT u@a.example:443 HTTP/1.1\r\n\r\n"sv,
        "connect a.example:443 HTTP/1.1\r\n\r\n"sv,
        // Host
        "GET http://a.example/ HTTP/1.1\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example:81\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: \r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHOST: b.example\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n"sv,
        "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n"sv,
        "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:80\r\n\r\n"sv,
        // fields
        "GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: a\r\n b\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\n X: a\r\nHost: a.example\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n: x\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX\x01: x\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: \x01\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: \x7f\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: a\0b\r\n\r\n"sv,
        // line ends
        "GET http://a.example/ HTTP/1.1\nHost: a.example\n\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: a\rY: b\r\n\r\n"sv,
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\r\n\r\n"sv,
        "\nGET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"sv,
        // two ways to say where the body ends
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n"
        "Content-Length: 1\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1, 1\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: +1\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: -1\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0x1\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length:\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
        "Content-Length: 18446744073709551617\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
        "Transfer-Encoding: chunked, identity\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
        "Transfer-Encoding: xchunked\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"sv,
        "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"sv,
        "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n"sv,
        "CONNECT a.example:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"sv,
    };
    for (const std::string_view text : table) {
        const auto request = read(text);
        ASSERT_FALSE(request) << text;
        EXPECT_EQ(request.error().status, 400) << text << ": " << request.error().reason;
    }
    for (const char* version : {"HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.11", "HTTP/0.9"})
        EXPECT_EQ(read("CONNECT a.example:443 " + std::string(version) + "\r\n\r\n").error().status,
                  505);
}

TEST(Head, MayComeInAnyPieces) {
    const std::string text = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n";
    for (size_t first = 0; first < text.size(); ++first) {
        EXPECT_EQ(head_size(text.substr(0, first), 0).value(), std::nullopt) << first;
        EXPECT_EQ(head_size(text + "more", first).value(), text.size()) << first;
    }
    const std::string wrong = "CONNECT a.example:443 HTTP/1.1\r\nHost: a\rb\r\n\r\n";
    for (size_t first = 0; first < wrong.find("\rb") + 2; ++first)
        EXPECT_FALSE(head_size(wrong, first)) << first;
}

TEST(Head, HasAnEnd) {
    const std::string start = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: ";
    const std::string end = "\r\n\r\n";
    const std::string fill(longest_head - start.size() - end.size(), 'x');
    EXPECT_TRUE(read(start + fill + end));
    const auto too_long = read(start + fill + "x" + end);
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().status, 431);
    EXPECT_EQ(head_size(start + fill + "xxxx", 0).error().status, 431);
}

TEST(Body, EndsWhereItWasAnnounced) {
    const struct {
        Framing framing;
        uint64_t length;
        std::string_view bytes;
        size_t taken;
        bool ended;
    } table[] = {
        {Framing::None, 0, "GET /", 0, true},
        {Framing::Length, 3, "abcGET /", 3, true},
        {Framing::Length, 3, "ab", 2, false},
        {Framing::Chunked, 0, "0\r\n\r\nGET /", 5, true},
        {Framing::Chunked, 0, "3\r\nabc\r\n0\r\n\r\nGET /", 13, true},
        {Framing::Chunked, 0, "3;x=\"y\"\r\n\r\n0\r\n000\r\n\r\n", 21, true},
        {Framing::Chunked, 0, "A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nx", 32, true},
        {Framing::Chunked, 0, "3\r\nabc\r\n", 8, false},
    };
    for (const auto& [framing, length, bytes, taken, ended] : table) {
        Body whole(framing, length);
        EXPECT_EQ(whole.take(bytes), taken) << bytes;
        EXPECT_EQ(whole.ended(), ended) << bytes;
        Body piecewise(framing, length);
        size_t sum = 0;
        for (const char& c : bytes) sum += piecewise.take({&c, 1}).value();
        EXPECT_EQ(sum, taken) << bytes;
    }
    Body endless;
    EXPECT_EQ(endless.take("GET /"), 5U);
    EXPECT_FALSE(endless.ended());
}

TEST(Body, IsRefusedWhereItIsNotClear) {
    for (const std::string_view bytes :
         {"\r\n"sv,    "x"sv,         " 3\r\n"sv,      "3 \r\n"sv,
          "+3\r\n"sv,  "0x3\r\n"sv,   "-1\r\n"sv,      "3\nabc"sv,
          "3\r\r\n"sv, "3\r\nabcd"sv, "3\r\nabc\n"sv,  "3\r\nabc\rx"sv,
          ";x\r\n"sv,  "3;\n"sv,      "3;a\x01\r\n"sv, "1000000000000000\r\n"sv,
          "0\r\n\n"sv, "0\r\n\rx"sv,  "0\r\nA: b\n"sv, "0\r\nA\0\r\n"sv})
        EXPECT_EQ(Body(Framing::Chunked, 0).take(bytes), std::nullopt) << bytes;
    EXPECT_EQ(Body(Framing::Chunked, 0).take("1;" + std::string(20'000, 'x')), std::nullopt);
    EXPECT_EQ(Body(Framing::Chunked, 0).take("0\r\n" + std::string(20'000, 'x')), std::nullopt);
}

}  // namespace
}  // namespace husk::proxy
