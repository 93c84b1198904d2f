#include "decide/short_rule.h"

#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(ShortRule, SaysWhatIsWrongWithIt) {
    struct Case {
        std::string_view text;
        std::string_view error;
    };
    const Case cases[] = {
        {"", "Invalid permission rule: empty string"},
        {"  ", "Invalid permission rule: empty string"},
        {"Bash(git", "Invalid permission rule: missing closing parenthesis"},
        {"Bash(", "Invalid permission rule: missing closing parenthesis"},
        {"Bash(git) x", "Invalid permission rule: missing closing parenthesis"},
        {"(git)", "Invalid permission rule: tool name is empty"},
        {"Bash()", "Invalid permission rule: pattern inside parentheses is empty"},
        {"Bash( )", "Invalid permission rule: pattern inside parentheses is empty"},
    };
    for (const auto& [text, error] : cases) {
        const auto pattern = read_short_rule(text);
        ASSERT_FALSE(pattern) << text;
        EXPECT_EQ(pattern.error(), error) << text;
    }
}

TEST(ShortRule, HasAToolAndAPattern) {
    EXPECT_EQ(read_short_rule("Bash")->tool, "Bash");
    EXPECT_TRUE(read_short_rule("Bash")->everything);
    EXPECT_TRUE(read_short_rule("Bash(*)")->everything);
    EXPECT_TRUE(read_short_rule("Bash(:*)")->everything);
    EXPECT_FALSE(read_short_rule("Bash(git:*)")->everything);
    EXPECT_EQ(read_short_rule(" Read ( src/** ) ")->tool, "Read");
    EXPECT_EQ(read_short_rule(" Read ( src/** ) ")->text, "src/**");
    EXPECT_EQ(read_short_rule("Bash(echo (x))")->text, "echo (x)");
    EXPECT_EQ(read_short_rule("Bash(git \t push)")->text, "git push");
}

// What a rule with this pattern says about a command of one program.
struct Case {
    std::string_view pattern;
    std::string_view command;
    bool allows;      // as an allow rule in the mode strict
    Decision denies;  // as a deny rule: Deny, Ask where it may match, or Allow
};

void expect(std::initializer_list<Case> cases) {
    for (const auto& [pattern, command, allows, denies] : cases) {
        const std::string rule = "Bash(" + std::string(pattern) + ")";
        const Rules allowing = rules_of({.mode = "strict", .allow = {rule}});
        EXPECT_EQ(verdict_of(command, allowing).decision == Decision::Allow, allows)
            << "allow " << rule << " on " << command;
        const Rules denying = rules_of({.deny = {rule}});
        EXPECT_EQ(word(verdict_of(command, denying).decision), std::string_view(word(denies)))
            << "deny " << rule << " on " << command;
    }
}

constexpr Decision hit = Decision::Deny;
constexpr Decision maybe = Decision::Ask;
constexpr Decision miss = Decision::Allow;

TEST(ShortRule, MatchesWholeWordsFromTheStart) {
    expect({
        {"git:*", "git", true, hit},
        {"git:*", "git status", true, hit},
        {"git:*", "git\tlog", true, hit},
        {"git:*", "gitk", false, miss},
        {"git:*", "legit", false, miss},
        {"git *", "git", true, hit},
        {"git *", "git status", true, hit},
        {"git *", "gitk", false, miss},
        {"git", "git", true, hit},
        {"git", "git log -3", true, hit},
        {"git", "gitk", false, miss},
        {"git:status", "git status --short", true, hit},
        {"git:status", "git statusx", false, miss},
        {"git:status", "git log", false, miss},
        {"git status", "git  status", true, hit},
        {"npm run *", "npm run", true, hit},
        {"npm run *", "npm run test", true, hit},
        {"npm run *", "npm install", false, miss},
        {"git push:*", "git push", true, hit},
        {"git push:*", "git push origin main", true, hit},
        {"git push:*", "git pull", false, miss},
        {"git push:*", "git pushx", false, miss},
        {"npm run test:unit", "npm run test:unit", true, hit},
        {"npm run test:unit", "npm run test unit", true, hit},
        {"npm run test:unit", "npm run test:units", false, miss},
        {"git:push:*", "git push origin", true, hit},
        {"Git", "git", false, miss},
    });
}

TEST(ShortRule, AStarIsAnyText) {
    expect({
        {"git*", "gitk", true, hit},
        {"git * main", "git checkout main", true, hit},
        {"git * main", "git merge --no-ff main", true, hit},
        {"git * main", "git checkout main --force", false, miss},
        {"git * main", "git checkout domain", false, miss},
        {"* --version", "node --version", true, hit},
        {"* --version", "node -v", false, miss},
        {"*", "anything at all", true, hit},
        {"npm run lint-*", "npm run lint-fix", true, hit},
        {"npm run lint-*", "npm run lint", false, miss},
    });
}

TEST(ShortRule, AStarInACommandIsNoPattern) {
    expect({
        {"ls a", "ls '*'", false, miss},
        {"ls '*'", "ls 'b'", false, miss},
        {"git status", "'*'", false, miss},
        {"git status", "git 'st*'", false, miss},
    });
}

TEST(ShortRule, SeesWordsWithoutTheirQuotes) {
    expect({
        {"git push:*", "\"git\" 'push' x", true, hit},
        {"git push:*", "g\\it pu\"sh\"", true, hit},
        {"git push:*", "$'git' push", true, hit},
        {"git push:*", "'git push'", false, miss},  // a program of that name
        {"git commit -m fix bug", "git commit -m 'fix bug'", true, hit},
        {"echo a:*", "echo 'a b'", true, hit},
    });
}

TEST(ShortRule, WhatIsUnknownMayMatchAndIsMatchedOnlyByAStar) {
    expect({
        {"rm:*", "rm $x", true, hit},
        {"rm:*", "rm *", true, hit},
        {"rm:*", "rm \"$(list)\"", false, hit},  // list is a command too
        {"git push:*", "git $x", false, maybe},
        {"git push:*", "git \"$x\"", false, maybe},
        {"git push:*", "git pu$x", false, maybe},
        {"git push:*", "git pu*", false, maybe},
        {"git push:*", "git po$x", false, miss},
        {"git push:*", "git push $x", true, hit},
        {"git push:*", "git $x push", false, maybe},
        {"git push:*", "gi $x", false, miss},
        {"git push:*", "xargs git < x", false, maybe},
        {"git push:*", "xargs -I% git % < x", false, maybe},
        {"git push:*", "xargs -I % git x% < x", false, miss},
        {"git push:*", "xargs -I% timeout 5 git % < x", false, maybe},
        {"git push:*", "find . -exec git {} \\;", false, maybe},
        {"git push:*", "gi$x", false, maybe},
        {"git push:*", "$x", false, maybe},
        {"git push:*", "$x push", false, maybe},
        {"git log", "git log $x", true, hit},
        {"git * main", "git $x main", false, hit},  // it may be empty
        {"git * main", "git \"$x\" main", true, hit},
        {"git log", "git log\"$x\"", false, maybe},
        {"rm -rf $HOME", "rm -rf $HOME", false, hit},
        {"rm -rf $HOME", "rm -rf $X", false, maybe},
        {"cat ~/.ssh/*", "cat ~/.ssh/id_rsa", false, hit},
        {"cat /home/user/.ssh/*", "cat ~/.ssh/id_rsa", false, maybe},
    });
}

TEST(ShortRule, AProgramMayBeNamedByItsPath) {
    expect({
        {"git:*", "/usr/bin/git log", true, hit},
        {"git:*", "/usr/local/bin/git", true, hit},
        // Anybody can write these, so nobody allows them by their name; but they can be denied.
        {"git:*", "/tmp/git log", false, hit},
        {"git:*", "./git log", false, hit},
        {"git:*", "~/bin/git log", false, hit},
        {"/usr/bin/git:*", "/usr/bin/git log", true, hit},
        // To deny a program of the system by its path is to deny it by its other names.
        {"/usr/bin/git:*", "git log", false, hit},
        {"/usr/bin/git:*", "/bin/git log", false, hit},
        {"/usr/bin/git:*", "//usr/bin/git log", false, hit},
        {"/usr/bin/git:*", "/usr/../usr/bin/git -C x log", false, hit},
        {"/usr/bin/git:*", "/proc/self/root/usr/bin/git log", false, hit},
        {"/usr/bin/git:*", "/tmp/git log", false, miss},
        {"/opt/x/git:*", "git log", false, miss},
        {"/opt/x/git:*", "/opt//x/git log", false, hit},
        {":", ": x", true, hit},
        {":", "ls", false, miss},
        {"./gradlew test", "./gradlew test --info", true, hit},
        {"./gradlew test", "gradlew test", false, miss},
    });
}

TEST(ShortRule, IsNotFooledByVariablesThatDecideWhatRuns) {
    expect({
        {"git:*", "FOO=1 git log", true, hit},
        {"git:*", "PATH=/tmp/x git log", false, hit},
        {"git:*", "LD_PRELOAD=./x.so git log", false, hit},
        {"git:*", "GIT_SSH_COMMAND='sh x' git fetch", false, hit},
    });
}

}  // namespace
}  // namespace husk::decide
