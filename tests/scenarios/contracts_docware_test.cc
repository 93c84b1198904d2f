// The contract `docware`, called as an agent calls it.
#include <gmock/gmock.h>

#include <atomic>
#include <map>

#include "docware_calls.h"
#include "tool/toolbox.h"

namespace husk::test::docware_calls {
namespace {

namespace fs = std::filesystem;
using contract::Json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

INSTANTIATE_TEST_SUITE_P(, Docware, both(), who_name);

// ---- two ways to run

TEST_P(Docware, Input_IsAnArgumentVectorThatNobodyInterprets) {
    const Json done =
        output({{"command", "printf"}, {"args", {"%s\n", "$HOME", "; id", "a  b", "*", "`id`"}}});
    EXPECT_EQ(done["stdout"], "$HOME\n; id\na  b\n*\n`id`\n");
    EXPECT_EQ(done["exit_code"], 0);
    EXPECT_EQ(done["execution_info"]["command"], "printf");
    EXPECT_EQ(done["execution_info"]["args"][1], "$HOME");
}

TEST_P(Docware, Input_RunsAShellIfAsked) {
    const Json done = shell("echo one | cat; echo two >&2; cat <<<", {{"args", {"a; b $x"}}});
    EXPECT_EQ(done["stdout"], "one\na; b $x\n");
    EXPECT_EQ(done["stderr"], "two\n");
    EXPECT_EQ(done["success"], true);
}

TEST_P(Docware, Output_AnExitCodeIsAnAnswer) {
    const Json done = shell("exit 3");
    EXPECT_EQ(done["success"], true);
    EXPECT_EQ(done["exit_code"], 3);
    EXPECT_FALSE(done.contains("error"));
}

TEST_P(Docware, Sandbox_StartsWhereItIsTold) {
    fs::create_directory(work_ / "sub");
    own(work_ / "sub");
    EXPECT_EQ(output({{"command", "pwd"}})["stdout"], work_.string() + "\n");
    EXPECT_EQ(output({{"command", "pwd"}, {"cwd", "sub"}})["stdout"],
              (work_ / "sub").string() + "\n");
}

// ---- environment

TEST_P(Docware, Sandbox_GivesAnEnvironmentFromNothing) {
    const Json done = output({{"command", "env"}, {"env", {{"GIVEN", "1"}}}});
    const auto lines = lines_of(done["stdout"].get<std::string>());
    EXPECT_THAT(lines, UnorderedElementsAre(testing::StartsWith("PATH="), "GIVEN=1",
                                            "PWD=" + work_.string(), "HOME=" + work_.string(),
                                            "TMPDIR=/tmp", "HISTFILE=/dev/null", "HISTSIZE=0"));
    const Json& variables = done["execution_info"]["environment_variables"];
    EXPECT_EQ(variables.size(), lines.size());
    for (const auto& [name, value] : variables.items()) EXPECT_EQ(value, "[REDACTED]") << name;
}

TEST_P(Docware, Configuration_PreservesTheEnvironmentOnlyWhereThatIsAllowed) {
    const Json asked = {{"command", "env"}, {"preserve_environment", true}};
    const Json refused = output(asked);
    EXPECT_EQ(refused["error"]["type"], "security_validation_failed");
    EXPECT_EQ(refused["error"]["securityLevel"], "HIGH");
    const std::string closed =
        output(asked, {"--may-preserve-environment"})["stdout"].get<std::string>();
    EXPECT_THAT(closed, testing::Not(HasSubstr("hidden")));  // walls withhold what looks secret
    const std::string open =
        output(asked, {"--may-preserve-environment", "--mode", "open"})["stdout"]
            .get<std::string>();
    EXPECT_THAT(open, HasSubstr("CALLERS_SECRET=hidden"));
    EXPECT_THAT(lines_of(open), testing::IsSupersetOf(std::vector<std::string>{
                                    "HOME=" + work_.string(), "HISTFILE=/dev/null", "HISTSIZE=0"}));
}

// ---- configuration

TEST_P(Docware, Configuration_StandsInTheFileOfTheUser) {
    const fs::path file = husk_.dir() / "docware.yaml";
    write_text(file,
               "limits: {memory: 64M, processes: 4, open_files: 32, output: 1K}\n"
               "timeouts: {default: 2s}\n"
               "docware:\n"
               "  command_whitelist: [echo, cat, yes, sleep, env, ulimit]\n"
               "  allowed_paths: [" +
                   work_.string() +
                   "]\n"
                   "  preserve_environment: on\n"
                   "  streaming: off\n");
    const std::vector<std::string> options = {"--config", file.string()};
    const auto refusal = [&](const Json& arguments) {
        return output(arguments, options)["error"]["details"].value("blockedBy", "");
    };
    EXPECT_EQ(output({{"command", "echo"}, {"args", {"hi"}}}, options)["stdout"], "hi\n");
    EXPECT_EQ(refusal({{"command", "ls"}}), "whitelist_check");
    EXPECT_EQ(refusal({{"command", "cat"}, {"args", {"/etc/passwd"}}}), "path_security_check");
    EXPECT_EQ(refusal({{"command", "echo"}, {"max_memory", 65 << 20}}), "resource_access_check");
    EXPECT_EQ(refusal({{"command", "echo"}, {"stream_output", true}}), "configuration_check");
    EXPECT_EQ(output({{"command", "echo"}, {"preserve_environment", true}}, options)["exit_code"],
              0);
    EXPECT_EQ(shell("ulimit -n", {}, options)["stdout"], "32\n");
    EXPECT_EQ(output({{"command", "sleep"}, {"args", {"30"}}}, options)["error"]["type"],
              "execution_timeout");
    EXPECT_THAT(output({{"command", "yes"}}, options)["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Output size limit exceeded: [0-9]+ > 1024"));
}

TEST_P(Docware, Threats_AreToldAndRunWhereThatIsConfigured) {
    const fs::path file = husk_.dir() / "docware.yaml";
    write_text(file, "docware: {threats: tell}\n");
    const std::string threat = "eval \"$x\"";
    EXPECT_EQ(shell(threat)["success"], false);
    const Json told = shell(threat, {}, {"--config", file.string()});
    EXPECT_EQ(told["success"], true) << told.dump(1);
    EXPECT_EQ(told["security_info"]["threat_analysis"]["threatsDetected"], true);
}

// ---- sandbox

TEST_P(Docware, Sandbox_WritesInTheWorkspaceAndNowhereElse) {
    const fs::path outside = husk_.dir() / "outside";
    const Json done = shell("echo in > made; echo out > " + outside.string());
    EXPECT_EQ(read_text(work_ / "made"), "in\n");
    EXPECT_FALSE(fs::exists(outside));
    EXPECT_EQ(done["security_info"]["sandbox_used"], true);
}

TEST_P(Docware, Sandbox_IsLeftOnlyWhereThatIsAllowed) {
    const Json asked = {{"command", "true"}, {"enable_sandbox", false}};
    EXPECT_EQ(error_type(asked), "security_validation_failed");
    const Json open = output(asked, {"--mode", "open"});
    EXPECT_EQ(open["success"], true);
    EXPECT_EQ(open["security_info"]["sandbox_used"], false);
    const Json closed = output({{"command", "true"}, {"enable_sandbox", true}}, {"--mode", "open"});
    EXPECT_EQ(closed["security_info"]["sandbox_used"], true);
}

TEST_P(Docware, Sandbox_HasAPrivateDirectoryForTemporaryFilesInOpenModeToo) {
    const Json done = shell("touch \"$TMPDIR/x\" && stat -c %a \"$TMPDIR\" && echo \"$TMPDIR\"",
                            Json::object(), {"--mode", "open"});
    const auto lines = lines_of(done["stdout"].get<std::string>());
    ASSERT_EQ(lines.size(), 2U) << done.dump();
    EXPECT_EQ(lines[0], "700");
    EXPECT_FALSE(fs::exists(lines[1]));
}

// ---- errors

TEST_P(Docware, Errors_SayWhyACommandCouldNotBeStarted) {
    write_text(work_ / "plain", "no program\n");
    own(work_ / "plain");
    const std::pair<Json, const char*> rows[] = {
        {{{"command", "no-such-program-here"}}, "command_not_found"},
        {{{"command", "ls -l"}}, "command_not_found"},
        {{{"command", "./missing"}}, "command_not_found"},
        {{{"command", "./plain"}}, "permission_denied"},
        {{{"command", "true"}, {"cwd", "missing"}}, "working_directory_invalid"},
        {{{"command", "true"}, {"cwd", "plain"}}, "working_directory_invalid"},
        {{{"command", "true"}, {"env", {{"A=B", "x"}}}}, "environment_setup_failed"},
        {{{"command", "true"}, {"args", {std::string(200'000, 'x')}}}, "environment_setup_failed"},
        {{{"command", "if"}, {"enable_shell_features", true}}, "security_validation_failed"},
        {{{"command", 5}}, "invalid_configuration"},
    };
    for (const auto& [arguments, type] : rows) {
        const Json done = output(arguments);
        EXPECT_EQ(done["error"]["type"], type) << done["error"].dump();
        EXPECT_TRUE(done["exit_code"].is_null());
        EXPECT_FALSE(done["error"]["recovery_suggestions"].empty());
    }
}

TEST_P(Docware, Output_TellsASignalFromAnExit) {
    const Json done = shell("echo before; kill -9 $$");
    EXPECT_EQ(done["error"]["type"], "process_terminated");
    EXPECT_EQ(done["exit_code"], 137);
    EXPECT_EQ(done["process_info"]["signal"], "SIGKILL");
    EXPECT_EQ(done["stdout"], "before\n");
}

TEST_P(Docware, Output_WordsInItChangeNothing) {
    const Json done = shell("echo 'Resource limit exceeded: memory (2 > 1)'; echo 'exit: 124'");
    EXPECT_EQ(done["success"], true);
    EXPECT_EQ(done["exit_code"], 0);
}

// ---- checks

TEST_P(Docware, Validation_DoesNotStartWhatItRefuses) {
    write_text(bin_ / "sudo", "#!/bin/sh\ntouch " + (work_ / "started").string() + "\n");
    fs::permissions(bin_ / "sudo", fs::perms(0755));
    own(bin_ / "sudo");
    for (const Json& more : {Json::object(), Json{{"require_confirmation", true}}}) {
        Json arguments = {{"command", "sudo"}, {"args", {"true"}}};
        arguments.update(more);
        const Json done = output(arguments);
        EXPECT_EQ(done["error"]["type"],
                  more.empty() ? "security_validation_failed" : "permission_denied");
        EXPECT_EQ(done["security_info"]["blocked_operations"][0], "dangerous_ops_check");
        EXPECT_EQ(done["security_info"]["risk_level"], "critical");
        EXPECT_TRUE(done["process_info"]["pid"].is_null());
    }
    EXPECT_FALSE(fs::exists(work_ / "started"));
}

TEST_P(Docware, Validation_KeepsToTheListsOfTheCall) {
    EXPECT_EQ(error_type({{"command", "true"}, {"allowed_commands", {"ls"}}}),
              "command_not_allowed");
    EXPECT_EQ(error_type({{"command", "true"}, {"allowed_commands", {"true"}}}), "");
    EXPECT_EQ(error_type({{"command", "ls"}, {"args", {"/etc"}}, {"allowed_paths", {"."}}}),
              "security_validation_failed");
    EXPECT_EQ(error_type({{"command", "ls"}, {"args", {"."}}, {"allowed_paths", {"."}}}), "");
    EXPECT_EQ(error_type({{"command", "true"}, {"max_memory", 1ULL << 40}}),
              "security_validation_failed");
}

TEST_P(Docware, Validation_RulesOfTheUserDecideToo) {
    write_text(husk_.dir() / "rules.yaml", "permissions:\n  deny: [\"Bash(whoami:*)\"]\n");
    const Json done =
        output({{"command", "whoami"}}, {"--config", (husk_.dir() / "rules.yaml").string()});
    EXPECT_EQ(done["error"]["type"], "command_not_allowed");
    EXPECT_EQ(done["error"]["userMessage"], "Command 'whoami' is not allowed by security policy");
}

// ---- what is told

TEST_P(Docware, Output_TellsWhatWasMeasuredAndNothingElse) {
    const Json done = shell("sleep 2.5");
    const Json& usage = done["resource_usage"];
    EXPECT_GE(usage["wall_time"], 2500);
    EXPECT_GT(usage["max_memory_used"], 0);
    EXPECT_GT(usage["cpu_time"], 0);
    EXPECT_TRUE(usage["file_operations"].is_null());
    EXPECT_GT(done["process_info"]["pid"], 0);
    EXPECT_GT(done["process_info"]["parent_pid"], 0);
    EXPECT_TRUE(done["process_info"].contains("child_processes"));
    std::vector<std::string> events;
    for (const Json& entry : done["debug_info"]["execution_timeline"])
        events.push_back(entry["event"]);
    EXPECT_EQ(events.front(), "started");
    EXPECT_EQ(events.back(), "ended");
    EXPECT_GE(std::ranges::count(events, "resource_update"), 1);
}

TEST_P(Docware, Streaming_RecordsHaveNoGaps) {
    const Json result = call({{"command", "echo one; echo bad >&2; sleep 0.1; printf two; exit 4"},
                              {"enable_shell_features", true},
                              {"stream_output", true}});
    const Json& records = result["_meta"]["docware/stream"];
    std::string out, err;
    for (size_t i = 0; i < records.size(); ++i) {
        EXPECT_EQ(records[i]["sequenceNumber"], i);
        EXPECT_EQ(records[i]["streamId"], records[0]["streamId"]);
        EXPECT_GT(records[i]["timestamp"], 0);
        if (records[i]["type"] == "stdout") out += records[i]["content"].get<std::string>();
        if (records[i]["type"] == "stderr") err += records[i]["content"].get<std::string>();
    }
    EXPECT_EQ(result["structuredContent"]["stdout"], out);
    EXPECT_EQ(out, "one\ntwo");
    EXPECT_EQ(err, "bad\n");
    EXPECT_EQ(records.back()["content"]["status"], "completed");
    EXPECT_EQ(records.back()["content"]["exit_code"], 4);
}

// The seed's sandboxStats, of one call. Each call here is a process of its own: the first builds
// the sandbox, and the second finds it.
TEST_P(Docware, Output_TellsWhatTheSandboxCost) {
    const auto stats = [&](const std::vector<std::string>& options) {
        return output({{"command", "true"}}, options)["debug_info"]["sandboxStats"];
    };
    const Json built = stats({"--session", "kept"});
    EXPECT_GT(built["sandboxCreationTime"], 0);
    EXPECT_GT(built["sandboxOverhead"], 0);
    EXPECT_TRUE(built["isolationEffectiveness"].is_null());
    const Json found = stats({"--session", "kept"});
    EXPECT_TRUE(found["sandboxCreationTime"].is_null());
    EXPECT_GT(found["sandboxOverhead"], 0);
    const Json metrics = husk_({"stats", "--docware"}).json()["sandboxStats"];
    EXPECT_GT(metrics["sandboxCreationTime"], 0) << metrics;
    EXPECT_GT(metrics["sandboxOverhead"], 0) << metrics;
    const Json open = stats({"--mode", "open"});
    EXPECT_TRUE(open["sandboxCreationTime"].is_null());
    EXPECT_TRUE(open["sandboxOverhead"].is_null());
}

// The seed's syncFileStateAfterExecution.
TEST_P(Docware, Output_TellsWhatBecameOfTheFiles) {
    for (const char* name : {"old", "gone", "same"}) {
        write_text(work_ / name, "one\n");
        own(work_ / name);
    }
    fs::create_symlink("old", work_ / "link");
    const Json done = shell(
        "cat same missing 2>/dev/null; echo two >> old; rm gone; echo x > new; touch /tmp/t; "
        "echo three >> link");
    std::map<std::string, std::string> states;
    for (const Json& file : done["debug_info"]["file_state"])
        states[file["path"]] =
            file["operation"].get<std::string>() + " " + file["state"].get<std::string>();
    EXPECT_EQ(states, (std::map<std::string, std::string>{
                          {work_ / "same", "read unchanged"},
                          {work_ / "missing", "read missing"},
                          {"/dev/null", "write unknown"},
                          {work_ / "old", "append changed"},
                          {work_ / "gone", "delete removed"},
                          {work_ / "new", "write created"},
                          {"/tmp/t", "write unknown"},
                          {work_ / "link", "append unknown"},
                      }));
}

// They run, and the result and the audit tell of them.
TEST_P(Docware, Threats_ThatDoNotBlockAreInTheResultAndInTheAudit) {
    const Json piped = shell("echo 'echo ran' | sh");
    EXPECT_EQ(piped["stdout"], "ran\n");
    EXPECT_EQ(piped["security_info"]["threat_analysis"]["threats"][0]["ruleId"],
              "code_injection_detection");
    const Json plain = shell("echo hi");
    EXPECT_EQ(plain["security_info"]["threat_analysis"]["threatsDetected"], false);
    const auto records = lines_of(husk_({"log", "--json"}).out);
    ASSERT_EQ(records.size(), 2U);
    std::vector<Json> threats;
    for (const std::string& record : records) threats.push_back(Json::parse(record)["threats"]);
    EXPECT_THAT(threats, UnorderedElementsAre(Json({"code_injection_detection"}), Json::array()));
}

// ---- whoever offers the tools

tool::Deployment deployment_in(const TempDir& dir) {
    tool::Deployment deployment;
    deployment.contract = &contract::docware_contract;
    deployment.settings.state = dir.path() / "state";
    deployment.settings.linger = 100ms;  // its nursery goes with the test
    deployment.walls.workspace = dir.path() / "work";
    fs::create_directory(deployment.walls.workspace);
    return deployment;
}

TEST(DocwareTools, Validation_AsksAboutDangerousCommandsIfTheCallWantsThat) {
    const TempDir dir;
    const std::string arguments = R"({"command": "chmod 777 made", "require_confirmation": true,
                                      "enable_shell_features": true})";
    for (const bool agrees : {false, true}) {
        tool::Deployment deployment = deployment_in(dir);
        write_text(deployment.walls.workspace / "made", "");
        std::string asked;
        tool::CallContext context;
        context.approver = [&](const Question& question, const auto& answer) {
            asked = question.verdict.reason;
            answer({agrees ? Answer::AllowOnce : Answer::Unanswered});
        };
        tool::Toolbox toolbox(std::move(deployment));
        const Json result = *toolbox.call("Bash", arguments, std::move(context));
        EXPECT_THAT(asked, HasSubstr("Dangerous operation detected: administration/open-to-all"));
        EXPECT_EQ(result["structuredContent"]["success"], agrees);
        EXPECT_EQ(result["structuredContent"]["security_info"].contains("confirmed"), agrees);
        fs::remove_all(dir.path() / "work");
    }
}

TEST(DocwareTools, Streaming_RecordsComeWhileTheCommandRuns) {
    const TempDir dir;
    tool::Deployment deployment = deployment_in(dir);
    const fs::path go = deployment.walls.workspace / "go";
    tool::Toolbox toolbox(std::move(deployment));
    std::vector<Json> records;
    // The command ends only when its output has been seen.
    tool::CallContext context;
    context.on_record = [&](const Json& record) {
        records.push_back(record);
        if (record["type"] == "stdout") write_text(go, "");
    };
    const Json result =
        *toolbox.call("Bash",
                      R"({"command": "echo up; until [ -e go ]; do sleep 0.01; done",
                                          "enable_shell_features": true, "stream_output": true})",
                      std::move(context));
    EXPECT_EQ(result["structuredContent"]["success"], true);
    EXPECT_EQ(Json(records), result["_meta"]["docware/stream"]);
}

}  // namespace
}  // namespace husk::test::docware_calls
