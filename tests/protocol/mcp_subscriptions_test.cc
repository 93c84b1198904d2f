// Being told of logs that grow, and of shells that come and go, in both eras.
#include "client.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

namespace husk::test {
namespace {

constexpr const char* updated = "notifications/resources/updated";
constexpr const char* list_changed = "notifications/resources/list_changed";
constexpr const char* acknowledged = "notifications/subscriptions/acknowledged";
constexpr const char* subscription = "io.modelcontextprotocol/subscriptionId";

std::string log_of(const std::string& id) { return "husk://shells/" + id + "/log"; }

// A command that writes a line for each that it is given, and ends with the last.
struct Echo {
    explicit Echo(const std::filesystem::path& dir) : pipe(dir / "lines") {
        EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    }
    std::string command() const { return "cat " + pipe.string(); }
    std::filesystem::path pipe;
};

Json listening(const Json& filter, const Json& capabilities = Json::object()) {
    return {{"_meta", meta_2026(capabilities)}, {"notifications", filter}};
}

TEST(McpSubscriptions, AreOffered) {
    const Husk husk;
    Client client(husk);
    const Json offered = {{"subscribe", true}, {"listChanged", true}};
    EXPECT_EQ(client.initialize()["result"]["capabilities"]["resources"], offered);
    const Json found = client.ask(1, "server/discover", {{"_meta", meta_2026()}});
    EXPECT_EQ(found["result"]["capabilities"]["resources"], offered);
}

TEST(McpSubscriptions, TellThatALogHasGrownAndThatItsShellHasEnded) {
    const Husk husk;
    const Echo echo(husk.dir());
    Client client(husk);
    client.initialize();
    const std::string id = client.background(echo.command());
    EXPECT_EQ(client.ask(1, "resources/subscribe", {{"uri", log_of(id)}})["result"],
              Json::object());
    std::ofstream lines(echo.pipe);
    lines << "first\n" << std::flush;
    EXPECT_EQ(client.notification(updated)["uri"], log_of(id));
    // What is told is there.
    const Json read = client.ask(2, "resources/read", {{"uri", log_of(id)}})["result"];
    EXPECT_EQ(read["contents"][0]["text"], "first\n");
    lines.close();
    EXPECT_EQ(client.notification(updated)["uri"], log_of(id));
    EXPECT_EQ(husk.shell(id)["status"], "exited");
}

TEST(McpSubscriptions, AreToldOfShellsThatOthersHaveStarted) {
    const Husk husk;
    Client client(husk);
    Client other(husk);
    client.initialize();
    other.initialize();
    const std::string id = other.background("sleep 300");
    client.ask(1, "resources/subscribe", {{"uri", log_of(id)}});
    husk({"kill", id});
    EXPECT_EQ(client.notification(updated)["uri"], log_of(id));
}

TEST(McpSubscriptions, DoNotFloodWhoeverHasOne) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    const std::string id = client.background("for i in {1..300}; do echo $i; sleep 0.01; done");
    client.ask(1, "resources/subscribe", {{"uri", log_of(id)}});
    int told = 0;
    do {
        ASSERT_FALSE(client.notification(updated).is_null());
        ++told;
    } while (husk.shell(id)["status"] == "running");
    EXPECT_LT(told, 150);
}

TEST(McpSubscriptions, CanBeEnded) {
    const Husk husk;
    const Echo echo(husk.dir());
    Client client(husk);
    client.initialize();
    const std::string first = client.background(echo.command());
    const std::string second = client.background("sleep 300");
    client.ask(1, "resources/subscribe", {{"uri", log_of(first)}});
    client.ask(2, "resources/subscribe", {{"uri", log_of(second)}});
    EXPECT_EQ(client.ask(3, "resources/unsubscribe", {{"uri", log_of(first)}})["result"],
              Json::object());
    std::ofstream(echo.pipe) << "unheard\n";
    EXPECT_TRUE(eventually([&] { return husk.shell(first)["status"] == "exited"; }));
    husk({"kill", second});
    EXPECT_EQ(client.notification(updated)["uri"], log_of(second));
}

TEST(McpSubscriptions, ToWhatIsNotThereStaySilent) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    for (const char* uri : {"test://something", "husk://shells/none-1/log"})
        EXPECT_EQ(client.ask(1, "resources/subscribe", {{"uri", uri}})["result"], Json::object());
    EXPECT_EQ(client.ask(2, "resources/subscribe", {{"uri", 7}})["error"]["code"], -32602);
    EXPECT_EQ(client.ask(3, "resources/subscribe", {{"_meta", meta_2026()}})["error"]["code"],
              -32601);
}

TEST(McpSubscriptions, WhoKnowsTheListIsToldWhenShellsComeAndGo) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.ask(1, "resources/list");
    const std::string id = client.background("sleep 300");
    EXPECT_FALSE(client.notification(list_changed).is_null());
    client.request(2, "tools/call", {{"name", "bash_kill"}, {"arguments", {{"shell_id", id}}}});
    EXPECT_FALSE(client.notification(list_changed).is_null());
}

// ---- the era without connections

TEST(McpListening, BeginsWithWhatWasAgreedOnAndNamesItself) {
    const Husk husk;
    const Echo echo(husk.dir());
    Client client(husk);
    const std::string id = client.background(echo.command());
    client.request("ear", "subscriptions/listen",
                   listening({{"resourceSubscriptions", {log_of(id), "husk://shells/none-1/log"}},
                              {"toolsListChanged", true},
                              {"promptsListChanged", true},
                              {"resourcesListChanged", true}}));
    const Json first = client.next();
    EXPECT_EQ(first["method"], acknowledged);
    EXPECT_EQ(first["params"]["_meta"][subscription], "ear");
    EXPECT_EQ(first["params"]["notifications"], (Json{{"resourcesListChanged", true},
                                                      {"toolsListChanged", true},
                                                      {"resourceSubscriptions", {log_of(id)}}}));
    std::ofstream(echo.pipe) << "heard\n";
    const Json told = client.notification(updated);
    EXPECT_EQ(told["uri"], log_of(id));
    EXPECT_EQ(told["_meta"][subscription], "ear");
    client.background("sleep 300");
    EXPECT_EQ(client.notification(list_changed)["_meta"][subscription], "ear");
}

TEST(McpListening, EndsWhenItIsCancelledAndWithTheConnection) {
    const Husk husk;
    Client client(husk);
    const std::string first = client.background("sleep 300");
    const std::string second = client.background("sleep 300");
    for (const std::string& id : {first, second}) {
        client.request(id, "subscriptions/listen",
                       listening({{"resourceSubscriptions", {log_of(id)}}}));
        EXPECT_EQ(client.next()["method"], acknowledged);
    }
    client.notify("notifications/cancelled", {{"requestId", first}});
    EXPECT_TRUE(client.is_silent_about(first));  // and has read it
    husk({"kill", first});
    husk({"kill", second});
    EXPECT_EQ(client.notification(updated)["_meta"][subscription], second);
    client.close_input();
    const Json last = client.answer(second);
    EXPECT_EQ(last["result"]["resultType"], "complete");
    EXPECT_EQ(last["result"]["_meta"][subscription], second);
}

TEST(McpListening, RefusesWhatIsNoFilter) {
    const Husk husk;
    Client client(husk);
    for (const Json& filter :
         {Json(7), Json{{"resourceSubscriptions", "x"}}, Json{{"resourceSubscriptions", {1}}}})
        EXPECT_EQ(client.ask(1, "subscriptions/listen", listening(filter))["error"]["code"], -32602)
            << filter;
    const Json tasks = listening({{"taskIds", {"x-1"}}});
    EXPECT_EQ(client.ask(2, "subscriptions/listen", tasks)["error"]["code"], -32021);
    client.initialize();
    EXPECT_EQ(client.ask(3, "subscriptions/listen")["error"]["code"], -32601);
}

}  // namespace
}  // namespace husk::test
