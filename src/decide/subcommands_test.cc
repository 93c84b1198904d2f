// Rules about a subcommand, and the options that may stand in front of it.
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(Subcommands, ADenyRuleSeesThemBehindTheOptionsOfGit) {
    const Rules rules = rules_of({.deny = {"Bash(git push:*)"}});
    const std::string_view push = "Bash(git push:*)";
    EXPECT_EQ(mistakes(rules,
                       {
                           {"deny", push, "git push"},
                           {"deny", push, "git -C . push"},
                           {"deny", push, "git -C \"$dir\" push origin main"},
                           {"deny", push, "git --no-pager push"},
                           {"deny", push, "git -c a.b=c push"},
                           {"deny", push, "git --git-dir=x push"},
                           {"deny", push, "git --git-dir x --work-tree y push"},
                           {"deny", push, "git --namespace x --attr-source HEAD push"},
                           {"deny", push, "git --config-env a.b=C push"},
                           {"deny", push, "git --exec-path=/x -p --bare push"},
                           {"deny", push, "/usr/bin/git -P push"},
                           {"deny", push, "sudo git -C . push"},
                           {"deny", push, "bash -c 'git -C . push'"},
                           {"deny", push, "git-push origin"},
                           {"deny", push, "/usr/lib/git-core/git-push origin"},
                           {"allow", "", "git status"},
                           {"allow", "", "git -C push status"},
                           {"allow", "", "git -C . log push"},
                           {"allow", "", "git --no-pager log push"},
                           {"allow", "", "git -C \"$dir\" status"},
                       }),
              "");
}

TEST(Subcommands, AnUnknownOptionMayOrMayNotTakeTheNextWord) {
    const Rules rules = rules_of({.deny = {"Bash(git push:*)"}});
    const std::string_view push = "Bash(git push:*)";
    EXPECT_EQ(mistakes(rules,
                       {
                           {"ask", push, "git --new-option push"},
                           {"ask", push, "git --new-option x push"},
                           {"ask", push, "git -Z push"},
                           {"ask", push, "git --git-dir$x push"},
                           {"ask", push, "git -C $dir status"},  // it may be ". push"
                           {"deny", push, "git --new-option=x push"},
                           {"allow", "", "git --new-option x status"},
                       }),
              "");
}

TEST(Subcommands, OfAProgramThatNobodyKnowsAnyOptionMayTakeTheNextWord) {
    const Rules rules = rules_of({.deny = {"Bash(deployer push:*)"}});
    const std::string_view push = "Bash(deployer push:*)";
    EXPECT_EQ(mistakes(rules,
                       {
                           {"deny", push, "deployer push"},
                           {"ask", push, "deployer -v push"},
                           {"ask", push, "deployer --config x push"},
                           {"deny", push, "deployer --config=x push"},
                           {"allow", "", "deployer -v status"},
                           {"allow", "", "deployer status push"},
                           {"allow", "", "grep -r push deployer"},
                       }),
              "");
}

TEST(Subcommands, ADenyRuleSeesTheProgramThatARunnerLooksFor) {
    const Rules rules = rules_of({.deny = {"Bash(touch:*)", "Bash(git push:*)"}});
    const std::string_view touch = "Bash(touch:*)";
    EXPECT_EQ(mistakes(rules,
                       {
                           {"deny", touch, "npm exec -- touch P"},
                           {"deny", touch, "npm exec touch P"},
                           {"deny", touch, "npx touch P"},
                           {"ask", touch, "npx -y touch P"},
                           {"ask", touch, "uv run --with x touch P"},
                           {"deny", "Bash(git push:*)", "poetry run git push"},
                           {"ask", touch, "gdb -batch -ex run touch"},
                           {"deny", touch, "perf stat -- touch P"},
                           {"allow", "", "gdb -batch -ex run ./prog"},
                           {"allow", "", "npx tsc touch"},
                           {"allow", "", "uv run pytest"},
                           {"allow", "", "npm run touch"},
                       }),
              "");
}

TEST(Subcommands, HundredsOfUnknownOptionsAreAskedAbout) {
    const Rules rules = rules_of({.deny = {"Bash(git push:*)"}});
    std::string command = "git";
    for (int i = 0; i < 500; ++i) command += " --option-" + std::to_string(i) + " x";
    EXPECT_EQ(verdict_of(command + " push", rules).decision, Decision::Ask);
    EXPECT_EQ(verdict_of(command + " status", rules).decision, Decision::Ask);
}

TEST(Subcommands, EveryProgramHasItsOwnOptions) {
    struct Case {
        const char* rule;
        const char* command;
    };
    for (const auto& [rule, command] : {
             Case{"Bash(docker run:*)", "docker -H tcp://x --debug run img"},
             {"Bash(docker compose up:*)", "docker --context x compose -f y -p z up -d"},
             {"Bash(docker-compose up:*)", "docker-compose -f y up"},
             {"Bash(podman rm:*)", "podman --log-level debug rm x"},
             {"Bash(kubectl delete:*)", "kubectl -n prod --context=x delete pod y"},
             {"Bash(kubectl delete:*)", "kubectl -nprod delete pod y"},
             {"Bash(kubectl rollout restart:*)", "kubectl -n x rollout -n y restart z"},
             {"Bash(helm uninstall:*)", "helm --kube-context x uninstall y"},
             {"Bash(npm publish:*)", "npm --prefix x -s publish"},
             {"Bash(npm run deploy)", "npm run --silent deploy"},
             {"Bash(pnpm publish:*)", "pnpm -r --filter x publish"},
             {"Bash(yarn publish:*)", "yarn --cwd x publish"},
             {"Bash(cargo publish:*)", "cargo +nightly -q --config x publish"},
             {"Bash(pip install:*)", "pip --quiet --proxy x install y"},
             {"Bash(pip install:*)", "python3 -m pip install y"},
             {"Bash(pip install:*)", "python -I -W ignore -mpip -q install y"},
             {"Bash(systemctl stop:*)", "systemctl --user -H host stop x"},
             {"Bash(apt-get install:*)", "apt-get -y -o a=b install x"},
             {"Bash(apt remove:*)", "apt -qq remove x"},
             {"Bash(go generate:*)", "go -C x generate"},
             {"Bash(terraform apply:*)", "terraform -chdir=x apply"},
             {"Bash(aws s3 rm:*)", "aws --profile x --region y s3 --no-paginate rm s3://z"},
             {"Bash(gcloud compute instances delete:*)",
              "gcloud --project x compute -q instances --zone y delete z"},
             {"Bash(az group delete:*)", "az --output json group --debug delete -n x"},
             {"Bash(gh pr merge:*)", "gh -R a/b pr --repo c/d merge 1"},
             {"Bash(svn commit:*)", "svn --username x commit"},
             {"Bash(hg push:*)", "hg --cwd x -y push"},
             {"Bash(ip link delete:*)", "ip -netns x -d link delete y"},
             {"Bash(tmux kill-server)", "tmux -L x kill-server"},
             {"Bash(brew uninstall:*)", "brew -v uninstall x"},
             {"Bash(dotnet nuget push:*)", "dotnet -d nuget push x"},
             {"Bash(make deploy)", "make -C x -j4 A=b deploy"},
             {"Bash(pip install:*)", "pip3 install y"},
             {"Bash(pip install:*)", "pip3.11 --proxy x install y"},
             {"Bash(conda remove:*)", "conda -q remove x"},
             {"Bash(gsutil rm:*)", "gsutil -m -o a=b rm gs://x"},
             {"Bash(redis-cli flushall)", "redis-cli -h x -n 1 flushall"},
             {"Bash(vault kv delete:*)", "vault -address=x kv delete y"},
             {"Bash(anything deploy:*)", "anything --config=x deploy"},
         }) {
        const Rules rules = rules_of({.deny = {rule}});
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << rule << ": " << command;
    }
}

TEST(Subcommands, AnAllowRuleSeesTheCommandAsItIsWritten) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git status:*)"}});
    EXPECT_EQ(verdict_of("git status -s", rules).decision, Decision::Allow);
    for (const char* command :
         {"git -C elsewhere status", "git -c core.sshCommand=x status", "git --exec-path=x status",
          "git --git-dir x status", "git --no-pager status", "git-status",
          "git -c core.fsmonitor=x status", "git push status"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
}

LongRule long_rule(std::vector<std::vector<std::string>> match, const char* verdict) {
    LongRule rule;
    rule.id = "it";
    rule.match = std::move(match);
    rule.verdict = verdict;
    return rule;
}

TEST(Subcommands, ALongRuleThatAllowsOneAllowsNothingInFrontOfIt) {
    RuleTexts texts;
    texts.mode = "strict";
    texts.rules = {long_rule({{"git"}, {"status", "log"}}, "allow")};
    const Rules rules = compiled(texts);
    for (const char* command : {"git status", "git status -s x", "git log --stat"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
    for (const char* command : {"git push status", "git -C x status", "git --no-pager status",
                                "git -c a.b=c status", "git --work-tree=/ log", "git"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;

    texts.rules = {long_rule({{"git"}, {"-C"}, {"sub"}, {"status"}}, "allow"),
                   long_rule({{"npm"}}, "allow")};
    const Rules with_option = compiled(texts);
    EXPECT_EQ(verdict_of("git -C sub status -s", with_option).decision, Decision::Allow);
    EXPECT_EQ(verdict_of("npm --prefix x ci", with_option).decision, Decision::Allow);
    for (const char* command : {"git -C other status", "git -C sub push status"})
        EXPECT_EQ(verdict_of(command, with_option).decision, Decision::Deny) << command;
}

TEST(Subcommands, ALongRuleThatDeniesOneSeesItsOtherNames) {
    RuleTexts texts;
    texts.mode = "default";
    texts.rules = {long_rule({{"git"}, {"push"}}, "deny"),
                   long_rule({{"pip"}, {"install"}}, "deny")};
    const Rules rules = compiled(texts);
    for (const char* command :
         {"git -C . push", "git-push", "git --x y push", "python3 -m pip -q install x"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
}

}  // namespace
}  // namespace husk::decide
