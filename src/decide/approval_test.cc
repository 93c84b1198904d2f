#include "decide/approval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

using testing::HasSubstr;

// Rules, and the scripts to which a person has said "always" in the directory of the tests.
Rules with_approved(const ShortTexts& rules, const std::vector<std::string>& scripts) {
    RuleTexts texts = texts_of(rules);
    size_t line = 41;
    for (const std::string& script : scripts)
        texts.approved.push_back({test_context.working_directory, script, {"husk.yaml", line++}});
    return compiled(texts);
}

const ShortTexts asks = {.ask = {"Bash(git push:*)", "Bash(touch:*)"},
                         .deny = {"Bash(git push --mirror:*)"}};

TEST(Approval, IsForExactlyThatScript) {
    EXPECT_EQ(mistakes(with_approved(asks, {"git push origin main", "touch a && touch b"}),
                       {
                           {"allow", "approved", "git push origin main"},
                           {"allow", "approved", "touch a && touch b"},
                           {"ask", "Bash(git push:*)", "git push origin main; rm x"},
                           {"ask", "Bash(git push:*)", "git push origin other"},
                           {"ask", "Bash(git push:*)", "git push origin main other"},
                           {"ask", "Bash(git push:*)", "git push origin"},
                           {"ask", "Bash(git push:*)", "git  push origin main"},
                           {"ask", "Bash(git push:*)", "git push origin main "},
                           {"ask", "Bash(git push:*)", "sudo git push origin main"},
                           {"ask", "Bash(git push:*)", "timeout 5 git push origin main"},
                           {"ask", "Bash(git push:*)", "cd x && git push origin main"},
                           {"ask", "Bash(git push:*)", "A=1 git push origin main"},
                           {"ask", "Bash(git push:*)", "git push origin main > x"},
                           {"ask", "Bash(git push:*)", "bash -c 'git push origin main'"},
                           {"ask", "Bash(touch:*)", "touch a"},
                           {"ask", "Bash(touch:*)", "touch b && touch a"},
                       }),
              "");
}

TEST(Approval, IsForThatDirectory) {
    const Rules rules = with_approved(asks, {"touch a"});
    const parse::Script script = parse::parse("touch a");
    const Verdict here = decide(script, rules, test_context);
    EXPECT_EQ(here.decision, Decision::Allow);
    EXPECT_EQ(here.rule, "approved");
    EXPECT_EQ(here.where, "husk.yaml:41");
    for (const char* elsewhere : {"/home/user", "/home/user/app/sub", "/home/user/app/", ""}) {
        const Context there = {.working_directory = elsewhere, .home = "/home/user"};
        EXPECT_EQ(decide(script, rules, there).decision, Decision::Ask) << elsewhere;
    }
}

TEST(Approval, OverrulesNothingThatDenies) {
    EXPECT_EQ(mistakes(with_approved(
                           asks, {"git push --mirror", "rm -rf /", "git push -f", "mkfs /dev/sda"}),
                       {
                           {"deny", "Bash(git push --mirror:*)", "git push --mirror"},
                           {"deny", "rm/critical-target", "rm -rf /"},
                           {"deny", "git/force-push", "git push -f"},
                           {"deny", "destroyers/new-file-system", "mkfs /dev/sda"},
                       }),
              "");
    EXPECT_EQ(mistakes(with_approved({.mode = "strict"}, {"ls"}), {{"deny", "strict", "ls"}}), "");
    EXPECT_EQ(mistakes(with_approved({.mode = "dontAsk", .ask = {"Bash(ls)"}}, {"ls"}),
                       {{"allow", "approved", "ls"}}),
              "");
}

// The same letters may mean something else tomorrow.
TEST(Approval, IsNotKeptForWhatIsNotKnown) {
    struct Case {
        const char* script;
        const char* why;
    };
    const Case cases[] = {
        {"touch $x", "is not known before it runs"},
        {"touch *", "is not known before it runs"},
        {"touch $(date)", "is not known before it runs"},
        {"git push $x", "is not known before it runs"},
        {"touch a > $x", "is not known before it runs"},
        {"A=$x touch a", "is not known before it runs"},
        {"xargs touch < list", "is not known before it runs"},
        {"find . -exec touch {} +", "is not known before it runs"},
        {"git $x", "is not known before it runs"},
        {"touch a; $x b", "what it runs is not known before"},
        {"touch a; eval \"$x\"", "what it runs is not known before"},
        {"rm -rf \"$X/\"", "great harm"},
        {"touch \xff", "cannot be seen"},
        {"touch '\x1b[2J'", "cannot be seen"},
    };
    for (const auto& [script, why] : cases) {
        const Verdict verdict = verdict_of(script, with_approved(asks, {script}));
        EXPECT_EQ(verdict.decision, Decision::Ask) << script;
        EXPECT_THAT(verdict.only_once, HasSubstr(why)) << script;
    }
    const std::string lengthy = "touch " + std::string(5000, 'a');
    EXPECT_THAT(verdict_of(lengthy, with_approved(asks, {lengthy})).only_once, HasSubstr("long"));
    parse::Script strange = parse::parse("touch a");
    strange.not_understood = {"it is strange"};
    const Verdict verdict = decide(strange, with_approved(asks, {"touch a"}), test_context);
    EXPECT_EQ(verdict.decision, Decision::Ask);
    EXPECT_THAT(verdict.only_once, HasSubstr("not understood"));
}

TEST(Approval, CanBeKeptForWhatIsKnown) {
    for (const char* script : {"git push", "touch 'a b'", "touch a\ntouch b", "ls $x; touch a",
                               "git -c alias.p='log -1' p", "touch a 2>&1 >log | cat"}) {
        EXPECT_EQ(verdict_of(script, rules_of(asks)).decision, Decision::Ask) << script;
        EXPECT_EQ(verdict_of(script, rules_of(asks)).only_once, "") << script;
        EXPECT_EQ(verdict_of(script, with_approved(asks, {script})).decision, Decision::Allow)
            << script;
    }
    EXPECT_EQ(verdict_of("ls", rules_of(asks)).only_once, "");
    EXPECT_EQ(verdict_of("rm -rf /", rules_of(asks)).only_once, "");
}

}  // namespace
}  // namespace husk::decide
