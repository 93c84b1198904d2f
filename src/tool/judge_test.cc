#include "tool/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace husk::tool {
namespace {

using decide::Decision;
using decide::Mode;
using testing::HasSubstr;

decide::Rules in_mode(Mode mode) {
    decide::Rules rules;
    rules.mode = mode;
    return rules;
}

// bash notices only when it runs it that nothing closes the bracket.
constexpr const char* only_bash_reads_it = "echo ${x[}";

TEST(Judge, WhatOnlyBashCanReadIsNotUnderstood) {
    ASSERT_TRUE(parse::parse(only_bash_reads_it).error);
    const Judged judged = judge(only_bash_reads_it, in_mode(Mode::Default), {});
    EXPECT_FALSE(judged.rejected);
    EXPECT_FALSE(judged.script.error);
    EXPECT_FALSE(judged.verdict.understood);
    EXPECT_EQ(judged.verdict.decision, Decision::Ask);
    EXPECT_EQ(judged.verdict.rule, "not-understood");
    EXPECT_THAT(judged.verdict.reason, HasSubstr("bash can read it, but this parser cannot"));
    EXPECT_EQ(judge(only_bash_reads_it, in_mode(Mode::Strict), {}).verdict.decision,
              Decision::Deny);
    EXPECT_EQ(judge(only_bash_reads_it, in_mode(Mode::DontAsk), {}).verdict.decision,
              Decision::Deny);
}

TEST(Judge, WhatBashCannotReadIsDeniedInEveryMode) {
    for (const Mode mode :
         {Mode::Default, Mode::Strict, Mode::DontAsk, Mode::AcceptEdits, Mode::BypassPermissions}) {
        const Judged judged = judge("ls; if", in_mode(mode), {});
        EXPECT_TRUE(judged.rejected);
        EXPECT_EQ(judged.verdict.decision, Decision::Deny);
        EXPECT_EQ(judged.verdict.rule, "syntax");
        EXPECT_TRUE(judged.script.commands.empty());
    }
}

}  // namespace
}  // namespace husk::tool
