#include "serve/http_message.h"

#include <gtest/gtest.h>

namespace husk::serve::http {
namespace {

TEST(HttpTarget, IsTakenApart) {
    Request request;
    ASSERT_TRUE(read_target("/v1/a%20b+c?x=1&y=a+b%26&flag&=no", request));
    EXPECT_EQ(request.path, "/v1/a b+c");
    EXPECT_EQ(request.query, (decltype(request.query){{"x", "1"}, {"y", "a b&"}, {"flag", ""}}));
}

TEST(HttpTarget, ThatIsNoneIsRefused) {
    for (const char* target :
         {"", "v1", "http://x/v1", "*", "/%", "/%4", "/%zz", "/a%00b", "/?x=%"}) {
        Request request;
        EXPECT_FALSE(read_target(target, request)) << target;
    }
}

TEST(HttpHeaders, AreFoundByNameInLowerCase) {
    const Request request{
        .method = "GET",
        .path = "/",
        .headers = {{"accept", "a"}, {"cookie", "x=1; husk=abc"}, {"accept", "b"}}};
    EXPECT_EQ(request.header("accept"), "a, b");
    EXPECT_EQ(request.header("origin"), "");
    EXPECT_FALSE(request.has_header("origin"));
    EXPECT_EQ(request.cookie("husk"), "abc");
    EXPECT_EQ(request.cookie("hus"), std::nullopt);
}

TEST(HttpResponse, HasALengthOrChunks) {
    const Response response{.status = 404, .type = "text/plain", .headers = {{"X-Y", "z"}}};
    EXPECT_EQ(head_with_length(response, 3, false),
              "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
              "X-Content-Type-Options: nosniff\r\nX-Y: z\r\nContent-Length: 3\r\n"
              "Connection: close\r\n\r\n");
    EXPECT_TRUE(head_of_chunks(response).ends_with("Transfer-Encoding: chunked\r\n\r\n"));
    EXPECT_EQ(chunk(std::string(26, 'x')), "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(HttpMessage, ABodyHasOneEnd) {
    using Headers = std::vector<std::pair<std::string, std::string>>;
    const auto unclear = [](Headers headers) {
        Request request;
        request.headers = std::move(headers);
        return unclear_length(request);
    };
    EXPECT_EQ(unclear({}), "");
    EXPECT_EQ(unclear({{"content-length", "3"}}), "");
    EXPECT_EQ(unclear({{"transfer-encoding", "Chunked"}}), "");
    EXPECT_NE(unclear({{"transfer-encoding", "xchunked"}}), "");
    EXPECT_NE(unclear({{"transfer-encoding", ""}, {"content-length", "3"}}), "");
    EXPECT_NE(unclear({{"transfer-encoding", "gzip, chunked"}}), "");
    EXPECT_NE(unclear({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}), "");
    EXPECT_NE(unclear({{"transfer-encoding", "chunked"}, {"content-length", "3"}}), "");
    EXPECT_NE(unclear({{"content-length", "3"}, {"content-length", "3"}}), "");
}

}  // namespace
}  // namespace husk::serve::http
