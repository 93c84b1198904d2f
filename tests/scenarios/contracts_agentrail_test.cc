// The contract `agentrail` with the real program.
#include <gmock/gmock.h>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

class Agentrail : public testing::Test {
protected:
    Json bash(const std::string& command, const Json& more = Json::object()) const {
        Json arguments = {{"command", command}};
        arguments.update(more);
        return talk_.call("Bash", arguments);
    }

    Conversation talk_{"agentrail"};
};

TEST_F(Agentrail, Result_InTheForeground) {
    const Json result = bash("echo hi");
    EXPECT_EQ(text_of(result), "hi\n\n\n[exit code: 0]");
    EXPECT_EQ(result["structuredContent"],
              (Json{{"mode", "foreground"}, {"exit_code", 0}, {"stdout", "hi\n"}, {"stderr", ""}}));
    const Json both = bash("echo a; echo b >&2; exit 3");
    EXPECT_EQ(text_of(both), "a\n\n[stderr]\nb\n\n\n[exit code: 3]");
    EXPECT_FALSE(is_error(both));
    EXPECT_EQ(text_of(bash("true")), "(no output)\n\n[exit code: 0]");
    EXPECT_EQ(text_of(bash("kill -9 $$")), "(no output)\n\n[exit code: 137]");
    EXPECT_EQ(bash("echo '[exit code: 7]'")["structuredContent"]["exit_code"], 0);
}

TEST_F(Agentrail, Parameters_TheWorkingDirectoryIsAbsolute) {
    EXPECT_EQ(bash("pwd")["structuredContent"]["stdout"], talk_.work() + "\n");
    EXPECT_EQ(bash("pwd", {{"working_directory", "/"}})["structuredContent"]["stdout"], "/\n");
    const Json relative = bash("pwd", {{"working_directory", "src"}});
    EXPECT_TRUE(is_error(relative));
    EXPECT_THAT(text_of(relative), HasSubstr("absolute"));
    EXPECT_TRUE(is_error(bash("pwd", {{"working_directory", "/no/such"}})));
}

TEST_F(Agentrail, Result_ATimeoutMovesItToTheBackground) {
    const Json result = bash("echo a; echo b >&2; sleep 300", {{"timeout", 2000}});
    const Json& details = result["structuredContent"];
    EXPECT_EQ(details["mode"], "background");
    EXPECT_EQ(details["stdout"], "a\n");
    EXPECT_EQ(details["stderr"], "b\n");
    const int pid = details["pid"];
    EXPECT_EQ(text_of(result), "Process is running in background (pid: " + std::to_string(pid) +
                                   ")\na\n\n[stderr]\nb\n");
    EXPECT_TRUE(is_alive(pid));
    bash("kill " + std::to_string(pid));
    EXPECT_TRUE(eventually([&] { return !is_alive(pid); }));
}

TEST_F(Agentrail, Usage_ATimeoutOfNothingIsTheBackgroundAtOnce) {
    const Json result = bash("sleep 300", {{"timeout", 0}});
    EXPECT_EQ(result["structuredContent"]["mode"], "background");
    const int pid = result["structuredContent"]["pid"];
    EXPECT_TRUE(is_alive(pid));
    EXPECT_EQ(bash("true", {{"timeout", 0}})["structuredContent"]["mode"], "background");
    bash("kill -9 -" + std::to_string(pid));
    EXPECT_TRUE(eventually([&] { return !is_alive(pid); }));
}

TEST_F(Agentrail, Usage_TruncatesAtAMebibyte) {
    const Json result = bash("head -c 1048577 /dev/zero | tr '\\0' a; echo b >&2");
    EXPECT_EQ(result["structuredContent"]["stdout"],
              std::string(1048576, 'a') + "\n[output truncated]");
    EXPECT_EQ(result["structuredContent"]["stderr"], "b\n");
}

TEST_F(Agentrail, Permissions_KnownDangerousEvenUnderBypass) {
    talk_.configure("permissions: {mode: bypassPermissions, deny: [\"Bash(echo:*)\"]}");
    for (const char* command :
         {"rm -rf / && x", "rm -rf /*", "rm --recursive --force /", "mkfs /dev/sda", "modprobe x",
          "chmod 777 /", "dd if=x of=/dev/sda", "sudo rm -rf /"}) {
        const Json result = talk_.call_among_stand_ins("rm mkfs modprobe chmod dd sudo", "Bash",
                                                       {{"command", command}});
        EXPECT_EQ(text_of(result), "Command matches a known-dangerous pattern") << command;
        EXPECT_TRUE(is_error(result));
    }
    EXPECT_FALSE(std::filesystem::exists(talk_.mark())) << read_text(talk_.mark());
    EXPECT_FALSE(is_error(bash("echo mkfs")));
}

TEST_F(Agentrail, Permissions_AllowAskDeny) {
    talk_.configure(R"yaml(permissions:
  mode: strict
  allow: ["Bash(git:*)", "Bash(echo:*)"]
  ask: ["Bash(git push:*)"]
  deny: ["Bash(rm:*)"]
)yaml");
    struct {
        const char* command;
        const char* text;  // "": it is run
    } const cases[] = {
        {"git status", ""},
        {"echo x; git log", ""},
        {"git push", "Permission denied: nobody can be asked here: "},
        {"git status; rm x", "Permission denied: The rule Bash(rm:*) denies this"},
        {"cd x && sudo rm y", "Permission denied: "},
        {"ls", "Permission denied: "},
    };
    for (const auto& one : cases) {
        const Json result =
            talk_.call_among_stand_ins("git rm sudo", "Bash", {{"command", one.command}});
        EXPECT_EQ(is_error(result), std::string(one.text) != "") << one.command;
        EXPECT_TRUE(!is_error(result) || text_of(result).starts_with(one.text)) << text_of(result);
    }
    EXPECT_FALSE(is_error(bash("echo 'if'")));
}

TEST_F(Agentrail, Permissions_WithoutRulesNothingIsAsked) {
    for (const char* command : {"x=echo; $x hi", "eval \"$(echo echo hi)\"", "git add -A; true"}) {
        const Json result = talk_.call_among_stand_ins("git", "Bash", {{"command", command}});
        EXPECT_FALSE(is_error(result)) << command << text_of(result);
    }
}

TEST_F(Agentrail, Permissions_ABadRuleIsToldBeforeAnythingRuns) {
    talk_.configure("permissions: {deny: [\"Bash(\"]}");
    const Ran ran = talk_.husk()(talk_.args("Bash", R"({"command": "true"})"));
    EXPECT_TRUE(is_refusal(ran));
    EXPECT_THAT(ran.err,
                HasSubstr("Permission rule at index 0 is invalid: Invalid permission rule: "
                          "missing closing parenthesis"));
}

}  // namespace
}  // namespace husk::test
