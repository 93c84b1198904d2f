// Many calls at a time, and how they end.
#include "client.h"

#include <csignal>
#include <set>

namespace husk::test {
namespace {

TEST(McpCalls, DoNotWaitForEachOther) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const auto gate = husk.dir() / "gate";
    client.bash(1, "until [ -e " + gate.string() + " ]; do sleep 0.05; done; echo first");
    client.bash(2, "echo second");
    EXPECT_EQ(client.next()["id"], 2);
    client.request(3, "ping");
    EXPECT_EQ(client.next()["id"], 3);
    client.bash(4, "touch " + gate.string());
    EXPECT_EQ(client.answer(1)["result"]["structuredContent"]["output"], "first\n");
}

TEST(McpCalls, WaitingForAShellKeepsNobodyElse) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash("s", "sleep 300", {{"run_in_background", true}});
    const std::string id = client.answer("s")["result"]["structuredContent"]["shell_id"];
    for (int i = 0; i < 40; ++i)
        client.request(i, "tools/call", {{"name", "bash_wait"}, {"arguments", {{"shell_id", id}}}});
    client.bash("b", "echo hi");
    EXPECT_EQ(client.answer("b")["result"]["structuredContent"]["output"], "hi\n");
    client.request("k", "tools/call", {{"name", "bash_kill"}, {"arguments", {{"shell_id", id}}}});
    std::set<int> waited;
    while (waited.size() < 40) {
        const Json message = client.next();
        if (message.is_null()) break;
        if (message["id"].is_number()) waited.insert(message["id"].get<int>());
    }
    EXPECT_EQ(waited.size(), 40U);
}

TEST(McpCalls, ThatAreCancelledKillTheTreeAndAreNotAnswered) {
    const Husk husk;
    Witness witness(husk.dir());
    Client client(husk);
    client.initialize();
    client.bash(1, witness.opening() + "echo said; setsid sleep 300 & echo up >&9; sleep 300");
    ASSERT_TRUE(witness.hears("up"));
    client.notify("notifications/cancelled", {{"requestId", 1}, {"reason", "no longer wanted"}});
    EXPECT_TRUE(witness.is_alone());
    client.notify("notifications/cancelled", {{"requestId", 1}});
    client.notify("notifications/cancelled", {{"requestId", "unknown"}});
    EXPECT_TRUE(client.is_silent_about(1));
    const Json listed =
        client.ask(2, "tools/call", {{"name", "bash_list"}})["result"]["structuredContent"];
    const std::string id = listed["shells"][0]["shell_id"];
    // The processes are gone a moment before their keeper has written the ending.
    Json told;
    int request = 3;
    EXPECT_TRUE(eventually([&] {
        const Json arguments = {{"shell_id", id}, {"lines", 5}};
        told = client.ask(
            request++, "tools/call",
            {{"name", "bash_output"}, {"arguments", arguments}})["result"]["structuredContent"];
        return told["status"] != "running";
    }));
    EXPECT_EQ(told["status"], "cancelled");
    EXPECT_EQ(told["output"], "said\n");
}

TEST(McpCalls, ThatAreCancelledEndABashThatStays) {
    const Husk husk;
    Witness witness(husk.dir());
    Client client(husk, {"--contract", "anthropic"});
    client.initialize();
    client.bash(1, witness.opening() + "echo up >&9; sleep 300");
    ASSERT_TRUE(witness.hears("up"));
    EXPECT_EQ(client.ask(2, "ping")["result"], Json::object());
    client.notify("notifications/cancelled", {{"requestId", 1}});
    EXPECT_TRUE(witness.is_alone());
    EXPECT_TRUE(client.is_silent_about(1));
    client.request(3, "tools/call", {{"name", "bash"}, {"arguments", {{"restart", true}}}});
    EXPECT_EQ(client.answer(3)["result"]["content"][0]["text"], "Bash session restarted");
}

TEST(McpCalls, OfOneIdAreRefusedWhileTheFirstIsUnderWay) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash(1, "sleep 300");
    client.bash(1, "echo again");
    EXPECT_EQ(client.next()["error"]["code"], -32600);
    client.notify("notifications/cancelled", {{"requestId", 1}});
    // When the first is gone, the id is free.
    EXPECT_TRUE(eventually([&] {
        client.bash(1, "echo again");
        return client.answer(1).contains("result");
    }));
}

TEST(McpCalls, TellHowTheyGoOnWhenSomebodyWantsToKnow) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash(1, "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.6; done", Json::object(),
                {{"progressToken", "t"}});
    double before = 0;
    int told = 0;
    Json message = client.next();
    for (; message.value("method", "") == "notifications/progress"; message = client.next()) {
        const Json& params = message["params"];
        EXPECT_EQ(params["progressToken"], "t");
        EXPECT_GT(params["progress"], before);
        EXPECT_EQ(params.value("message", "line ").substr(0, 5), "line ");
        before = params["progress"];
        ++told;
    }
    EXPECT_EQ(message["id"], 1);
    EXPECT_GE(told, 2);
    EXPECT_LE(told, 20);  // about one a second, however slow the machine
}

TEST(McpCalls, SayNowAndThenThatNothingIsNew) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.bash(1, "sleep 300", Json::object(), {{"progressToken", 9}});
    EXPECT_EQ(client.next()["params"]["progressToken"], 9);
}

TEST(McpCalls, EndWithTheInputAndBackgroundShellsDoNot) {
    const Husk husk;
    Witness foreground(husk.dir());
    Client client(husk);
    client.initialize();
    client.bash("b", "sleep 300", {{"run_in_background", true}});
    const std::string id = client.answer("b")["result"]["structuredContent"]["shell_id"];
    client.bash("f", foreground.opening() + "trap '' TERM; echo up >&9; sleep 300");
    ASSERT_TRUE(foreground.hears("up"));
    client.close_input();
    EXPECT_EQ(client.exit_code(), 0);
    EXPECT_TRUE(foreground.is_alone());
    EXPECT_EQ(husk.shell(id)["status"], "running");
}

TEST(McpCalls, EndWhenTheClientDies) {
    const Husk husk;
    Witness witness(husk.dir());
    Client client(husk);
    client.initialize();
    client.bash(1, witness.opening() + "echo up >&9; sleep 300");
    ASSERT_TRUE(witness.hears("up"));
    client.stop_reading();
    client.request(2, "ping");  // writing the answer tells that nobody is there
    EXPECT_EQ(client.exit_code(), 0);
    EXPECT_TRUE(witness.is_alone());
}

TEST(McpCalls, EndWithTheServer) {
    const Husk husk;
    for (const int signal : {SIGTERM, SIGKILL}) {
        Witness witness(husk.dir());
        Client client(husk);
        client.initialize();
        client.bash(1, witness.opening() + "echo up >&9; sleep 300");
        ASSERT_TRUE(witness.hears("up"));
        client.kill(signal);
        EXPECT_EQ(client.exit_code(), 128 + signal);
        EXPECT_TRUE(witness.is_alone());
    }
}

// ---- too much

TEST(McpCalls, AThousandAtOnceAreAllAnswered) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    constexpr int count = 1000;
    for (int i = 0; i < count; ++i) {
        if (i % 10 == 0) client.bash(i, "echo $((" + std::to_string(i) + "))");
        if (i % 10 != 0) client.request(i, i % 2 == 0 ? "ping" : "resources/templates/list");
    }
    std::set<int> answered;
    while (answered.size() < count) {
        const Json message = client.next(60s);
        if (message.is_null()) break;
        const int id = message["id"];
        EXPECT_TRUE(answered.insert(id).second) << id;
        if (id % 10 != 0) continue;
        EXPECT_EQ(message["result"]["structuredContent"]["output"], std::to_string(id) + "\n");
    }
    EXPECT_EQ(answered.size(), count);
}

TEST(McpCalls, MoreThanRunAtATimeWaitForTheirTurnAndCanBeCancelledThere) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    constexpr int count = 200;
    for (int i = 0; i < count; ++i) client.bash(i, "sleep 300");
    EXPECT_EQ(client.ask("p", "ping")["result"], Json::object());
    for (int i = 0; i < count; ++i) client.notify("notifications/cancelled", {{"requestId", i}});
    client.bash("after", "echo hi");
    EXPECT_EQ(client.answer("after", 60s)["result"]["structuredContent"]["output"], "hi\n");
}

TEST(McpCalls, AMessageThatIsTooLongIsRefusedAndTheNextIsTaken) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.say(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(17 << 20, 'x') + "\"}");
    EXPECT_EQ(client.next()["error"]["code"], -32600);
    EXPECT_EQ(client.ask(2, "ping")["result"], Json::object());
}

TEST(McpCalls, ADirectoryThatNobodyCanHaveIsRefusedAndLeavesNoMore) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    // Six times as long when it is written into a line of JSON.
    const Json nowhere = {{"working_directory", "/" + std::string(2 << 20, '\x7f')}};
    for (int i = 0; i < 3; ++i) {
        client.bash(i, "echo hi", nowhere);
        const Json answer = client.answer(i);
        EXPECT_EQ(answer["result"]["structuredContent"]["status"], "not_started");
        EXPECT_LT(answer.dump().size(), 4096U);
    }
    EXPECT_LT(read_text(husk.state() / "audit" / "000001.jsonl").size(), 16'384U);
    EXPECT_EQ(husk({"log", "--json"}).out.find("\x7f"), std::string::npos);
}

TEST(McpCalls, AReaderThatIsSlowMissesNoAnswer) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    // Far more than a pipe holds, none of which is read before all is asked for.
    constexpr int count = 100;
    for (int i = 0; i < count; ++i) client.bash(i, "seq 6000", {{"max_output_bytes", 30000}});
    std::set<int> answered;
    for (int i = 0; i < count; ++i) {
        const Json message = client.next();
        if (message.is_null()) break;
        answered.insert(message["id"].get<int>());
    }
    EXPECT_EQ(answered.size(), count);
}

TEST(McpCalls, AServerThatNobodyReadsFromCanBeEnded) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    Witness witness(husk.dir());
    for (int i = 0; i < 150; ++i) client.bash(i, "seq 6000");
    client.bash("last", witness.opening() + "echo up >&9; sleep 300");
    // The last one is not even begun while so much is unread; or it is, and then it is killed.
    witness.hears("up", 1s);
    client.kill(SIGTERM);
    EXPECT_EQ(client.exit_code(), 128 + SIGTERM);
    EXPECT_TRUE(witness.is_alone());
}

// The seed of docware has records of a stream: each comes as it is made, and all in the result.
TEST(McpCalls, OfDocwareGiveTheRecordsOfAStreamWhileTheyRun) {
    const Husk husk;
    Client client(husk, {"--contract", "docware"});
    client.initialize();
    client.request(1, "tools/call",
                   {{"name", "Bash"},
                    {"arguments",
                     {{"command", "echo up; until [ -e go ]; do sleep 0.01; done"},
                      {"enable_shell_features", true},
                      {"stream_output", true}}},
                    {"_meta", {{"progressToken", "t"}}}});
    Json records = Json::array();
    double progress = -1;
    Json message = client.next();
    for (; message.contains("method"); message = client.next()) {
        const Json& params = message["params"];
        EXPECT_EQ(params["progressToken"], "t");
        EXPECT_GT(params["progress"], progress);
        progress = params["progress"];
        if (!params.contains("_meta")) continue;
        const Json& record = params["_meta"]["husk/record"];
        EXPECT_EQ(record["sequenceNumber"], records.size()) << "without gaps";
        if (record["type"] == "stdout") {
            EXPECT_EQ(params["message"], "up\n");
            // It ends only when its output has been seen.
            write_text(husk.dir() / "go", "");
        }
        records.push_back(record);
    }
    ASSERT_EQ(message["id"], 1) << message;
    EXPECT_EQ(message["result"]["_meta"]["docware/stream"], records);
}

}  // namespace
}  // namespace husk::test
