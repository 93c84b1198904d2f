// Background shells as tasks: the form of 2025-11-25, and the extension of 2026-07-28.
#include "client.h"

#include <csignal>
#include <fstream>
#include <set>

namespace husk::test {
namespace {

const Json knows_tasks = {{"extensions", {{"io.modelcontextprotocol/tasks", Json::object()}}}};
constexpr const char* related = "io.modelcontextprotocol/related-task";

Json asked(const std::string& task) {
    return {{"taskId", task}, {"_meta", meta_2026(knows_tasks)}};
}

void call_as_task(const Client& client, const Json& id, const std::string& command,
                  Json arguments = Json::object(), const Json& meta = nullptr) {
    arguments["command"] = command;
    Json params = {{"name", "bash"}, {"arguments", arguments}, {"task", {{"ttl", 60'000}}}};
    if (!meta.is_null()) params["_meta"] = meta;
    client.request(id, "tools/call", params);
}

std::string task_of(Client& client, const std::string& command,
                    const Json& arguments = Json::object()) {
    call_as_task(client, "t", command, arguments);
    const Json task = client.answer("t")["result"]["task"];
    EXPECT_EQ(task["status"], "working") << task;
    return task["taskId"];
}

std::string gate_in(const Husk& husk) { return (husk.dir() / "gate").string(); }
std::string until_open(const Husk& husk) {
    return "until [ -e " + gate_in(husk) + " ]; do sleep 0.05; done; ";
}
void open_gate(const Husk& husk) { std::ofstream(gate_in(husk)) << ""; }

// ---- 2025-11-25

TEST(McpTasks, AreOfferedInTheVersionThatHasThem) {
    const Husk husk;
    Client client(husk);
    EXPECT_FALSE(client.initialize("2025-06-18")["result"]["capabilities"].contains("tasks"));
    EXPECT_FALSE(client.ask(1, "tools/list")["result"]["tools"][0].contains("execution"));
    EXPECT_EQ(client.ask(2, "tasks/list")["error"]["code"], -32601);
    // Who does not offer them runs the call as if it had not been asked to be one.
    call_as_task(client, 3, "echo hi");
    EXPECT_EQ(client.answer(3)["result"]["structuredContent"]["output"], "hi\n");

    EXPECT_TRUE(
        client.initialize()["result"]["capabilities"]["tasks"]["requests"]["tools"].contains(
            "call"));
    const Json tools = client.ask(4, "tools/list")["result"]["tools"];
    EXPECT_EQ(tools[0]["execution"]["taskSupport"], "optional");
    EXPECT_FALSE(tools[1].contains("execution"));
    client.request(5, "tools/call", {{"name", "bash_list"}, {"task", Json::object()}});
    EXPECT_EQ(client.answer(5)["error"]["code"], -32601);
}

TEST(McpTasks, LastUntilTheCommandEnds) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const std::string task = task_of(client, until_open(husk) + "echo done; exit 3");
    const Json working = client.ask(1, "tasks/get", {{"taskId", task}})["result"];
    EXPECT_EQ(working["taskId"], task);
    EXPECT_EQ(working["status"], "working");
    EXPECT_EQ(working["ttl"], nullptr);
    EXPECT_TRUE(working["pollInterval"].is_number_integer());
    EXPECT_EQ(working["createdAt"].get<std::string>().back(), 'Z');
    EXPECT_EQ(husk.shell(task)["status"], "running");

    client.request("result", "tasks/result", {{"taskId", task}});
    EXPECT_TRUE(client.is_silent_about("result"));
    open_gate(husk);
    Json status;
    Json result;
    while (status.is_null() || result.is_null()) {
        const Json message = client.next();
        ASSERT_FALSE(message.is_null());
        if (message.value("method", "") == "notifications/tasks/status") status = message["params"];
        if (message.value("id", "") == "result") result = message["result"];
    }
    EXPECT_EQ(status["status"], "completed");
    EXPECT_EQ(status["taskId"], task);
    EXPECT_EQ(result["structuredContent"]["exit_code"], 3);
    EXPECT_EQ(result["structuredContent"]["output"], "done\n");
    EXPECT_EQ(result["_meta"][related]["taskId"], task);
    EXPECT_EQ(client.ask(2, "tasks/get", {{"taskId", task}})["result"]["status"], "completed");
}

TEST(McpTasks, SurviveTheirServer) {
    const Husk husk;
    std::string task;
    {
        Client client(husk);
        client.initialize();
        task = task_of(client, until_open(husk) + "echo still there");
        client.kill(SIGKILL);
        EXPECT_EQ(client.exit_code(), 128 + SIGKILL);
    }
    Client next(husk);
    next.initialize();
    EXPECT_EQ(next.ask(1, "tasks/get", {{"taskId", task}})["result"]["status"], "working");
    EXPECT_EQ(next.ask(2, "tasks/list")["result"]["tasks"][0]["taskId"], task);
    next.request(3, "tasks/result", {{"taskId", task}});
    open_gate(husk);
    EXPECT_EQ(next.answer(3)["result"]["structuredContent"]["output"], "still there\n");
}

TEST(McpTasks, CanBeCancelledWhileTheyRun) {
    const Husk husk;
    Witness witness(husk.dir());
    Client client(husk);
    client.initialize();
    const std::string task = task_of(client, witness.opening() + "echo up >&9; sleep 300");
    ASSERT_TRUE(witness.hears("up"));
    EXPECT_EQ(client.ask(1, "tasks/cancel", {{"taskId", task}})["result"]["status"], "cancelled");
    EXPECT_TRUE(witness.is_alone());
    EXPECT_EQ(client.ask(2, "tasks/cancel", {{"taskId", task}})["error"]["code"], -32602);
    EXPECT_EQ(client.ask(3, "tasks/get", {{"taskId", task}})["result"]["status"], "cancelled");
}

TEST(McpTasks, DoNotEndWithARequestForTheirResult) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const std::string task = task_of(client, "sleep 300");
    client.request(1, "tasks/result", {{"taskId", task}});
    client.notify("notifications/cancelled", {{"requestId", 1}});
    EXPECT_TRUE(client.is_silent_about(1));
    EXPECT_EQ(client.ask(2, "tasks/get", {{"taskId", task}})["result"]["status"], "working");
}

TEST(McpTasks, TellHowTheyGoOn) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    call_as_task(client, 1, "echo begun; sleep 300", Json::object(), {{"progressToken", "p"}});
    const std::string task = client.answer(1)["result"]["task"]["taskId"];
    const Json progress = client.notification("notifications/progress");
    EXPECT_EQ(progress["progressToken"], "p");
    EXPECT_EQ(progress["_meta"][related]["taskId"], task);
}

TEST(McpTasks, AreNotMadeOfWhatIsNotRun) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    call_as_task(client, 1, "git add -A");
    const Json denied = client.answer(1)["error"];
    EXPECT_EQ(denied["code"], -32602);
    EXPECT_EQ(denied["data"]["isError"], true);
    EXPECT_EQ(denied["data"]["structuredContent"]["status"], "denied");
    call_as_task(client, 2, "pwd", {{"working_directory", "/no/such"}});
    EXPECT_EQ(client.answer(2)["error"]["code"], -32602);
    EXPECT_EQ(client.ask(3, "tasks/list")["result"]["tasks"], Json::array());
}

TEST(McpTasks, OfOthersAreNotFound) {
    const Husk husk;
    const std::string other = husk.background("sleep 300", {"--mode", "open"});
    Client client(husk);
    client.initialize();
    client.bash(1, "echo in the foreground");
    client.answer(1);
    for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"})
        for (const Json& id : {Json(other), Json("none-1"), Json("../x"), Json(7)})
            EXPECT_EQ(client.ask(2, method, {{"taskId", id}})["error"]["code"], -32602)
                << method << id;
    EXPECT_EQ(client.ask(3, "tasks/list")["result"]["tasks"], Json::array());
    EXPECT_EQ(client.ask(4, "tasks/list", {{"cursor", "none-1"}})["error"]["code"], -32602);
    EXPECT_EQ(husk.shell(other)["status"], "running");
}

TEST(McpTasks, CanBeAwaitedOnlySoOften) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const std::string task = task_of(client, until_open(husk) + "echo done");
    constexpr int most = 4096;
    for (int i = 0; i <= most; ++i) client.request(i, "tasks/result", {{"taskId", task}});
    const Json refused = client.next();
    EXPECT_EQ(refused["id"], most);
    EXPECT_EQ(refused["error"]["code"], -32000);
    open_gate(husk);
    std::set<int> answered;
    while (answered.size() < most) {
        const Json message = client.next();
        if (message.is_null()) break;
        if (message.contains("result")) answered.insert(message["id"].get<int>());
    }
    EXPECT_EQ(answered.size(), static_cast<size_t>(most));
}

// ---- the extension

TEST(McpTasks2026, AreForClientsThatKnowThem) {
    const Husk husk;
    Client client(husk);
    const Json found = client.ask(1, "server/discover", {{"_meta", meta_2026()}})["result"];
    EXPECT_TRUE(found["capabilities"]["extensions"].contains("io.modelcontextprotocol/tasks"));
    EXPECT_FALSE(found["capabilities"].contains("tasks"));
    for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
        const Json error =
            client.ask(2, method, {{"taskId", "x-1"}, {"_meta", meta_2026()}})["error"];
        EXPECT_EQ(error["code"], -32021) << method;
        EXPECT_TRUE(error["data"]["requiredCapabilities"].contains("extensions"));
        EXPECT_EQ(client.ask(3, method, asked("x-1"))["error"]["code"], -32602) << method;
    }
    for (const char* method : {"tasks/result", "tasks/list"})
        EXPECT_EQ(client.ask(4, method, asked("x-1"))["error"]["code"], -32601) << method;
    client.bash(5, "sleep 1; echo waited for", Json::object(), meta_2026());
    EXPECT_EQ(client.answer(5)["result"]["structuredContent"]["output"], "waited for\n");
}

TEST(McpTasks2026, AreMadeOfWhatTakesLong) {
    const Husk husk;
    Client client(husk);
    client.bash(1, until_open(husk) + "echo done; exit 3", Json::object(), meta_2026(knows_tasks));
    const Json created = client.answer(1)["result"];
    EXPECT_EQ(created["resultType"], "task");
    EXPECT_EQ(created["status"], "working");
    EXPECT_EQ(created["ttlMs"], nullptr);
    const std::string task = created["taskId"];
    const Json working = client.ask(2, "tasks/get", asked(task))["result"];
    EXPECT_EQ(working["resultType"], "complete");
    EXPECT_EQ(working["status"], "working");
    EXPECT_EQ(client.ask(3, "tasks/update", asked(task))["result"]["resultType"], "complete");
    open_gate(husk);
    Json over;
    EXPECT_TRUE(eventually([&] {
        over = client.ask(4, "tasks/get", asked(task))["result"];
        return over["status"] != "working";
    }));
    EXPECT_EQ(over["status"], "completed");
    EXPECT_EQ(over["result"]["structuredContent"]["exit_code"], 3);
    EXPECT_EQ(over["result"]["structuredContent"]["output"], "done\n");
    EXPECT_FALSE(over["result"].value("_meta", Json::object()).contains(related));
}

TEST(McpTasks2026, AreNotMadeOfWhatIsAnsweredAnyway) {
    const Husk husk;
    Client client(husk);
    const std::pair<std::string, Json> cases[] = {
        {"true", Json::object()},
        {"sleep 300", {{"run_in_background", true}}},
        {"sleep 300", {{"timeout_ms", 100}}},
        {"sleep 300", {{"timeout_ms", 700}, {"on_timeout", "kill"}}},
    };
    for (const auto& [command, arguments] : cases) {
        // `true` has half a second, in which a busy machine may not even have started it.
        EXPECT_TRUE(eventually([&] {
            client.bash(1, command, arguments, meta_2026(knows_tasks));
            return client.answer(1)["result"]["resultType"] == "complete";
        })) << arguments;
    }
}

TEST(McpTasks2026, CanBeCancelled) {
    const Husk husk;
    Witness witness(husk.dir());
    Client client(husk);
    client.bash(1, witness.opening() + "echo up >&9; sleep 300", Json::object(),
                meta_2026(knows_tasks));
    ASSERT_TRUE(witness.hears("up"));
    const std::string task = client.answer(1)["result"]["taskId"];
    const Json acknowledged = client.ask(2, "tasks/cancel", asked(task))["result"];
    EXPECT_EQ(acknowledged["resultType"], "complete");
    EXPECT_FALSE(acknowledged.contains("status"));
    EXPECT_TRUE(witness.is_alone());
    EXPECT_TRUE(eventually([&] {
        return client.ask(3, "tasks/get", asked(task))["result"]["status"] == "cancelled";
    }));
    EXPECT_EQ(client.ask(4, "tasks/cancel", asked(task))["result"]["resultType"], "complete");
}

TEST(McpTasks2026, AreListenedTo) {
    const Husk husk;
    Client client(husk);
    client.bash(1, until_open(husk) + "echo done", Json::object(), meta_2026(knows_tasks));
    const std::string task = client.answer(1)["result"]["taskId"];
    const Json params = {{"_meta", meta_2026(knows_tasks)},
                         {"notifications", {{"taskIds", {task, "none-1"}}}}};
    client.request("ear", "subscriptions/listen", params);
    EXPECT_EQ(client.next()["params"]["notifications"], (Json{{"taskIds", {task}}}));
    open_gate(husk);
    const Json told = client.notification("notifications/tasks");
    EXPECT_EQ(told["status"], "completed");
    EXPECT_EQ(told["result"]["structuredContent"]["output"], "done\n");
    EXPECT_EQ(told["_meta"]["io.modelcontextprotocol/subscriptionId"], "ear");
    // Who comes late hears it too.
    client.request("late", "subscriptions/listen", params);
    EXPECT_EQ(client.notification("notifications/tasks")["taskId"], task);
}

TEST(McpTasks2026, AreMadeWhenTheUserHasAgreed) {
    const Husk husk;
    const auto rules = husk.dir() / "rules.yaml";
    std::ofstream(rules) << "permissions:\n  ask: [\"Bash(sleep:*)\"]\n";
    Client client(husk, {"--config", rules.string()});
    Json capabilities = knows_tasks;
    capabilities["elicitation"] = {{"form", Json::object()}};
    client.bash(1, "sleep 300", Json::object(), meta_2026(capabilities));
    const Json question = client.answer(1)["result"];
    EXPECT_EQ(question["resultType"], "input_required");
    client.request(2, "tools/call",
                   {{"name", "bash"},
                    {"arguments", {{"command", "sleep 300"}}},
                    {"inputResponses", {{"approve", {{"action", "accept"}}}}},
                    {"requestState", question["requestState"]},
                    {"_meta", meta_2026(capabilities)}});
    const Json created = client.answer(2)["result"];
    EXPECT_EQ(created["resultType"], "task") << created;
    EXPECT_FALSE(created.contains("requestState"));
}

}  // namespace
}  // namespace husk::test
