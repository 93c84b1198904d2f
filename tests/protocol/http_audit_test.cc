// The audit over HTTP, and the protocol of the contract docware.
#include <gmock/gmock.h>

#include "http_client.h"

namespace husk::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> commands_in(const Json& page) {
    std::vector<std::string> commands;
    for (const Json& record : page["records"]) commands.push_back(record["command"]);
    return commands;
}

TEST(ServeAudit, IsSearchedPageByPage) {
    const Husk husk;
    const HttpServer server(husk);
    for (const char* command : {"echo one", "echo two", "exit 3", "git push --force"})
        server.bash(command);
    husk({"run", "--", "echo from elsewhere"});
    const Json all = server.get("/v1/audit").json();
    EXPECT_THAT(commands_in(all), ElementsAre("echo from elsewhere", "git push --force", "exit 3",
                                              "echo two", "echo one"));
    EXPECT_TRUE(all["next"].is_null());
    EXPECT_EQ(all["records"][0]["via"], "run");
    EXPECT_EQ(all["records"][1]["via"], "serve/v1");
    EXPECT_EQ(all["records"][1]["verdict"]["rule"], "git/force-push");
    const Json first = server.get("/v1/audit?q=echo&limit=2").json();
    EXPECT_THAT(commands_in(first), ElementsAre("echo from elsewhere", "echo two"));
    const Json second =
        server.get("/v1/audit?q=echo&limit=2&before=" + first["next"].dump()).json();
    EXPECT_THAT(commands_in(second), ElementsAre("echo one"));
    EXPECT_TRUE(second["next"].is_null());
    EXPECT_THAT(commands_in(server.get("/v1/audit?status=denied&decision=deny").json()),
                ElementsAre("git push --force"));
    EXPECT_THAT(commands_in(server.get("/v1/audit?q=%22push%20--f%22&since=1h&via=serve").json()),
                ElementsAre("git push --force"));
    for (const char* query : {"since=soon", "limit=x", "limit=99999", "before=x"})
        EXPECT_EQ(server.get(std::string("/v1/audit?") + query).status, 400) << query;
    const Json stats = server.get("/v1/stats").json();
    EXPECT_EQ(stats["calls"], 5);
    EXPECT_EQ(stats["via"], (Json{{"serve/v1", 4}, {"run", 1}}));
    EXPECT_EQ(server.get("/v1/stats?q=echo").json()["calls"], 3);
    EXPECT_EQ(server.get("/v1/stats", {{"Authorization", "Bearer x"}}).status, 401);
}

TEST(ServeAudit, HasWhoApproved) {
    const Husk husk;
    std::filesystem::create_directories(husk.dir() / "config" / "husk");
    write_text(husk.dir() / "config" / "husk" / "husk.yaml",
               "permissions:\n  ask: [\"Bash(seq:*)\"]\n");
    const HttpServer server(husk);
    const auto answer = [&](const Json& said) {
        const std::string call = server.begin("seq 2");
        std::string question;
        EXPECT_TRUE(eventually([&] {
            const Json json = server.get("/v1/calls/" + call).json();
            if (json["state"] == "asking") question = json["approval_id"];
            return !question.empty();
        }));
        server.post("/v1/approvals/" + question, said);
        EXPECT_TRUE(eventually(
            [&] { return server.get("/v1/calls/" + call).json()["ended"].is_number(); }));
        // It is answered first, and noted then.
        Json record;
        EXPECT_TRUE(eventually([&] {
            record = server.get("/v1/audit?limit=1").json()["records"][0];
            return record["status"] != "running";
        }));
        return record;
    };
    const Json given = answer({{"decision", "allow"}});
    EXPECT_EQ(given["status"], "exited");
    EXPECT_EQ(given["approval"],
              (Json{{"answer", "given"}, {"by", "http"}, {"scope", "once"}, {"reason", nullptr}}));
    const Json declined = answer({{"decision", "deny"}, {"reason", "not today"}});
    EXPECT_EQ(declined["status"], "denied");
    EXPECT_EQ(declined["approval"]["answer"], "declined");
    EXPECT_THAT(declined["approval"]["reason"].get<std::string>(), HasSubstr("not today"));
}

TEST(ServeAudit, SilenceIsNobodysAnswer) {
    const Husk husk;
    std::filesystem::create_directories(husk.dir() / "config" / "husk");
    write_text(husk.dir() / "config" / "husk" / "husk.yaml",
               "permissions:\n  ask: [\"Bash(seq:*)\"]\n");
    const HttpServer server(husk, {"--approval-timeout", "200ms"});
    server.bash("seq 2");
    const Json approval = server.get("/v1/audit").json()["records"][0]["approval"];
    EXPECT_EQ(approval["answer"], "nobody");
    EXPECT_TRUE(approval["by"].is_null());
    EXPECT_THAT(approval["reason"].get<std::string>(), HasSubstr("nobody answered"));
}

// Nobody asks: the server itself sees the end, of whatever process's shell.
TEST(ServeAudit, RecordsTheEndOfShellsInTheBackground) {
    const Husk husk;
    const HttpServer server(husk);
    const std::string fifo = (husk.dir() / "go").string();
    ASSERT_EQ(husk.script("mkfifo " + fifo).code, 0);
    husk.background("read x < " + fifo + "; exit 6");
    ASSERT_TRUE(
        eventually([&] { return server.get("/v1/shells?live=true").json()["total"] == 1; }));
    const auto journal = husk.state() / "audit" / "000001.jsonl";
    EXPECT_THAT(read_text(journal), testing::Not(HasSubstr("\"what\":\"end\"")));
    ASSERT_EQ(husk.script("echo > " + fifo).code, 0);
    EXPECT_TRUE(eventually(
        [&] { return read_text(journal).find("\"exit_code\":6") != std::string::npos; }));
}

// ---- the contract docware

class ServeDocware : public testing::Test {
protected:
    static Json request(const std::string& id, const std::string& command,
                        const Json& more = Json::object()) {
        Json body = {{"requestId", id},
                     {"timestamp", 1790000000000},
                     {"command", command},
                     {"args", Json::array()},
                     {"options", {{"command", command}, {"enable_shell_features", true}}},
                     {"context",
                      {{"sessionId", "one"},
                       {"workingDirectory", ""},
                       {"environmentVariables", {{"GIVEN", "yes"}}}}},
                     {"securityContext",
                      {{"permissions", Json::array()},
                       {"allowedCommands", Json::array()},
                       {"allowedPaths", Json::array()}}},
                     {"monitoring", {{"enableOutputCapture", true}}}};
        body["context"].erase("workingDirectory");
        body.update(more, true);
        return body;
    }

    const Husk husk;
    const HttpServer server{husk, {"--contract", "docware"}};
};

// The seed's 命令执行协议: a request has one response, which says how far it is.
TEST_F(ServeDocware, CommandExecutionProtocol) {
    const Json done = server.post("/v1/docware/requests", request("r-1", "echo $GIVEN")).json();
    EXPECT_EQ(done["requestId"], "r-1");
    EXPECT_EQ(done["status"], "completed");
    EXPECT_EQ(done["data"]["stdout"], "yes\n");
    EXPECT_FALSE(done.contains("error"));
    EXPECT_LE(done["statistics"]["startTime"], done["statistics"]["endTime"]);
    EXPECT_TRUE(done["statistics"]["resourceUsage"]["wall_time"].is_number());
    EXPECT_TRUE(done["statistics"]["resourceUsage"]["file_operations"].is_null());
    EXPECT_EQ(done["statistics"]["securityEvents"], Json::array());
    Json again = server.get("/v1/docware/requests/r-1").json();
    again["timestamp"] = done["timestamp"];
    EXPECT_EQ(again, done);
    EXPECT_EQ(server.post("/v1/docware/requests", request("r-1", "true")).status, 409);
    EXPECT_EQ(server.get("/v1/docware/requests/nobody").status, 404);
    EXPECT_EQ(server.post("/v1/docware/requests", {{"command", "true"}}).status, 400);
}

TEST_F(ServeDocware, StatusIsRunningFailedOrTerminated) {
    const auto post = [&](const Json& body, const std::string& query = "") {
        return server.post("/v1/docware/requests" + query, body).json();
    };
    EXPECT_EQ(post(request("exit", "exit 3"))["status"], "completed");
    const Json refused = post(request("refused", "sudo id"));
    EXPECT_EQ(refused["status"], "failed");
    EXPECT_EQ(refused["error"]["type"], "security_validation_failed");
    EXPECT_EQ(refused["statistics"]["securityEvents"][0]["type"], "blocked_operation");
    const Json narrowed =
        post(request("narrowed", "id", {{"securityContext", {{"allowedCommands", {"echo"}}}}}));
    EXPECT_EQ(narrowed["error"]["type"], "command_not_allowed");
    const Json timed_out = post(request("slow", "sleep 600", {{"options", {{"timeout", 200}}}}));
    EXPECT_EQ(timed_out["status"], "terminated");
    EXPECT_EQ(timed_out["error"]["type"], "execution_timeout");
    const HttpAnswer begun =
        server.post("/v1/docware/requests?wait=false", request("long", "sleep 600"));
    EXPECT_EQ(begun.status, 202);
    EXPECT_EQ(begun.json()["status"], "running");
    EXPECT_TRUE(begun.json()["statistics"]["endTime"].is_null());
    EXPECT_EQ(server.ask("DELETE", "/v1/docware/requests/long").status, 200);
    EXPECT_TRUE(eventually(
        [&] { return server.get("/v1/docware/requests/long").json()["status"] == "terminated"; }));
}

// The response of a running command has what the monitor knows already.
TEST_F(ServeDocware, ARunningCommandHasItsUsage) {
    const auto begin = [&](const std::string& id, const Json& more) {
        return server.post("/v1/docware/requests?wait=false",
                           request(id,
                                   "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; "
                                   "until [ -e over ]; do sleep 0.05; done",
                                   more));
    };
    const auto usage = [&](const std::string& id) {
        const Json now = server.get("/v1/docware/requests/" + id).json();
        EXPECT_EQ(now["status"], "running");
        return now["statistics"]["resourceUsage"];
    };
    EXPECT_EQ(begin("told", Json::object()).status, 202);
    EXPECT_EQ(begin("withheld", {{"monitoring", {{"enableResourceMonitoring", false}}}}).status,
              202);
    Json seen;
    EXPECT_TRUE(eventually([&] {
        seen = usage("told");
        return seen["cpu_time"].is_number() && seen["cpu_time"] > 0 && seen["cpuUsage"].is_number();
    })) << seen;
    EXPECT_GT(seen["max_memory_used"], 0);
    EXPECT_GT(seen["wall_time"], 0);
    EXPECT_TRUE(seen["file_operations"].is_null());
    EXPECT_TRUE(usage("withheld")["cpu_time"].is_null());
    server.post("/v1/docware/requests", request("over", "touch over"));
    EXPECT_TRUE(eventually([&] {
        return server.get("/v1/docware/requests/told").json()["status"] == "completed" &&
               server.get("/v1/docware/requests/withheld").json()["status"] == "completed";
    }));
    const Json done = server.get("/v1/docware/requests/withheld").json();
    EXPECT_TRUE(done["statistics"]["resourceUsage"]["wall_time"].is_null());
    EXPECT_TRUE(done["data"]["resource_usage"]["wall_time"].is_number());
}

// No client takes its calls out of the audit.
TEST_F(ServeDocware, MonitoringThatCannotBeSwitchedOffIsRefused) {
    const HttpAnswer refused = server.post(
        "/v1/docware/requests",
        request("m", "touch made", {{"monitoring", {{"enableSecurityLogging", false}}}}));
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.json()["error"]["message"].get<std::string>(),
                HasSubstr("enableSecurityLogging"));
    EXPECT_EQ(server.get("/v1/docware/requests/m").status, 404);
    const Json silent =
        server
            .post("/v1/docware/requests",
                  request("n", "echo hi", {{"monitoring", {{"enableOutputCapture", false}}}}))
            .json();
    EXPECT_EQ(silent["status"], "completed");
    EXPECT_EQ(silent["data"]["stdout"], "");
}

// Threats that refuse nothing are events of security, too.
TEST_F(ServeDocware, ThreatsThatDoNotBlockAreSecurityEvents) {
    const Json done =
        server.post("/v1/docware/requests", request("t", "echo 'echo ran' | sh")).json();
    EXPECT_EQ(done["status"], "completed");
    EXPECT_EQ(done["data"]["stdout"], "ran\n");
    const Json& events = done["statistics"]["securityEvents"];
    ASSERT_EQ(events.size(), 1U) << events;
    EXPECT_EQ(events[0]["type"], "threat_detected");
    EXPECT_EQ(events[0]["details"]["ruleId"], "code_injection_detection");
}

// The seed's 流式输出协议: responses with streamData while it runs, and one with all of it.
TEST_F(ServeDocware, StreamingOutputProtocol) {
    const std::string command = "echo up; until [ -e go ]; do sleep 0.01; done; echo down >&2";
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/v1/docware/requests", request("s-1", command).dump(),
                         {{"Accept", "text/event-stream"}}));
    const HttpAnswer head = wire.head();
    EXPECT_EQ(head.status, 200);
    EXPECT_THAT(head.headers.at("content-type"), HasSubstr("text/event-stream"));
    std::vector<std::string> seen;
    Json last;
    while (const auto event = wire.event()) {
        last = event->json();
        EXPECT_EQ(last["requestId"], "s-1");
        if (!last.contains("streamData")) break;
        EXPECT_EQ(last["status"], "running");
        const Json& data = last["streamData"];
        EXPECT_TRUE(data["timestamp"].is_number());
        if (data["type"] == "resource_update") continue;  // once a second
        const Json& content = data["content"];
        seen.push_back(data["type"].get<std::string>() + " " +
                       (content.is_string() ? content : content["status"]).get<std::string>());
        // It ends only when its output has been seen.
        if (data["type"] == "stdout")
            server.post("/v1/docware/requests", request("go", "touch go"));
    }
    EXPECT_THAT(seen, testing::ElementsAre("status_change running", "stdout up\n", "stderr down\n",
                                           "status_change completed"));
    EXPECT_EQ(last["status"], "completed");
    EXPECT_EQ(last["data"]["stdout"], "up\n");
}

TEST_F(ServeDocware, StreamsOfWhatIsRefusedHaveOneResponse) {
    HttpWire wire(server.port());
    wire.say(server.text("POST", "/v1/docware/requests", request("s-2", "sudo id").dump(),
                         {{"Accept", "text/event-stream"}}));
    EXPECT_EQ(wire.head().status, 200);
    const auto event = wire.event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->json()["status"], "failed");
    EXPECT_EQ(event->json()["error"]["type"], "security_validation_failed");
}

// The seed's triggerSecurityAlert.
TEST_F(ServeDocware, AlertsAreEvents) {
    const auto events = server.stream("/v1/events?types=alert");
    server.post("/v1/docware/requests", request("a-1", "true"));
    server.post("/v1/docware/requests", request("a-2", "sudo id"));
    const auto refused = events->event_of("alert.raised");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->json()["source"], "verdict");
    EXPECT_EQ(refused->json()["level"], "warning");
    EXPECT_EQ(refused->json()["details"]["rule"], "dangerous_ops_check");
    EXPECT_EQ(refused->json()["tool"], "Bash");
    server.post("/v1/docware/requests",
                request("a-3", "yes", {{"options", {{"max_output_size", 1000}}}}));
    const auto breach = events->event_of("alert.raised");
    ASSERT_TRUE(breach);
    EXPECT_EQ(breach->json()["source"], "call");
    EXPECT_EQ(breach->json()["details"]["status"], "limit_exceeded");
    server.post("/v1/docware/requests",
                request("a-4", "sleep 60", {{"options", {{"max_execution_time", 100}}}}));
    const auto late = events->event_of("alert.raised");
    ASSERT_TRUE(late);
    EXPECT_EQ(late->json()["details"]["why"], "execution_time");
    Json recorded;
    EXPECT_TRUE(eventually([&] {
        recorded = server.get("/v1/audit?limit=1").json()["records"][0];
        return recorded["status"] == "limit_exceeded";
    })) << recorded;
    EXPECT_EQ(recorded["limit"]["name"], "execution_time");
    EXPECT_EQ(recorded["limit"]["value"], 100);
}

// The seed's 性能指标定义: BashPerformanceMetrics, from the audit.
TEST_F(ServeDocware, BashPerformanceMetrics) {
    for (const auto& [id, command] :
         {std::pair{"a", "echo one"}, {"b", "echo two"}, {"c", "sudo id"}})
        server.post("/v1/docware/requests", request(id, command));
    // Wrong input is a call that failed.
    server.post("/v1/docware/requests", request("d", "true", {{"options", {{"timeout", "x"}}}}));
    Json metrics;
    EXPECT_TRUE(eventually([&] {
        metrics = server.get("/v1/docware/metrics").json();
        return metrics["executionStats"]["successfulExecutions"] == 2 &&
               metrics["executionStats"]["totalExecutions"] == 4;
    })) << metrics;
    EXPECT_EQ(metrics["executionStats"]["totalExecutions"], 4);
    EXPECT_EQ(metrics["executionStats"]["failedExecutions"], 2);
    EXPECT_TRUE(metrics["executionStats"]["medianExecutionTime"].is_number());
    EXPECT_EQ(metrics["commandTypeStats"]["echo"]["count"], 2);
    EXPECT_EQ(metrics["commandTypeStats"]["echo"]["successRate"], 1.0);
    EXPECT_EQ(metrics["securityStats"]["blockedCommands"], 1);
    EXPECT_EQ(metrics["securityStats"]["threatDetections"], 1);
    EXPECT_TRUE(metrics["securityStats"]["falsePositives"].is_null());
    EXPECT_TRUE(metrics["resourceStats"]["totalNetworkIO"].is_null());
    // This server runs commands without a sandbox.
    EXPECT_TRUE(metrics["sandboxStats"]["sandboxCreationTime"].is_null());
    EXPECT_TRUE(metrics["sandboxStats"]["sandboxOverhead"].is_null());
    EXPECT_TRUE(metrics["sandboxStats"]["isolationEffectiveness"].is_null());
    EXPECT_EQ(husk({"stats", "--docware"}).json(), metrics);
}

TEST(ServeOtherContracts, HaveNoDocwareRequests) {
    const Husk husk;
    const HttpServer server(husk);
    const HttpAnswer answer =
        server.post("/v1/docware/requests", {{"requestId", "x"}, {"command", "true"}});
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.json()["error"]["code"], "no_such_contract");
}

}  // namespace
}  // namespace husk::test
