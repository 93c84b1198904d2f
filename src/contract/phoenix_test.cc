#include <gmock/gmock.h>

#include <cerrno>

#include "base/utf8.h"
#include "contract/contract_cases.h"
#include "contract/modes.h"

namespace husk::contract::phoenix_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const Contract& phoenix = phoenix_contract;
const std::string any = R"({"command": "x"})";
const std::string longest(131072, 'a');

Answer answer(const Happened& happened, const std::string& arguments = any) {
    return answer_to(phoenix, "bash", arguments, happened);
}

struct Wrong {
    std::string input;
    std::string text;
};

// REQ-BASH-005, REQ-BASH-006: what the tool takes, and what it says of anything else.
TEST(Phoenix, REQ_BASH_005_SaysWhatIsWrongWithTheInput) {
    const Wrong wrong[] = {
        {R"({"command": ""})", "Command cannot be empty"},
        {R"({"command": "", "mode": "slow"})", "Command cannot be empty"},
        {R"({})", "Invalid input: `command` is required"},
        {R"({"command": null})", "Invalid input: `command` is required"},
        {R"({"mode": "slow"})", "Invalid input: `command` is required"},
        {R"({"command": 5})", "Invalid input: `command` must be a string, not the number 5"},
        {R"({"command": true})", "Invalid input: `command` must be a string, not true"},
        {R"({"command": ["ls"]})", "Invalid input: `command` must be a string, not a list"},
        {R"({"command": {"a": 1}})", "Invalid input: `command` must be a string, not an object"},
        {R"({"command": "x", "mode": "fast"})",
         "Invalid input: `mode` must be one of \"default\", \"slow\", \"background\", not the "
         "string "
         "\"fast\""},
        {R"({"command": "x", "mode": ""})",
         "Invalid input: `mode` must be one of \"default\", \"slow\", \"background\", not the "
         "string "
         "\"\""},
        {R"({"command": "x", "mode": "Default"})",
         "Invalid input: `mode` must be one of \"default\", \"slow\", \"background\", not the "
         "string "
         "\"Default\""},
        {R"({"command": "x", "mode": 0})",
         "Invalid input: `mode` must be a string, not the number 0"},
        {R"([])", "Invalid input: the arguments must be a JSON object, not a list"},
        {R"("ls")", "Invalid input: the arguments must be a JSON object, not the string \"ls\""},
        {R"(null)", "Invalid input: the arguments must be a JSON object, not null"},
        {R"({"command": "x", "command": "y"})", "Invalid input: the key `command` stands twice"},
        {"{\"command\": \"\xff\"}", "Invalid input: the arguments are not valid UTF-8"},
        {std::string(100, '['), "Invalid input: the arguments are nested more than 64 deep"},
    };
    for (const Wrong& one : wrong) EXPECT_EQ(error_text(phoenix, "bash", one.input), one.text);
    for (const char* no_json :
         {"", "{", "ls -l", "{\"command\": }", "{'command': 'x'}", "{\"a\":1}}"})
        EXPECT_THAT(error_text(phoenix, "bash", no_json),
                    testing::StartsWith("Invalid input: this is not JSON: "));
    EXPECT_THAT(error_text(phoenix, "bash", std::string((8U << 20) + 1, ' ')),
                HasSubstr("at most 8388608 are taken"));
}

// REQ-BASH-002, REQ-BASH-005: the mode decides about the time.
TEST(Phoenix, REQ_BASH_002_TheModeIsTheTimeout) {
    struct {
        const char* input;
        int seconds;  // 0: none
        bool background;
    } const cases[] = {
        {R"({"command": "x"})", 30, false},
        {R"({"command": "x", "mode": null})", 30, false},
        {R"({"command": "x", "mode": "default"})", 30, false},
        {R"({"command": "x", "mode": "slow"})", 900, false},
        {R"({"command": "x", "mode": "background"})", 0, true},
        {R"({"command": "x", "timeout": 5, "unknown": [1]})", 30, false},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.input);
        const Request request = run_of(phoenix, "bash", one.input).request;
        EXPECT_EQ(request.command, "x");
        EXPECT_EQ(request.background, one.background);
        EXPECT_EQ(request.timeout.value_or(milliseconds(0)), std::chrono::seconds(one.seconds));
        EXPECT_EQ(request.on_timeout, OnTimeout::Kill);
        EXPECT_EQ(request.last_line.has_value(), one.background);
    }
}

// REQ-BASH-001, 002, 006: every ending has its text.
TEST(Phoenix, REQ_BASH_006_TellsTheEnding) {
    const std::string slow = R"({"command": "x", "mode": "slow"})";
    struct {
        Ending ending;
        std::string output;
        bool error;
        std::string text;
        std::string input = any;
    } const cases[] = {
        {Exited{0}, "", false, ""},
        {Exited{0}, "hi\n", false, "hi\n"},
        {Exited{0}, "hi", false, "hi"},
        {Exited{0}, "[command cancelled]\n", false, "[command cancelled]\n"},
        {Exited{0}, "[command failed: exit code 1]\n", false, "[command failed: exit code 1]\n"},
        {Exited{0}, "\x1b[31mred\x1b[0m\r\n", false, "\x1b[31mred\x1b[0m\r\n"},
        {Exited{1}, "", true, "[command failed: exit code 1]\n"},
        {Exited{3}, "a\n", true, "[command failed: exit code 3]\na\n"},
        {Exited{127}, "bash: x: command not found\n", true,
         "[command failed: exit code 127]\nbash: x: command not found\n"},
        {Exited{255}, "", true, "[command failed: exit code 255]\n"},
        {Exited{1}, "[command timed out after 30s]\n", true,
         "[command failed: exit code 1]\n[command timed out after 30s]\n"},
        {Signaled{9}, "a", true, "[command failed: killed by signal 9 (SIGKILL)]\na"},
        {Signaled{11}, "", true, "[command failed: killed by signal 11 (SIGSEGV)]\n"},
        {TimedOut{milliseconds(30'000)}, "part", true, "[command timed out after 30s]\npart"},
        {TimedOut{milliseconds(900'000)}, "", true, "[command timed out after 900s]\n", slow},
        {Cancelled{"cancelled"}, "part\n", true, "[command cancelled]\npart\n"},
        {LimitExceeded{"memory", 100, 120}, "", true,
         "[command failed: more memory than the limit of 100]\n"},
        {Lost{"its keeper was killed"}, "a", true, "[command lost: its keeper was killed]\na"},
        {NotStarted{{"fork", 11, ""}}, "", true,
         "Failed to spawn process: fork: Resource temporarily unavailable"},
    };
    for (const auto& one : cases) {
        const Answer said = answer({.ending = one.ending, .out = one.output}, one.input);
        EXPECT_EQ(said.text, one.text);
        EXPECT_EQ(said.is_error, one.error) << one.text;
        EXPECT_FALSE(said.structured) << one.text;
    }
}

TEST(Phoenix, REQ_BASH_008_TellsThatALimitEndedWhatWasLeftBehind) {
    Told told;
    told.report.ending = LimitExceeded{"processes", 512, 700};
    told.report.leftovers_ended_by = LimitExceeded{"processes", 512, 700};
    told.report.notes = {"a note"};
    const Answer said = phoenix_contract.render(contract::Run{}, told);
    EXPECT_EQ(said.text,
              "[command failed: more processes than the limit of 512]\n"
              "[the processes that the command had left behind were ended]\n");
    EXPECT_EQ(said.meta["husk/notes"], Json({"a note"}));

    told.report.leftovers = {{.pid = 7, .name = "sleep", .reason = ""}};
    EXPECT_THAT(phoenix_contract.render(contract::Run{}, told).text,
                HasSubstr("[the processes that the command had left behind are being ended]\n"));
    told.report.ending = Exited{1};
    told.report.leftovers_ended_by = LimitExceeded{"file_size", 1, 2};
    EXPECT_EQ(phoenix_contract.render(contract::Run{}, told).text,
              "[command failed: exit code 1]\n"
              "[a process that the command had left behind was ended]\n");
}

TEST(Phoenix, REQ_BASH_006_ARemovedWorkingDirectoryHasAdviceThatFits) {
    const NotStarted removed{
        {"working directory", ENOENT, "/w; name another one with `working_directory` (--cwd)"}};
    EXPECT_EQ(answer({.ending = removed}).text,
              "Failed to spawn process: working directory: No such file or directory: /w; every "
              "command of this conversation runs there. Ask the user to make this directory again, "
              "or to start Husk in another one (--cwd)");
}

// REQ-BASH-001: over 128 KB the middle is cut.
TEST(Phoenix, REQ_BASH_001_CutsTheMiddleOutOfLongOutput) {
    const auto text = [](const std::string& output) { return answer({.out = output}).text; };
    EXPECT_EQ(text(longest.substr(1)), longest.substr(1));
    EXPECT_EQ(text(longest), longest);
    EXPECT_EQ(text("b" + longest.substr(1) + "c"),
              "[output truncated in middle: got 131073 bytes, max is 131072 bytes]\nb" +
                  std::string(4095, 'a') + "\n\n[snip]\n\n" + std::string(4095, 'a') + "c");
    const std::string failed = answer({.ending = Exited{2}, .out = longest + "z"}).text;
    EXPECT_THAT(failed, testing::StartsWith("[command failed: exit code 2]\n[output truncated in "
                                            "middle: got 131073 bytes, max is 131072 bytes]\naaa"));
    EXPECT_THAT(failed, testing::EndsWith("aaz"));
}

TEST(Phoenix, REQ_BASH_001_NeverCutsACharacter) {
    for (const char* character : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8c\xb0"}) {
        for (size_t shift = 0; shift < 5; ++shift) {
            const std::string output =
                std::string(shift, 'x') + cut_anywhere(131072, character) + std::string(shift, 'y');
            const std::string said = answer({.out = output + "!!!!!"}).text;
            EXPECT_TRUE(text::is_utf8(said)) << character << shift;
            EXPECT_THAT(said, HasSubstr("\n\n[snip]\n\n"));
        }
    }
}

// REQ-BASH-003: the group, the file, and how to stop it.
TEST(Phoenix, REQ_BASH_003_BackgroundTellsGroupAndFile) {
    const std::string background = R"({"command": "x", "mode": "background"})";
    const std::string text =
        "<pid>4711</pid>\n<output_file>/state/7.log</output_file>\n<reminder>To stop: kill -9 "
        "-4711</reminder>";
    const Ending endings[] = {Running{}, Exited{0}, Exited{1}, Signaled{9}};
    for (const Ending& ending : endings) {
        const Answer said = answer({.ending = ending, .out = "early"}, background);
        EXPECT_EQ(said.text, text);
        EXPECT_FALSE(said.is_error);
    }
    EXPECT_TRUE(answer({.ending = NotStarted{{"fork", 0, "no"}}}, background).is_error);
    const auto line = run_of(phoenix, "bash", background).request.last_line;
    EXPECT_EQ(line->exited, "[background process completed with exit code {code}]");
    EXPECT_EQ(line->killed, "[background process killed{how}]");
}

// REQ-BASH-007: the rule's own words, and nothing else.
TEST(Phoenix, REQ_BASH_007_TellsTheRulesMessage) {
    const Answer said =
        answer_to_denied(phoenix, "bash", any, verdict_of("git/x", "y", "permission denied: no"));
    EXPECT_EQ(said.text, "permission denied: no");
    EXPECT_TRUE(said.is_error);
    EXPECT_THAT(phoenix.defaults.packs, testing::ElementsAre("git", "rm"));
    Verdict asks = verdict_of("Bash(x)", "y", "a rule asks");
    asks.decision = "ask";
    EXPECT_EQ(answer_to_denied(phoenix, "bash", any, asks).text, "refused: a rule asks")
        << "what became of the question";
}

// REQ-BASH-005, 008, 009: what the description tells.
TEST(Phoenix, REQ_BASH_008_TheDescriptionExplainsTheWalls) {
    const auto description = [](Situation situation) {
        return phoenix.tools(situation)[0].description;
    };
    EXPECT_THAT(description(in_work()), HasSubstr("Current working directory: /work\n"));
    EXPECT_THAT(description(in_work()), Not(HasSubstr("RESTRICTED")));
    const std::string walls = description(in_work(Mode::ReadOnly));
    for (const char* fact :
         {"RESTRICTED MODE", "whole file system is read-only", "no network", "private loopback",
          "Signals", "EROFS", "EACCES", "EPERM", "ENETUNREACH", "ECONNREFUSED", "ESRCH",
          "Do not retry", "/work", "/tmp and /dev/shm are private", "credentials", "ENOENT"})
        EXPECT_THAT(walls, HasSubstr(fact));
    Situation leaky = in_work(Mode::ReadOnly);
    leaky.signals = Situation::Signals::ReachOutside;
    EXPECT_THAT(description(leaky), HasSubstr("reach every process of this user"));
    EXPECT_THAT(description(leaky), Not(HasSubstr("ESRCH")));
    EXPECT_THAT(walls, Not(HasSubstr("no port can be opened")));
    Situation wider = in_work(Mode::Workspace);
    wider.writable = {"/cache"};
    wider.network = network_named("example.org");
    EXPECT_THAT(description(wider), HasSubstr("Only /work, /cache can be written"));
    EXPECT_THAT(description(wider), HasSubstr("example.org"));
    EXPECT_THAT(description(wider), Not(HasSubstr("no network")));
    Situation without = in_work();
    without.closed_modes_missing = "the closed modes need Landlock (Linux 5.13)";
    EXPECT_THAT(description(without), HasSubstr("Restricted mode is not available"));
    EXPECT_THAT(description(without), HasSubstr("Landlock (Linux 5.13)"));
}

// REQ-BASH-007: the first line is the document's, the second is bash's own.
TEST(Phoenix, REQ_BASH_007_TellsWhatBashSaysOfTheScript) {
    const auto text = [](const std::string& reason) {
        return answer_to_denied(phoenix, "bash", any, verdict_of("syntax", "bash", reason)).text;
    };
    EXPECT_EQ(text("bash cannot parse it: line 3: syntax error near unexpected token `fi'"),
              "Failed to parse script\nbash: line 3: syntax error near unexpected token `fi'");
    EXPECT_EQ(text("bash cannot parse it: it contains a NUL byte"),
              "Failed to parse script\nbash cannot parse it: it contains a NUL byte");
}

// REQ-BASH-003: processes that go on are told beside the text.
TEST(Phoenix, REQ_BASH_003_TellsOfProcessesThatOutliveTheCommand) {
    const auto run = run_of(phoenix, "bash", R"({"command": "sleep 300 & echo hi"})");
    Told told = told_of(run, {.out = "hi\n"});
    EXPECT_FALSE(phoenix.render(run, told).meta.contains("husk/leftovers"));
    told.report.leftovers = {{4712, "sleep", ""}, {4713, "\xff", ""}};
    const Answer said = phoenix.render(run, told);
    EXPECT_EQ(said.text, "hi\n");
    EXPECT_EQ(said.meta["husk/leftovers"],
              Json::parse(R"([{"pid": 4712, "name": "sleep"}, {"pid": 4713, "name": "\ufffd"}])"));
    EXPECT_EQ(said.meta["husk/shell_id"], "abcdef-7");
}

TEST(Phoenix, REQ_BASH_005_TheSchemaHasCommandAndMode) {
    const Json tool = tool_json(phoenix.tools(in_work())[0]);
    EXPECT_EQ(tool["name"], "bash");
    const Json& schema = tool["inputSchema"];
    EXPECT_EQ(schema["required"], Json::array({"command"}));
    EXPECT_EQ(schema["properties"].size(), 2U);
    EXPECT_EQ(schema["properties"]["command"]["type"], "string");
    EXPECT_EQ(schema["properties"]["mode"]["enum"], Json::array({"default", "slow", "background"}));
    EXPECT_FALSE(tool.contains("outputSchema"));
}

// REQ-BASH-011: the command beside what is shown of it.
TEST(Phoenix, REQ_BASH_011_ShowsTheCommandInShort) {
    const auto run = run_of(phoenix, "bash", R"({"command": "cd /work && make"})");
    Told told = told_of(run, {});
    told.report.display = "make";
    const Json result = result_json(phoenix.render(run, told));
    EXPECT_EQ(result["_meta"]["husk/display"],
              (Json{{"command", "cd /work && make"}, {"display", "make"}}));
}

}  // namespace
}  // namespace husk::contract::phoenix_test
