// What is logged to clients that want to know, and that nothing is to others.
#include "client.h"

#include <fstream>

namespace husk::test {
namespace {

constexpr const char* message = "notifications/message";

std::string asking_rules(const Husk& husk) {
    const auto path = husk.dir() / "rules.yaml";
    std::ofstream(path) << "permissions:\n  deny: [\"Bash(rm:*)\"]\n";
    return path.string();
}

// Everything that is logged before the answer to a command, as "level logger".
std::vector<std::string> logged(Client& client, const std::string& command,
                                const Json& meta = nullptr) {
    std::vector<std::string> all;
    client.bash("log", command, Json::object(), meta);
    for (Json one = client.next(); !one.is_null() && !one.contains("id"); one = client.next())
        if (one["method"] == message)
            all.push_back(one["params"]["level"].get<std::string>() + " " +
                          one["params"]["logger"].get<std::string>());
    return all;
}

TEST(McpLogging, IsOffUnlessSomebodyAsks) {
    const Husk husk;
    Client client(husk, {"--config", asking_rules(husk)});
    EXPECT_TRUE(client.initialize()["result"]["capabilities"].contains("logging"));
    EXPECT_TRUE(logged(client, "rm x").empty());
    EXPECT_TRUE(logged(client, "true", meta_2026()).empty());
}

TEST(McpLogging, IsFromALevelOnUpwards) {
    using Lines = std::vector<std::string>;
    const struct {
        const char* level;
        Lines of_true;
        Lines of_denied;
    } cases[] = {
        {"debug", {"debug call", "debug verdict", "info call"}, {"warning verdict", "info call"}},
        {"info", {"info call"}, {"warning verdict", "info call"}},
        {"warning", {}, {"warning verdict"}},
        {"error", {}, {}},
    };
    const Husk husk;
    Client client(husk, {"--config", asking_rules(husk)});
    client.initialize();
    for (const auto& one : cases) {
        EXPECT_EQ(client.ask(1, "logging/setLevel", {{"level", one.level}})["result"],
                  Json::object());
        EXPECT_EQ(logged(client, "true"), one.of_true) << one.level;
        EXPECT_EQ(logged(client, "rm x"), one.of_denied) << one.level;
        // Without connections each request says it anew.
        Json meta = meta_2026();
        EXPECT_TRUE(logged(client, "rm x", meta).empty());
        meta["io.modelcontextprotocol/logLevel"] = one.level;
        EXPECT_EQ(logged(client, "rm x", meta), one.of_denied) << one.level;
    }
}

TEST(McpLogging, SaysWhyAndNotWhat) {
    const Husk husk;
    Client client(husk, {"--config", asking_rules(husk)});
    client.initialize();
    client.ask(1, "logging/setLevel", {{"level", "debug"}});
    client.bash(2, "rm secret-of-mine");
    const Json verdict = client.notification(message);
    EXPECT_EQ(verdict["data"]["decision"], "deny");
    EXPECT_TRUE(verdict["data"].contains("rule"));
    EXPECT_EQ(verdict.dump().find("secret-of-mine"), std::string::npos) << verdict;
}

TEST(McpLogging, TellsOfTheEndOfASession) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    client.ask(1, "logging/setLevel", {{"level", "notice"}});
    client.ask(2, "resources/list");
    const std::string id = client.background("sleep 300");
    const std::string session = husk.shell(id)["session"];
    // Its end is no news before it is known to live.
    EXPECT_FALSE(client.notification("notifications/resources/list_changed").is_null());
    husk({"session", "end", session});
    const Json told = client.notification(message);
    EXPECT_EQ(told["level"], "notice");
    EXPECT_EQ(told["logger"], "shell");
    EXPECT_EQ(told["data"]["shell_id"], id);
    EXPECT_EQ(told["data"]["why"], "its session was ended");
}

TEST(McpLogging, RefusesWhatIsNoLevel) {
    const Husk husk;
    Client client(husk);
    client.initialize();
    for (const Json& level : {Json("loud"), Json(3), Json(nullptr)})
        EXPECT_EQ(client.ask(1, "logging/setLevel", {{"level", level}})["error"]["code"], -32602);
    Json meta = meta_2026();
    meta["io.modelcontextprotocol/logLevel"] = "loud";
    EXPECT_EQ(client.ask(2, "tools/list", {{"_meta", meta}})["error"]["code"], -32602);
}

}  // namespace
}  // namespace husk::test
