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
    const Json missing = bash("pwd", {{"working_directory", "/no/such"}});
    EXPECT_TRUE(is_error(missing));
    EXPECT_THAT(text_of(missing),
                testing::EndsWith("/no/such; name another one with `working_directory` (--cwd)"));
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
              std::string(1048574, 'a') + "\n[output truncated]");
    EXPECT_EQ(result["structuredContent"]["stderr"], "b\n");
    const Json floods =
        bash("head -c 1000000 /dev/zero | tr '\\0' a; head -c 1000000 /dev/zero | tr '\\0' b >&2");
    const std::string half(524288, 'a');
    EXPECT_EQ(floods["structuredContent"]["stdout"], half + "\n[output truncated]");
    EXPECT_LT(text_of(floods).size(), 1048576U + 100);
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

// Permissions: `agentrail.yaml` beside the work, in which other keys are the agent's.
class AgentrailFile : public Agentrail {
protected:
    void write_file(const std::string& permissions) const {
        write_text(file(), "# agentrail.yaml\nmodel: {name: x, tags: [a, b]}\n" + permissions +
                               "capabilities:\n  - sandbox\n");
    }
    std::string file() const { return talk_.work() + "/agentrail.yaml"; }
    Ran husk(std::vector<std::string> args) const { return talk_.husk()(std::move(args)); }
    Ran call(const std::string& command) const {
        return husk(talk_.args("Bash", Json{{"command", command}}.dump()));
    }
    Json config() const {
        return husk({"config", "--contract", "agentrail", "--cwd", talk_.work(), "--json"}).json();
    }
};

TEST_F(AgentrailFile, Permissions_AskBeforeEveryCall) {
    write_file("permissions:\n  mode: default\n  ask:\n    - \"Bash\"\n");
    const Json result = bash("true");
    EXPECT_TRUE(is_error(result));
    EXPECT_THAT(text_of(result), testing::StartsWith("Permission denied: nobody can be asked"));
}

TEST_F(AgentrailFile, Permissions_DenyWhileOthersAreAllowed) {
    write_file(
        "permissions:\n  mode: default\n  deny:\n    - \"Bash(rm:*)\"\n"
        "  allow:\n    - \"Bash(git:*)\"\n    - \"Bash(npm:*)\"\n");
    EXPECT_THAT(text_of(bash("cd / && rm -f x")),
                testing::StartsWith("Permission denied: The rule Bash(rm:*) denies this"));
    EXPECT_FALSE(is_error(bash("git --version")));
    EXPECT_FALSE(is_error(bash("echo hi")));
}

TEST_F(AgentrailFile, Permissions_OnlyNarrowUntilTheFileIsTrusted) {
    talk_.configure("permissions: {deny: [\"Bash(id)\"]}");
    write_file(
        "permissions: {mode: bypassPermissions, allow: [\"Bash(id)\"], deny: [\"Bash(pwd)\"]}\n");
    EXPECT_TRUE(is_error(call("id").json()));
    EXPECT_TRUE(is_error(call("pwd").json()));
    const Ran ran = call("true");
    EXPECT_FALSE(is_error(ran.json()));
    EXPECT_THAT(ran.err, testing::AllOf(HasSubstr(file() + " may only narrow, so 2 of its entries"),
                                        HasSubstr("husk trust")));
    EXPECT_THAT(ran.json()["_meta"]["husk/notes"].dump(), HasSubstr("may only narrow"));
    EXPECT_EQ(config()["agent_file"], "may only narrow");
    EXPECT_EQ(config()["ignored"].size(), 2U);
    EXPECT_EQ(config()["files"]["agent"], file());

    const Ran trusted = husk({"trust", file()});
    EXPECT_EQ(trusted.code, 0) << trusted.err;
    EXPECT_THAT(trusted.out, HasSubstr("permissions.mode: bypassPermissions"));
    EXPECT_EQ(config()["agent_file"], "trusted");
    EXPECT_FALSE(is_error(call("pwd").json()));
    EXPECT_EQ(call("true").err, "");
    write_file("permissions: {mode: bypassPermissions}\n");
    EXPECT_EQ(config()["agent_file"], "may only narrow");
}

TEST_F(AgentrailFile, Permissions_CountForThisContractAlone) {
    write_file("permissions: {deny: [\"Bash\"]}\n");
    EXPECT_TRUE(is_error(bash("true")));
    const Ran other = husk(
        {"call", "--contract", "yoi", "--cwd", talk_.work(), "Bash", R"({"command": "true"})"});
    EXPECT_FALSE(is_error(other.json()));
    EXPECT_EQ(husk({"run", "--cwd", talk_.work(), "--", "true"}).code, 0);
}

TEST_F(AgentrailFile, Permissions_AMistakeIsToldBeforeAnythingRuns) {
    struct {
        const char* permissions;
        const char* message;
    } const cases[] = {
        {"permissions: {denny: [\"Bash\"]}\n", "agentrail.yaml:3: unknown key \"denny\""},
        {"permissions: {deny: [\"Bash(\"]}\n", "Permission rule at index 0 is invalid"},
        {"permissions: {mode: lax}\n", "lax"},
        {"permissions: [deny]\n", "agentrail.yaml:3"},
        {"permissions: {allow: [\"Bash(\"]}\n", "Permission rule at index 0 is invalid"},
    };
    for (const auto& one : cases) {
        write_file(one.permissions);
        const Ran ran = call("echo ran");
        EXPECT_TRUE(is_refusal(ran)) << one.permissions << ran.out << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(one.message));
    }
    for (const char* other : {"", "permissions:\n"}) {
        write_file(other);
        EXPECT_FALSE(is_error(call("true").json())) << other;
    }
}

}  // namespace
}  // namespace husk::test
