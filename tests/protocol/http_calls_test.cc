// Calls, shells, output and approvals over HTTP.
#include <gmock/gmock.h>

#include "http_client.h"

namespace husk::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ServeCalls, AreAnsweredWithResultAndReport) {
    const Husk husk;
    const HttpServer server(husk);
    const Json call = server.bash("echo out; exit 3");
    EXPECT_EQ(call["state"], "done");
    EXPECT_EQ(call["via"], "v1");
    EXPECT_EQ(call["report"]["exit_code"], 3);
    EXPECT_EQ(call["report"]["verdict"]["decision"], "allow");
    EXPECT_THAT(call["result"]["content"][0]["text"].get<std::string>(), HasSubstr("out"));
    EXPECT_EQ(call["shell_id"], call["report"]["shell_id"]);
    const std::string id = call["call_id"];
    EXPECT_EQ(server.get("/v1/calls/" + id).json(), call);
    EXPECT_EQ(server.get("/v1/calls").json()["calls"][0]["call_id"], id);
}

TEST(ServeCalls, ThatMakeNoSenseAreToldSo) {
    const Husk husk;
    const HttpServer server(husk);
    EXPECT_EQ(server.post("/v1/calls", {{"tool", "nope"}}).status, 404);
    EXPECT_EQ(server.post("/v1/calls", {{"tool", 1}}).status, 400);
    EXPECT_EQ(server.post("/v1/calls", {{"tool", "bash"}, {"arguments", "x"}}).status, 400);
    EXPECT_EQ(server.ask("POST", "/v1/calls", "[").status, 400);
    EXPECT_EQ(server.ask("POST", "/v1/calls", "[]").status, 400);
    EXPECT_EQ(server.post("/v1/calls", {{"tool", "bash"}}).json()["result"]["isError"], true);
    EXPECT_EQ(server.get("/v1/calls/c-999").status, 404);
    EXPECT_EQ(server.get("/v1/shells/nobody-1").status, 404);
    EXPECT_EQ(server.get("/v1/shells/nobody-1/output").status, 404);
    EXPECT_EQ(server.get("/v1/shells/nobody-1/follow").status, 404);
    EXPECT_EQ(server.post("/v1/shells/nobody-1/kill", Json::object()).status, 404);
    EXPECT_EQ(server.get("/v1/shells/..%2f..%2fx-1").status, 404);
    EXPECT_EQ(server.ask("PUT", "/v1/calls").status, 405);
    EXPECT_EQ(server.ask("PUT", "/v1/calls").headers.at("allow"), "GET, POST");
    EXPECT_EQ(server.get("/v1/nothing").status, 404);
}

std::string shell_of(const HttpServer& server, const std::string& call) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
        const Json json = server.get("/v1/calls/" + call).json();
        if (json["shell_id"].is_string()) id = json["shell_id"];
        return !id.empty();
    }));
    return id;
}

TEST(ServeCalls, CanBeCancelledWithEverythingTheyStarted) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string word = unique_word();
    const std::string call = server.begin("echo before; sleep 600 # " + word + "\nsleep 601");
    const std::string shell = shell_of(server, call);
    ASSERT_TRUE(eventually([&] { return live_bytes(server) == 7; }));
    EXPECT_EQ(server.ask("DELETE", "/v1/calls/" + call).status, 200);
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
    EXPECT_TRUE(
        eventually([&] { return server.get("/v1/calls/" + call).json()["state"] == "cancelled"; }));
    EXPECT_EQ(server.get("/v1/shells/" + shell + "/output").json()["text"], "before\n");
}

TEST(ServeCalls, EndWithTheClientThatWaitsForThem) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string word = unique_word();
    HttpWire wire(server.port());
    wire.say(
        server.text("POST", "/v1/calls",
                    Json{{"tool", "bash"},
                         {"arguments", {{"command", "echo kept; sleep 600 # " + word + "\n:"}}}}
                        .dump()));
    ASSERT_TRUE(eventually([&] { return live_bytes(server) == 5; }));
    wire.close();
    EXPECT_TRUE(eventually([&] { return processes_with(word).empty(); }));
    ASSERT_TRUE(eventually(
        [&] { return server.get("/v1/calls").json()["calls"][0]["state"] == "cancelled"; }));
    const std::string shell = server.get("/v1/calls").json()["calls"][0]["shell_id"];
    EXPECT_EQ(server.get("/v1/shells/" + shell + "/output").json()["text"], "kept\n");
}

TEST(ServeShells, ThoseOfOtherProcessesAreSeenReadAndKilled) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string id = husk.background("echo one; echo two; echo three; sleep 600");
    ASSERT_TRUE(eventually(
        [&] { return server.get("/v1/shells/" + id + "/output").json()["total"] == 14; }));
    const Json list = server.get("/v1/shells?live=true").json();
    ASSERT_EQ(list["total"], 1);
    EXPECT_EQ(list["shells"][0]["shell_id"], id);
    EXPECT_EQ(list["shells"][0]["live"], true);
    EXPECT_FALSE(list["shells"][0].contains("output"));
    const auto text = [&](const std::string& query) {
        return server.get("/v1/shells/" + id + "/output?" + query)
            .json()["text"]
            .get<std::string>();
    };
    EXPECT_EQ(text("since=4"), "two\nthree\n");
    EXPECT_EQ(text("since=4&max_bytes=2"), "tw");
    EXPECT_EQ(text("tail=1"), "three\n");
    EXPECT_EQ(text("lines=2:2"), "two\n");
    EXPECT_THAT(text("grep=t[wh]"), HasSubstr("2:two\n3:three"));
    for (const char* query : {"since=x", "lines=3:2", "stream=stderr", "stream=x", "grep=(",
                              "max_bytes=99999999", "wait_ms=99999999"})
        EXPECT_EQ(server.get("/v1/shells/" + id + "/output?" + query).status, 400) << query;
    const Json killed = server.post("/v1/shells/" + id + "/kill", {{"signal", "KILL"}}).json();
    EXPECT_EQ(killed["status"], "signaled");
    EXPECT_EQ(killed["live"], false);
    EXPECT_EQ(server.get("/v1/shells?live=true").json()["total"], 0);
}

TEST(ServeShells, OutputCanBeWaitedForAndFollowed) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string fifo = (husk.dir() / "go").string();
    ASSERT_EQ(husk.script("mkfifo " + fifo).code, 0);
    const std::string id =
        husk.background("printf 'a\\303'; read x < " + fifo + "; printf '\\244b'; exit 4");
    const auto follow = server.stream("/v1/shells/" + id + "/follow");
    const auto first = follow->event();
    ASSERT_TRUE(first);
    // A character that is not complete is not shown yet.
    EXPECT_EQ(first->json(),
              (Json{{"offset", 0}, {"text", "a"}, {"cursor", 1}, {"dropped_before", 0}}));
    HttpWire waiting(server.port());
    waiting.say(server.text("GET", "/v1/shells/" + id + "/output?since=1&wait_ms=30000"));
    ASSERT_EQ(husk.script("echo > " + fifo).code, 0);
    EXPECT_EQ(waiting.answer().json()["text"], "äb");
    EXPECT_EQ(follow->event()->json()["text"], "äb");
    const auto end = follow->event();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->type, "end");
    EXPECT_EQ(end->json()["exit_code"], 4);
    EXPECT_EQ(end->id, "4");
    // Who comes back misses nothing, and gets nothing twice.
    const auto again = server.stream("/v1/shells/" + id + "/follow", {{"Last-Event-ID", "1"}});
    EXPECT_EQ(again->event()->json()["text"], "äb");
    const HttpAnswer late = server.get("/v1/shells/" + id + "/output?since=4&wait_ms=30000");
    EXPECT_EQ(late.json()["text"], "");
    EXPECT_EQ(late.json()["live"], false);
}

TEST(ServeVerdicts, AreGivenWithoutRunning) {
    const Husk husk;
    const HttpServer server(husk);
    const Json verdict = server.post("/v1/verdicts", {{"command", "rm -rf /"}}).json();
    EXPECT_EQ(verdict["decision"], "deny");
    EXPECT_EQ(verdict["commands"][0]["text"], "rm -rf /");
    EXPECT_EQ(server.post("/v1/verdicts", {{"command", "echo"}, {"cwd", "/"}}).json()["decision"],
              "allow");
    EXPECT_EQ(server.post("/v1/verdicts", Json::object()).status, 400);
}

class ServeApprovals : public testing::Test {
protected:
    ServeApprovals() {
        std::filesystem::create_directories(husk.dir() / "config" / "husk");
        write_text(file, "# mine\npermissions:\n  ask: [\"Bash(seq:*)\"]\n");
    }
    // The id of the question that the call waits for.
    static std::string question_of(const HttpServer& server, const std::string& call) {
        std::string id;
        EXPECT_TRUE(eventually([&] {
            const Json json = server.get("/v1/calls/" + call).json();
            if (json["state"] == "asking") id = json["approval_id"];
            return !id.empty();
        }));
        return id;
    }
    static Json result_of(const HttpServer& server, const std::string& call) {
        Json json;
        EXPECT_TRUE(eventually([&] {
            json = server.get("/v1/calls/" + call).json();
            return json["ended"].is_number();
        }));
        return json;
    }

    const Husk husk;
    const std::filesystem::path file = husk.dir() / "config" / "husk" / "husk.yaml";
};

TEST_F(ServeApprovals, AllowOnceDenyWithAReasonAndTooLate) {
    const HttpServer server(husk);
    const auto events = server.stream("/v1/events?types=approval");
    const std::string first = server.begin("seq 2");
    const std::string question = question_of(server, first);
    const auto asked = events->event_of("approval.asked");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->json()["approval_id"], question);
    EXPECT_EQ(asked->json()["command"], "seq 2");
    EXPECT_EQ(asked->json()["verdict"]["decision"], "ask");
    EXPECT_EQ(server.get("/v1/approvals").json()["approvals"].size(), 1U);
    EXPECT_EQ(server.post("/v1/approvals/" + question, {{"decision", "perhaps"}}).status, 400);
    EXPECT_EQ(server.post("/v1/approvals/" + question, {{"decision", "allow"}}).json()["state"],
              "allowed");
    EXPECT_EQ(events->event_of("approval.answered")->json()["state"], "allowed");
    EXPECT_EQ(result_of(server, first)["report"]["status"], "exited");
    EXPECT_EQ(server.post("/v1/approvals/" + question, {{"decision", "deny"}}).status, 409);
    EXPECT_EQ(server.post("/v1/approvals/a-99", {{"decision", "deny"}}).status, 404);

    const std::string second = server.begin("seq 2");
    server.post("/v1/approvals/" + question_of(server, second),
                {{"decision", "deny"}, {"reason", "use printf"}});
    const Json denied = result_of(server, second);
    EXPECT_EQ(denied["report"]["status"], "denied");
    EXPECT_THAT(denied["report"]["error"].get<std::string>(), HasSubstr("use printf"));
    EXPECT_EQ(server.get("/v1/approvals").json()["approvals"].size(), 0U);
    EXPECT_EQ(server.get("/v1/approvals?state=all").json()["approvals"].size(), 2U);
}

TEST_F(ServeApprovals, AlwaysIsForExactlyThatCommandFromThenOn) {
    const HttpServer server(husk);
    const std::string call = server.begin("seq 2");
    const std::string question = question_of(server, call);
    const Json shown = server.get("/v1/approvals/" + question).json()["always"];
    EXPECT_EQ(shown["file"], file.string());
    EXPECT_EQ(shown["why_not"], nullptr);
    EXPECT_THAT(shown["text"].get<std::string>(), HasSubstr("[\"seq 2\"]"));
    const Json answered =
        server.post("/v1/approvals/" + question, {{"decision", "allow_always"}}).json();
    EXPECT_EQ(answered["state"], "allowed");
    EXPECT_EQ(answered["note"], "written to " + file.string());
    EXPECT_EQ(result_of(server, call)["report"]["status"], "exited");
    EXPECT_EQ(read_text(file), "# mine\npermissions:\n  ask: [\"Bash(seq:*)\"]\n" +
                                   shown["text"].get<std::string>().substr(13));

    EXPECT_EQ(server.bash("seq 2")["report"]["verdict"]["rule"], "approved");
    for (const char* other : {"seq 2; true", "seq 3", "env seq 2"}) {
        const std::string next = server.begin(other);
        EXPECT_FALSE(question_of(server, next).empty()) << other;
        server.ask("DELETE", "/v1/calls/" + next);
    }
}

TEST_F(ServeApprovals, AlwaysIsRefusedWhereItCouldNotStand) {
    const HttpServer server(husk);
    const std::string call = server.begin("seq $x");
    const std::string question = question_of(server, call);
    const Json shown = server.get("/v1/approvals/" + question).json()["always"];
    EXPECT_EQ(shown["text"], "");
    EXPECT_THAT(shown["why_not"].get<std::string>(), HasSubstr("not known before it runs"));
    EXPECT_EQ(server.post("/v1/approvals/" + question, {{"decision", "allow_always"}}).status, 409);
    EXPECT_EQ(server.get("/v1/approvals/" + question).json()["state"], "pending");
}

TEST_F(ServeApprovals, SilenceIsANo) {
    const HttpServer server(husk, {"--approval-timeout", "200ms"});
    const Json call = server.bash("seq 2");
    EXPECT_EQ(call["report"]["status"], "denied");
    EXPECT_THAT(call["report"]["error"].get<std::string>(), HasSubstr("nobody answered"));
    EXPECT_EQ(server.get("/v1/approvals?state=all").json()["approvals"][0]["state"], "timed_out");
}

TEST_F(ServeApprovals, ThoseOfACancelledCallAreWithdrawn) {
    const HttpServer server(husk);
    const std::string call = server.begin("seq 2");
    const std::string question = question_of(server, call);
    server.ask("DELETE", "/v1/calls/" + call);
    EXPECT_EQ(server.get("/v1/approvals/" + question).json()["state"], "withdrawn");
    EXPECT_EQ(result_of(server, call)["state"], "cancelled");
}

}  // namespace
}  // namespace husk::test
