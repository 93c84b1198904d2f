#include "serve/http_events.h"

#include <gtest/gtest.h>

#include "serve/http_mcp_headers.h"
#include "serve/http_metrics.h"

namespace husk::serve::http {
namespace {

TEST(SseFrame, HasIdTypeAndLinesOfData) {
    EXPECT_EQ(sse_frame("a-1", "x", "{}"), "id: a-1\nevent: x\ndata: {}\n\n");
    EXPECT_EQ(sse_frame("", "", ""), "data: \n\n");
    EXPECT_EQ(sse_frame("", "x", "a\nb"), "event: x\ndata: a\ndata: b\n\n");
}

TEST(EventLog, KnowsWhereToGoOn) {
    EventLog log("run", {.events = 3, .bytes = 10'000});
    EXPECT_EQ(log.after("run-0"), 1U);
    for (int i = 0; i < 5; ++i) log.add("t", "", Json::object());
    EXPECT_EQ(log.first(), 3U);
    EXPECT_EQ(log.end(), 6U);
    EXPECT_EQ(log.after("run-5"), 6U);
    EXPECT_EQ(log.after("run-2"), 3U);
    for (const char* id : {"run-1", "run-6", "other-3", "run-", "run", "", "-", "run--1"})
        EXPECT_EQ(log.after(id), std::nullopt) << id;
    EXPECT_EQ(log.at(5).frame, "id: run-5\nevent: t\ndata: {}\n\n");
}

TEST(EventLog, IsBoundedInBytes) {
    EventLog log("r", {.events = 1000, .bytes = 4096});
    for (int i = 0; i < 100; ++i) log.add("t", "", Json(std::string(1000, 'x')));
    EXPECT_LE(log.end() - log.first(), 4U);
    EXPECT_GE(log.end() - log.first(), 3U);
}

TEST(Metrics, AreLinesThatPrometheusReads) {
    EXPECT_EQ(label_value("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
    Metrics metrics;
    metrics.count_request("/v1", 200);
    metrics.count_call("bash", "exited", 40);
    metrics.add("husk_x", "X.", Metrics::Kind::Gauge, [] { return 1.5; });
    const std::string text = metrics.text();
    for (const char* line :
         {"husk_http_requests_total{route=\"/v1\",status=\"200\"} 1\n",
          "husk_calls_total{tool=\"bash\",status=\"exited\"} 1\n",
          "husk_call_seconds_bucket{le=\"0.01\"} 0\n", "husk_call_seconds_bucket{le=\"0.05\"} 1\n",
          "husk_call_seconds_bucket{le=\"+Inf\"} 1\n", "husk_x 1.5\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(McpHeaders, SayWhatTheBodySays) {
    EXPECT_EQ(header_value("bash"), "bash");
    EXPECT_EQ(header_value("=?base64?YmFzaA==?="), "bash");
    EXPECT_EQ(header_value("=?base64?*?="), std::nullopt);
    const Json message = Json::parse(
        R"({"id":1,"method":"tools/call","params":{"name":"bash",
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
    const auto fault = [&](std::vector<std::pair<std::string, std::string>> headers) {
        return check_headers({.method = "POST", .path = "/mcp", .headers = std::move(headers)},
                             message)
            .has_value();
    };
    const std::pair<std::string, std::string> version = {"mcp-protocol-version", "2026-07-28"};
    const std::pair<std::string, std::string> method = {"mcp-method", "tools/call"};
    EXPECT_FALSE(fault({version, method, {"mcp-name", "bash"}}));
    EXPECT_FALSE(fault({version, method, {"mcp-name", "=?base64?YmFzaA==?="}}));
    EXPECT_TRUE(fault({version, method}));
    EXPECT_TRUE(fault({version, {"mcp-name", "bash"}}));
    EXPECT_TRUE(fault({method, {"mcp-name", "bash"}}));
    EXPECT_TRUE(fault({version, method, {"mcp-name", "Bash"}}));
    EXPECT_TRUE(fault({version, {"mcp-method", "tools/list"}, {"mcp-name", "bash"}}));
    EXPECT_TRUE(fault({{"mcp-protocol-version", "2025-11-25"}, method, {"mcp-name", "bash"}}));
}

}  // namespace
}  // namespace husk::serve::http
