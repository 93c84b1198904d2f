// `require_confirmation`: what a person may agree to, and what nobody can.
#include <gmock/gmock.h>

#include <map>

#include "contract/docware_cases.h"

namespace husk::contract::docware_confirmation_test {
namespace {

using testing::HasSubstr;

TEST(Docware, Validation_ConfirmationIsForDangerousCommandsAlone) {
    const auto decision = [](const std::string& arguments) {
        const auto verdict = run_of(docware_contract, "Bash", arguments, in_workspace()).verdict;
        return verdict ? verdict->decision : "allow";
    };
    EXPECT_EQ(decision(R"({"command": "sudo", "require_confirmation": true})"), "ask");
    EXPECT_EQ(decision(R"({"command": "sudo", "require_confirmation": false})"), "deny");
    EXPECT_EQ(decision(R"({"command": "ls", "require_confirmation": true})"), "allow");
    EXPECT_EQ(decision(R"({"command": "ls", "max_cpu_usage": 100, "require_confirmation": true})"),
              "deny");
    const Json json =
        *docware_refusal(R"({"command": "sudo", "require_confirmation": true})").structured;
    EXPECT_EQ(json["error"]["type"], "permission_denied");
    EXPECT_THAT(json["error"]["message"].get<std::string>(),
                HasSubstr("\"; it needs a confirmation"));
}

// A person agrees to a finding, and to nothing that a list or a limit forbids.
TEST(Docware, Validation_AConfirmationSwitchesNoListAndNoLimitOff) {
    const auto verdict = [](const std::string& command, Json more, const Situation& situation) {
        more["command"] = command;
        more["enable_shell_features"] = true;
        more["require_confirmation"] = true;
        const auto said = run_of(docware_contract, "Bash", more.dump(), situation).verdict;
        return said ? said->decision + " " + said->rule : "allow";
    };
    Situation commands = in_workspace();
    commands.docware.command_whitelist = std::vector<std::string>{"ls"};
    EXPECT_EQ(verdict("chmod 777 a/f; cat a/f; id", Json::object(), commands),
              "deny whitelist_check");
    Situation paths = in_workspace();
    paths.docware.allowed_paths = std::vector<std::string>{"/work/a"};
    EXPECT_EQ(verdict("chmod 777 f; cat /etc/hostname", {{"cwd", "a"}}, paths),
              "deny path_security_check");
    EXPECT_EQ(verdict("chmod 777 f", {{"cwd", "a"}}, paths), "ask dangerous_ops_check");
    const Situation plain = in_workspace();
    const Json list = {{"allowed_paths", {"/work/a"}}, {"cwd", "a"}};
    EXPECT_EQ(verdict("chmod 777 /etc/x", list, plain), "deny path_security_check");
    EXPECT_EQ(verdict("chmod 777 x", {{"allowed_paths", {"/work/a"}}}, plain),
              "deny path_security_check");
    EXPECT_EQ(verdict("chmod 777 x; cat ../../../etc/hostname", Json::object(), plain),
              "deny path_security_check");
    for (const auto& [name, value] : std::map<std::string, uint64_t>{
             {"max_cpu_usage", 100}, {"max_memory", 2ULL << 30}, {"max_output_size", 1ULL << 30}})
        EXPECT_EQ(verdict("chmod 777 x", {{name, value}}, plain), "deny resource_access_check");
    EXPECT_EQ(verdict("chmod 777 x; eval \"$y\"", Json::object(), plain),
              "ask dangerous_ops_check");
}

// The person who is asked sees each finding, and the refusal names each layer.
TEST(Docware, Validation_AllFindingsAreConfirmedTogether) {
    const auto call = [](Json more) {
        more["command"] = "chmod 777 x; eval \"$y\"";
        more["enable_shell_features"] = true;
        more["require_confirmation"] = true;
        return more.dump();
    };
    const auto asked = run_of(docware_contract, "Bash", call(Json::object()), in_workspace());
    EXPECT_THAT(asked.verdict->reason, HasSubstr("Dangerous operation detected: administration/"));
    EXPECT_THAT(asked.verdict->reason, HasSubstr("; Injection attempt detected: injection/"));
    EXPECT_EQ(asked.kept["checks"][0]["validationResults"].size(), 5U);
    const Json refused = *docware_refusal(call({{"max_cpu_usage", 100}})).structured;
    EXPECT_EQ(refused["error"]["details"]["blockedBy"], "resource_access_check");
    EXPECT_EQ(refused["error"]["message"], "Resource access violation: max_cpu_usage 100 > 80");
    EXPECT_EQ(refused["security_info"]["blocked_operations"],
              Json({"resource_access_check", "dangerous_ops_check", "administration/open-to-all",
                    "injection_check", "injection/variable"}));
}

std::string question(const std::string& command, const Json& env = Json::object()) {
    const Json call = {{"command", command},
                       {"enable_shell_features", true},
                       {"require_confirmation", true},
                       {"env", env}};
    const auto verdict = run_of(docware_contract, "Bash", call.dump(), in_workspace()).verdict;
    return verdict && verdict->decision == "ask" ? verdict->reason : "";
}

// One layer can find several things, and the worst gives the layer its id.
TEST(Docware, Validation_TheQuestionNamesEveryFindingOfALayer) {
    const std::string all =
        question("sudo -n true; $(echo rm) x; curl http://127.0.0.1:9/ | sh; eval \"$y\"");
    for (const char* part : {"escalation/other-user: ", "injection/download: ", "(sudo -n true)",
                             "; Injection attempt detected: injection/variable: "})
        EXPECT_THAT(all, HasSubstr(part));
    EXPECT_THAT(all, testing::Not(HasSubstr(".;")));
    EXPECT_THAT(all, testing::Not(HasSubstr("..")));

    const std::string env = question("eval \"$y\"", {{"LD_PRELOAD", "a.so"}, {"LD_AUDIT", "b.so"}});
    for (const char* part :
         {"LD_AUDIT makes", "; injection/environment: LD_PRELOAD makes", "; injection/variable: "})
        EXPECT_THAT(env, HasSubstr(part));

    const Json call = {{"command", "sudo a; chmod 777 x"}, {"enable_shell_features", true}};
    const Json refused = *docware_refusal(call.dump()).structured;
    EXPECT_THAT(refused["error"]["message"].get<std::string>(),
                testing::Not(HasSubstr("administration/")));
}

TEST(Docware, Validation_TheQuestionNamesAFindingOnceAndTheWorstFirst) {
    EXPECT_EQ(question("sudo a; sudo a"), question("sudo a"));
    std::string script;
    for (int i = 0; i < 20; ++i) script += "chmod 777 x" + std::to_string(i) + "; ";
    const std::string many = question(script + "sudo a");
    EXPECT_THAT(many, testing::StartsWith("Dangerous operation detected: escalation/other-user"));
    EXPECT_THAT(many, testing::EndsWith("; and 10 more"));
}

// The person sees the command that would run, and not only the names of variables.
TEST(Docware, Validation_TheQuestionShowsTheValuesOfVariables) {
    const std::string asked = question("$FOO -n true", {{"FOO", "sudo"}});
    EXPECT_THAT(asked, HasSubstr("(sudo -n true)"));
    EXPECT_THAT(asked, testing::Not(HasSubstr("$FOO")));
    const std::string more = question("sudo $X; sudo b", {{"X", "reboot"}});
    EXPECT_THAT(more, HasSubstr("(sudo reboot)"));
    EXPECT_THAT(more, HasSubstr("(sudo b)"));
    EXPECT_THAT(more, testing::Not(HasSubstr("$X")));
    const std::string secret =
        question("$S login -p $DB_PASSWORD", {{"S", "sudo"}, {"DB_PASSWORD", "hunter2hunter2"}});
    EXPECT_THAT(secret, HasSubstr("(sudo login -p $DB_PASSWORD)"));
    EXPECT_THAT(secret, testing::Not(HasSubstr("hunter2")));
}

TEST(Docware, Validation_WhatWasConfirmedIsSaidToBe) {
    const Json json =
        *docware_answer_to(R"({"command": "sudo", "require_confirmation": true})", {}).structured;
    EXPECT_EQ(json["success"], true);
    EXPECT_EQ(json["security_info"]["confirmed"], true);
    EXPECT_EQ(json["security_info"]["risk_level"], "critical");
}

}  // namespace
}  // namespace husk::contract::docware_confirmation_test
