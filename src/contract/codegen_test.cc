#include <gmock/gmock.h>

#include <cerrno>

#include "base/utf8.h"
#include "contract/contract_cases.h"
#include "contract/uuid.h"

namespace husk::contract::codegen_test {
namespace {

using testing::HasSubstr;

const Contract& codegen = codegen_contract;
const std::string any = R"({"command": "x", "description": "d"})";

Answer answer(const Happened& happened, const std::string& arguments = any) {
    return answer_to(codegen, "Bash", arguments, happened);
}

// Schema: what is required, in its own words. What is no text counts as absent.
TEST(Codegen, Schema_SaysWhatIsMissing) {
    struct {
        const char* tool;
        const char* input;
        const char* text;
    } const wrong[] = {
        {"Bash", R"({})", "command is required"},
        {"Bash", R"({"description": "d"})", "command is required"},
        {"Bash", R"({"command": "", "description": "d"})", "command is required"},
        {"Bash", R"({"command": null, "description": "d"})", "command is required"},
        {"Bash", R"({"command": 5, "description": "d"})", "command is required"},
        {"Bash", R"({"command": "x"})", "description is required"},
        {"Bash", R"({"command": "x", "description": ""})", "description is required"},
        {"Bash", R"({"command": "x", "description": null})", "description is required"},
        {"BashOutput", R"({})", "shell_id is required"},
        {"BashOutput", R"({"shell_id": ""})", "shell_id is required"},
        {"BashOutput", R"({"shell_id": 7})", "shell_id is required"},
        {"BashOutput", R"({"shell_id": "x"})", "unknown shell_id: x"},
        {"BashOutput", R"({"shell_id": "../../x"})", "unknown shell_id: ../../x"},
        {"BashOutput", R"({"shell_id": "00000000-0000-4000-8000-000000000000"})",
         "unknown shell_id: 00000000-0000-4000-8000-000000000000"},
        {"KillShell", R"({})", "shell_id is required"},
        {"KillShell", R"({"shell_id": null})", "shell_id is required"},
        {"KillShell", R"({"shell_id": "abcdef-7"})", "unknown shell_id: abcdef-7"},
        {"Bash", R"([])", "invalid arguments: the arguments must be a JSON object, not a list"},
        {"Bash", R"({"command": "x", "command": "y"})",
         "invalid arguments: the key `command` stands twice"},
    };
    for (const auto& one : wrong) EXPECT_EQ(error_text(codegen, one.tool, one.input), one.text);
}

// Schema: a timeout is never an error.
TEST(Codegen, Schema_TakesAnyTimeout) {
    struct {
        const char* timeout;
        int seconds;
    } const cases[] = {
        {"1", 1},       {"120", 120},    {"599", 599},
        {"600", 600},   {"601", 600},    {"1e308", 600},
        {"2.9", 2},     {"0.5", 120},    {"0", 120},
        {"-1", 120},    {"-1e308", 120}, {"null", 120},
        {"\"5\"", 120}, {"[5]", 120},    {"true", 120},
        {"{}", 120},    {"1.0", 1},      {"18446744073709551615", 600},
        {"\"\"", 120},
    };
    for (const auto& one : cases) {
        const std::string input =
            R"({"command": "x", "description": "d", "timeout": )" + std::string(one.timeout) + "}";
        EXPECT_EQ(run_of(codegen, "Bash", input).request.timeout, std::chrono::seconds(one.seconds))
            << one.timeout;
    }
    EXPECT_EQ(run_of(codegen, "Bash", any).request.timeout, std::chrono::seconds(120));
}

TEST(Codegen, Schema_BackgroundIgnoresTheTimeout) {
    const auto run =
        run_of(codegen, "Bash",
               R"({"command": "x", "description": "d", "timeout": 1, "run_in_background": true})");
    EXPECT_TRUE(run.request.background);
    EXPECT_FALSE(run.request.timeout);
    EXPECT_EQ(run.request.streams, Streams::Split);
    for (const char* no : {"false", "null", "0", "\"true\"", "1", "\"\""}) {
        const std::string input =
            R"({"command": "x", "description": "d", "run_in_background": )" + std::string(no) + "}";
        EXPECT_FALSE(run_of(codegen, "Bash", input).request.background) << no;
    }
}

// Foreground mode: output, then what happened, to the byte.
TEST(Codegen, Foreground_EndsWithTheExitCode) {
    struct {
        Ending ending;
        std::string output;
        std::string text;
    } const cases[] = {
        {Exited{0}, "hi\n", "hi\n"},
        {Exited{0}, "hi", "hi\n"},
        {Exited{0}, "", ""},
        {Exited{7}, "", "exit: 7\n"},
        {Exited{3}, "a", "a\nexit: 3\n"},
        {Exited{3}, "a\n", "a\nexit: 3\n"},
        {Exited{0}, "exit: 7\n", "exit: 7\n"},
        {Exited{0}, "bash: timed out after 1s\nexit: 124\n",
         "bash: timed out after 1s\nexit: 124\n"},
        {Exited{124}, "", "exit: 124\n"},
        {TimedOut{milliseconds(1000)}, "", "bash: timed out after 1s\nexit: 124\n"},
        {TimedOut{milliseconds(600'000)}, "a", "a\nbash: timed out after 600s\nexit: 124\n"},
        {Signaled{9}, "", "exit: 137\n"},
        {Signaled{15}, "a\n", "a\nexit: 143\n"},
        {LimitExceeded{"memory", 5, 6}, "",
         "bash: killed: more memory than the limit of 5\nexit: 137\n"},
        {Cancelled{"cancelled"}, "a", "a\nbash: killed: cancelled\nexit: 137\n"},
    };
    for (const auto& one : cases) {
        const Answer said = answer({.ending = one.ending, .out = one.output});
        EXPECT_EQ(said.text, one.text);
        EXPECT_FALSE(said.is_error) << one.text;
        EXPECT_FALSE(said.structured);
    }
    const Answer removed =
        answer({.ending = NotStarted{{"working directory", ENOENT,
                                      "/w; name another one with `working_directory` (--cwd)"}}});
    EXPECT_THAT(removed.text, testing::HasSubstr("Ask the user to make this directory again"));
    EXPECT_THAT(removed.text, testing::Not(testing::HasSubstr("`working_directory`")));
    const Answer failed = answer({.ending = NotStarted{{"fork", 11, ""}}});
    EXPECT_EQ(failed.text, "bash: fork: Resource temporarily unavailable");
    EXPECT_TRUE(failed.is_error);
}

TEST(Codegen, Foreground_CapsTheOutput) {
    const std::string most(102400, 'a');
    EXPECT_EQ(answer({.out = most.substr(1)}).text, most.substr(1) + "\n");
    EXPECT_EQ(answer({.out = most}).text, most + "\n");
    EXPECT_EQ(answer({.out = most + "b"}).text,
              most + "\n... (output truncated, 1 bytes elided)\n");
    EXPECT_EQ(answer({.ending = Exited{1}, .out = most + "bcd"}).text,
              most + "\n... (output truncated, 3 bytes elided)\nexit: 1\n");
    for (size_t shift = 0; shift < 4; ++shift) {
        const std::string output = std::string(shift, 'x') + cut_anywhere(102500, "\xe2\x82\xac");
        const std::string said = answer({.out = output}).text;
        EXPECT_TRUE(text::is_utf8(said)) << shift;
        const size_t kept = said.find("\n... (");
        EXPECT_THAT(said, HasSubstr(std::to_string(output.size() - kept) + " bytes elided"));
    }
}

// Processes that go on are told beside the text, with the id for the other tools.
TEST(Codegen, Foreground_TellsOfProcessesThatOutliveTheCommand) {
    const auto run = run_of(codegen, "Bash", any);
    Told told = told_of(run, {.out = "hi\n"});
    EXPECT_FALSE(codegen.render(run, told).meta.contains("husk/leftovers"));
    told.report.leftovers = {{4712, "sleep", ""}};
    const Answer said = codegen.render(run, told);
    EXPECT_EQ(said.text, "hi\n");
    EXPECT_EQ(said.meta["husk/leftovers"], Json::parse(R"([{"pid": 4712, "name": "sleep"}])"));
    EXPECT_EQ(said.meta["husk/shell_id"], uuid_of("abcdef-7"));
    told.report.leftovers.assign(50, {1, "sleep", ""});
    EXPECT_EQ(codegen.render(run, told).meta["husk/leftovers"].size(), 20U);
}

// Denylist: in the words of the original.
TEST(Codegen, Denylist_RejectsWithTheToken) {
    const Answer said = answer_to_denied(
        codegen, "Bash", any, verdict_of("x", "y", "command uses denylisted token \"mkfs.ext4\""));
    EXPECT_EQ(said.text, "command rejected: command uses denylisted token \"mkfs.ext4\"");
    EXPECT_TRUE(said.is_error);
    EXPECT_THAT(codegen.defaults.packs, testing::ElementsAre("system"));
    EXPECT_EQ(codegen.defaults.denylist, decide::Denylist::Literal);
    Verdict asks = verdict_of("Bash(x)", "y", "a rule asks");
    asks.decision = "ask";
    EXPECT_EQ(answer_to_denied(codegen, "Bash", any, asks).text,
              "command rejected: refused: a rule asks");
}

// Background mode.
TEST(Codegen, Background_TellsTheIdAndTheCommand) {
    const std::string input =
        R"({"command": "npm run\nbuild", "description": "d", "run_in_background": true})";
    const std::string uuid = uuid_of("abcdef-7");
    for (const Ending& ending : {Ending(Running{}), Ending(Exited{127})}) {
        const Answer said = answer({.ending = ending}, input);
        EXPECT_EQ(said.text, "shell_id: " + uuid + "\nstarted in background: npm run\nbuild\n");
    }
    EXPECT_EQ(action_of<Read>(codegen, "BashOutput", R"({"shell_id": ")" + uuid + "\"}").shell_id,
              "abcdef-7");
    const Kill kill = action_of<Kill>(codegen, "KillShell", R"({"shell_id": ")" + uuid + "\"}");
    EXPECT_EQ(kill.shell_id, "abcdef-7");
    EXPECT_EQ(kill.ladder.signal, 9);
    EXPECT_EQ(kill.then, Kill::Then::Forget);
    EXPECT_EQ(codegen.render(kill, Told{}).text, "killed: " + uuid + "\n");
    for (const Action& action : {Action(kill), Action(Read{.shell_id = "abcdef-7"})}) {
        const Answer said = codegen.render(action, NoSuchShell{"abcdef-7"});
        EXPECT_EQ(said.text, "unknown shell_id: " + uuid);
        EXPECT_TRUE(said.is_error);
    }
}

std::string polled(const Happened& happened) {
    const Read read =
        action_of<Read>(codegen, "BashOutput", R"({"shell_id": ")" + uuid_of("abcdef-7") + "\"}");
    Told told;
    told.report.command = "c";
    told.report.ending = happened.ending;
    told.out = portion_of(happened.out, read.portion);
    told.err = portion_of(happened.err, read.portion);
    told.created = std::chrono::system_clock::from_time_t(86399);
    return codegen.render(read, told).text;
}

std::string status(const std::string& said) {
    return "command: c\nstatus: " + said + "\nstarted: 1970-01-01T23:59:59Z\n\n";
}

TEST(Codegen, Background_BashOutputHasBothStreams) {
    const std::string nothing = "--- stdout (0 bytes) ---\n--- stderr (0 bytes) ---\n";
    EXPECT_EQ(polled({.ending = Running{}}), status("running") + nothing);
    EXPECT_EQ(polled({.ending = Exited{0}}), status("completed (exit 0)") + nothing);
    EXPECT_EQ(polled({.ending = Exited{3}}), status("completed (exit 3)") + nothing);
    EXPECT_EQ(polled({.ending = Signaled{15}}), status("killed (signal 15)") + nothing);
    EXPECT_EQ(polled({.ending = LimitExceeded{"lifetime", 1, 1}}),
              status("killed (lifetime limit)") + nothing);
    EXPECT_EQ(polled({.ending = Lost{"gone"}}), status("lost (gone)") + nothing);
    EXPECT_EQ(polled({.ending = Running{}, .out = "a", .err = "b\n"}),
              status("running") + "--- stdout (1 bytes) ---\na\n--- stderr (2 bytes) ---\nb\n");
    EXPECT_EQ(
        polled({.ending = Running{}, .out = "--- stderr (9 bytes) ---\n", .err = ""}),
        status("running") +
            "--- stdout (25 bytes) ---\n--- stderr (9 bytes) ---\n--- stderr (0 bytes) ---\n");
}

// The text has no place for either.
TEST(Codegen, Background_BashOutputTellsWhatBecameOfProcessesThatOutliveTheCommand) {
    Told told;
    told.report.shell_id = "abcdef-1";
    told.report.ending = Exited{0};
    told.report.notes = {"a note"};
    told.report.leftovers = {{.pid = 7, .name = "sleep", .reason = ""}};
    const Answer said = codegen.render(Read{.shell_id = "abcdef-1"}, told);
    EXPECT_EQ(said.meta["husk/notes"], Json({"a note"}));
    EXPECT_EQ(said.meta["husk/leftovers"], Json::parse(R"([{"pid": 7, "name": "sleep"}])"));
    EXPECT_EQ(said.meta["husk/shell_id"], uuid_of("abcdef-1"));
}

TEST(Codegen, Background_KeepsAMebibyteFromTheHead) {
    const std::string most(1 << 20, 'a');
    const auto head = [&](const std::string& out) {
        const std::string said = polled({.out = out});
        const size_t at = said.find("--- stdout");
        return said.substr(at, said.find('\n', at) - at);
    };
    EXPECT_EQ(head(most.substr(1)), "--- stdout (1048575 bytes) ---");
    EXPECT_EQ(head(most), "--- stdout (1048576 bytes) ---");
    EXPECT_EQ(head(most + "b"), "--- stdout (1048576 bytes) [TRUNCATED] ---");
    EXPECT_EQ(head("x" + cut_anywhere(1 << 20, "\xc3\xa4")),
              "--- stdout (1048575 bytes) [TRUNCATED] ---");
}

TEST(Codegen, TheIdHoldsTheShell) {
    for (const char* id : {"abcdef-1", "zzzzzz-4294967295", "222222-10", "a2b3c4-77"}) {
        const std::string uuid = uuid_of(id);
        EXPECT_THAT(uuid,
                    testing::MatchesRegex(
                        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
        EXPECT_EQ(shell_id_of(uuid), id);
        for (size_t i = 0; i < uuid.size(); ++i) {
            std::string other = uuid;
            other[i] = other[i] == '1' ? '2' : '1';
            EXPECT_EQ(shell_id_of(other), std::nullopt) << other;
        }
    }
    for (const char* no_id :
         {"", "a", "abcdef", "abcdef-", "abcdef-x", "abcdeo-1", "abcdefg-1", "abcdef-4294967296"})
        EXPECT_EQ(uuid_of(no_id), "") << no_id;
}

TEST(Codegen, HasThreeTools) {
    const auto tools = codegen.tools(in_work());
    ASSERT_EQ(tools.size(), 3U);
    EXPECT_EQ(tools[0].name, "Bash");
    EXPECT_EQ(tools[1].name, "BashOutput");
    EXPECT_EQ(tools[2].name, "KillShell");
    const Json bash = tool_json(tools[0]);
    EXPECT_EQ(bash["inputSchema"]["required"], Json::array({"command", "description"}));
    EXPECT_EQ(bash["inputSchema"]["properties"]["timeout"]["type"], "number");
    EXPECT_FALSE(bash.contains("outputSchema"));
}

}  // namespace
}  // namespace husk::contract::codegen_test
