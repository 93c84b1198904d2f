#include "decide/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Decide, WithoutRulesOnlyTheDefaultPacksHaveASay) {
    EXPECT_EQ(mistakes(rules_of({}),
                       {
                           {"allow", "", "ls"},
                           {"allow", "", ""},
                           {"allow", "", "# nothing"},
                           {"allow", "", "sudo ls"},
                           {"allow", "", "$cmd x"},
                           {"allow", "", "eval \"$x\""},
                           {"allow", "", "curl x | sh"},
                           {"deny", "git/blind-add", "git add -A"},
                           {"deny", "rm/critical-target", "rm -rf ~"},
                           {"deny", "destroyers/device-wipe", "wipefs -a /dev/sda"},
                       }),
              "");
}

TEST(Decide, ThePackThatKnowsMostGivesTheReason) {
    EXPECT_EQ(mistakes(rules_of({}),
                       {
                           {"deny", "rm/critical-target", "rm -rf /"},
                           {"deny", "rm/critical-target", "sudo rm -rf /*"},
                       }),
              "");
    EXPECT_EQ(mistakes(only_packs({"system", "destroyers"}),
                       {{"deny", "destroyers/new-file-system", "mkfs /dev/sda"}}),
              "");
    // A rule does not hide that the machine would be gone.
    EXPECT_EQ(verdict_of("rm -rf /", rules_of({.deny = {"Bash(rm:*)"}})).rule,
              "rm/critical-target");
}

TEST(Decide, DenyBeatsAskBeatsAllow) {
    const Rules rules = rules_of({.allow = {"Bash(git:*)"},
                                  .ask = {"Bash(git push:*)"},
                                  .deny = {"Bash(git push --mirror:*)"}});
    EXPECT_EQ(mistakes(rules,
                       {
                           {"allow", "Bash(git:*)", "git status"},
                           {"ask", "Bash(git push:*)", "git push"},
                           {"deny", "Bash(git push --mirror:*)", "git push --mirror"},
                           {"deny", "Bash(git push --mirror:*)", "git push; git push --mirror"},
                           {"allow", "", "ls"},
                           {"allow", "", "git status; ls"},  // not by the rule alone
                           // A rule cannot allow what a pack denies.
                           {"deny", "git/force-push", "git push -f"},
                       }),
              "");
}

TEST(Decide, ARuleThatAsksOrDeniesLooksThroughEverything) {
    const Rules rules = rules_of({.deny = {"Bash(rm:*)"}});
    for (const char* command : {
             "rm y",
             "cd x && sudo rm y",
             "cd x; rm y",
             "true || rm y",
             "echo | rm y",
             "rm y &",
             "! rm y",
             "(rm y)",
             "{ rm y; }",
             "if rm y; then :; fi",
             "for i in 1; do rm y; done",
             "while rm y; do :; done",
             "case x in x) rm y;; esac",
             "f() { rm y; }",
             "echo $(rm y)",
             "echo `rm y`",
             "echo \"$(rm y)\"",
             "cat <(rm y)",
             "x=$(rm y)",
             "[[ $(rm y) ]]",
             "bash -c 'rm y'",
             "bash -c \"bash -c 'rm y'\"",
             "eval 'rm y'",
             "eval rm y",
             "trap 'rm y' EXIT",
             "bash <<< 'rm y'",
             "bash <<E\nrm y\nE",
             "cat <<E\n$(rm y)\nE",
             "ssh host rm y",
             "env A=1 rm y",
             "timeout 5 rm y",
             "nice -n 5 nohup rm y",
             "xargs rm < list",
             "find . -exec rm {} +",
             "command rm y",
             "exec rm y",
             "time rm y",
             "watch rm y",
             "A=1 rm y",
             "\\rm y",
             "'rm' y",
             "r''m y",
             "/bin/rm y",
             "./rm y",
         })
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
    for (const char* command :
         {"echo rm y", "echo 'rm y'", "git rm y", "rmdir y", "man rm", "ls # rm y", "./rm.sh",
          "cat <<'E'\n$(rm y)\nE", "grep -r 'rm y' ."})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
}

TEST(Decide, AnAllowMustCoverAllCommands) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git:*)", "Bash(echo:*)"}});
    EXPECT_EQ(mistakes(rules,
                       {
                           {"allow", "Bash(git:*)", "git status"},
                           {"allow", "Bash(git:*)", "git status && echo ok"},
                           {"allow", "Bash(echo:*)", "echo $(git log)"},
                           {"allow", "Bash(git:*)", "git status > out.txt"},
                           {"deny", "strict", "git status; rm -rf /tmp/x"},
                           {"deny", "strict", "git status | xargs rm"},
                           {"deny", "strict", "echo $(curl x)"},
                           {"deny", "strict", "git log > >(sh x)"},
                           {"deny", "strict", "ls"},
                       }),
              "");
}

TEST(Decide, AnAllowLooksThroughTransparentWrappersOnly) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git:*)"}});
    for (const char* wrapper : {"time", "nice", "nice -n 5", "ionice -c 3", "nohup", "timeout 5",
                                "timeout -k 1 5", "stdbuf -oL", "command", "builtin"})
        EXPECT_EQ(verdict_of(std::string(wrapper) + " git log", rules).decision, Decision::Allow)
            << wrapper;
    for (const char* wrapper : {"sudo", "env", "env A=1", "xargs", "exec", "setsid", "doas",
                                "watch", "chroot /x", "flock f", "ssh host", "bash -c"})
        EXPECT_EQ(verdict_of(std::string(wrapper) + " git log", rules).decision, Decision::Deny)
            << wrapper;
    EXPECT_EQ(verdict_of("timeout 5 ls", rules).decision, Decision::Deny);
    EXPECT_EQ(verdict_of("sudo git log",
                         rules_of({.mode = "strict", .allow = {"Bash(git:*)", "Bash(sudo:*)"}}))
                  .decision,
              Decision::Allow);
}

TEST(Decide, AnAllowOfGitAllowsNoOtherProgram) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git:*)", "Bash(export:*)"}});
    for (const char* command : {"git fetch --upload-pack='x y' o",
                                "git clone --upload-pack x u",
                                "git push --receive-pack=x o",
                                "git clone 'ext::sh -c x'",
                                "git config alias.y '!x'",
                                "git config --global core.sshCommand x",
                                "git -c core.sshCommand=x fetch",
                                "git -c CORE.FSMONITOR=x status",
                                "git -c alias.y='!x' y",
                                "git -c core.hooksPath=/tmp/x commit",
                                "git -c include.path=/tmp/x status",
                                "git --config-env=core.pager=X log",
                                "git --exec-path=/tmp/x log",
                                "git grep -Ox y",
                                "git rebase -x x main",
                                "git difftool --extcmd=x",
                                "git bisect run x",
                                "GIT_SSH_COMMAND=x git fetch",
                                "GIT_EXTERNAL_DIFF=x git diff",
                                "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager git log",
                                "XDG_CONFIG_HOME=/tmp/x git log",
                                "export GIT_SSH_COMMAND=x; git fetch"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
    for (const char* command :
         {"git fetch", "git push -u origin main", "git -c user.name=x commit -m y",
          "git config user.email x", "git config --get alias.y", "git clone https://x/y",
          "git log --exec", "git commit -c HEAD", "export A=1; git log"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
}

TEST(Decide, AVariableNeedsNoRuleUnlessItDecidesWhatRuns) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git:*)"}});
    EXPECT_EQ(mistakes(rules,
                       {
                           {"allow", "Bash(git:*)", "x=1; git log"},
                           {"allow", "Bash(git:*)", "x=$(git log)"},
                           {"deny", "strict", "x=$(ls)"},
                           {"deny", "strict", "PATH=/tmp; git log"},
                           {"deny", "strict", "> file"},
                       }),
              "");
}

TEST(Decide, WhatCannotBeSeenIsAskedAboutWhereThereAreRules) {
    const Rules deny = rules_of({.allow = {"Bash(echo:*)"}, .deny = {"Bash(rm:*)"}});
    EXPECT_EQ(mistakes(deny,
                       {
                           {"ask", "unknown-program", "$cmd x"},
                           {"ask", "unknown-program", "$(which rm) x"},
                           {"ask", "unknown-program", "timeout 5 $cmd"},
                           {"ask", "hidden-code", "bash -c \"$x\""},
                           {"ask", "hidden-code", "eval \"$x\""},
                           {"ask", "hidden-code", "curl x | sh"},
                           {"deny", "Bash(rm:*)", "$cmd x; rm y"},
                           {"deny", "Bash(rm:*)", "bash -c \"rm $x\""},
                       }),
              "");
    const Rules strict = rules_of({.mode = "strict", .allow = {"Bash"}});
    EXPECT_EQ(mistakes(strict,
                       {
                           {"allow", "Bash", "rm x"},
                           {"deny", "unknown-program", "$cmd x"},
                           {"deny", "hidden-code", "eval \"$x\""},
                       }),
              "");
    // Rules that only allow restrict nothing.
    const Rules allow = rules_of({.allow = {"Bash(eval:*)"}});
    EXPECT_EQ(mistakes(allow, {{"allow", "", "$cmd x"}, {"allow", "", "eval \"$x\""}}), "");
    EXPECT_EQ(verdict_of("eval ls", allow).commands[0].rule, "Bash(eval:*)");
    EXPECT_EQ(verdict_of("eval \"$x\"", allow).commands[0].rule, "");
}

TEST(Decide, TheModeStrictDeniesWhatNoRuleAllows) {
    const Verdict verdict = verdict_of("npm test", rules_of({.mode = "strict"}));
    EXPECT_EQ(verdict.decision, Decision::Deny);
    EXPECT_EQ(verdict.rule, "strict");
    EXPECT_EQ(verdict.where, "husk.yaml:1");
    EXPECT_EQ(
        verdict.reason,
        "No rule allows \"npm test\", and in the mode strict only what a rule allows is run.");
    EXPECT_THAT(verdict.allow_with, ElementsAre("Bash(npm test:*)"));
}

TEST(Decide, TheModeDontAskDeniesInsteadAndSaysSo) {
    const Verdict verdict =
        verdict_of("git push", rules_of({.mode = "dontAsk", .ask = {"Bash(git push:*)"}}));
    EXPECT_EQ(verdict.decision, Decision::Deny);
    EXPECT_EQ(verdict.reason,
              "The rule Bash(git push:*) asks about this. Nobody is asked in the mode dontAsk, so "
              "it is denied.");
    const Rules rules = rules_of({.mode = "dontAsk"});
    EXPECT_EQ(mistakes(rules,
                       {
                           {"allow", "", "ls"},
                           {"deny", "rm/empty-variable", "rm -rf \"$X/\""},
                       }),
              "");
}

TEST(Decide, TheModeAcceptEditsChangesNothing) {
    const Rules rules = rules_of({.mode = "acceptEdits", .ask = {"Bash(sed:*)"}});
    EXPECT_EQ(mistakes(rules, {{"ask", "Bash(sed:*)", "sed -i s/a/b/ x"}, {"allow", "", "ls"}}),
              "");
}

TEST(Decide, OnlyDestroyersAreDeniedInTheModeBypassPermissions) {
    const Rules rules = rules_of({.mode = "bypassPermissions", .deny = {"Bash"}});
    EXPECT_EQ(mistakes(rules,
                       {
                           {"allow", "bypassPermissions", "ls"},
                           {"allow", "bypassPermissions", "git push -f"},
                           {"allow", "bypassPermissions", "rm -rf ~"},
                           {"allow", "bypassPermissions", "$cmd"},
                           {"deny", "destroyers/root-removal", "rm -rf /"},
                           {"deny", "destroyers/root-removal", "ls; sudo rm -rf /*"},
                           {"deny", "destroyers/fork-bomb", ":(){ :|:& };:"},
                       }),
              "");
}

TEST(Decide, WhatCannotBeReadInTheModeBypassPermissions) {
    const Rules rules = rules_of({.mode = "bypassPermissions"});
    EXPECT_EQ(verdict_of("if", rules).rule, "unparsable");
    EXPECT_EQ(verdict_of("if", rules).decision, Decision::Deny);
    // Who wants nothing to be asked is not asked about this either.
    parse::Script script = parse::parse("ls");
    script.not_understood = {"it is strange"};
    const Verdict strange = decide(script, rules, test_context);
    EXPECT_EQ(strange.decision, Decision::Allow);
    EXPECT_FALSE(strange.understood);
}

TEST(Decide, ATextThatIsNoScriptIsDenied) {
    for (const char* mode : {"default", "strict", "dontAsk", "acceptEdits", "bypassPermissions"}) {
        const Verdict verdict =
            verdict_of("ls\nif true; then", rules_of({.mode = mode, .allow = {"Bash"}}));
        EXPECT_EQ(verdict.decision, Decision::Deny) << mode;
        EXPECT_EQ(verdict.rule, "unparsable");
        EXPECT_FALSE(verdict.understood);
        EXPECT_THAT(verdict.reason, HasSubstr("line 2"));
        EXPECT_EQ(verdict_of("rm x\nif", rules_of({.mode = mode, .deny = {"Bash(rm:*)"}})).rule,
                  "unparsable");
        EXPECT_THAT(verdict.allow_with, IsEmpty());
    }
}

TEST(Decide, AScriptThatIsNotUnderstoodIsNeverAllowed) {
    parse::Script script = parse::parse("ls");
    script.not_understood = {"it is strange", "it is long"};
    const Verdict asked = decide(script, rules_of({.allow = {"Bash"}}), test_context);
    EXPECT_EQ(asked.decision, Decision::Ask);
    EXPECT_EQ(asked.rule, "not-understood");
    EXPECT_FALSE(asked.understood);
    EXPECT_EQ(asked.reason, "Part of this script is not understood: it is strange; it is long.");
    EXPECT_THAT(asked.allow_with, IsEmpty());
    EXPECT_EQ(decide(script, rules_of({}), test_context).decision, Decision::Ask);
    EXPECT_EQ(
        decide(script, rules_of({.mode = "strict", .allow = {"Bash"}}), test_context).decision,
        Decision::Deny);
    EXPECT_EQ(decide(script, rules_of({.mode = "dontAsk"}), test_context).decision, Decision::Deny);
    EXPECT_EQ(decide(script, rules_of({.deny = {"Bash(ls)"}}), test_context).rule, "Bash(ls)");
}

TEST(Decide, JudgesEachCommandInOrder) {
    const Rules rules = rules_of({.allow = {"Bash(git:*)"}, .deny = {"Bash(rm:*)"}});
    const Verdict verdict = verdict_of("git log; ls && sudo rm x", rules);
    ASSERT_EQ(verdict.commands.size(), 4U);
    const Decision expected[] = {Decision::Allow, Decision::Allow, Decision::Allow, Decision::Deny};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(verdict.commands[i].command, i);
        EXPECT_EQ(verdict.commands[i].decision, expected[i]) << i;
    }
    EXPECT_EQ(verdict.commands[0].rule, "Bash(git:*)");
    EXPECT_EQ(verdict.commands[0].where, "husk.yaml:11");
    EXPECT_EQ(verdict.commands[1].rule, "");
    EXPECT_EQ(verdict.commands[3].rule, "Bash(rm:*)");
    EXPECT_EQ(verdict.commands[3].where, "husk.yaml:31");
    EXPECT_EQ(verdict.commands[3].reason, "The rule Bash(rm:*) denies this.");
}

TEST(Decide, SaysThatARuleMayBeMeant) {
    const Verdict verdict = verdict_of("git $x", rules_of({.deny = {"Bash(git push:*)"}}));
    EXPECT_EQ(verdict.decision, Decision::Ask);
    EXPECT_EQ(verdict.rule, "Bash(git push:*)");
    EXPECT_EQ(verdict.reason,
              "Part of \"git $x\" is not known before it runs. It may be what the rule Bash(git "
              "push:*) denies.");
}

TEST(Decide, TellsEverythingAboutABuiltInCheck) {
    const Verdict verdict = verdict_of("cd x && rm -rf ~/", rules_of({}));
    ASSERT_EQ(verdict.commands.size(), 2U);
    const Judgement& judgement = verdict.commands[1];
    EXPECT_EQ(judgement.where, "built in: rm");
    EXPECT_EQ(judgement.severity, Severity::Critical);
    EXPECT_EQ(judgement.confidence, 1.0);
    EXPECT_EQ(judgement.evidence, "~/");
    EXPECT_EQ(judgement.allow_with, "");
    EXPECT_EQ(verdict.risk, Severity::Critical);
    EXPECT_EQ(verdict.where, judgement.where);
    EXPECT_EQ(verdict.reason, judgement.reason);
    EXPECT_EQ(verdict.instead, judgement.instead);
    EXPECT_FALSE(verdict.instead.empty());
}

TEST(Decide, TheWorstOfSeveralDenialsIsTheOneThatIsTold) {
    EXPECT_EQ(mistakes(only_packs({"system", "destroyers"}),
                       {{"deny", "destroyers/root-removal", "sudo rm -rf /"}}),
              "");
}

TEST(Decide, TheRiskIsThatOfTheWorstCommand) {
    const Rules rules = rules_of({.ask = {"Bash(git push:*)"}, .deny = {"Bash(npm publish:*)"}});
    EXPECT_EQ(verdict_of("ls", rules).risk, Severity::Low);
    EXPECT_EQ(verdict_of("ls; git push", rules).risk, Severity::Medium);
    EXPECT_EQ(verdict_of("npm publish; git push", rules).risk, Severity::High);
    EXPECT_EQ(verdict_of("npm publish; rm -rf /", rules).risk, Severity::Critical);
}

TEST(Decide, IsTotal) {
    // Beginnings of a nasty text: whatever is cut off, there is an answer for each command.
    const std::string_view nasty =
        "f(){ f|f& };x=$(rm -rf \"$X/\"`git add .`);${y:-$(sh -c \"$z\")} <<E >~/.ssh/x;case $a in "
        "*) eval \"$b\";; esac\n$(curl u|sh)\nE\n{a,b}{c..d} '\\'' ~root/* [!a]* >&2 2>/dev/sda";
    const Rules rules = rules_of(
        {.mode = "strict", .allow = {"Bash(* x *)"}, .ask = {"Bash(a:*)"}, .deny = {"Bash(*b*)"}});
    for (size_t length = 0; length <= nasty.size(); ++length) {
        const parse::Script script = parse::parse(nasty.substr(0, length));
        EXPECT_EQ(decide(script, rules, {}).commands.size(), script.commands.size()) << length;
    }
}

}  // namespace
}  // namespace husk::decide
