// A running server obeys a changed husk.yaml from the next call on, and says what it did.
#include "live_configuration.h"

#include <gmock/gmock.h>

#include "http_client.h"

namespace husk::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(LiveConfiguration, OfTheUserCountsFromTheNextCallOn) {
    write_text(users_, no_rm);
    Client client(husk_, in_work());
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(status(client, "touch x"), "exited");
    write_text(users_, no_touch);
    EXPECT_EQ(status(client, "rm -f x"), "exited");
    EXPECT_EQ(status(client, "touch x"), "denied");
    replace(users_, no_rm);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(status(client, "touch x"), "exited");
}

TEST_F(LiveConfiguration, OfNamedFilesCountsLikewise) {
    const fs::path file = husk_.dir() / "named.yaml";
    write_text(file, no_rm);
    Client client(husk_, in_work({"--config", file.string()}));
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    write_text(file, no_touch);
    EXPECT_EQ(status(client, "rm -f x"), "exited");
    fs::remove(file);  // as at the start: a file that is named has to be there
    EXPECT_EQ(status(client, "touch x"), "denied");
}

TEST_F(LiveConfiguration, MayAppearAndDisappear) {
    Client client(husk_, in_work());
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "exited");
    write_text(users_, no_rm);
    write_text(here_, no_touch);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(status(client, "touch x"), "denied");
    fs::remove(users_);
    EXPECT_EQ(status(client, "rm -f x"), "exited");
    EXPECT_EQ(status(client, "touch x"), "denied");
    fs::remove(here_);
    EXPECT_EQ(status(client, "touch x"), "exited");
    fs::remove_all(users_.parent_path());
    EXPECT_EQ(status(client, "rm -f x"), "exited");
    fs::create_directories(users_.parent_path());
    write_text(users_, no_rm);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
}

TEST_F(LiveConfiguration, HasLimitsPacksAndEnvironment) {
    Client client(husk_, in_work());
    client.initialize();
    write_text(users_, "limits: {open_files: 77}\nenvironment: {set: {CC: clang}}\n");
    EXPECT_EQ(run(client, "echo $(ulimit -n) $CC")["output"], "77 clang\n");
    write_text(users_, "limits: {open_files: 66}\n");
    EXPECT_EQ(run(client, "echo $(ulimit -n) $CC")["output"], "66\n");
    EXPECT_EQ(status(client, "git add -A"), "denied");
    write_text(users_, "packs: {git: off}\n");
    EXPECT_EQ(status(client, "git add -A"), "exited");
    write_text(users_, "timeouts: {maximum: 300ms}\n");
    EXPECT_EQ(status(client, "sleep 60"), "running");  // in the background from then on
}

TEST_F(LiveConfiguration, CountsForServeToo) {
    write_text(users_, no_rm);
    const HttpServer server(husk_, in_work());
    EXPECT_EQ(server.bash("rm -f x")["report"]["status"], "denied");
    write_text(users_, no_touch);
    EXPECT_EQ(server.bash("rm -f x")["report"]["status"], "exited");
    EXPECT_EQ(server.bash("touch x")["report"]["status"], "denied");
    const Json verdict = server.post("/v1/verdicts", {{"command", "touch x"}}).json();
    EXPECT_EQ(verdict["decision"], "deny") << verdict;
}

TEST_F(LiveConfiguration, OfACallIsThatOfItsBeginning) {
    Client client(husk_, in_work());
    client.initialize();
    write_text(users_, "limits: {open_files: 77}\n");
    client.bash("long", "touch begun; until [ -e go ]; do sleep 0.05; done; ulimit -n");
    ASSERT_TRUE(eventually([&] { return fs::exists(work_ / "begun"); }));
    write_text(users_, "limits: {open_files: 66}\npermissions: {deny: [\"Bash(ulimit:*)\"]}\n");
    EXPECT_EQ(status(client, "ulimit -n"), "denied");
    write_text(work_ / "go", "");
    EXPECT_EQ(client.answer("long")["result"]["structuredContent"]["output"], "77\n");
}

TEST_F(LiveConfiguration, TellsWhatItApplied) {
    write_text(users_, "limits: {open_files: 77}\nenvironment: {set: {TOKEN: gold}}\n");
    {
        Client client(husk_, in_work(), errors_.string());
        client.initialize();
        replace(users_, "limits: {open_files: 66}\nenvironment: {set: {TOKEN: silver}}\n" +
                            std::string(no_rm));
        EXPECT_EQ(status(client, "true"), "exited");
        const Json told = client.notification(message);
        EXPECT_EQ(told["level"], "notice");
        EXPECT_EQ(told["logger"], "configuration");
        EXPECT_EQ(told["data"]["outcome"], "applied");
        EXPECT_EQ(told["data"]["files"][0]["path"], users_.string());
        EXPECT_THAT(told["data"]["changed"],
                    ElementsAre("environment.set.TOKEN: changed", "limits.open_files: 66, was 77",
                                "permissions.deny: added Bash(rm:*)"));
        EXPECT_THAT(told.dump(), Not(HasSubstr("silver")));
        EXPECT_EQ(status(client, "true"), "exited");
    }
    EXPECT_THAT(errors(), AllOf(HasSubstr("husk.yaml changed and counts from the next call on: "),
                                HasSubstr("limits.open_files: 66, was 77")));
    const std::vector<Json> records = audited();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0]["status"], "applied");
    EXPECT_EQ(records[0]["via"], "mcp");
    EXPECT_EQ(records[0]["files"][0]["path"], users_.string());
    EXPECT_EQ(records[0]["files"][0]["sha256"].get<std::string>().size(), 64U);
    EXPECT_THAT(records[0]["changed"], Contains("limits.open_files: 66, was 77"));
    EXPECT_THAT(records[0].dump(), Not(HasSubstr("silver")));
    EXPECT_THAT(husk_({"log"}).out, HasSubstr("[configuration: "));
    EXPECT_EQ(husk_({"log", "--verify"}).code, 0);
    EXPECT_EQ(husk_({"stats", "--json"}).json()["calls"], 2);
}

TEST_F(LiveConfiguration, IsToldWhileNobodyCalls) {
    Client client(husk_, in_work());
    client.initialize();
    write_text(users_, no_rm);
    EXPECT_EQ(client.notification(message)["data"]["outcome"], "applied");
    write_text(users_, "permissions: [\n");
    EXPECT_EQ(client.notification(message)["data"]["outcome"], "refused");
}

TEST_F(LiveConfiguration, ThatIsBrokenIsRefusedOnceAndTheOneFromBeforeStays) {
    write_text(users_, no_rm);
    {
        Client client(husk_, in_work(), errors_.string());
        client.initialize();
        write_text(users_, "permisions: {}\n");
        for (int i = 0; i < 3; ++i) EXPECT_EQ(status(client, "rm -f x"), "denied");
        const Json told = client.notification(message);
        EXPECT_EQ(told["level"], "error");
        EXPECT_EQ(told["data"]["outcome"], "refused");
        EXPECT_THAT(told["data"]["why"].get<std::string>(),
                    AllOf(HasSubstr("husk.yaml:1"), HasSubstr("permissions")));
        write_text(users_, "limits: {memory: lots}\n");  // broken in another way: news
        EXPECT_EQ(status(client, "rm -f x"), "denied");
        write_text(users_, no_touch);
        EXPECT_EQ(status(client, "rm -f x"), "exited");
        EXPECT_EQ(status(client, "touch x"), "denied");
    }
    std::vector<std::string> outcomes;
    for (const Json& record : audited()) outcomes.push_back(record["status"]);
    EXPECT_THAT(outcomes, ElementsAre("refused", "refused", "applied"));
    EXPECT_THAT(audited()[0]["error"].get<std::string>(), HasSubstr("permissions"));
    const std::string said = errors();
    const std::string refusal = "changed and is not obeyed";
    EXPECT_EQ(said.find(refusal) == std::string::npos, false) << said;
    size_t times = 0;
    for (size_t at = 0; (at = said.find(refusal, at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 2U) << said;
}

TEST_F(LiveConfiguration, ThatIsMendedToWhatItWasIsToldToo) {
    write_text(users_, no_rm);
    Client client(husk_, in_work());
    client.initialize();
    write_text(users_, ":");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(client.notification(message)["data"]["outcome"], "refused");
    write_text(users_, no_rm);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    const Json told = client.notification(message);
    EXPECT_EQ(told["data"]["outcome"], "applied");
    EXPECT_THAT(told["data"]["changed"], IsEmpty());
}

TEST_F(LiveConfiguration, SaysWhatTakesARestart) {
    Client client(husk_, in_work(), errors_.string());
    client.initialize();
    const Json before = client.ask("a", "tools/list")["result"];
    write_text(users_, "contract: phoenix\nretention: {quota: 5M}\nlimits: {open_files: 66}\n");
    EXPECT_EQ(run(client, "ulimit -n")["output"], "66\n");
    const Json told = client.notification(message)["data"];
    EXPECT_EQ(told["outcome"], "applied");
    EXPECT_THAT(told["changed"], ElementsAre("limits.open_files: 66, was 4096"));
    EXPECT_THAT(told["after_restart"],
                ElementsAre("contract: phoenix, was husk", HasSubstr("retention.quota: 5M")));
    EXPECT_EQ(client.ask("b", "tools/list")["result"], before);
    ASSERT_TRUE(eventually([&] { return errors().find("after a restart") != std::string::npos; }));
}

TEST_F(LiveConfiguration, ThatChangesTheToolsIsToldToClients) {
    Client client(husk_, in_work());
    EXPECT_EQ(client.initialize()["result"]["capabilities"]["tools"]["listChanged"], true);
    const Json few = client.ask("a", "tools/list")["result"]["tools"];
    write_text(users_, "tools: full\n");
    EXPECT_FALSE(client.notification("notifications/tools/list_changed").is_null());
    const Json full = client.ask("b", "tools/list")["result"]["tools"];
    EXPECT_GT(full.dump().size(), few.dump().size());
    write_text(users_, "");
    fs::remove(users_);
    EXPECT_EQ(client.ask("c", "tools/list")["result"]["tools"], few);
}

TEST_F(LiveConfiguration, IsToldInTheEraWithoutConnections) {
    Client client(husk_, in_work());
    client.request("listening", "subscriptions/listen",
                   {{"_meta", meta_2026()}, {"notifications", {{"toolsListChanged", true}}}});
    const Json agreed = client.notification("notifications/subscriptions/acknowledged");
    EXPECT_EQ(agreed["notifications"]["toolsListChanged"], true);
    write_text(users_, "tools: full\n");
    const Json told = client.notification("notifications/tools/list_changed");
    EXPECT_EQ(told["_meta"]["io.modelcontextprotocol/subscriptionId"], "listening");
}

TEST_F(LiveConfiguration, IsAnEventOfServe) {
    const HttpServer server(husk_, in_work());
    EXPECT_TRUE(server.get("/v1").json()["configuration"].is_null());
    const auto events = server.stream("/v1/events?types=configuration");
    write_text(users_, no_rm);
    const Json applied = events->event_of("configuration.applied")->json();
    EXPECT_THAT(applied["changed"], ElementsAre("permissions.deny: added Bash(rm:*)"));
    EXPECT_EQ(server.get("/v1").json()["configuration"]["outcome"], "applied");
    write_text(users_, "mode: [\n");
    const Json refused = events->event_of("configuration.refused")->json();
    EXPECT_THAT(refused["why"].get<std::string>(), HasSubstr("husk.yaml"));
    EXPECT_EQ(server.bash("rm -f x")["report"]["status"], "denied");
    const auto page = server.get("/v1/audit?status=refused").json();
    EXPECT_EQ(page["records"][0]["action"], "configure") << page;
}

TEST_F(LiveConfiguration, IsToldOfByHuskConfigSet) {
    Client client(husk_, in_work());
    client.initialize();
    EXPECT_EQ(husk_({"config", "set", "limits.open_files", "66"}).code, 0);
    EXPECT_EQ(run(client, "ulimit -n")["output"], "66\n");
    EXPECT_EQ(husk_({"config", "unset", "limits.open_files"}).code, 0);
    EXPECT_NE(run(client, "ulimit -n")["output"], "66\n");
}

// ---- docware: what a host does by calling the manager, a user does with the file

class LiveDocware : public LiveConfiguration {
protected:
    LiveDocware() { write_text(users_, "docware: {command_whitelist: [echo, ulimit]}\n"); }
    Json execute(Client& client, const Json& arguments) {
        const Json answer =
            client.ask(++calls_, "tools/call", {{"name", "Bash"}, {"arguments", arguments}});
        return answer["result"]["structuredContent"];
    }
};

TEST_F(LiveDocware, updateCommandWhitelist_CountsFromTheNextCallOn) {
    Client client(husk_, in_work({"--contract", "docware"}));
    client.initialize();
    const auto blocked_by = [&](const std::string& command) {
        const Json error = execute(client, {{"command", command}})["error"];
        return error.is_null() ? "" : error["details"].value("blockedBy", "");
    };
    EXPECT_EQ(blocked_by("echo"), "");
    EXPECT_EQ(blocked_by("ls"), "whitelist_check");
    EXPECT_EQ(husk_({"config", "set", "docware.command_whitelist", "ls", "cat"}).code, 0);
    EXPECT_EQ(blocked_by("ls"), "");
    EXPECT_EQ(blocked_by("echo"), "whitelist_check");
    const Json told = client.notification(message);
    EXPECT_THAT(told["data"]["changed"], Contains("docware.command_whitelist: added ls"));
}

TEST_F(LiveDocware, configureResourceLimits_CountsFromTheNextCallOn) {
    Client client(husk_, in_work({"--contract", "docware"}));
    client.initialize();
    const Json large = {{"command", "echo"}, {"max_memory", 65 << 20}};
    EXPECT_EQ(execute(client, large)["exit_code"], 0);
    EXPECT_EQ(husk_({"config", "set", "limits.memory", "64M"}).code, 0);
    EXPECT_EQ(execute(client, large)["error"]["details"]["blockedBy"], "resource_access_check");
    EXPECT_EQ(husk_({"config", "set", "limits.output", "1K"}).code, 0);
    EXPECT_EQ(husk_({"config", "set", "docware.command_whitelist", "yes"}).code, 0);
    const Json much = execute(client, {{"command", "yes"}});
    EXPECT_THAT(much["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Output size limit exceeded: [0-9]+ > 1024"));
}

}  // namespace
}  // namespace husk::test
