// A call may ask the user for more access than the walls of the conversation allow.
#include "client.h"

#include <gmock/gmock.h>

#include <fstream>

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* stopped = "touch /usr/husk-x";

class McpAskFor : public testing::Test {
protected:
    McpAskFor() {
        fs::create_directory(work_);
        fs::create_directory(outside_);
        std::ofstream(config_) << "permissions:\n  deny: [\"Bash(shred:*)\"]\n";
    }

    std::vector<std::string> options() const {
        return {"--mode", "workspace", "--cwd", work_.string(), "--config", config_.string()};
    }
    Json more() const {
        return {{"ask_for", {{"write", {outside_.string()}}, {"reason", "it is\nneeded"}}}};
    }
    std::string touch(const char* name) const { return "touch " + (outside_ / name).string(); }

    // Makes the call, and gives that answer to the question.
    Json answered(Client& client, int id, const std::string& command, const Json& result,
                  Json* question = nullptr) const {
        client.bash(id, command, more());
        const Json asked = client.next();
        EXPECT_EQ(asked["method"], "elicitation/create") << asked;
        if (question != nullptr) *question = asked["params"];
        client.say(Json{{"jsonrpc", "2.0"}, {"id", asked["id"]}, {"result", result}});
        return client.answer(id)["result"]["structuredContent"];
    }

    Husk husk_;
    fs::path work_ = husk_.dir() / "work";
    fs::path outside_ = husk_.dir() / "outside";
    fs::path config_ = husk_.dir() / "rules.yaml";
};

TEST_F(McpAskFor, OpensForOneCallWhatTheUserAgreesTo) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    Json question;
    const Json done = answered(client, 1, touch("made"), {{"action", "accept"}}, &question);
    EXPECT_EQ(done["exit_code"], 0) << done;
    EXPECT_TRUE(fs::exists(outside_ / "made"));
    const std::string message = question["message"];
    EXPECT_THAT(message, HasSubstr("\n  write: " + outside_.string() + "\n"));
    EXPECT_THAT(message, HasSubstr(R"(The model's words: "it is needed")"));
    // The next call has the walls of the conversation.
    client.bash(2, touch("other"));
    EXPECT_NE(client.answer(2)["result"]["structuredContent"]["exit_code"], 0);
    EXPECT_FALSE(fs::exists(outside_ / "other"));
    // What meets a wall hears that it could ask.
    client.bash(3, stopped);
    EXPECT_THAT(client.answer(3)["result"]["structuredContent"]["notes"].dump(),
                HasSubstr("ask_for"));
}

TEST_F(McpAskFor, ANoRunsNothing) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    const Json said = answered(client, 1, touch("made"), {{"action", "decline"}});
    EXPECT_EQ(said["status"], "denied");
    EXPECT_THAT(said["error"].get<std::string>(), HasSubstr("asked and declined"));
    EXPECT_FALSE(fs::exists(outside_ / "made"));
}

TEST_F(McpAskFor, IsNoWhereNobodyCanAnswer) {
    Client client(husk_, options());
    client.initialize();
    client.bash(1, touch("made"), more());
    const Json said = client.answer(1)["result"]["structuredContent"];
    EXPECT_EQ(said["status"], "denied");
    EXPECT_THAT(said["error"].get<std::string>(), HasSubstr("nobody can be asked"));
    EXPECT_FALSE(fs::exists(outside_ / "made"));
    client.bash(2, stopped);
    EXPECT_THAT(client.answer(2).dump(), Not(HasSubstr("ask_for")));
}

TEST_F(McpAskFor, AlwaysWritesTheSetting) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    Json question;
    const Json done = answered(client, 1, touch("made"),
                               {{"action", "accept"}, {"content", {{"always", true}}}}, &question);
    EXPECT_EQ(done["exit_code"], 0) << done;
    const std::string what = question["requestedSchema"]["properties"]["always"]["description"];
    EXPECT_THAT(what, HasSubstr(config_.string()));
    EXPECT_THAT(what, HasSubstr("write:"));
    EXPECT_THAT(read_text(config_), HasSubstr("write"));
    EXPECT_THAT(read_text(config_), HasSubstr(outside_.string()));
    EXPECT_THAT(read_text(config_), Not(HasSubstr("approved")));
    client.bash(2, touch("other"));
    EXPECT_EQ(client.answer(2)["result"]["structuredContent"]["exit_code"], 0);
}

// Nobody is asked about what cannot be, and nothing is written down that no session can have.
TEST_F(McpAskFor, ForWhatCannotBeIsNoQuestion) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    const std::string before = read_text(config_);
    int id = 0;
    for (const Json& wish :
         {Json{{"write", {(outside_ / "missing").string()}}}, Json{{"write", {"/"}}},
          Json{{"write", {"/etc"}}}, Json{{"sockets", {"/no-such-directory/socket"}}},
          Json{{"network", "https://a.example/"}}}) {
        Json asked = wish;
        asked["reason"] = "x";
        client.bash(++id, "touch started", {{"ask_for", asked}});
        EXPECT_EQ(client.answer(id)["result"]["isError"], true) << asked;
    }
    EXPECT_EQ(read_text(config_), before);
    EXPECT_FALSE(fs::exists(work_ / "started"));
}

TEST_F(McpAskFor, RulesCountAllTheSame) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    client.bash(1, "shred file", more());
    const Json said = client.answer(1)["result"]["structuredContent"];
    EXPECT_EQ(said["status"], "denied");
    EXPECT_THAT(said["verdict"]["rule"].get<std::string>(), HasSubstr("shred"));
}

TEST_F(McpAskFor, MayLeaveTheWallsOnceOnly) {
    Client client(husk_, options());
    client.initialize("2025-06-18", asks);
    client.bash(1, touch("made"), {{"ask_for", {{"mode", "open"}, {"reason", "x"}}}});
    const Json question = client.next();
    EXPECT_THAT(question["params"]["message"].get<std::string>(), HasSubstr("mode open"));
    EXPECT_EQ(question["params"]["requestedSchema"]["properties"], Json::object());
    client.say(Json{{"jsonrpc", "2.0"},
                    {"id", question["id"]},
                    {"result", {{"action", "accept"}, {"content", {{"always", true}}}}}});
    EXPECT_EQ(client.answer(1)["result"]["structuredContent"]["exit_code"], 0);
    EXPECT_TRUE(fs::exists(outside_ / "made"));
    EXPECT_THAT(read_text(config_), Not(HasSubstr("mode")));
}

}  // namespace
}  // namespace husk::test
