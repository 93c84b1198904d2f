// A server of the contract `docware`: where no sandbox can be built, and what it logs.
#include <gmock/gmock.h>
#include <stdlib.h>

#include "client.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

// For what is started while it lives.
class Pretended {
public:
    explicit Pretended(const char* machine) { ::setenv("HUSK_PRETEND", machine, 1); }
    ~Pretended() { ::unsetenv("HUSK_PRETEND"); }
    Pretended(const Pretended&) = delete;
    Pretended& operator=(const Pretended&) = delete;
};

Json bash_of_docware(Client& client, int id, const Json& arguments) {
    return client.ask(id, "tools/call", {{"name", "Bash"}, {"arguments", arguments}})["result"];
}

TEST(McpDocware, ErrorsWithoutASandboxTheServerAnswers) {
    const Husk husk;
    for (const char* machine : {"landlock=no", "mountns=no"}) {
        const Pretended pretended(machine);
        Client client(husk, {"--contract", "docware", "--mode", "workspace"});
        client.initialize();
        EXPECT_EQ(client.ask(1, "tools/list")["result"]["tools"].size(), 1U) << machine;
        for (int id = 2; id < 4; ++id) {
            const Json result = bash_of_docware(client, id, {{"command", "true"}});
            EXPECT_EQ(result["isError"], true);
            EXPECT_EQ(result["structuredContent"]["error"]["type"], "sandbox_creation_failed")
                << machine << result.dump();
        }
    }
}

// What a sandbox is not needed for is answered as ever.
TEST(McpDocware, ErrorsWithoutASandboxTheModeOpenStillRuns) {
    const Husk husk;
    const Pretended pretended("landlock=no");
    Client client(husk, {"--contract", "docware", "--mode", "open"});
    client.initialize();
    EXPECT_EQ(bash_of_docware(client, 1, {{"command", "true"}})["structuredContent"]["success"],
              true);
    const Json closed = bash_of_docware(client, 2, {{"command", "true"}, {"enable_sandbox", true}});
    EXPECT_EQ(closed["structuredContent"]["error"]["type"], "sandbox_creation_failed");
}

// Somebody agrees to each question. A list and a limit are none of the questions.
TEST(McpDocware, ValidationAConfirmationLetsNothingPassThatAListForbids) {
    const Husk husk;
    write_text(husk.dir() / "docware.yaml", "docware: {command_whitelist: [chmod, cat]}\n");
    write_text(husk.dir() / "file", "text\n");
    Client client(husk,
                  {"--contract", "docware", "--config", (husk.dir() / "docware.yaml").string()});
    client.initialize("2025-06-18", {{"elicitation", Json::object()}});
    const auto call = [](const std::string& command) {
        return Json{
            {"command", command}, {"enable_shell_features", true}, {"require_confirmation", true}};
    };
    const auto blocked_by = [&](int id, const Json& arguments) {
        const Json result = bash_of_docware(client, id, arguments)["structuredContent"];
        return result["error"]["details"].value("blockedBy", "");
    };
    EXPECT_EQ(blocked_by(1, call("chmod 777 file; cat file; id")), "whitelist_check");
    EXPECT_EQ(blocked_by(2, call("chmod 777 file; cat ../../../etc/hostname")),
              "path_security_check");
    Json large = call("chmod 777 file");
    large["max_memory"] = 4ULL << 30;
    EXPECT_EQ(blocked_by(3, large), "resource_access_check");
    client.say(
        Json{{"jsonrpc", "2.0"},
             {"id", 4},
             {"method", "tools/call"},
             {"params", {{"name", "Bash"}, {"arguments", call("chmod 777 file; cat file")}}}});
    const Json question = client.next();
    ASSERT_EQ(question["method"], "elicitation/create");
    client.say(Json{{"jsonrpc", "2.0"},
                    {"id", question["id"]},
                    {"result", {{"action", "accept"}, {"content", Json::object()}}}});
    const Json done = client.answer(4)["result"]["structuredContent"];
    EXPECT_EQ(done["stdout"], "text\n") << done;
    EXPECT_EQ(done["security_info"]["confirmed"], true);
}

TEST(McpDocware, ConfigurationTheLogLevelNeedsNoRequest) {
    const Husk husk;
    write_text(husk.dir() / "docware.yaml", "docware: {logLevel: warning}\n");
    Client client(husk,
                  {"--contract", "docware", "--config", (husk.dir() / "docware.yaml").string()});
    client.initialize();
    bash_of_docware(client, 1, {{"command", "true"}});
    bash_of_docware(client, 2, {{"command", "sudo"}, {"args", {"true"}}});
    const Json message = client.notification("notifications/message");
    EXPECT_EQ(message["level"], "warning");
    EXPECT_EQ(message["logger"], "verdict");
    // A client that asks for less gets less.
    client.ask(3, "logging/setLevel", {{"level", "emergency"}});
    bash_of_docware(client, 4, {{"command", "sudo"}, {"args", {"true"}}});
    EXPECT_TRUE(client.is_silent_about(99));
}

}  // namespace
}  // namespace husk::test
