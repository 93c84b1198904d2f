#include "decide/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RuleTexts with_long_rule(LongRule rule) {
    RuleTexts texts;
    rule.where = {"husk.yaml", 7};
    texts.rules.push_back(std::move(rule));
    return texts;
}

LongRule psql_rule() {
    LongRule rule;
    rule.id = "no-prod-db";
    rule.match = {{"psql"}, {"-h", "--host"}, {"*prod*"}};
    rule.verdict = "deny";
    rule.reason = "The production database is off limits.";
    rule.instead = "Use the staging replica.";
    rule.hits = {"psql -h db.prod.example"};
    rule.misses = {"psql -h localhost"};
    return rule;
}

// The only problem of these texts.
Problem problem_of(const RuleTexts& texts) {
    const std::vector<Problem> problems = compile(texts).problems;
    EXPECT_EQ(problems.size(), 1U);
    return problems.empty() ? Problem{} : problems.front();
}

TEST(Compile, NothingIsTheDefaults) {
    const Compiled compiled = compile({});
    EXPECT_TRUE(compiled.usable());
    EXPECT_THAT(compiled.problems, IsEmpty());
    EXPECT_EQ(compiled.rules.mode, Mode::Default);
    EXPECT_THAT(compiled.rules.rules, IsEmpty());
    EXPECT_THAT(compiled.rules.packs, ElementsAre("destroyers", "git", "rm"));
}

TEST(Compile, KnowsEveryMode) {
    for (const char* mode : {"default", "strict", "dontAsk", "acceptEdits", "bypassPermissions"})
        EXPECT_TRUE(compile(texts_of({.mode = mode})).usable()) << mode;
    const Problem problem = problem_of(texts_of({.mode = "strikt"}));
    EXPECT_EQ(problem.message, "there is no mode \"strikt\"; did you mean \"strict\"?");
    EXPECT_EQ(problem.where, (Where{"husk.yaml", 1}));
    EXPECT_TRUE(problem.fatal);
}

TEST(Compile, NamesTheIndexAndTheLineOfABadRule) {
    const Problem problem = problem_of(texts_of({.deny = {"Bash(rm:*)", "Bash(rm"}}));
    EXPECT_EQ(problem.message,
              "Permission rule at index 1 is invalid: Invalid permission rule: missing closing "
              "parenthesis");
    EXPECT_EQ(problem.where, (Where{"husk.yaml", 32}));
    EXPECT_TRUE(problem.fatal);
}

TEST(Compile, LeavesRulesOfOtherToolsToOthers) {
    const Compiled compiled =
        compile(texts_of({.allow = {"Read(src/**)", "bash(ls)"}, .deny = {"Write", "Bash(rm:*)"}}));
    EXPECT_THAT(compiled.problems, IsEmpty());
    ASSERT_EQ(compiled.rules.rules.size(), 1U);
    EXPECT_EQ(compiled.rules.rules.front().name, "Bash(rm:*)");
}

TEST(Compile, SwitchesPacksByName) {
    RuleTexts texts;
    texts.packs = {{"git", false}, {"injection", true}, {"rm", true}};
    EXPECT_THAT(compile(texts).rules.packs, ElementsAre("destroyers", "injection", "rm"));

    texts.packs = {{"exfiltratoin", true}};
    texts.packs_where = {{"exfiltratoin", {"husk.yaml", 3}}};
    const Problem problem = problem_of(texts);
    EXPECT_EQ(problem.message, "there is no pack \"exfiltratoin\"; did you mean \"exfiltration\"?");
    EXPECT_EQ(problem.where, (Where{"husk.yaml", 3}));
    EXPECT_TRUE(problem.fatal);

    texts.packs = {{"kubernetes", true}};
    EXPECT_EQ(problem_of(texts).message,
              "there is no pack \"kubernetes\"; there are git, rm, destroyers, system, escalation, "
              "exfiltration, injection, administration");
}

TEST(Compile, ChecksTheExamplesOfALongRule) {
    EXPECT_THAT(compile(with_long_rule(psql_rule())).problems, IsEmpty());

    LongRule rule = psql_rule();
    rule.hits.emplace_back("psql prod");
    Problem problem = problem_of(with_long_rule(rule));
    EXPECT_EQ(problem.message, "rule \"no-prod-db\" does not match its own example \"psql prod\"");
    EXPECT_EQ(problem.where, (Where{"husk.yaml", 7}));
    EXPECT_TRUE(problem.fatal);

    rule = psql_rule();
    rule.misses.emplace_back("cd x && sudo psql --host=prod");
    problem = problem_of(with_long_rule(rule));
    EXPECT_EQ(problem.message,
              "rule \"no-prod-db\" must not match but matches its own example \"cd x && sudo psql "
              "--host=prod\"");
    EXPECT_TRUE(problem.fatal);
}

TEST(Compile, ExamplesOfWritesNeedNoMachine) {
    LongRule rule;
    rule.id = "keys";
    rule.verdict = "deny";
    rule.writes = {"~/.ssh/**", "memo/**"};
    rule.hits = {"echo x > ~/.ssh/config", "touch memo/a"};
    rule.misses = {"cat ~/.ssh/config", "touch memos"};
    EXPECT_THAT(compile(with_long_rule(rule)).problems, IsEmpty());
}

TEST(Compile, RefusesLongRulesThatSayNothing) {
    LongRule rule = psql_rule();
    rule.verdict = "forbid";
    EXPECT_EQ(problem_of(with_long_rule(rule)).message,
              "rule \"no-prod-db\": the verdict \"forbid\" is none of allow, ask, deny");
    rule = psql_rule();
    rule.match.clear();
    EXPECT_EQ(problem_of(with_long_rule(rule)).message,
              "rule \"no-prod-db\" has neither match nor writes");
    rule = psql_rule();
    rule.match.emplace_back();
    EXPECT_EQ(problem_of(with_long_rule(rule)).message,
              "rule \"no-prod-db\": a word of match has no text");
    rule = psql_rule();
    rule.id.clear();
    EXPECT_EQ(problem_of(with_long_rule(rule)).message, "a rule needs an id");
}

TEST(Compile, ALongRuleDecidesWithItsOwnWords) {
    const Rules rules = compiled(with_long_rule(psql_rule()));
    const Verdict verdict = verdict_of("psql -h db.prod.example", rules);
    EXPECT_EQ(verdict.decision, Decision::Deny);
    EXPECT_EQ(verdict.rule, "no-prod-db");
    EXPECT_EQ(verdict.where, "husk.yaml:7");
    EXPECT_EQ(verdict.reason, "The production database is off limits.");
    EXPECT_EQ(verdict.instead, "Use the staging replica.");
}

TEST(Where, IsSaidAsPreciselyAsItIsKnown) {
    EXPECT_EQ(text_of({"husk.yaml", 12}), "husk.yaml:12");
    EXPECT_EQ(text_of({"husk.yaml", 0}), "husk.yaml");
    EXPECT_EQ(text_of({"", 0}), "command line");
}

}  // namespace
}  // namespace husk::decide
