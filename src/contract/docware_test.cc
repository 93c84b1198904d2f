// What the tool takes, and what it says about what came of it.
#include <gmock/gmock.h>

#include "contract/docware_cases.h"

namespace husk::contract::docware_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* any = R"({"command": "x"})";

Run run_with(const std::string& arguments, const Situation& situation = in_workspace()) {
    return run_of(docware_contract, "Bash", arguments, situation);
}

// ---- input

TEST(Docware, Input_SaysWhatIsWrong) {
    const std::pair<const char*, const char*> wrong[] = {
        {R"({})", "Invalid input: `command` is required"},
        {R"({"command": null})", "Invalid input: `command` is required"},
        {R"({"command": ""})", "Invalid input: `command` is empty"},
        {R"({"command": 5})", "Invalid input: `command` must be a string, not the number 5"},
        {R"({"command": "x", "args": "y"})",
         "Invalid input: `args` must be an array of strings, not the string \"y\""},
        {R"({"command": "x", "args": [1]})",
         "Invalid input: `args` must be an array of strings, not a list with the number 1 in it"},
        {R"({"command": "x", "env": []})",
         "Invalid input: `env` must be an object of strings, not a list"},
        {R"({"command": "x", "env": {"A": 1}})",
         "Invalid input: `env` must be an object of strings, not an object with the number 1 as "
         "`A`"},
        {R"({"command": "x", "timeout": "1s"})",
         "Invalid input: `timeout` must be an integer, not the string \"1s\""},
        {R"({"command": "x", "timeout": 0})", "Invalid input: `timeout` must be at least 1, not 0"},
        {R"({"command": "x", "timeout": -1})",
         "Invalid input: `timeout` must be at least 1, not -1"},
        {R"({"command": "x", "timeout": 1.5})",
         "Invalid input: `timeout` must be an integer, not the number 1.5"},
        {R"({"command": "x", "max_memory": 0})",
         "Invalid input: `max_memory` must be at least 1, not 0"},
        {R"({"command": "x", "max_cpu_usage": 0})",
         "Invalid input: `max_cpu_usage` must be at least 1, not 0"},
        {R"({"command": "x", "max_output_size": 0})",
         "Invalid input: `max_output_size` must be at least 1, not 0"},
        {R"({"command": "x", "stream_output": 1})",
         "Invalid input: `stream_output` must be a boolean, not the number 1"},
        {R"({"command": "x", "allowed_commands": "git"})",
         "Invalid input: `allowed_commands` must be an array of strings, not the string \"git\""},
        {R"([])", "Invalid input: the arguments must be a JSON object, not a list"},
    };
    for (const auto& [input, message] : wrong) {
        const auto action = decoded(docware_contract, "Bash", input, in_workspace());
        ASSERT_FALSE(action) << input;
        const Json error = action.error().structured->at("error");
        EXPECT_EQ(error["type"], "invalid_configuration") << input;
        EXPECT_EQ(error["message"], message) << input;
        EXPECT_EQ(mismatch(*action.error().structured, docware_output_schema()), "");
    }
}

TEST(Docware, Input_IsAnArgumentVectorUnlessAShellIsAskedFor) {
    struct Row {
        const char* input;
        std::vector<std::string> argv;
        const char* command;
    };
    const Row rows[] = {
        {R"({"command": "ls"})", {"ls"}, "ls"},
        {R"({"command": "ls", "args": ["-l", "a b"]})", {"ls", "-l", "a b"}, "ls -l 'a b'"},
        {R"({"command": "ls -l"})", {"ls -l"}, "'ls -l'"},
        {R"({"command": "echo", "args": ["; rm -rf /"]})",
         {"echo", "; rm -rf /"},
         "echo '; rm -rf /'"},
        {R"x({"command": "echo", "args": ["$(id)", "`id`", "a|b", "*"]})x",
         {"echo", "$(id)", "`id`", "a|b", "*"},
         "echo '$(id)' '`id`' 'a|b' '*'"},
        {R"({"command": "echo", "args": []})", {"echo"}, "echo"},
        {R"({"command": "echo a | wc -c", "enable_shell_features": true})", {}, "echo a | wc -c"},
        {R"({"command": "echo", "args": ["$HOME", "a b"], "enable_shell_features": true})",
         {},
         "echo '$HOME' 'a b'"},
    };
    for (const Row& row : rows) {
        const auto run = run_with(row.input);
        EXPECT_EQ(run.request.argv, row.argv) << row.input;
        EXPECT_EQ(run.request.command, row.command) << row.input;
        EXPECT_FALSE(run.verdict) << row.input;
    }
}

TEST(Docware, Configuration_HasTheDefaultsOfTheSeed) {
    const auto run = run_with(any);
    EXPECT_EQ(run.request.timeout, milliseconds(30'000));
    EXPECT_EQ(run.request.on_timeout, OnTimeout::Kill);
    EXPECT_EQ(run.request.output_limit, 10'485'760U);
    EXPECT_EQ(run.request.limits.memory, 1'073'741'824U);
    EXPECT_EQ(run.request.limits.processes, 10U);
    EXPECT_EQ(run.request.limits.open_files, 1000U);
    EXPECT_EQ(run.watch->most_cpu_percent, 80U);
    EXPECT_FALSE(run.watch->output);
    EXPECT_EQ(run.request.streams, Streams::Split);
    EXPECT_EQ(run.request.leftovers, Leftovers::Kill);
    EXPECT_EQ(run.request.stop.signal, 15);
    EXPECT_EQ(run.request.stop.patience, milliseconds(5000));
    EXPECT_EQ(run.environment, Environment::FromNothing);
    EXPECT_FALSE(run.mode);
}

TEST(Docware, Input_TakesLimitsAndTimes) {
    const auto run = run_with(
        R"({"command": "x", "timeout": 5000, "max_output_size": 100, "max_memory": 200,
            "max_cpu_usage": 30, "max_execution_time": 6000, "stream_output": true,
            "description": "why", "cwd": "sub"})");
    EXPECT_EQ(run.request.timeout, milliseconds(5000));
    EXPECT_EQ(run.request.output_limit, 100U);
    EXPECT_EQ(run.request.limits.memory, 200U);
    EXPECT_EQ(run.watch->most_cpu_percent, 30U);
    EXPECT_TRUE(run.watch->output);
    EXPECT_EQ(run.request.description, "why");
    EXPECT_EQ(run.request.working_dir, "/work/sub");
    EXPECT_EQ(run_with(R"({"command": "x", "max_execution_time": 100})").request.timeout,
              milliseconds(100));
}

// A limit that nobody keeps is not taken in silence.
TEST(Docware, Input_MaxFileOperationsIsToldToBeNotEnforced) {
    const Json json =
        *docware_answer_to(R"({"command": "x", "max_file_operations": 5})", {}).structured;
    EXPECT_THAT(json["notes"].get<std::vector<std::string>>(),
                ElementsAre(HasSubstr("max_file_operations is not enforced")));
    const Json tool = tool_json(docware_tool(in_workspace()));
    EXPECT_THAT(
        tool["inputSchema"]["properties"]["max_file_operations"]["description"].get<std::string>(),
        HasSubstr("Not enforced"));
}

// A longer text cannot be checked, and is no script that was not understood.
TEST(Docware, Errors_ACallThatIsTooLongIsAnErrorOfItsEnvironment) {
    for (const Json& call : {Json{{"command", "echo"}, {"args", {std::string(1'100'000, 'x')}}},
                             Json{{"command", "echo " + std::string(1'100'000, 'x')},
                                  {"enable_shell_features", true}}}) {
        const Json json = *docware_refusal(call.dump()).structured;
        EXPECT_EQ(json["error"]["type"], "environment_setup_failed");
        EXPECT_THAT(json["error"]["message"].get<std::string>(), HasSubstr("put long values"));
    }
}

// The seed sets these over any environment.
TEST(Docware, Sandbox_SetsItsVariablesAlsoInThePreservedEnvironment) {
    Situation situation = in_workspace();
    situation.docware.may_preserve_environment = true;
    const auto run = run_with(
        R"({"command": "x", "preserve_environment": true, "env": {"HISTSIZE": "5"}})", situation);
    EXPECT_EQ(run.environment, Environment::Inherited);
    EXPECT_EQ(run.variables.at("HOME"), "/work");
    EXPECT_EQ(run.variables.at("HISTFILE"), "/dev/null");
    EXPECT_EQ(run.variables.at("TMPDIR"), "/tmp");
    EXPECT_EQ(run.request.env.at("HISTSIZE"), "5");
}

TEST(Docware, Sandbox_MakesAnEnvironmentFromNothing) {
    const auto run = run_with(R"({"command": "x", "env": {"A": "1"}})");
    using Variables = decltype(run.variables);
    EXPECT_EQ(
        run.variables,
        (Variables{
            {"HISTFILE", "/dev/null"}, {"HISTSIZE", "0"}, {"HOME", "/work"}, {"TMPDIR", "/tmp"}}));
    EXPECT_EQ(run_with(R"({"command": "x", "cwd": "/w"})").variables.at("HOME"), "/w");
    // Only the caller's are told as the caller's.
    EXPECT_EQ(run.request.env, (Variables{{"A", "1"}}));
    EXPECT_FALSE(
        run_with(R"({"command": "x", "env": {"TMPDIR": "/t"}})").variables.contains("TMPDIR"));
    const auto open = run_with(any, in_work(Mode::Open));
    EXPECT_TRUE(open.private_tmp);
    EXPECT_FALSE(open.variables.contains("TMPDIR"));
    EXPECT_THAT(run_with(R"({"command": "x", "env": {"PATH": ".:/bin::a/b"}})").notes,
                ElementsAre(HasSubstr("they were left out, and PATH is /bin")));
    EXPECT_THAT(run_with(R"({"command": "x", "env": {"PATH": "/a:/bin"}})").notes, IsEmpty());
    EXPECT_THAT(run_with(R"({"command": "x", "env": {"PATH": null}})").notes,
                ElementsAre(HasSubstr("env takes PATH out")));
    EXPECT_EQ(
        docware_refusal(R"({"command": "x", "env": {"A=B": "1"}})").structured->at("error")["type"],
        "environment_setup_failed");
}

// ---- widening

TEST(Docware, Configuration_MayNotBeWidenedByACall) {
    Situation trusting = in_work(Mode::Open);
    trusting.docware.may_preserve_environment = true;
    const char* preserve = R"({"command": "x", "preserve_environment": true})";
    const char* unsafe = R"({"command": "x", "enable_sandbox": false})";
    EXPECT_EQ(blocked_by(preserve), "configuration_check");
    EXPECT_EQ(blocked_by(unsafe), "configuration_check");
    EXPECT_EQ(blocked_by(preserve, trusting), "");
    EXPECT_EQ(blocked_by(unsafe, trusting), "");
    EXPECT_EQ(run_with(preserve, trusting).environment, Environment::Inherited);
    EXPECT_EQ(run_with(R"({"command": "x", "enable_sandbox": true})", trusting).mode,
              Mode::Workspace);
    // The configuration's own word counts where the call says nothing.
    trusting.docware.preserves_environment = true;
    EXPECT_EQ(run_with(any, trusting).environment, Environment::Inherited);
    EXPECT_EQ(run_with(R"({"command": "x", "preserve_environment": false})", trusting).environment,
              Environment::FromNothing);
    const Answer answer = docware_refusal(unsafe);
    EXPECT_EQ(answer.structured->at("error")["type"], "security_validation_failed");
    EXPECT_EQ(answer.structured->at("error")["message"],
              "enable_sandbox: false is not allowed by the configuration");
    Situation quiet = in_workspace();
    quiet.docware.streaming = false;
    EXPECT_EQ(blocked_by(R"({"command": "x", "stream_output": true})", quiet),
              "configuration_check");
}

// ---- results

TEST(Docware, Output_TellsEveryEnding) {
    struct Row {
        Ending ending;
        bool success;
        Json exit_code;
        const char* type;  // of the error
        const char* message;
    };
    const Row rows[] = {
        {Exited{0}, true, 0, "", ""},
        {Exited{3}, true, 3, "", ""},
        {Exited{127}, true, 127, "", ""},
        {Signaled{9}, false, 137, "process_terminated", "Process terminated by signal SIGKILL"},
        {Signaled{11}, false, 139, "process_terminated", "Process terminated by signal SIGSEGV"},
        {TimedOut{milliseconds(1500)}, false, nullptr, "execution_timeout",
         "Command execution timed out after 1500ms"},
        {Cancelled{"cancelled"}, false, nullptr, "process_terminated",
         "Process terminated: cancelled"},
        {LimitExceeded{"memory", 1000, 1200}, false, nullptr, "resource_limit_exceeded",
         "Resource limit exceeded: memory (1200 > 1000)"},
        {LimitExceeded{"cpu_usage", 80, 97}, false, nullptr, "resource_limit_exceeded",
         "Resource limit exceeded: cpu_usage (97 > 80)"},
        {LimitExceeded{"processes", 10, 11}, false, nullptr, "resource_limit_exceeded",
         "Resource limit exceeded: processes (11 > 10)"},
        {LimitExceeded{"disk", 5, 6}, false, nullptr, "resource_limit_exceeded",
         "Resource limit exceeded: disk (6 > 5)"},
        {LimitExceeded{"output", 100, 101}, false, nullptr, "resource_limit_exceeded",
         "Output size limit exceeded: 101 > 100"},
        {Lost{"its keeper was killed"}, false, nullptr, "process_terminated",
         "Process lost: its keeper was killed"},
        {NotStarted{{"program", ENOENT, "x"}}, false, nullptr, "command_not_found",
         "Command not found: 'x'"},
    };
    for (const Row& row : rows) {
        const Answer answer = docware_answer_to(any, {.ending = row.ending, .out = "kept\n"});
        const Json& json = *answer.structured;
        EXPECT_EQ(json["success"], row.success) << row.message;
        EXPECT_EQ(answer.is_error, !row.success) << row.message;
        EXPECT_EQ(json["exit_code"], row.exit_code) << row.message;
        EXPECT_EQ(json["stdout"], "kept\n");
        EXPECT_EQ(json.contains("error"), !row.success) << row.message;
        if (json.contains("error")) {
            EXPECT_EQ(json["error"]["type"], row.type);
            EXPECT_EQ(json["error"]["message"], row.message);
        }
        EXPECT_EQ(mismatch(json, docware_output_schema()), "");
        EXPECT_EQ(Json::parse(answer.text), json);
    }
}

// After a timeout and after a breach, the main process has an ending too.
TEST(Docware, Output_TellsHowTheMainProcessEnded) {
    const auto told_with = [](const Ending& ending, std::optional<Ending> main_process) {
        const auto run = run_of(docware_contract, "Bash", any, in_workspace());
        Told told = told_of(run, {.ending = ending});
        told.main_process = std::move(main_process);
        return *docware_contract.render(run, told).structured;
    };
    for (const Ending& ending : {Ending(TimedOut{milliseconds(500)}), Ending(Cancelled{"x"}),
                                 Ending(LimitExceeded{"memory", 1, 2})}) {
        const Json killed = told_with(ending, Signaled{15});
        EXPECT_EQ(killed["success"], false);
        EXPECT_EQ(killed["exit_code"], 143);
        EXPECT_EQ(killed["process_info"]["signal"], "SIGTERM");
        const Json exited = told_with(ending, Exited{7});
        EXPECT_EQ(exited["success"], false);
        EXPECT_EQ(exited["exit_code"], 7);
        EXPECT_FALSE(exited["process_info"].contains("signal"));
        const Json nobody_knows = told_with(ending, std::nullopt);
        EXPECT_TRUE(nobody_knows["exit_code"].is_null());
        EXPECT_FALSE(nobody_knows["process_info"].contains("signal"));
    }
}

TEST(Docware, Output_TellsWhichOfTwoTimesWasOver) {
    const auto limit = [](const char* input) { return run_with(input).time_limit; };
    EXPECT_EQ(limit(R"({"command": "x", "timeout": 100, "max_execution_time": 101})"), "");
    EXPECT_EQ(limit(R"({"command": "x", "timeout": 100, "max_execution_time": 100})"), "");
    const char* input = R"({"command": "x", "timeout": 101, "max_execution_time": 100})";
    EXPECT_EQ(limit(input), "execution_time");
    const auto error = [&](const Ending& ending) {
        return docware_answer_to(input, {.ending = ending}).structured->at("error");
    };
    EXPECT_EQ(error(TimedOut{milliseconds(100), milliseconds(107)})["type"], "execution_timeout");
    const Json breach = error(LimitExceeded{"execution_time", 100, 107});
    EXPECT_EQ(breach["type"], "resource_limit_exceeded");
    EXPECT_EQ(breach["message"], "Resource limit exceeded: execution_time (107 > 100)");
    EXPECT_EQ(breach["details"]["violationType"], "time_limit");
}

TEST(Docware, Output_IsCutAtItsLimitAndOnWholeCharacters) {
    const char* input = R"({"command": "x", "max_output_size": 4})";
    const auto out = [&](const std::string& written) {
        return docware_answer_to(input, {.out = written}).structured->at("stdout");
    };
    EXPECT_EQ(out("abc"), "abc");
    EXPECT_EQ(out("abcd"), "abcd");
    EXPECT_EQ(out("abcde"), "abcd");
    EXPECT_EQ(out("abc\xc3\xa9"), "abc");
    EXPECT_EQ(out("a\xff"), "a\xef\xbf\xbd");
}

// The engine keeps less than the limit allows when the disk or the quota of the state directory is
// full.
TEST(Docware, Output_ThatCouldNotBeKeptIsNoSuccess) {
    const auto answer_with = [](const char* arguments, bool errors) {
        const auto run = run_with(arguments);
        Told told = told_of(run, {.out = "kept", .err = "kept"});
        (errors ? told.err : told.out).total = 1000;
        return *docware_contract.render(run, told).structured;
    };
    for (const bool errors : {false, true}) {
        const Json cut = answer_with(any, errors);
        EXPECT_EQ(cut["success"], false);
        EXPECT_EQ(cut["exit_code"], 0);
        EXPECT_EQ(cut["error"]["type"], "insufficient_resources");
        EXPECT_EQ(cut["error"]["message"],
                  std::string("Output incomplete: only the first 4 of 1000 bytes of ") +
                      (errors ? "stderr" : "stdout") +
                      " are in the result, because there was no room to keep the rest");
    }
    EXPECT_EQ(answer_with(R"({"command": "x", "capture_output": false})", false)["success"], true);
}

TEST(Docware, Output_BothStreamsTogetherKeepToTheLimit) {
    const auto both = [](const std::string& out, const std::string& err) {
        const Json json =
            *docware_answer_to(R"({"command": "x", "max_output_size": 10})",
                               {.ending = LimitExceeded{"output", 10, 99}, .out = out, .err = err})
                 .structured;
        return json["stdout"].get<std::string>() + "|" + json["stderr"].get<std::string>();
    };
    EXPECT_EQ(both("abcdef", "1234"), "abcdef|1234");
    EXPECT_EQ(both("abcdefghij", "0123456789"), "abcde|01234");
    EXPECT_EQ(both("abcdefghij", "012"), "abcdefg|012");
    EXPECT_EQ(both("abc", "0123456789"), "abc|0123456");
    EXPECT_EQ(both("abcd\xc3\xa9zzzzzz", "0123456789"), "abcd|01234");
    EXPECT_EQ(both("abcdefghijk", ""), "abcdefghij|");
}

TEST(Docware, Output_IsLeftOutIfItIsNotWanted) {
    const Json json = *docware_answer_to(R"({"command": "x", "capture_output": false})",
                                         {.out = "out", .err = "err"})
                           .structured;
    EXPECT_EQ(json["stdout"], "");
    EXPECT_EQ(json["stderr"], "");
}

TEST(Docware, Output_InventsNoFigures) {
    const Json json = *docware_answer_to(any, {}).structured;
    for (const auto& [name, value] : json["resource_usage"].items())
        EXPECT_TRUE(value.is_null()) << name;
    EXPECT_TRUE(json["execution_info"]["execution_time"].is_null());
    EXPECT_TRUE(json["process_info"]["parent_pid"].is_null());
    EXPECT_FALSE(json["process_info"].contains("child_processes"));
    EXPECT_THAT(json["debug_info"]["execution_timeline"], IsEmpty());
}

TEST(Docware, Output_TheSchemaSaysWhatIsNotCounted) {
    const Json usage = docware_output_schema()["properties"]["resource_usage"];
    EXPECT_THAT(usage["properties"]["file_operations"]["description"].get<std::string>(),
                HasSubstr("Always null"));
}

TEST(Docware, Output_TellsWhatWasMeasured) {
    const auto run = run_with(any);
    Told told = told_of(run, {.out = "o", .err = "e"});
    told.report.duration_ms = 12.5;
    told.report.usage = {.user_ms = 3,
                         .system_ms = 2,
                         .peak_memory_bytes = 4096,
                         .peak_memory_of = {},
                         .read_bytes = 7,
                         .written_bytes = 8,
                         .processes = {}};
    told.report.environment = {"PATH", "SECRET"};
    told.report.confinement.mode = "workspace";
    told.parent_pid = 3;
    const auto at = std::chrono::system_clock::time_point(milliseconds(1000));
    told.events = {{at, Began{"abcdef-7"}},
                   {at + milliseconds(1000),
                    Sample{.cpu_percent = 50.0, .memory_bytes = 100, .pids = {4711, 4712}}},
                   {at + milliseconds(1500), Over{Exited{0}}}};
    const Json json = *docware_contract.render(run, told).structured;
    EXPECT_EQ(json["resource_usage"].dump(),
              R"({"max_memory_used":4096,"cpu_time":5.0,"wall_time":12.5,"disk_io_read":7,)"
              R"("disk_io_write":8,"file_operations":null})");
    EXPECT_EQ(json["process_info"].dump(),
              R"({"pid":4711,"parent_pid":3,"child_processes":[4712]})");
    EXPECT_EQ(json["execution_info"]["environment_variables"].dump(),
              R"({"PATH":"[REDACTED]","SECRET":"[REDACTED]"})");
    EXPECT_EQ(json["security_info"]["sandbox_used"], true);
    EXPECT_EQ(json["debug_info"]["execution_timeline"].size(), 3U);
    EXPECT_EQ(json["debug_info"]["execution_timeline"][1]["data"]["cpuUsage"], 50.0);
    EXPECT_EQ(mismatch(json, docware_output_schema()), "");
}

// ---- the tool

TEST(Docware, Input_ShowsEveryFieldOfItsInterface) {
    const Json tool = tool_json(docware_tool(in_workspace()));
    EXPECT_EQ(tool["name"], "Bash");
    std::vector<std::string> names;
    for (const auto& [name, property] : tool["inputSchema"]["properties"].items())
        names.push_back(name);
    EXPECT_THAT(
        names, ElementsAre("command", "args", "description", "cwd", "env", "timeout",
                           "capture_output", "stream_output", "max_output_size", "allowed_commands",
                           "allowed_paths", "require_confirmation", "max_memory", "max_cpu_usage",
                           "max_execution_time", "max_file_operations", "enable_sandbox",
                           "preserve_environment", "enable_shell_features"));
    EXPECT_EQ(tool["inputSchema"]["required"], Json::array({"command"}));
    EXPECT_EQ(tool["inputSchema"]["properties"]["args"]["items"]["type"], "string");
    EXPECT_EQ(tool["outputSchema"]["type"], "object");
}

}  // namespace
}  // namespace husk::contract::docware_test
