// MCP over HTTP, both eras. What messages mean is tested with `husk mcp`; here it is about
// carrying.
#include <gmock/gmock.h>

#include "client.h"
#include "http_client.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

const Headers usual = {{"Content-Type", "application/json"},
                       {"Accept", "application/json, text/event-stream"}};

Headers operator+(Headers one, const Headers& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

Json request(const Json& id, const std::string& method, const Json& params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

Json bash(const Json& id, const std::string& command, const Json& meta = nullptr) {
    Json params = {{"name", "bash"}, {"arguments", {{"command", command}}}};
    if (!meta.is_null()) params["_meta"] = meta;
    return request(id, "tools/call", params);
}

// A session of the era with connections.
struct Session {
    explicit Session(const HttpServer& server, const Json& capabilities = Json::object(),
                     const std::string& version = "2025-11-25") {
        const HttpAnswer answer =
            server.post("/mcp",
                        request(0, "initialize",
                                {{"protocolVersion", version},
                                 {"capabilities", capabilities},
                                 {"clientInfo", {{"name", "test"}, {"version", "1"}}}}),
                        usual);
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.json()["result"]["protocolVersion"], version);
        headers = usual + Headers{{"Mcp-Session-Id", answer.headers.at("mcp-session-id")},
                                  {"MCP-Protocol-Version", version}};
    }
    Headers headers;
};

Headers modern(const std::string& method, const std::string& name = "") {
    return usual + Headers{{"MCP-Protocol-Version", "2026-07-28"},
                           {"Mcp-Method", method},
                           {"Mcp-Name", name}};
}

TEST(ServeMcp, SessionsBeginAndEnd) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    const Json initialized = {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}};
    EXPECT_EQ(server.post("/mcp", initialized, session.headers).status, 202);
    const HttpAnswer tools = server.post("/mcp", request("t", "tools/list"), session.headers);
    EXPECT_EQ(tools.headers.at("content-type"), "application/json");
    EXPECT_EQ(tools.json()["id"], "t");
    EXPECT_FALSE(tools.json()["result"]["tools"].empty());
    EXPECT_EQ(server.post("/mcp", request(1, "ping"), usual).status, 400);
    EXPECT_EQ(
        server.post("/mcp", request(1, "ping"), usual + Headers{{"Mcp-Session-Id", "x"}}).status,
        404);
    EXPECT_EQ(server.ask("DELETE", "/mcp", "", session.headers).status, 204);
    EXPECT_EQ(server.post("/mcp", request(1, "ping"), session.headers).status, 404);
}

TEST(ServeMcp, WhatIsNoMessageIsRefused) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    EXPECT_EQ(server.ask("POST", "/mcp", "{", session.headers).status, 400);
    EXPECT_EQ(server.ask("POST", "/mcp", "{}", {{"Content-Type", "text/plain"}}).status, 415);
    EXPECT_EQ(server.ask("PUT", "/mcp", "{}", session.headers).status, 405);
    Headers wrong = session.headers;
    wrong.back().second = "2024-11-05";
    EXPECT_EQ(server.post("/mcp", request(1, "ping"), wrong).status, 400);
}

TEST(ServeMcp, QuickCallsAreAnsweredWithJsonAndSlowOnesWithAStream) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    HttpAnswer quick;  // within a second, which a busy machine may need to start a session
    EXPECT_TRUE(eventually([&] {
        quick = server.post("/mcp", bash(1, "echo quick"), session.headers);
        return quick.headers.at("content-type") == "application/json";
    }));
    EXPECT_THAT(quick.body, HasSubstr("quick"));
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp",
                         bash(2, "echo begun; sleep 2; echo done", {{"progressToken", 7}}).dump(),
                         session.headers));
    EXPECT_EQ(wire.head().headers.at("content-type"), "text/event-stream");
    const auto first = wire.event();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->data, "");  // something to resume from
    EXPECT_EQ(first->retry, "500");
    const Json progress = wire.event()->json();
    EXPECT_EQ(progress["method"], "notifications/progress");
    EXPECT_EQ(progress["params"]["progressToken"], 7);
    EXPECT_EQ(progress["params"]["message"], "begun");
    Json last = progress;
    while (!last.contains("id")) {
        const auto event = wire.event();
        ASSERT_TRUE(event);
        last = event->json();
    }
    EXPECT_EQ(last["id"], 2);
    EXPECT_FALSE(wire.event(1s));  // the end of the stream
}

TEST(ServeMcp, AStreamThatBrokeIsGoneOnWith) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    std::string seen;
    {
        HttpWire wire(server.port());
        const std::string command = "until [ -e go ]; do sleep 0.05; done; echo survived";
        wire.say(server.text("POST", "/mcp", bash(1, command).dump(), session.headers));
        wire.head();
        seen = wire.event()->id;
    }
    ASSERT_FALSE(seen.empty());
    const auto again = server.stream("/mcp", session.headers + Headers{{"Last-Event-ID", seen}});
    write_text(husk.dir() / "go", "");
    const auto answer = again->event();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->json()["id"], 1);
    EXPECT_THAT(answer->data, HasSubstr("survived"));
}

TEST(ServeMcp, ACallWhoseClientDoesNotComeBackIsCancelled) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    const std::string word = unique_word();
    {
        HttpWire wire(server.port());
        wire.say(server.text("POST", "/mcp", bash(1, "sleep 600 # " + word + "\n:").dump(),
                             session.headers));
        ASSERT_TRUE(eventually([&] { return !processes_with(word).empty(); }));
    }
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }, 20s));
}

TEST(ServeMcp, ACallIsCancelledByNotification) {
    const Husk husk;
    const HttpServer server(husk);
    const Session session(server);
    const std::string word = unique_word();
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp", bash(1, "sleep 600 # " + word + "\n:").dump(),
                         session.headers));
    ASSERT_TRUE(eventually([&] { return !processes_with(word).empty(); }));
    EXPECT_THAT(server.post("/mcp", bash(1, "true"), session.headers).body,
                HasSubstr("still under way"));
    server.post(
        "/mcp",
        {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}},
        session.headers);
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
}

TEST(ServeMcp, WithoutConnectionsEachRequestStandsForItself) {
    const Husk husk;
    const HttpServer server(husk);
    const Json meta = {{"_meta", meta_2026()}};
    const HttpAnswer found =
        server.post("/mcp", request(1, "server/discover", meta), modern("server/discover"));
    EXPECT_EQ(found.status, 200);
    EXPECT_EQ(found.json()["result"]["resultType"], "complete");
    const HttpAnswer called =
        server.post("/mcp", bash(1, "echo modern", meta_2026()), modern("tools/call", "bash"));
    EXPECT_EQ(called.status, 200);
    EXPECT_THAT(called.body, HasSubstr("modern"));
    EXPECT_FALSE(called.headers.contains("mcp-session-id"));
    EXPECT_EQ(server.post("/mcp", request(1, "nope", meta), modern("nope")).status, 404);
    EXPECT_EQ(server.ask("GET", "/mcp", "", modern("x")).status, 405);
}

TEST(ServeMcp, WithoutConnectionsHeadersSayWhatTheBodySays) {
    const Husk husk;
    const HttpServer server(husk);
    const auto code = [&](const Json& message, const Headers& headers) {
        const HttpAnswer answer = server.post("/mcp", message, headers);
        EXPECT_EQ(answer.status, 400) << answer.body;
        return answer.json()["error"]["code"].get<int>();
    };
    EXPECT_EQ(code(bash(1, "true", meta_2026()), modern("tools/call")), -32020);
    EXPECT_EQ(code(bash(1, "true", meta_2026()), modern("tools/call", "other")), -32020);
    EXPECT_EQ(code(bash(1, "true", meta_2026()), modern("tools/list", "bash")), -32020);
    EXPECT_EQ(code(bash(1, "true", meta_2026()), usual), -32020);
    EXPECT_EQ(code(bash(1, "true"), modern("tools/call", "bash")), -32602);
    Json other = meta_2026();
    other["io.modelcontextprotocol/protocolVersion"] = "2030-01-01";
    Headers headers = modern("tools/call", "bash");
    headers[2].second = "2030-01-01";
    EXPECT_EQ(code(bash(1, "true", other), headers), -32022);
}

TEST(ServeMcp, WithoutConnectionsClosingTheStreamKillsTheTree) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string word = unique_word();
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp",
                         bash(1, "echo kept; sleep 600 # " + word + "\n:", meta_2026()).dump(),
                         modern("tools/call", "bash")));
    ASSERT_TRUE(eventually([&] { return live_bytes(server) == 5; }));
    wire.close();
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
    const Json calls = server.get("/v1/calls").json();
    const std::string shell = calls["calls"][0]["shell_id"];
    EXPECT_EQ(calls["calls"][0]["via"], "mcp");
    EXPECT_EQ(server.get("/v1/shells/" + shell + "/output").json()["text"], "kept\n");
}

TEST(ServeMcp, ListeningIsAStreamThatEndsWithTheServer) {
    const Husk husk;
    HttpServer server(husk);
    const std::string id = server.bash("sleep 300", {{"run_in_background", true}})["shell_id"];
    const std::string uri = "husk://shells/" + id + "/log";
    const Json listen =
        request("ear", "subscriptions/listen",
                {{"_meta", meta_2026()}, {"notifications", {{"resourceSubscriptions", {uri}}}}});
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp", listen.dump(), modern("subscriptions/listen")));
    EXPECT_EQ(wire.head().headers.at("content-type"), "text/event-stream");
    EXPECT_EQ(wire.event()->json()["method"], "notifications/subscriptions/acknowledged");
    husk({"kill", id});
    const Json told = wire.event()->json();
    EXPECT_EQ(told["method"], "notifications/resources/updated");
    EXPECT_EQ(told["params"]["uri"], uri);
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(wire.event()->json()["id"], "ear");
    EXPECT_FALSE(wire.event());
}

TEST(ServeMcp, ListeningNeedsAStream) {
    const Husk husk;
    const HttpServer server(husk);
    Headers headers = modern("subscriptions/listen");
    headers[1].second = "application/json";
    const Json listen =
        request(1, "subscriptions/listen",
                {{"_meta", meta_2026()}, {"notifications", {{"resourcesListChanged", true}}}});
    EXPECT_EQ(server.post("/mcp", listen, headers).status, 406);
}

TEST(ServeMcp, NamesTheTaskInAHeader) {
    const Husk husk;
    const HttpServer server(husk);
    const Json meta =
        meta_2026({{"extensions", {{"io.modelcontextprotocol/tasks", Json::object()}}}});
    Headers no_stream = modern("tools/call", "bash");  // however long it takes to start
    no_stream[1].second = "application/json";
    const Json created = server.post("/mcp", bash(1, "sleep 300", meta), no_stream).json();
    const std::string task = created["result"]["taskId"];
    const Json get = request(2, "tasks/get", {{"taskId", task}, {"_meta", meta}});
    EXPECT_EQ(server.post("/mcp", get, modern("tasks/get", task)).json()["result"]["status"],
              "working");
    EXPECT_EQ(server.post("/mcp", get, modern("tasks/get", "other")).json()["error"]["code"],
              -32020);
    const Json plain = request(3, "tasks/get", {{"taskId", task}, {"_meta", meta_2026()}});
    EXPECT_EQ(server.post("/mcp", plain, modern("tasks/get", task)).status, 400);
}

class ServeMcpAsking : public testing::Test {
protected:
    ServeMcpAsking() {
        std::filesystem::create_directories(husk.dir() / "config" / "husk");
        write_text(husk.dir() / "config" / "husk" / "husk.yaml",
                   "permissions:\n  ask: [\"Bash(seq:*)\"]\n");
    }
    const Husk husk;
};

TEST_F(ServeMcpAsking, TheClientIsAskedOnTheStreamOfItsCall) {
    const HttpServer server(husk);
    const Session session(server, {{"elicitation", Json::object()}});
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp", bash(1, "seq 3").dump(), session.headers));
    EXPECT_EQ(wire.head().headers.at("content-type"), "text/event-stream");
    wire.event();
    const Json question = wire.event()->json();
    EXPECT_EQ(question["method"], "elicitation/create");
    server.post("/mcp",
                {{"jsonrpc", "2.0"},
                 {"id", question["id"]},
                 {"result", {{"action", "accept"}, {"content", Json::object()}}}},
                session.headers);
    EXPECT_THAT(wire.event()->data, HasSubstr("1\\n2\\n3"));
}

TEST_F(ServeMcpAsking, WithoutConnectionsTheCallIsMadeAgainWithTheAnswer) {
    const HttpServer server(husk);
    const Json meta = meta_2026({{"elicitation", Json::object()}});
    const Json first =
        server.post("/mcp", bash(1, "seq 3", meta), modern("tools/call", "bash")).json();
    ASSERT_EQ(first["result"]["resultType"], "input_required");
    EXPECT_TRUE(eventually([&] { return server.metric("husk_calls_running") == 0; }));
    Json again = bash(2, "seq 3", meta);
    again["params"]["requestState"] = first["result"]["requestState"];
    again["params"]["inputResponses"] = {{"approve", {{"action", "accept"}}}};
    EXPECT_THAT(server.post("/mcp", again, modern("tools/call", "bash")).body,
                HasSubstr("1\\n2\\n3"));
}

TEST_F(ServeMcpAsking, WhereTheClientCannotAPersonIsAskedThroughTheApi) {
    const HttpServer server(husk);
    const Session session(server);
    const auto events = server.stream("/v1/events?types=approval");
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/mcp", bash(1, "seq 3").dump(), session.headers));
    const auto asked = events->event_of("approval.asked");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->json()["via"], "mcp");
    const std::string id = asked->json()["approval_id"];
    server.post("/v1/approvals/" + id, {{"decision", "allow"}});
    EXPECT_THAT(wire.answer().body, HasSubstr("1\\n2\\n3"));
}

}  // namespace
}  // namespace husk::test
