#include "decide/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> rules_for(std::string_view command) {
    return verdict_of(command, rules_of({.mode = "strict"})).allow_with;
}

TEST(Suggest, TheNarrowestRule) {
    struct Case {
        std::string_view command;
        std::string_view rule;
    };
    const Case cases[] = {
        // The subcommand, where there are such.
        {"git push origin main", "Bash(git push:*)"},
        {"git -C dir status --short", "Bash(git -C dir status:*)"},
        {"git --no-pager log -3", "Bash(git --no-pager log:*)"},
        {"npm test", "Bash(npm test:*)"},
        {"npm run build -- --watch", "Bash(npm run build:*)"},
        {"npm run test:unit", "Bash(npm run test:unit:*)"},
        {"cargo build --release", "Bash(cargo build:*)"},
        {"docker ps -a", "Bash(docker ps:*)"},
        {"docker compose up -d", "Bash(docker compose up:*)"},
        {"kubectl get pods", "Bash(kubectl get:*)"},
        {"go test ./...", "Bash(go test:*)"},
        {"pip install -r requirements.txt", "Bash(pip install:*)"},
        {"apt install jq", "Bash(apt install:*)"},
        {"git push $x", "Bash(git push:*)"},
        {"git", "Bash(git)"},
        {"git --version", "Bash(git --version)"},
        {"/usr/bin/git push", "Bash(/usr/bin/git push:*)"},
        // Otherwise all the words, as far as they are known.
        {"ls -la src", "Bash(ls -la src)"},
        {"cat 'my file'", "Bash(cat my file)"},
        {"cat $file", "Bash(cat:*)"},
        {"rm -f a $b c", "Bash(rm -f a:*)"},
        {"ls *.txt", "Bash(ls:*)"},
        {"echo 'a*b'", "Bash(echo:*)"},
        {"echo (x)", ""},  // no script
        {"echo '(x)'", "Bash(echo (x))"},
        {"./gradlew test", "Bash(./gradlew test)"},
        {"FOO=1 ls", "Bash(ls)"},
        {"timeout 5 ls", "Bash(ls)"},
        {"ls > out", "Bash(ls)"},
    };
    for (const auto& [command, rule] : cases) {
        if (rule.empty())
            EXPECT_THAT(rules_for(command), IsEmpty()) << command;
        else
            EXPECT_THAT(rules_for(command), ElementsAre(rule)) << command;
    }
}

TEST(Suggest, NothingThatAllowsEverything) {
    for (const char* command : {"bash x.sh",
                                "sh -c ls",
                                "python3 x.py",
                                "python3.11 x.py",
                                "node x.js",
                                "perl x",
                                "ruby x",
                                "env ls",
                                "xargs ls",
                                "sudo ls",
                                "ssh host ls",
                                "eval ls",
                                "source x",
                                ". x",
                                "npx x",
                                "docker run x",
                                "docker exec x ls",
                                "kubectl exec x -- ls",
                                "npm exec x",
                                "poetry run x",
                                "awk x",
                                "find . -exec bash {} \\;",
                                "exec ls",
                                "watch ls",
                                "busybox ls",
                                "/bin/sh x",
                                "$cmd x",
                                "eval \"$x\"",
                                "> x",
                                "PATH=. ls",
                                "ls; bash x",
                                "git log | sh"})
        EXPECT_THAT(rules_for(command), IsEmpty()) << command;
}

TEST(Suggest, OneRuleForEachCommandThatNeedsOne) {
    EXPECT_THAT(rules_for("cd src && npm test"), ElementsAre("Bash(cd src)", "Bash(npm test:*)"));
    EXPECT_THAT(rules_for("git log; git log -1"), ElementsAre("Bash(git log:*)"));
    EXPECT_THAT(rules_for("echo $(date)"), ElementsAre("Bash(echo:*)", "Bash(date)"));
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(cd:*)"}});
    EXPECT_THAT(verdict_of("cd src && npm test", rules).allow_with,
                ElementsAre("Bash(npm test:*)"));
}

TEST(Suggest, WhatIsSuggestedWorks) {
    for (const char* command : {"git push origin main",
                                "npm run test:unit",
                                "ls -la src",
                                "cat $file",
                                "cat 'a b'",
                                "rm -f a $b",
                                "docker compose up -d",
                                "echo '(x)'",
                                "./gradlew test",
                                "cd a && make b:c",
                                "git -C dir log",
                                "grep -rn 'a  b' src",
                                "echo 'two\nlines' x",
                                "curl http://a:80/b?c=d",
                                "echo ''",
                                "echo a '' b",
                                "tar czf x.tgz a b",
                                "sed s/a/b/ f | sort | uniq -c",
                                "mkdir -p a/{b,c}",
                                "echo 'a '",
                                "printf '%s\\n' \"$x\"",
                                "ls a/long/name/of/a/file.txt"}) {
        const std::vector<std::string> allow = rules_for(command);
        EXPECT_FALSE(allow.empty()) << command;
        const Rules rules = rules_of({.mode = "strict", .allow = allow});
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
    }
}

TEST(Suggest, NoPatternIsLongerThanItMustBe) {
    const std::string word(60, 'a');
    EXPECT_THAT(rules_for("ls " + word + " " + word), ElementsAre("Bash(ls " + word + ":*)"));
}

TEST(Suggest, OnlyWhatWouldHelp) {
    const Rules rules = rules_of({.ask = {"Bash(npm:*)"}, .deny = {"Bash(git push:*)"}});
    // Ask and deny go before allow, so no other rule helps there.
    EXPECT_EQ(verdict_of("npm test", rules).commands[0].allow_with, "");
    EXPECT_EQ(verdict_of("npm test", rules).commands[0].change, "Bash(npm:*) at husk.yaml:21");
    EXPECT_EQ(verdict_of("git push x", rules).commands[0].allow_with, "");
    EXPECT_EQ(verdict_of("git push x", rules).change, "Bash(git push:*) at husk.yaml:31");
    EXPECT_EQ(verdict_of("git $x", rules).change, "Bash(git push:*) at husk.yaml:31");
    EXPECT_EQ(verdict_of("git add .", rules).change, "");
    EXPECT_EQ(verdict_of("git add .", rules).commands[0].allow_with, "");
    EXPECT_EQ(verdict_of("rm -rf \"$X/\"", rules).commands[0].allow_with, "");
    EXPECT_EQ(verdict_of("ls", rules).commands[0].allow_with, "");
    EXPECT_THAT(verdict_of("npm test; rm -rf /", rules).allow_with, IsEmpty());
}

}  // namespace
}  // namespace husk::decide
