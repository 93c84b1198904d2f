// `husk hook claude`, as Claude Code calls it: an event on standard input, a decision on standard
// output. Nothing that is judged here is run.
#include <gmock/gmock.h>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

class Hook : public testing::Test {
protected:
    Hook() {
        fs::create_directories(fs::path(work_) / "sub");
        fs::create_directories(husk_.dir() / "config/husk");
    }

    Json event(const std::string& command) const {
        return {{"session_id", "s"},
                {"transcript_path", "/nowhere/s.jsonl"},
                {"cwd", work_},
                {"permission_mode", "default"},
                {"hook_event_name", "PreToolUse"},
                {"tool_name", "Bash"},
                {"tool_input", {{"command", command}, {"description", "d"}}},
                {"tool_use_id", "toolu_1"}};
    }
    Ran answer_to(const Json& event) const { return husk_({"hook", "claude"}, event.dump()); }
    Ran answer(const std::string& command) const { return answer_to(event(command)); }
    // The word of the decision; "" for no opinion.
    std::string decision_on(const Json& event) const {
        const Ran ran = answer_to(event);
        EXPECT_EQ(ran.code, 0) << ran.err;
        if (ran.out.empty()) return "";
        const Json said = ran.json()["hookSpecificOutput"];
        EXPECT_EQ(said["hookEventName"], "PreToolUse");
        return said["permissionDecision"];
    }
    std::string decision(const std::string& command) const { return decision_on(event(command)); }
    std::string reason(const std::string& command) const {
        return answer(command).json()["hookSpecificOutput"]["permissionDecisionReason"];
    }
    void users_rules(const std::string& yaml) const {
        write_text(husk_.dir() / "config/husk/husk.yaml", yaml);
    }
    void rules_here(const std::string& yaml) const {
        write_text(fs::path(work_) / "husk.yaml", yaml);
    }

    Husk husk_;
    std::string work_ = husk_.dir() / "work";
};

// Blocked, in the way that Claude Code understands: exit 2, the reason on stderr, no decision.
testing::AssertionResult blocks(const Ran& ran) {
    if (ran.code == 2 && ran.out.empty() && ran.err.starts_with("husk: "))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "exit " << ran.code << ", said " << ran.out << ran.err;
}

TEST_F(Hook, TheDecisionIsThatOfTheRules) {
    users_rules(
        "permissions: {allow: [\"Bash(git:*)\"], ask: [\"Bash(git push:*)\"], "
        "deny: [\"Bash(curl:*)\"]}");
    struct {
        const char* command;
        const char* decision;
    } const cases[] = {
        {"git status", "allow"},
        {"git status && git log", "allow"},
        {"X=1 timeout 5 git status", "allow"},
        {"git push origin main", "ask"},
        {"git push --force", "deny"},
        {"curl example.org", "deny"},
        {"git status; curl example.org", "deny"},
        {"echo \"$(curl example.org)\"", "deny"},
        {"rm -rf /", "deny"},
        {"if then", "deny"},
        {"$PROGRAM x", "ask"},
        // No rule speaks of these, or not of all of it: Claude Code decides as if Husk were not
        // there.
        {"ls", ""},
        {"git status && ls", ""},
        {"echo curl", ""},
        {"", ""},
    };
    for (const auto& one : cases) EXPECT_EQ(decision(one.command), one.decision) << one.command;
}

TEST_F(Hook, TheReasonSaysWhatToDo) {
    users_rules("permissions: {allow: [\"Bash(git:*)\"], ask: [\"Bash(git push:*)\"]}");
    EXPECT_THAT(reason("git push --force"),
                AllOf(StartsWith("husk: "), HasSubstr("--force-with-lease")));
    EXPECT_THAT(reason("git push"), AllOf(StartsWith("husk: "), HasSubstr("Bash(git push:*)"),
                                          testing::Not(HasSubstr("nobody can be asked"))));
    EXPECT_THAT(reason("git status"), AllOf(HasSubstr("Bash(git:*)"), HasSubstr("husk.yaml:1")));
}

TEST_F(Hook, OtherToolsPassWithoutAnOpinion) {
    for (const char* tool : {"Write", "Read", "mcp__husk__bash", "bash", "PowerShell"}) {
        Json other = event("rm -rf /");
        other["tool_name"] = tool;
        EXPECT_EQ(decision_on(other), "") << tool;
        other["tool_input"] = {{"file_path", "/x"}};
        EXPECT_EQ(decision_on(other), "") << tool;
    }
}

TEST_F(Hook, WhatCannotBeReadIsBlocked) {
    for (const char* text :
         {"", "{", "null", "[]", "5", "\"Bash\"", "{}", "\xff",
          R"({"hook_event_name": "PreToolUse"})", R"({"hook_event_name": 5, "tool_name": "Read"})",
          R"({"tool_name": "Read", "tool_name": "Bash"})"})
        EXPECT_TRUE(blocks(husk_({"hook", "claude"}, text))) << text;
    for (const char* field : {"cwd", "tool_name", "tool_input", "hook_event_name"}) {
        Json without = event("ls");
        without.erase(field);
        EXPECT_TRUE(blocks(answer_to(without))) << field;
        for (const Json& odd : {Json(nullptr), Json(5), Json::array(), Json::object()}) {
            without[field] = odd;
            EXPECT_TRUE(blocks(answer_to(without))) << field << ": " << odd;
        }
    }
    Json odd = event("ls");
    odd["tool_input"]["command"] = Json::array({"ls"});
    EXPECT_TRUE(blocks(answer_to(odd)));
    odd = event("ls");
    odd["cwd"] = "relative";
    EXPECT_TRUE(blocks(answer_to(odd)));
}

TEST_F(Hook, WrongUseIsBlockedToo) {
    const std::string ls = event("ls").dump();
    EXPECT_TRUE(blocks(husk_({"hook"}, ls)));
    EXPECT_TRUE(blocks(husk_({"hook", "nobody"}, ls)));
    EXPECT_TRUE(blocks(husk_({"hook", "claude", "--typo"}, ls)));
    EXPECT_TRUE(blocks(husk_({"hook", "claude", "--config", "/no/such.yaml"}, ls)));
}

TEST_F(Hook, ABrokenConfigurationBlocks) {
    users_rules("permissions: {deny: 5}");
    EXPECT_TRUE(blocks(answer("ls")));
    users_rules("");
    rules_here("nonsense: 1");
    EXPECT_TRUE(blocks(answer("ls")));
    Json other = event("ls");
    other["tool_name"] = "Read";
    EXPECT_EQ(decision_on(other), "") << "what is not judged needs no rules";
}

// Blocking makes no sense there, and passing in silence would hide the mistake.
TEST_F(Hook, AnotherEventIsAMistakeOfTheUsers) {
    Json after = event("ls");
    after["hook_event_name"] = "PostToolUse";
    const Ran ran = answer_to(after);
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("PostToolUse"));
}

TEST_F(Hook, AFileBesideTheWorkMayOnlyNarrow) {
    rules_here("permissions: {allow: [\"Bash(ls:*)\"], deny: [\"Bash(make:*)\"]}");
    EXPECT_EQ(decision("make"), "deny");
    EXPECT_EQ(decision("ls"), "") << "a repository cannot allow anything by itself";
}

TEST_F(Hook, TheRulesOfAProjectHoldInItsFolders) {
    rules_here("permissions: {deny: [\"Bash(make:*)\"]}");
    Json deeper = event("make");
    deeper["cwd"] = work_ + "/sub";
    EXPECT_EQ(decision_on(deeper), "");
    const auto in_project = [&](const std::string& project) {
        std::vector<std::string> words = {"env", "CLAUDE_PROJECT_DIR=" + project};
        for (std::string& word : husk_.argv({"hook", "claude"})) words.push_back(std::move(word));
        return run_program(words, deeper.dump()).out;
    };
    EXPECT_THAT(in_project(work_), HasSubstr("\"deny\""));
    EXPECT_THAT(in_project(work_ + "/"), HasSubstr("\"deny\""));
    EXPECT_EQ(in_project(work_ + "/su"), "");
    EXPECT_EQ(in_project("/nowhere"), "");
}

// A relative path means what it means where the command is run.
TEST_F(Hook, PathsAreThoseOfTheEventsDirectory) {
    Json at_root = event("rm -rf ../*");
    at_root["cwd"] = "/usr";
    EXPECT_EQ(decision_on(at_root), "deny");
}

TEST_F(Hook, NothingIsRun) {
    const std::string mark = husk_.dir() / "mark";
    decision("touch " + mark);
    decision("touch " + mark + "; if");
    EXPECT_FALSE(fs::exists(mark));
}

}  // namespace
}  // namespace husk::test
