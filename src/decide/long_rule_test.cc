#include "decide/long_rule.h"

#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

constexpr Decision hit = Decision::Deny;
constexpr Decision maybe = Decision::Ask;
constexpr Decision miss = Decision::Allow;

struct Case {
    Decision expected;
    std::string_view command;
};

void expect_denied(const LongPattern& pattern, std::initializer_list<Case> cases) {
    Rules rules;
    rules.rules.push_back({.decision = Decision::Deny, .name = "it", .pattern = pattern});
    for (const auto& [expected, command] : cases)
        EXPECT_EQ(verdict_of(command, rules).decision, expected) << command;
}

TEST(LongRule, FindsItsWordsInOrder) {
    expect_denied({.words = {{"psql"}, {"-h", "--host"}, {"*prod*"}}, .writes = {}},
                  {
                      {hit, "psql -h db.prod.example"},
                      {hit, "psql -U me -h db.prod.example app"},
                      {hit, "psql --host db.prod.example"},
                      {hit, "psql --host=db.prod.example"},
                      {hit, "psql -hdb.prod.example"},
                      {hit, "/usr/bin/psql -h db.prod.example"},
                      {hit, "sudo psql -h 'db.prod.example'"},
                      {miss, "psql -h localhost"},
                      {miss, "psql -d prod -h localhost"},  // the other way round
                      {miss, "psql prod"},
                      {miss, "psql"},
                      {miss, "echo psql -h prod"},
                      {miss, "psqlx -h prod"},
                  });
}

TEST(LongRule, AnOptionWithItsValueIsAlsoTwoWords) {
    expect_denied({.words = {{"tool"}, {"--level=high"}}, .writes = {}},
                  {
                      {hit, "tool --level=high"},
                      {hit, "tool --level high"},
                      {miss, "tool --level low high"},
                      {miss, "tool --levels=high"},
                      {miss, "tool high"},
                  });
}

TEST(LongRule, WhatIsUnknownMayMatch) {
    expect_denied({.words = {{"kubectl"}, {"delete"}, {"ns", "namespace"}}, .writes = {}},
                  {
                      {hit, "kubectl delete ns prod"},
                      {hit, "kubectl --context x delete namespace prod"},
                      {maybe, "kubectl delete \"$what\" prod"},
                      {maybe, "kubectl $args"},
                      {maybe, "echo delete ns x | xargs kubectl"},
                      {maybe, "find . -exec kubectl delete {} \\;"},
                      {miss, "kubectl get \"$what\""},
                  });
    expect_denied({.words = {{"rm"}, {"$HOME*"}}, .writes = {}}, {{hit, "rm $HOME/x"}});
}

TEST(LongRule, AnyNumberOfWordsMayBeUnknown) {
    expect_denied({.words = {{"kubectl"}, {"delete"}, {"ns"}}, .writes = {}},
                  {
                      {maybe, "kubectl get $args"},  // it may hold both words
                      {maybe, "kubectl get $(cat args)"},
                      {miss, "kubectl get \"$args\""},
                  });
}

TEST(LongRule, LooksAtTheFilesThatAreWritten) {
    expect_denied({.words = {}, .writes = {"~/.ssh/**", "/etc/*.conf", "src/**/*.h"}},
                  {
                      {hit, "echo x > ~/.ssh/authorized_keys"},
                      {hit, "echo x >> $HOME/.ssh/config"},
                      {hit, "echo x > \"${HOME}/.ssh/a/b\""},
                      {hit, "echo x > /home/user/.ssh/config"},
                      {hit, "echo x > ../.ssh/config"},
                      {hit, "echo x > ../../user/./.ssh//config"},
                      {hit, "cp key ~/.ssh"},
                      {hit, "cp -t ~/.ssh key"},
                      {hit, "tee -a ~/.ssh/config"},
                      {hit, "sed -i s/a/b/ ~/.ssh/config"},
                      {hit, "touch /etc/x.conf"},
                      {hit, "sudo tee /etc/x.conf"},
                      {hit, "> src/a.h"},
                      {hit, "> ./src/deep/down/a.h"},
                      {hit, "cd ~/.ssh && echo x > config"},
                      {hit, "cd ..; cd .ssh; touch config"},
                      {hit, "cd /tmp; > ~/.ssh/config"},
                      {maybe, "echo x > $file"},
                      {maybe, "echo x > ~/$dir/config"},
                      {miss, "cat ~/.ssh/config"},
                      {miss, "cp ~/.ssh/config x"},
                      {miss, "echo x > ~/.sshx/config"},
                      {miss, "echo x > /etc/a/x.conf"},
                      {miss, "> src/a.c"},
                      {miss, "> lib/a.h"},
                      {miss, "> /tmp/$x"},
                      {miss, "cd /tmp && > config"},
                      {miss, "cd \"$x\" && > config"},
                  });
}

TEST(LongRule, AllItsPartsMustMatch) {
    expect_denied({.words = {{"cp"}}, .writes = {"/etc/**"}}, {
                                                                  {hit, "cp a /etc/b"},
                                                                  {miss, "cp a b"},
                                                                  {miss, "mv a /etc/b"},
                                                              });
}

TEST(LongRule, AllowsOnlyWhatItSurelyMatches) {
    Rules rules;
    rules.mode = Mode::Strict;
    rules.rules.push_back({.decision = Decision::Allow,
                           .name = "it",
                           .pattern = LongPattern{.words = {{"cp"}}, .writes = {"build/**"}}});
    const Case cases[] = {
        {Decision::Allow, "cp a build/b"},
        {Decision::Allow, "/bin/cp a ./build/b"},
        {Decision::Deny, "cp a b"},
        {Decision::Deny, "cp a build/../b"},
        {Decision::Deny, "cp a $x"},
        {Decision::Deny, "cp a build/b > log"},  // one of its files is not allowed
        {Decision::Deny, "./cp a build/b"},
        {Decision::Deny, "LD_PRELOAD=x cp a build/b"},
    };
    for (const auto& [expected, command] : cases)
        EXPECT_EQ(verdict_of(command, rules).decision, expected) << command;
}

}  // namespace
}  // namespace husk::decide
