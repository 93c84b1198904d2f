#include "place/http_text.h"

#include <gtest/gtest.h>

namespace husk::place {
namespace {

// The answer as it comes byte by byte: the body, as soon as it is complete.
std::optional<std::string> heard(const std::string& text, bool closes) {
    for (size_t size = 0; size <= text.size(); ++size) {
        const std::string_view so_far = std::string_view(text).substr(0, size);
        const auto head = read_head(so_far);
        if (!head) continue;
        const bool closed = closes && size == text.size();
        if (auto body = read_body(*head, so_far, closed)) return body;
    }
    return std::nullopt;
}

TEST(HttpText, AnAnswerEndsWhereItsHeadSays) {
    EXPECT_EQ(heard("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", false), "{}");
    EXPECT_EQ(heard("HTTP/1.1 204 No Content\r\n\r\n", false), "");
    EXPECT_EQ(heard("HTTP/1.1 304 Not Modified\r\n\r\n", false), "");
    EXPECT_EQ(heard("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
                    false),
              "abc0123456789");
    EXPECT_EQ(heard("HTTP/1.0 200 OK\r\n\r\nuntil the end", true), "until the end");
    EXPECT_EQ(heard("HTTP/1.0 200 OK\r\n\r\nnot yet", false), std::nullopt);
    EXPECT_EQ(heard("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc", true), std::nullopt);
    EXPECT_EQ(heard("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", true),
              std::nullopt);
}

TEST(HttpText, AHeadHasAStatusOrIsNone) {
    EXPECT_EQ(read_head("HTTP/1.1 101 UPGRADED\r\n\r\n")->status, 101);
    EXPECT_EQ(read_head("HTTP/1.1 404 Not Found\r\n\r\n")->status, 404);
    for (const char* text :
         {"\r\n\r\n", "hello\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1\r\n\r\n"})
        EXPECT_EQ(read_head(text)->status, 0) << text;
    EXPECT_FALSE(read_head("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpText, ARequestSaysHowLongItIs) {
    EXPECT_EQ(request_text("GET", "/info", ""),
              "GET /info HTTP/1.1\r\nHost: engine\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(request_text("POST", "/x", "{}", "A: b\r\n"),
              "POST /x HTTP/1.1\r\nHost: engine\r\nA: b\r\nContent-Type: application/json\r\n"
              "Content-Length: 2\r\n\r\n{}");
    EXPECT_EQ(escaped("debian:12/x y?\n"), "debian:12/x%20y%3F%0A");
}

}  // namespace
}  // namespace husk::place
