// What `husk mcp` answers, era by era.
#include "client.h"

#include <gmock/gmock.h>

namespace husk::test {
namespace {

using testing::ElementsAre;

TEST(Mcp, AgreesOnTheClientsVersionOrNamesItsNewest) {
    const std::pair<std::string, std::string> cases[] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"}, {"2023-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"},
        {"", "2025-11-25"},
    };
    const Husk husk;
    Client client(husk);
    for (const auto& [asked, given] : cases) {
        const Json result = client.initialize(asked)["result"];
        EXPECT_EQ(result["protocolVersion"], given) << asked;
        EXPECT_EQ(result["serverInfo"]["name"], "husk");
        EXPECT_TRUE(result["capabilities"].contains("tools"));
    }
}

TEST(Mcp, ListsTheToolsOfTheContract) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const Json tools = client.ask(1, "tools/list")["result"]["tools"];
    std::vector<std::string> names;
    for (const Json& tool : tools) names.push_back(tool["name"]);
    EXPECT_THAT(names, ElementsAre("bash", "bash_output", "bash_wait", "bash_kill", "bash_list"));
    EXPECT_EQ(tools[0]["annotations"]["destructiveHint"], true);
    EXPECT_EQ(tools[1]["annotations"]["readOnlyHint"], true);

    Client other(husk, {"--contract", "codegen"});
    other.initialize();
    EXPECT_EQ(other.ask(1, "tools/list")["result"]["tools"][0]["name"], "Bash");
}

TEST(Mcp, AnswersACallWithWhatTheToolSays) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash("a", "echo hi; exit 3");
    const Json result = client.answer("a")["result"];
    EXPECT_EQ(result["structuredContent"], (Json{{"exit_code", 3}, {"output", "hi\n"}}));
    EXPECT_EQ(result["isError"], false);
    EXPECT_FALSE(result.contains("resultType"));  // of the other era
}

// What is sent, and the code of the error that comes; each with the id 1 or null.
struct Wrong {
    std::string line;
    int code;
    bool has_id;
};

TEST(Mcp, TellsWhatIsWrongAndGoesOn) {
    const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)";
    const Wrong cases[] = {
        {"{", -32700, false},
        {"nonsense", -32700, false},
        {"\"\xff\"", -32700, false},
        {std::string(100'000, '['), -32700, false},
        {R"({"x":)" + std::string(200, '[') + std::string(200, ']') + "}", -32700, false},
        {"3", -32600, false},
        {"null", -32600, false},
        {"[]", -32600, false},
        {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600, false},
        {"{}", -32600, false},
        {R"({"id":1,"method":"ping"})", -32600, true},
        {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600, true},
        {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600, true},
        {R"({"jsonrpc":"2.0","id":1})", -32600, true},
        {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600, false},
        {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600, false},
        {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", -32602, true},
        {R"({"jsonrpc":"2.0","id":1,"method":"no/such"})", -32601, true},
        {R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})", -32601, true},
        {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})", -32602, true},
        {R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})", -32602, true},
        {R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":9}})", -32602,
         true},
        {call + "{}}", -32602, true},
        {call + R"({"name":3}})", -32602, true},
        {call + R"({"name":"no_such_tool"}})", -32602, true},
        {call + R"({"name":"bash","arguments":[]}})", -32602, true},
        {call + R"({"name":"bash","arguments":"x"}})", -32602, true},
    };
    const Husk husk;
    Client client(husk);
    client.initialize();
    for (const Wrong& wrong : cases) {
        client.say(wrong.line);
        const Json message = client.next();
        ASSERT_TRUE(message.contains("error")) << wrong.line.substr(0, 200) << message;
        EXPECT_EQ(message["error"]["code"], wrong.code) << wrong.line.substr(0, 200);
        EXPECT_EQ(message["id"], wrong.has_id ? Json(1) : Json()) << wrong.line.substr(0, 200);
    }
    EXPECT_EQ(client.ask(2, "ping")["result"], Json::object());
}

TEST(Mcp, TellsOfWrongArgumentsInTheResult) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const Json cases[] = {Json::object(), {{"command", true}}, {{"command", "x"}, {"timeout", 1}}};
    for (const Json& arguments : cases) {
        const Json result =
            client.ask(1, "tools/call", {{"name", "bash"}, {"arguments", arguments}})["result"];
        EXPECT_EQ(result["isError"], true) << arguments;
    }
}

TEST(Mcp, IgnoresBlankLinesAndStrangeNotificationsAndResponses) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    for (const char* line : {"", "  \r", R"({"jsonrpc":"2.0","method":"notifications/strange"})",
                             R"({"jsonrpc":"2.0","id":"husk-1","result":{}})",
                             R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}})",
                             R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"})
        client.say(std::string(line));
    client.request(1, "ping");
    EXPECT_EQ(client.next()["id"], 1);
}

TEST(Mcp, HasBatchesInTheOneVersionThatHasThem) {
    const Husk husk;
    Client client(husk);
    client.initialize("2025-03-26");
    client.say(Json::parse(R"([
        {"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/strange"},
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash","arguments":{"command":"echo hi"}}},
        {"jsonrpc":"2.0","id":3,"method":"no/such"}])"));
    const Json answers = client.next();
    ASSERT_TRUE(answers.is_array()) << answers;
    EXPECT_EQ(answers.size(), 3U);
    for (const Json& one : answers)
        if (one["id"] == 2) {
            EXPECT_EQ(one["result"]["structuredContent"]["output"], "hi\n");
        }
}

// ---- the era without connections

TEST(Mcp2026, NeedsNoHandshake) {
    const Husk husk;
    Client client(husk);
    const Json found = client.ask(1, "server/discover", {{"_meta", meta_2026()}})["result"];
    EXPECT_EQ(found["supportedVersions"], Json::array({"2026-07-28"}));
    EXPECT_EQ(found["resultType"], "complete");
    EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "husk");
    const Json tools = client.ask(2, "tools/list", {{"_meta", meta_2026()}})["result"];
    EXPECT_TRUE(tools["ttlMs"].is_number_integer());
    EXPECT_EQ(tools["cacheScope"], "private");
    client.bash(3, "echo hi", Json::object(), meta_2026());
    const Json result = client.answer(3)["result"];
    EXPECT_EQ(result["resultType"], "complete");
    EXPECT_EQ(result["structuredContent"]["output"], "hi\n");
}

TEST(Mcp2026, IsDecidedForEachRequest) {
    const Husk husk;
    Client client(husk);
    client.initialize("2025-06-18");
    EXPECT_FALSE(client.ask(1, "tools/list")["result"].contains("resultType"));
    EXPECT_EQ(client.ask(2, "tools/list", {{"_meta", meta_2026()}})["result"]["resultType"],
              "complete");
    EXPECT_FALSE(client.ask(3, "tools/list")["result"].contains("resultType"));
}

TEST(Mcp2026, RefusesWhatIsNotOfIt) {
    Json unknown = meta_2026();
    unknown["io.modelcontextprotocol/protocolVersion"] = "2031-01-01";
    Json mute = meta_2026();
    mute.erase("io.modelcontextprotocol/clientCapabilities");
    Json strange = meta_2026();
    strange["io.modelcontextprotocol/protocolVersion"] = 7;
    const std::tuple<std::string, Json, int> cases[] = {
        {"tools/list", unknown, -32022},           {"tools/list", mute, -32602},
        {"tools/list", strange, -32602},           {"server/discover", Json::object(), -32602},
        {"initialize", meta_2026(), -32601},       {"ping", meta_2026(), -32601},
        {"logging/setLevel", meta_2026(), -32601},
    };
    const Husk husk;
    Client client(husk);
    for (const auto& [method, meta, code] : cases) {
        const Json error = client.ask(1, method, {{"_meta", meta}})["error"];
        EXPECT_EQ(error["code"], code) << method;
        if (code == -32022) {
            EXPECT_EQ(error["data"]["supported"], Json::array({"2026-07-28"}));
        }
    }
}

// ---- resources

TEST(Mcp, ShowsLogsAsResources) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash(1, "echo in the log; sleep 300", {{"timeout_ms", 500}});
    const std::string id = client.answer(1)["result"]["structuredContent"]["shell_id"];
    const std::string uri = "husk://shells/" + id + "/log";
    EXPECT_EQ(client.ask(2, "resources/list")["result"]["resources"][0]["uri"], uri);
    EXPECT_EQ(
        client.ask(3, "resources/templates/list")["result"]["resourceTemplates"][0]["uriTemplate"],
        "husk://shells/{id}/log");
    EXPECT_TRUE(eventually([&] {
        const Json read = client.ask(4, "resources/read", {{"uri", uri}});
        return read["result"]["contents"][0]["text"] == "in the log\n";
    }));
    // By how the id begins, or by what the command has in it.
    const std::pair<std::string, Json> begun[] = {
        {id.substr(0, 2), {id}}, {"in the log", {id}}, {"of nobody", Json::array()}};
    for (const auto& [text, ids] : begun) {
        const Json completed =
            client.ask(5, "completion/complete",
                       {{"ref", {{"type", "ref/resource"}, {"uri", "husk://shells/{id}/log"}}},
                        {"argument", {{"name", "id"}, {"value", text}}}});
        EXPECT_EQ(completed["result"]["completion"]["values"], ids) << text;
    }
    for (const char* none : {"husk://shells/none-1/log", "husk://shells//log", "file:///etc/passwd",
                             "husk://shells/../../x/log"}) {
        EXPECT_EQ(client.ask(6, "resources/read", {{"uri", none}})["error"]["code"], -32002);
        const Json params = {{"uri", none}, {"_meta", meta_2026()}};
        EXPECT_EQ(client.ask(7, "resources/read", params)["error"]["code"], -32602);
    }
    EXPECT_EQ(client.ask(8, "logging/setLevel", {{"level", "warning"}})["result"], Json::object());
}

}  // namespace
}  // namespace husk::test
