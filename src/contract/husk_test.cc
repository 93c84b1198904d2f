#include <gmock/gmock.h>

#include "contract/contract_cases.h"
#include "contract/modes.h"

namespace husk::contract::husk_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Contract& own = husk_contract;
const std::string any = R"({"command": "x"})";

Situation workspace() { return in_work(Mode::Workspace); }

Answer answer(const Happened& happened, const std::string& arguments = any) {
    return answer_to(own, "bash", arguments, happened);
}

TEST(HuskContract, NamesTheFieldAndWhatWasExpected) {
    struct {
        const char* tool;
        const char* input;
        const char* text;
    } const wrong[] = {
        {"bash", R"({})", "`command` is required"},
        {"bash", R"({"command": ""})", "`command` is empty: give a command to run"},
        {"bash", R"({"command": 7})", "`command` must be a string, not the number 7"},
        {"bash", R"({"cmd": "x"})", "there is no argument `cmd`; use `command`"},
        {"bash", R"({"command": "x", "timeout": 5})",
         "there is no argument `timeout`; use `timeout_ms`"},
        {"bash", R"({"command": "x", "cwd": "/"})",
         "there is no argument `cwd`; use `working_directory`"},
        {"bash", R"({"command": "x", "background": true})",
         "there is no argument `background`; use `run_in_background`"},
        {"bash", R"({"command": "x", "time_out_ms": 1})",
         "there is no argument `time_out_ms`; did you mean `timeout_ms`?"},
        {"bash", R"({"command": "x", "timeout_ms": "5"})",
         "`timeout_ms` must be an integer, not the string \"5\""},
        {"bash", R"({"command": "x", "timeout_ms": -1})",
         "`timeout_ms` must be at least 1, not -1"},
        {"bash", R"({"command": "x", "run_in_background": "yes"})",
         "`run_in_background` must be a boolean, not the string \"yes\""},
        {"bash", R"({"command": "x", "env": {"A": 1}})",
         "`env` must be an object of strings, not an object with the number 1 as `A`"},
        {"bash", R"({"command": "x", "env": ["A=1"]})",
         "`env` must be an object of strings, not a list"},
        {"bash", R"({"command": "x", "streams": "both"})",
         "`streams` must be one of \"merged\", \"split\", not the string \"both\""},
        {"bash", R"({"command": "x", "limits": {"ram": 5}})",
         "in `limits`: there is no argument `ram`; there are `cpu_ms`, `memory_bytes`, "
         "`processes`, `open_files`, `file_size_bytes`, `disk_bytes`, `output_bytes`, `idle_ms`"},
        {"bash", R"({"command": "x", "max_output_bytes": 1000001})",
         "`max_output_bytes` must be at most 1000000, not 1000001"},
        {"bash", R"({"command": "x", "mode": "open"})",
         "`mode` cannot be \"open\": commands run here in the mode \"workspace\"; only the user "
         "can "
         "change that, and not by a command (`ask_for` asks the user)"},
        {"bash", R"({"command": "x", "network": "open"})",
         "`network` cannot be wider than it is here; only the user can change that, and not by a "
         "command (`ask_for` asks the user)"},
        {"bash", R"({"command": "x", "network": "example.org"})",
         "`network` cannot be wider than it is here; only the user can change that, and not by a "
         "command (`ask_for` asks the user)"},
        {"bash", R"([])", "the arguments must be a JSON object, not a list"},
        {"bash", R"({"command": "x", "command": "y"})", "the key `command` stands twice"},
        {"bash_output", R"({})", "`shell_id` is required"},
        {"bash_output", R"({"id": "x"})", "there is no argument `id`; use `shell_id`"},
        {"bash_output", R"({"shell_id": "x", "since": 1, "lines": 2})",
         "give only one of `since`, `lines` and `grep`: each says what to read"},
        {"bash_output", R"({"shell_id": "x", "lines": -1})", "`lines` must be at least 0, not -1"},
        {"bash_wait", R"({"shell_id": "x", "until": {"port": 70000}})",
         "in `until`: `port` must be at most 65535, not 70000"},
        {"bash_wait", R"({"shell_id": "x", "until": {"exclude": "y"}})",
         "`until.exclude` needs `until.match`: it says which matching lines do not count"},
        {"bash_wait", R"({"shell_id": "x", "until": "ready"})",
         "`until` must be an object, not the string \"ready\""},
        {"bash_kill", R"({"shell_id": "x", "signal": "BOO"})",
         "`signal` is the name of a signal such as TERM or INT, not \"BOO\""},
        {"bash_list", R"({"all": true})", "there is no argument `all`; there are none"},
    };
    for (const auto& one : wrong) {
        const auto action = decoded(own, one.tool, one.input, workspace());
        ASSERT_FALSE(action) << one.input;
        EXPECT_EQ(action.error().text, std::string(one.text) + "\n");
        EXPECT_TRUE(action.error().is_error);
        EXPECT_EQ(action.error().structured,
                  (Json{{"exit_code", nullptr}, {"output", ""}, {"error", one.text}}));
    }
}

TEST(HuskContract, NothingGivenIsTheDefault) {
    const char* const inputs[] = {
        R"({"command": "x"})",
        R"({"command": "x", "timeout_ms": 0, "run_in_background": false, "stdin": ""})",
        R"({"command": "x", "timeout_ms": null, "working_directory": null, "env": null})",
        R"({"command": "x", "description": "", "session": "", "mode": "", "network": ""})",
        R"({"command": "x", "env": {}, "limits": {}, "streams": "", "on_timeout": ""})",
        R"({"command": "x", "max_output_bytes": 0, "leftovers": ""})",
        R"({"command": "x", "limits": {"memory_bytes": 0, "cpu_ms": null}})",
    };
    for (const char* input : inputs) {
        SCOPED_TRACE(input);
        const auto run = run_of(own, "bash", input, workspace());
        EXPECT_EQ(run.request.timeout, milliseconds(120'000));
        EXPECT_EQ(run.request.on_timeout, OnTimeout::Background);
        EXPECT_EQ(run.request.leftovers, Leftovers::Adopt);
        EXPECT_EQ(run.request.streams, Streams::Merged);
        EXPECT_EQ(run.request.max_output_bytes, 30'000U);
        EXPECT_FALSE(run.request.background);
        EXPECT_FALSE(run.request.limits.memory);
        EXPECT_TRUE(run.request.env.empty());
        EXPECT_TRUE(std::holds_alternative<NoInput>(run.request.input));
        EXPECT_FALSE(run.mode);
        EXPECT_FALSE(run.network);
        EXPECT_TRUE(run.notes.empty());
    }
}

TEST(HuskContract, ClampsTheTimeoutAndSaysSo) {
    const auto run = [](int64_t timeout, const Situation& situation) {
        return run_of(own, "bash", Json{{"command", "x"}, {"timeout_ms", timeout}}.dump(),
                      situation);
    };
    EXPECT_EQ(run(599'999, workspace()).request.timeout, milliseconds(599'999));
    EXPECT_EQ(run(600'000, workspace()).request.timeout, milliseconds(600'000));
    EXPECT_TRUE(run(600'000, workspace()).notes.empty());
    EXPECT_EQ(run(600'001, workspace()).request.timeout, milliseconds(600'000));
    EXPECT_THAT(run(600'001, workspace()).notes,
                ElementsAre("timeout_ms is at most 600000, so that was taken"));
    EXPECT_EQ(run(INT64_MAX, workspace()).request.timeout, milliseconds(600'000));
    Situation client = workspace();
    client.answer_within = milliseconds(50'000);
    EXPECT_EQ(run(60'000, client).request.timeout, milliseconds(50'000));
    EXPECT_EQ(run(1, client).request.timeout, milliseconds(1));
    const auto wait =
        action_of<Wait>(own, "bash_wait", R"({"shell_id": "a-1", "timeout_ms": 60000})", client);
    EXPECT_EQ(wait.timeout, milliseconds(50'000));
    client.longest_timeout = milliseconds(10);
    EXPECT_EQ(run_of(own, "bash", any, client).request.timeout, milliseconds(10));
}

TEST(HuskContract, TakesEveryArgument) {
    const auto run =
        run_of(own, "bash",
               R"({"command": "x", "description": "d", "working_directory": "sub", "timeout_ms": 5,
            "run_in_background": true, "stdin": "in", "session": "s", "on_timeout": "kill",
            "env": {"A": "1", "B": null}, "mode": "read-only", "network": "none",
            "leftovers": "wait", "streams": "split", "max_output_bytes": 7,
            "limits": {"cpu_ms": 1, "memory_bytes": 2, "processes": 3, "open_files": 4,
                       "file_size_bytes": 5, "disk_bytes": 6, "output_bytes": 7, "idle_ms": 8}})",
               workspace());
    const Request& request = run.request;
    EXPECT_EQ(request.description, "d");
    EXPECT_EQ(request.working_dir, "sub");
    EXPECT_TRUE(request.background);
    EXPECT_EQ(request.timeout, milliseconds(5));
    EXPECT_EQ(request.on_timeout, OnTimeout::Kill);
    EXPECT_EQ(std::get<InputText>(request.input).text, "in");
    EXPECT_EQ(request.env.at("A"), "1");
    EXPECT_EQ(request.env.at("B"), std::nullopt);
    EXPECT_EQ(request.leftovers, Leftovers::Wait);
    EXPECT_EQ(request.streams, Streams::Split);
    EXPECT_EQ(request.max_output_bytes, 7U);
    EXPECT_EQ(request.limits.memory, 2U);
    EXPECT_EQ(request.output_limit, 7U);
    EXPECT_EQ(request.idle_timeout, milliseconds(8));
    EXPECT_EQ(run.session, "s");
    EXPECT_EQ(run.mode, Mode::ReadOnly);
    EXPECT_EQ(run.network->kind, Network::Kind::None);
}

TEST(HuskContract, ACallCanOnlyNarrow) {
    Situation hosts = workspace();
    hosts.network = network_named("a.org,b.org");
    struct {
        Situation situation;
        const char* arguments;
        bool taken;
    } const cases[] = {
        {in_work(Mode::Open), R"("mode": "open")", true},
        {in_work(Mode::Open), R"("mode": "workspace")", true},
        {in_work(Mode::Open), R"("mode": "workspace", "network": "open")", true},
        {in_work(Mode::Open), R"("network": "none")", false},
        {workspace(), R"("mode": "workspace")", true},
        {workspace(), R"("mode": "read-only")", true},
        {in_work(Mode::ReadOnly), R"("mode": "workspace")", false},
        {hosts, R"("network": "a.org")", true},
        {hosts, R"("network": "b.org,a.org")", true},
        {hosts, R"("network": "none")", true},
        {hosts, R"("network": "c.org")", false},
        {hosts, R"("network": "open")", false},
    };
    for (const auto& one : cases) {
        const std::string input = R"({"command": "x", )" + std::string(one.arguments) + "}";
        EXPECT_EQ(decoded(own, "bash", input, one.situation).has_value(), one.taken) << input;
    }
}

TEST(HuskContract, ReadsWaitsAndKills) {
    const auto read = [](const char* input) { return action_of<Read>(own, "bash_output", input); };
    EXPECT_TRUE(std::holds_alternative<SinceLast>(read(R"({"shell_id": "s"})").range));
    EXPECT_TRUE(std::holds_alternative<SinceLast>(
        read(R"({"shell_id": "s", "since": 0, "lines": 0, "grep": "", "max_bytes": 0})").range));
    EXPECT_EQ(std::get<Since>(read(R"({"shell_id": "s", "since": 5})").range).offset, 5U);
    EXPECT_EQ(std::get<LastLines>(read(R"({"shell_id": "s", "lines": 5})").range).count, 5U);
    EXPECT_EQ(std::get<Grep>(read(R"({"shell_id": "s", "grep": "e"})").range).pattern, "e");
    EXPECT_EQ(read(R"({"shell_id": "s", "max_bytes": 9})").max_bytes, 9U);
    const Wait wait = action_of<Wait>(
        own, "bash_wait",
        R"({"shell_id": "s", "until": {"match": "m", "exclude": "e", "port": 80, "file": "f",
            "quiet_ms": 9}})");
    EXPECT_EQ(wait.until.match, "m");
    EXPECT_EQ(wait.until.exclude, "e");
    EXPECT_EQ(wait.until.port, 80);
    EXPECT_EQ(wait.until.file, "f");
    EXPECT_EQ(wait.until.quiet, milliseconds(9));
    EXPECT_EQ(wait.timeout, milliseconds(50'000));
    const Kill kill = action_of<Kill>(own, "bash_kill", R"({"shell_id": "s", "signal": "int"})");
    EXPECT_EQ(kill.ladder.signal, 2);
    EXPECT_EQ(kill.ladder.patience, milliseconds(2000));
    EXPECT_EQ(kill.then, Kill::Then::Keep);
}

// The answer says only what is worth saying.
TEST(HuskContract, AnswersInFewWords) {
    struct {
        Ending ending;
        std::string output;
        std::string json;
        std::string text;
    } const cases[] = {
        {Exited{0}, "hi\n", R"({"exit_code":0,"output":"hi\n"})", "hi\n"},
        {Exited{0}, "", R"({"exit_code":0,"output":""})", ""},
        {Exited{3}, "a", R"({"exit_code":3,"output":"a"})", "a\n[exit 3]\n"},
        {Exited{0}, "[exit 3]\n", R"({"exit_code":0,"output":"[exit 3]\n"})", "[exit 3]\n"},
        {Signaled{9}, "", R"({"exit_code":137,"output":"","status":"signaled","signal":"SIGKILL"})",
         "[killed by SIGKILL]\n"},
        {TimedOut{milliseconds(1000)}, "a\n",
         R"({"exit_code":null,"output":"a\n","status":"timed_out"})",
         "a\n[timed out after 1 s, and killed]\n"},
        {Cancelled{"cancelled"}, "", R"({"exit_code":null,"output":"","status":"cancelled"})",
         "[cancelled]\n"},
        {Cancelled{"its session was ended"}, "",
         R"({"exit_code":null,"output":"","status":"cancelled","notes":["its session was ended"]})",
         "[cancelled]\n[its session was ended]\n"},
        {LimitExceeded{"memory", 5, 6}, "",
         R"({"exit_code":null,"output":"","status":"limit_exceeded",)"
         R"("limit":{"name":"memory","value":5,"peak":6}})",
         "[stopped: more memory than 5 (reached 6)]\n"},
        {Running{}, "a\n",
         R"({"exit_code":null,"output":"a\n","status":"running","shell_id":"abcdef-7","cursor":2})",
         "a\n[still running as abcdef-7: bash_wait]\n"},
        {Lost{"why"}, "", R"({"exit_code":null,"output":"","status":"lost","notes":["why"]})",
         "[lost]\n[why]\n"},
    };
    for (const auto& one : cases) {
        const Answer said = answer({.ending = one.ending, .out = one.output});
        EXPECT_EQ(said.structured->dump(), one.json);
        EXPECT_EQ(said.text, one.text);
        EXPECT_FALSE(said.is_error) << one.json;
    }
}

TEST(HuskContract, RefusalsAreErrorsWithAWayOut) {
    const Answer denied = answer_to_denied(own, "bash", any,
                                           {.decision = "deny",
                                            .rule = "git/force-push",
                                            .where = "built in: git",
                                            .reason = "no force",
                                            .instead = "with lease",
                                            .allow_with = {"Bash(git push:*)"}});
    EXPECT_TRUE(denied.is_error);
    EXPECT_EQ((*denied.structured)["status"], "denied");
    EXPECT_EQ((*denied.structured)["error"], "refused: no force");
    EXPECT_EQ((*denied.structured)["verdict"],
              (Json{{"rule", "git/force-push"},
                    {"reason", "no force"},
                    {"instead", "with lease"},
                    {"allow_with", Json::array({"Bash(git push:*)"})}}));
    const Answer failed = answer({.ending = NotStarted{{"working directory", 2, "/x"}}});
    EXPECT_TRUE(failed.is_error);
    EXPECT_EQ((*failed.structured)["error"], "working directory: No such file or directory: /x");
    const Answer missing = own.render(Read{.shell_id = "s"}, NoSuchShell{"s"});
    EXPECT_TRUE(missing.is_error);
    EXPECT_EQ(missing.text, "there is no shell \"s\"; bash_list lists those that there are\n");
}

TEST(HuskContract, TellsWhatWasCutLeftAndNoted) {
    const auto run = run_of(own, "bash", any);
    Told told = told_of(run, {.out = "abcdef"});
    told.report.excerpt.total_bytes = 100;
    told.report.excerpt.total_lines = 9;
    told.report.excerpt.shown = {{0, 10}, {60, 100}};
    told.report.duration_ms = 9'949;
    told.report.leftovers = {{12, "sleep", ""}};
    told.report.notes = {"two\nlines"};
    told.report.reverted = {"/work/.git/hooks/x"};
    Answer said = own.render(run, told);
    EXPECT_EQ(said.structured->at("cut"), (Json{{"bytes", 100}, {"lines", 9}, {"left_out", 50}}));
    EXPECT_EQ(said.structured->at("shell_id"), "abcdef-7");
    EXPECT_EQ(said.structured->at("leftovers"), (Json::array({{{"pid", 12}, {"name", "sleep"}}})));
    EXPECT_EQ(said.structured->at("notes").size(), 2U);
    EXPECT_EQ(said.structured->at("notes")[1], "two lines");
    EXPECT_FALSE(said.structured->contains("seconds"));
    EXPECT_THAT(said.text,
                HasSubstr("abcdef\n[/work/.git/hooks/x is protected, and was taken away again]\n"
                          "[50 of 100 bytes left out: bash_output abcdef-7]\n"
                          "[still running: sleep (pid 12): bash_kill abcdef-7]\n"));
    told.report.duration_ms = 10'000;
    said = own.render(run, told);
    EXPECT_EQ(said.structured->at("seconds"), 10);
}

TEST(HuskContract, TellsWhatTheWallsStopped) {
    const auto run = run_of(own, "bash", any);
    Told told = told_of(run, {.ending = Exited{1}});
    EXPECT_FALSE(own.render(run, told).structured->contains("denials"));
    Denial denial;
    denial.operation = "write";
    denial.target = "/etc/passwd";
    denial.process = "tee";
    denial.allow_with = "--write /etc";
    told.report.denials.assign(5, denial);
    told.report.denials_total = 5;
    Json said = *own.render(run, told).structured;
    EXPECT_EQ(said["denials"].size(), 5U);
    EXPECT_EQ(said["denials"][0], (Json{{"operation", "write"},
                                        {"target", "/etc/passwd"},
                                        {"process", "tee"},
                                        {"allow_with", "--write /etc"}}));
    EXPECT_FALSE(said.contains("denials_total"));
    told.report.denials.assign(6, denial);
    told.report.denials_total = 9;
    said = *own.render(run, told).structured;
    EXPECT_EQ(said["denials"].size(), 5U);
    EXPECT_EQ(said["denials_total"], 9);
    EXPECT_THAT(own.render(run, told).text,
                HasSubstr("[the walls stopped: write /etc/passwd; the user can allow it with "
                          "--write /etc]\n"));
}

TEST(HuskContract, WaitingTellsWhatWasMet) {
    Told told = told_of(run_of(own, "bash", any), {.ending = Running{}, .out = "up\n"});
    told.met = "match";
    told.line = "up";
    const Answer said = own.render(Wait{.shell_id = "abcdef-7"}, told);
    EXPECT_EQ(said.structured->dump(),
              R"({"exit_code":null,"output":"up\n","status":"running","shell_id":"abcdef-7",)"
              R"("cursor":3,"met":"match","line":"up"})");
    EXPECT_EQ(said.text, "up\n[met: match: up]\n[still running as abcdef-7: bash_wait]\n");
}

TEST(HuskContract, ListsShells) {
    Report report;
    report.shell_id = "abcdef-7";
    report.display = "make";
    report.ending = Exited{2};
    const Answer said = own.render(List{}, Listed{.shells = {report}, .total = 3});
    EXPECT_EQ(said.structured->dump(),
              R"({"shells":[{"shell_id":"abcdef-7","status":"exited","exit_code":2,)"
              R"("command":"make","seconds":0.0}],"total":3})");
    EXPECT_EQ(said.text, "abcdef-7  exited 2  make\n[2 more]\n");
    EXPECT_EQ(own.render(List{}, Listed{}).text, "[no shells]\n");
}

TEST(HuskContract, TheDescriptionIsMadeFromTheMode) {
    const auto description = [](const Situation& situation) {
        return own.tools(situation)[0].description;
    };
    for (const char* fact : {"/work", "fresh shell", "does NOT kill", "120 s", "600 s",
                             "run_in_background", "bash_wait", "no terminal"})
        EXPECT_THAT(description(workspace()), HasSubstr(fact));
    Situation more = workspace();
    more.writable = {"/more"};
    more.network = network_named("a.org");
    EXPECT_THAT(description(more), HasSubstr("write inside /work, /more"));
    EXPECT_THAT(description(more), HasSubstr("only these hosts"));
    EXPECT_THAT(description(workspace()), HasSubstr("There is no network"));
    EXPECT_THAT(description(workspace()), HasSubstr("do not work around it"));
    EXPECT_THAT(description(in_work(Mode::ReadOnly)), HasSubstr("Mode read-only"));
    EXPECT_THAT(description(in_work(Mode::Open)), HasSubstr("all rights of the user"));
    EXPECT_THAT(description(in_work(Mode::Open)), Not(HasSubstr("no network")));
}

TEST(HuskContract, ShowsSevenArgumentsUnlessAskedForAll) {
    const auto shown = [](Situation::Arguments arguments) {
        Situation situation = workspace();
        situation.arguments = arguments;
        return tool_json(own.tools(situation)[0])["inputSchema"];
    };
    EXPECT_EQ(shown(Situation::Arguments::Usual)["properties"].size(), 7U);
    EXPECT_EQ(shown(Situation::Arguments::All)["properties"].size(), 16U);
    EXPECT_EQ(shown(Situation::Arguments::All)["additionalProperties"], false);
    std::vector<std::string> names;
    for (const Tool& tool : own.tools(workspace())) names.push_back(tool.name);
    EXPECT_THAT(names, ElementsAre("bash", "bash_output", "bash_wait", "bash_kill", "bash_list"));
}

TEST(Contracts, AreFoundByName) {
    for (const char* name : {"husk", "phoenix", "codegen", "docware", "agentrail", "yoi",
                             "claude-code", "anthropic"}) {
        const Contract* found = find_contract(name);
        ASSERT_NE(found, nullptr) << name;
        EXPECT_EQ(found->name, name);
    }
    EXPECT_EQ(find_contract("x"), nullptr);
    EXPECT_EQ(find_contract(""), nullptr);
}

TEST(Contracts, ResultsAreValidUtf8) {
    const Json result = result_json({.text = "\xff\xc3"});
    EXPECT_EQ(result["content"][0]["text"], "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(result["isError"], false);
    EXPECT_FALSE(result.contains("structuredContent"));
}

}  // namespace
}  // namespace husk::contract::husk_test
