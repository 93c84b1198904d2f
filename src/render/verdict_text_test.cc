#include "render/verdict_text.h"

#include <gtest/gtest.h>

namespace husk::render {
namespace {

using decide::Decision;
using decide::Judgement;

Judgement judgement(size_t command, Decision decision, const std::string& reason = "") {
    Judgement one;
    one.command = command;
    one.decision = decision;
    one.reason = reason;
    return one;
}

struct Example {
    parse::Script script = parse::parse("cd x && sudo rm -rf / >log");
    decide::Verdict verdict;

    Example() {
        verdict.decision = Decision::Deny;
        verdict.reason = "It deletes everything.";
        verdict.rule = "rm/root";
        Judgement rm = judgement(2, Decision::Deny, "It deletes everything.");
        rm.rule = "rm/root";
        rm.where = "built in: rm";
        rm.instead = "Name the directory.";
        Judgement sudo = judgement(1, Decision::Ask, "It runs as root.");
        sudo.rule = "Bash(sudo:*)";
        sudo.where = "husk.yaml:3";
        sudo.change = "Bash(sudo:*) at husk.yaml:3";
        Judgement cd = judgement(0, Decision::Allow, "It is allowed.");
        cd.rule = "Bash(cd)";
        cd.where = "husk.yaml:2";
        verdict.commands = {cd, sudo, rm};
        verdict.files = {{.path = "log", .operation = "write", .command = 1},
                         {.path = "/", .operation = "delete", .command = 2}};
    }
};

TEST(VerdictText, IsATreeWithTheAnswerAtEachCommand) {
    const Example example;
    EXPECT_EQ(verdict_text(example.script, example.verdict, {}),
              "deny\n"
              "allow cd x\n"
              "        (Bash(cd), husk.yaml:2)\n"
              "ask   sudo rm -rf / >log\n"
              "        It runs as root. (Bash(sudo:*), husk.yaml:3)\n"
              "        to allow it, change the rule Bash(sudo:*) at husk.yaml:3\n"
              "deny    rm -rf /\n"
              "          It deletes everything. (rm/root, built in: rm)\n"
              "          instead: Name the directory.\n"
              "files: write log, delete /\n");
}

TEST(VerdictText, WhatNoRuleHadASayInNeedsNoWords) {
    decide::Verdict verdict;
    verdict.commands = {judgement(0, Decision::Allow), judgement(1, Decision::Allow)};
    EXPECT_EQ(verdict_text(parse::parse("a | b -c"), verdict, {}),
              "allow\n"
              "allow a\n"
              "allow b -c\n");
}

TEST(VerdictText, AReasonOfTheWholeScriptStandsAtTheTop) {
    parse::Script script = parse::parse("eval \"$x\"");
    script.not_understood = {"what eval runs is not known before running"};
    decide::Verdict verdict;
    verdict.decision = Decision::Ask;
    verdict.reason = "Part of the script cannot be seen.";
    verdict.commands = {judgement(0, Decision::Allow)};
    EXPECT_EQ(verdict_text(script, verdict, {}),
              "ask: Part of the script cannot be seen.\n"
              "allow eval \"$x\"\n"
              "not understood: what eval runs is not known before running\n");
    verdict.reason = "Not understood: what eval runs is not known before running.";
    EXPECT_EQ(verdict_text(script, verdict, {}),
              "ask: Not understood: what eval runs is not known before running.\n"
              "allow eval \"$x\"\n");
}

TEST(VerdictText, ColoursAreForTerminals) {
    decide::Verdict verdict;
    verdict.decision = Decision::Ask;
    verdict.commands = {judgement(0, Decision::Allow), judgement(1, Decision::Ask)};
    EXPECT_EQ(verdict_text(parse::parse("a; b"), verdict,
                           {.colours = Look::Colours::Terminal, .width = 80}),
              "\x1b[33mask\x1b[0m\n"
              "\x1b[32mallow\x1b[0m a\n"
              "\x1b[33mask\x1b[0m   b\n");
}

TEST(VerdictText, NoCommandCanWriteToTheTerminal) {
    decide::Verdict verdict;
    verdict.commands = {judgement(0, Decision::Deny, "Two\nlines \x1b[31m")};
    const std::string text = verdict_text(parse::parse("echo 'a\n\x1b[2Jb'"), verdict, {});
    EXPECT_EQ(text,
              "allow\n"
              "deny  echo 'a \\x1b[2Jb'\n"
              "        Two lines \\x1b[31m\n");
}

TEST(VerdictText, LongCommandsAreCutAndReasonsAreNot) {
    const std::string reason(60, 'r');
    decide::Verdict verdict;
    verdict.commands = {judgement(0, Decision::Deny, reason)};
    const parse::Script script = parse::parse("echo " + std::string(100, 'x'));
    EXPECT_EQ(verdict_text(script, verdict, {.colours = {}, .width = 30}),
              "allow\n"
              "deny  echo " +
                  std::string(18, 'x') + "…\n        " + reason + "\n");
}

TEST(VerdictText, ARuleThatWouldAllowIsShown) {
    decide::Verdict verdict;
    verdict.decision = Decision::Deny;
    verdict.commands = {judgement(0, Decision::Deny, "No rule allows it.")};
    verdict.commands[0].rule = "strict";
    verdict.commands[0].allow_with = "Bash(ls)";
    EXPECT_EQ(verdict_text(parse::parse("ls"), verdict, {}),
              "deny\n"
              "deny  ls\n"
              "        No rule allows it. (strict)\n"
              "        allow it with: Bash(ls)\n");
}

TEST(Refusal, SaysWhyAndWhatWouldHelp) {
    struct Case {
        Decision decision;
        const char* rule;
        const char* where;
        const char* instead;
        const char* refusal;
    };
    const Case cases[] = {
        {Decision::Deny, "strict", "husk.yaml:2", "", "It is bad; allow it with: Bash(a), Bash(b)"},
        {Decision::Deny, "rm/root", "built in: rm", "Look first.",
         "It is bad; instead: Look first; only the user can switch off the pack rm"},
        {Decision::Deny, "Bash(a)", "husk.yaml:2", "",
         "It is bad; only the user can change the rule Bash(a) at husk.yaml:2"},
        {Decision::Ask, "no-db", "husk.yaml:2", "",
         "nobody can be asked here: It is bad; only the user can change the rule no-db at "
         "husk.yaml:2"},
        {Decision::Ask, "not-understood", "built in", "", "nobody can be asked here: It is bad"},
        {Decision::Deny, "syntax", "bash", "", "It is bad"},
    };
    for (const auto& [decision, rule, where, instead, expected] : cases) {
        decide::Verdict verdict;
        verdict.decision = decision;
        verdict.rule = rule;
        verdict.where = where;
        verdict.reason = "It is\nbad.";
        verdict.instead = instead;
        if (verdict.rule == "strict") verdict.allow_with = {"Bash(a)", "Bash(b)"};
        if (verdict.rule == "Bash(a)" || verdict.rule == "no-db")
            verdict.change = verdict.rule + " at " + verdict.where;
        EXPECT_EQ(refusal(verdict), expected) << rule;
    }
}

}  // namespace
}  // namespace husk::render
