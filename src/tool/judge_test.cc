#include "tool/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::tool {
namespace {

using decide::Decision;
using decide::Mode;
using testing::HasSubstr;

Judged judged_in(Mode mode, const std::string& command) {
    decide::Rules rules;
    rules.mode = mode;
    Request request;
    request.command = command;
    return judge_call(request, "", rules);
}

// bash notices only when it runs it that nothing closes the bracket.
constexpr const char* only_bash_reads_it = "echo ${x[}";

TEST(Judge, WhatOnlyBashCanReadIsNotUnderstood) {
    ASSERT_TRUE(parse::parse(only_bash_reads_it).error);
    const Judged judged = judged_in(Mode::Default, only_bash_reads_it);
    EXPECT_FALSE(judged.rejected);
    EXPECT_FALSE(judged.script.error);
    EXPECT_FALSE(judged.verdict.understood);
    EXPECT_EQ(judged.verdict.decision, Decision::Ask);
    EXPECT_EQ(judged.verdict.rule, "not-understood");
    EXPECT_THAT(judged.verdict.reason, HasSubstr("bash can read it, but this parser cannot"));
    EXPECT_EQ(judged_in(Mode::Strict, only_bash_reads_it).verdict.decision, Decision::Deny);
    EXPECT_EQ(judged_in(Mode::DontAsk, only_bash_reads_it).verdict.decision, Decision::Deny);
}

TEST(Judge, WhatBashCannotReadIsDeniedInEveryMode) {
    for (const Mode mode :
         {Mode::Default, Mode::Strict, Mode::DontAsk, Mode::AcceptEdits, Mode::BypassPermissions}) {
        const Judged judged = judged_in(mode, "ls; if");
        EXPECT_TRUE(judged.rejected);
        EXPECT_EQ(judged.verdict.decision, Decision::Deny);
        EXPECT_EQ(judged.verdict.rule, "syntax");
        EXPECT_TRUE(judged.script.commands.empty());
    }
}

Decision decision_with(const std::string& name, const std::string& value,
                       const std::string& command) {
    static const decide::Rules rules = decide::rules_of({.deny = {"Bash(touch:*)"}});
    Request request;
    request.command = command;
    request.env[name] = value;
    return judge_call(request, "/w", rules).verdict.decision;
}

// Every form in which a variable of the call comes to run a command.
TEST(Judge, SeesTheCommandsInTheVariablesOfACall) {
    EXPECT_EQ(decision_with("BASH_FUNC_true%%", "() { touch x; }", "true"), Decision::Deny);
    EXPECT_EQ(decision_with("GIT_EXTERNAL_DIFF", "touch x", "git diff"), Decision::Deny);
    EXPECT_EQ(decision_with("GIT_SSH_COMMAND", "touch", "true"), Decision::Deny);
    EXPECT_EQ(decision_with("PAGER", "touch x", "man ls"), Decision::Deny);
    EXPECT_EQ(decision_with("BASH_ENV", "$(touch x)", "bash -c true"), Decision::Ask);
    EXPECT_EQ(decision_with("x", "a[$(touch x)]", "echo $((x))"), Decision::Ask);
    EXPECT_EQ(decision_with("BASH_FUNC_x%%", "() { echo", "true"), Decision::Ask);
    // A function must not hide what comes behind it.
    Request request;
    request.command = "true\nX\ngit diff";
    request.env = {{"BASH_FUNC_a%%", "() { :; } <<X"}, {"GIT_EXTERNAL_DIFF", "touch x"}};
    EXPECT_EQ(
        judge_call(request, "/w", decide::rules_of({.deny = {"Bash(touch:*)"}})).verdict.decision,
        Decision::Deny);
    EXPECT_EQ(decision_with("NAME", "touch x", "echo \"$NAME\""), Decision::Allow);
}

// The context says where ~ leads, so that a known HOME makes no script less clear.
TEST(Judge, UnderstandsTheHomeThatACallSets) {
    for (const char* script : {"ls ~", "cd ~ && ls", "ls \"$HOME/x\"", "ls"})
        EXPECT_EQ(decision_with("HOME", "/w/home", script), Decision::Allow) << script;
    EXPECT_EQ(decision_with("HOME", "/usr/bin/touch", "$HOME x"), Decision::Ask);
    EXPECT_EQ(decision_with("HOME", "/usr/bin/touch", "$HOME x; ls ~"), Decision::Ask);
    EXPECT_EQ(decision_with("HOME", "touch", "$HOME x"), Decision::Ask);
    EXPECT_EQ(decision_with("HOME", "elsewhere", "ls ~"), Decision::Ask);
}

}  // namespace
}  // namespace husk::tool
