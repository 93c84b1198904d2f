#include "tool/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace husk::tool
