#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "decide/verdict_table.h"
#include "patience.h"

namespace husk::decide {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "husk.yaml:31 message" for each.
std::vector<std::string> problems_of(const RuleTexts& texts) {
    std::vector<std::string> out;
    for (const Problem& problem : lint(texts)) {
        EXPECT_FALSE(problem.fatal) << problem.message;
        out.push_back(text_of(problem.where) + " " + problem.message);
    }
    return out;
}

TEST(Lint, HasNothingToSayAboutGoodRules) {
    EXPECT_THAT(problems_of(texts_of({.mode = "strict",
                                      .allow = {"Bash(git:*)", "Bash(npm run *)", "Read(src/**)",
                                                "Bash(python manage.py:*)", "Bash(./x.sh)",
                                                "Bash(sudo systemctl status:*)"},
                                      .ask = {"Bash(git push:*)"},
                                      .deny = {"Bash(git push --force:*)", "Bash(rm:*)"}})),
                IsEmpty());
    EXPECT_THAT(problems_of({}), IsEmpty());
    EXPECT_THAT(problems_of(texts_of({.ask = {"Bash"}})), IsEmpty());
}

// Tens of thousands of rules come out of generators and other programs.
TEST(Lint, TakesNotLongForVeryManyRules) {
    const auto many = [](const char* before, const char* after) {
        RuleTexts texts;
        for (int i = 0; i < 20'000; ++i)
            texts.allow.push_back({before + std::to_string(i) + after, {"husk.yaml", 1}});
        return texts;
    };
    RuleTexts same;
    same.deny.assign(20'000, {"Bash(git push:*)", {"husk.yaml", 1}});
    RuleTexts long_rules;
    for (int i = 0; i < 20'000; ++i) {
        LongRule& rule = long_rules.rules.emplace_back();
        rule.id = std::to_string(i);
        rule.match = {{"a"}, {rule.id}};
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(lint(many("Bash(tool", ":*)")), IsEmpty());
    EXPECT_THAT(lint(many("Bash(npm run test:", ")")), IsEmpty());
    EXPECT_THAT(lint(many("Bash(/usr/bin/tool", " x)")), IsEmpty());
    EXPECT_THAT(lint(long_rules), IsEmpty());
    EXPECT_EQ(lint(same).size(), 19'999U);
    // Nobody can compare all of these; that is said.
    EXPECT_EQ(lint(many("Bash(git *x", ")")).size(), 1U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, test::patient(std::chrono::seconds(10)));
}

TEST(Lint, DeadRules) {
    struct Case {
        const char* rule;
        const char* why;
    };
    const Case cases[] = {
        {"Bash(cd x && make:*)",
         "rules see each simple command alone, without \"&&\"; write one rule for each command"},
        {"Bash(ls | wc:*)",
         "rules see each simple command alone, without \"|\"; write one rule for each command"},
        {"Bash(ls; wc)",
         "rules see each simple command alone, without \";\"; write one rule for each command"},
        {"Bash(echo x > y)",
         "rules see each simple command alone, without \">\"; write one rule for each command"},
        {"Bash(git commit -m \"x\")",
         "commands are compared after their quotes are removed; write it without quotes"},
        {"Bash(CI=1 npm test)",
         "variables in front of a command are no part of it; start with the program"},
        {"bash(git:*)", "the tool is written Bash"},
        {"curl", "\"curl\" is no tool; write Bash(curl:*)"},
        {"git push", "\"git push\" is no tool; write Bash(git push:*)"},
        {"Bahs(rm:*)", "\"Bahs\" is no tool; commands are matched by Bash(...)"},
    };
    for (const auto& [rule, why] : cases)
        EXPECT_THAT(problems_of(texts_of({.allow = {rule}})),
                    ElementsAre("husk.yaml:11 " + std::string(rule) + " never matches: " + why));
}

TEST(Lint, RulesOfOtherToolsAreNoneOfItsBusiness) {
    const RuleTexts texts =
        texts_of({.allow = {"Edit", "Glob"},
                  .deny = {"Read(./.env)", "Write", "WebFetch", "mcp__git__push", "mcp__git(x)"}});
    EXPECT_THAT(problems_of(texts), IsEmpty());
    EXPECT_THAT(dead_refusals(texts), IsEmpty());
}

TEST(Lint, DeadRulesThatSomebodyReliesOn) {
    const RuleTexts texts = texts_of(
        {.allow = {"ls"}, .ask = {"wget"}, .deny = {"Bash(rm:*)", "curl", "Bash(a && b)", "("}});
    std::vector<std::string> lines;
    for (const Problem& problem : dead_refusals(texts)) lines.push_back(text_of(problem.where));
    EXPECT_THAT(lines, ElementsAre("husk.yaml:32", "husk.yaml:33", "husk.yaml:21"));
}

TEST(Lint, UselessRules) {
    EXPECT_THAT(problems_of(texts_of({.allow = {"Bash(git push:*)"}, .deny = {"Bash(git:*)"}})),
                ElementsAre("husk.yaml:11 Bash(git push:*) is useless: it never decides, because "
                            "Bash(git:*) at husk.yaml:31 denies all of it; take one of them away"));
    EXPECT_THAT(problems_of(texts_of({.allow = {"Bash(git push:*)"}, .ask = {"Bash"}})),
                ElementsAre("husk.yaml:11 Bash(git push:*) is useless: it never decides, because "
                            "Bash at husk.yaml:21 asks about all of it; take one of them away"));
    EXPECT_THAT(
        problems_of(texts_of({.ask = {"Bash(rm -r)"}, .deny = {"Bash(rm *)"}})),
        ElementsAre("husk.yaml:21 Bash(rm -r) is useless: it never decides, because Bash(rm "
                    "*) at husk.yaml:31 denies all of it; take one of them away"));
    EXPECT_THAT(problems_of(texts_of({.deny = {"Bash(rm:*)", "Bash(rm *)"}})),
                ElementsAre("husk.yaml:32 Bash(rm *) is useless: it says the same as Bash(rm:*) at "
                            "husk.yaml:31; take one of them away"));
    EXPECT_THAT(
        problems_of(texts_of({.allow = {"Bash(git log:*)", "Bash(git:*)"}})),
        ElementsAre("husk.yaml:11 Bash(git log:*) is useless: it adds nothing to Bash(git:*) "
                    "at husk.yaml:12; take it away"));
    EXPECT_THAT(
        problems_of(texts_of({.allow = {"Bash(/usr/bin/git log:*)"}, .deny = {"Bash(git)"}})),
        ElementsAre("husk.yaml:11 Bash(/usr/bin/git log:*) is useless: it never decides, "
                    "because Bash(git) at husk.yaml:31 denies all of it; take one of them "
                    "away"));
    // A deny inside an allow is what both are for.
    EXPECT_THAT(problems_of(texts_of({.allow = {"Bash(git:*)"}, .deny = {"Bash(git push:*)"}})),
                IsEmpty());
    EXPECT_THAT(problems_of(texts_of({.allow = {"Bash(git:*)"}, .deny = {"Bash(/usr/bin/git:*)"}})),
                IsEmpty());
}

TEST(Lint, RulesThatAllowTooMuch) {
    for (const char* rule :
         {"Bash", "Bash(*)", "Bash(bash:*)", "Bash(sh)", "Bash(env:*)", "Bash(sudo:*)",
          "Bash(xargs *)", "Bash(python3:*)", "Bash(node)", "Bash(bash -c:*)", "Bash(python -c *)",
          "Bash(node -e:*)", "Bash(/bin/bash:*)", "Bash(ssh:*)", "Bash(npx:*)", "Bash(eval *)",
          "Bash(* --version)", "Bash(git*)"}) {
        const auto problems = problems_of(texts_of({.allow = {rule}}));
        ASSERT_EQ(problems.size(), 1U) << rule;
        EXPECT_THAT(problems[0],
                    testing::StartsWith("husk.yaml:11 " + std::string(rule) + " is too broad: "));
        EXPECT_THAT(problems_of(texts_of({.deny = {rule}})), IsEmpty()) << rule;
    }
    EXPECT_THAT(
        problems_of(texts_of({.allow = {"Bash(xargs:*)"}})),
        ElementsAre("husk.yaml:11 Bash(xargs:*) is too broad: xargs runs whatever it is told, "
                    "so this allows every command; name what it may run"));
    EXPECT_THAT(problems_of(texts_of({.allow = {"Bash(git*)"}})),
                ElementsAre("husk.yaml:11 Bash(git*) is too broad: it also allows other programs "
                            "whose names begin like this; write git:*"));
}

TEST(Lint, LongRules) {
    RuleTexts texts;
    LongRule rule;
    rule.id = "a";
    rule.match = {{"x"}};
    rule.verdict = "deny";
    rule.where = {"husk.yaml", 5};
    texts.rules.push_back(rule);
    rule.where.line = 9;
    rule.match = {{"y"}};
    texts.rules.push_back(rule);
    EXPECT_THAT(
        problems_of(texts),
        ElementsAre("husk.yaml:9 rule \"a\" is useless: another rule at husk.yaml:5 has the "
                    "same id; give it a name of its own"));
    texts.rules[1].id = "b";
    EXPECT_THAT(problems_of(texts), IsEmpty());
    texts.rules[1].match = {{"x"}};
    EXPECT_THAT(problems_of(texts),
                ElementsAre("husk.yaml:9 rule \"b\" is useless: it matches the same as \"a\" at "
                            "husk.yaml:5; take one of them away"));
}

TEST(Lint, RulesThatNobodyLooksAt) {
    EXPECT_THAT(
        problems_of(texts_of({.mode = "bypassPermissions", .deny = {"Bash(rm:*)"}})),
        ElementsAre(
            "husk.yaml:1 no rule is looked at in the mode bypassPermissions; take the rules "
            "away, or use the mode default"));
}

}  // namespace
}  // namespace husk::decide
