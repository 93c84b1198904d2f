// The contract `claude-code` with the real program.
#include <gmock/gmock.h>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ClaudeCode : public testing::Test {
protected:
    Json bash(const std::string& command, const Json& more = Json::object()) const {
        Json arguments = {{"command", command}};
        arguments.update(more);
        return talk_.call("Bash", arguments);
    }
    std::string said(const std::string& command, const Json& more = Json::object()) const {
        return text_of(bash(command, more));
    }
    std::string background(const std::string& command) const {
        return between(said(command, {{"run_in_background", true}}), "with ID: ", ".");
    }
    std::string output(const std::string& id, const std::string& filter = "") const {
        return text_of(talk_.call("BashOutput", {{"bash_id", id}, {"filter", filter}}));
    }

    Conversation talk_{"claude-code"};
};

TEST_F(ClaudeCode, Result_TheExactText) {
    struct {
        const char* command;
        std::string text;
        bool fails;
    } const cases[] = {
        {"echo hi", "hi", false},
        {"true", "(Bash completed with no output)", false},
        {"echo hi; exit 3", "Exit code 3\nhi", true},
        {"false", "Exit code 1", true},
        {"kill -9 $$", "Exit code 137", true},
        {"echo out; echo err >&2; echo out", "out\nerr\nout", false},
        {"echo 'Exit code 3'", "Exit code 3", false},
        {"pwd", talk_.work(), false},
        {"cat; echo end", "end", false},
        {"printf '\\033[1mbold\\033[0m 10%%\\r100%%\\n'", "100% 10%", false},
    };
    for (const auto& one : cases) {
        const Json result = bash(one.command, {{"description", "Say something"}});
        EXPECT_EQ(text_of(result), one.text) << one.command;
        EXPECT_EQ(is_error(result), one.fails) << one.command;
    }
    EXPECT_THAT(said("if"), AllOf(StartsWith("Exit code 2\n"), HasSubstr("syntax error")));
}

TEST_F(ClaudeCode, Result_TheFileHasWhatIsTooLarge) {
    const std::string text = said("seq 100000");
    EXPECT_THAT(text, AllOf(StartsWith("<persisted-output>\nOutput too large ("),
                            HasSubstr("\n1\n2\n3\n"), EndsWith("\n100000\n</persisted-output>")));
    const std::string file = between(text, "Full output saved to: ", "\n");
    EXPECT_THAT(read_text(file), AllOf(StartsWith("1\n2\n"), EndsWith("\n99999\n100000\n")));
}

TEST_F(ClaudeCode, Background_ATimeoutDoesNotKill) {
    const Mark mark;
    const std::string text =
        said("echo up; exec -a " + mark.word() + " sleep 300", {{"timeout", 300}});
    EXPECT_THAT(text, StartsWith("Command did not complete within its 300ms timeout and was moved "
                                 "to the background (ID: "));
    const std::string id = between(text, "(ID: ", ")");
    const std::string file = between(text, "written to: ", ". To");
    EXPECT_TRUE(eventually([&] { return read_text(file) == "up\n"; }));
    EXPECT_EQ(output(id), "<status>running</status>\n\n<stdout>\nup\n</stdout>");
    EXPECT_FALSE(mark.bearers().empty());
    EXPECT_THAT(text_of(talk_.call("KillShell", {{"shell_id", id}})), HasSubstr("Successfully"));
    EXPECT_TRUE(mark.bearers().empty());
}

TEST_F(ClaudeCode, Background_AnotherProcessReadsWhatIsNew) {
    const std::string id =
        background("echo one; until [ -e go ]; do sleep 0.02; done; echo two; echo three; exit 4");
    EXPECT_TRUE(eventually([&] { return output(id).contains("\none\n"); }));
    EXPECT_EQ(output(id), "<status>running</status>");
    write_text(std::filesystem::path(talk_.work()) / "go", "");
    const auto ended = [&] {
        const Ran waited = talk_.husk()({"wait", "--json", id});
        return waited.code == 4;
    };
    EXPECT_TRUE(ended());
    const Json again = talk_.call("KillShell", {{"shell_id", id}});
    EXPECT_EQ(text_of(again),
              "Shell " + id + " is not running, so cannot be killed (status: failed)");
    EXPECT_TRUE(is_error(again));
    EXPECT_THAT(output(id), StartsWith("<status>failed</status>\n\n<exit_code>4</exit_code>"));
}

TEST_F(ClaudeCode, Background_AFilterLeavesLinesOutForGood) {
    const std::string id = background("seq 1 200000; sleep 300");
    EXPECT_TRUE(eventually(
        [&] { return talk_.husk()({"output", id, "--tail", "1"}).out.contains("200000"); }));
    const std::string filtered =
        text_of(talk_.call("BashOutput", {{"bash_id", id}, {"filter", "^19999[89]$|^7$"}}));
    EXPECT_EQ(filtered, "<status>running</status>\n\n<stdout>\n7\n199998\n199999\n</stdout>");
    EXPECT_EQ(output(id), "<status>running</status>");
}

TEST_F(ClaudeCode, Background_UnknownShellsAreSaidToBe) {
    for (const char* id : {"nobody-1", "../../x"}) {
        const Json read = talk_.call("BashOutput", {{"bash_id", id}});
        EXPECT_TRUE(is_error(read)) << id;
        EXPECT_THAT(text_of(read), HasSubstr("No shell found with ID: " + std::string(id)));
        EXPECT_TRUE(is_error(talk_.call("KillShell", {{"shell_id", id}}))) << id;
    }
}

TEST_F(ClaudeCode, Permissions_AreHusksRules) {
    const Json wiped = talk_.call_among_stand_ins("rm", "Bash", {{"command", "rm -rf /"}});
    EXPECT_TRUE(is_error(wiped)) << text_of(wiped);
    EXPECT_FALSE(std::filesystem::exists(talk_.mark()));
    EXPECT_FALSE(is_error(talk_.call_among_stand_ins("git", "Bash", {{"command", "git add -A"}})));
    talk_.configure("permissions: {deny: [\"Bash(git push:*)\"]}");
    const Json pushed =
        talk_.call_among_stand_ins("git", "Bash", {{"command", "cd . && git push"}});
    EXPECT_THAT(text_of(pushed),
                StartsWith("Permission to use Bash with this command has been denied: "));
    EXPECT_TRUE(is_error(pushed));
}

// A model that asks for fewer walls gets those that the user has chosen.
TEST(ClaudeCodeWalls, StandWhateverTheModelAsksFor) {
    const Conversation talk("claude-code", {"--mode", "read-only"});
    const Json result =
        talk.call("Bash", {{"command", "echo x > file"}, {"dangerouslyDisableSandbox", true}});
    EXPECT_TRUE(is_error(result)) << text_of(result);
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(talk.work()) / "file"));
}

}  // namespace
}  // namespace husk::test
