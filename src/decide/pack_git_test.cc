#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(GitPack, BlindAdd) {
    EXPECT_EQ(mistakes(only_packs({"git"}),
                       {
                           {"deny", "git/blind-add", "git add -A"},
                           {"deny", "git/blind-add", "git add --all"},
                           {"deny", "git/blind-add", "git add ."},
                           {"deny", "git/blind-add", "git add *"},
                           // Spellings.
                           {"deny", "git/blind-add", "git add -Av"},
                           {"deny", "git/blind-add", "git add -vA"},
                           {"deny", "git/blind-add", "git add --al"},
                           {"deny", "git/blind-add", "git add -A src"},
                           {"deny", "git/blind-add", "git add ./"},
                           {"deny", "git/blind-add", "git add .//."},
                           {"deny", "git/blind-add", "git add :/"},
                           {"deny", "git/blind-add", "git add ':(top)'"},
                           {"deny", "git/blind-add", "git add './*'"},
                           {"deny", "git/blind-add", "git add '*'"},
                           {"deny", "git/blind-add", "git add \"$PWD\""},
                           {"deny", "git/blind-add", "git add $(pwd)"},
                           {"deny", "git/blind-add", "git add src/a.c ."},
                           {"deny", "git/blind-add", "git add -- ."},
                           {"deny", "git/blind-add", "git add -p ."},
                           {"deny", "git/blind-add", "git stage ."},
                           {"deny", "git/blind-add", "git -C dir add -A"},
                           {"deny", "git/blind-add", "git -c a=b --no-pager add -A"},
                           {"deny", "git/blind-add", "git --git-dir x --work-tree=y add -A"},
                           {"deny", "git/blind-add", "git $options add -A"},
                           {"deny", "git/blind-add", "x=-A; git add $x"},
                           {"deny", "git/blind-add", "git add :"},
                           {"deny", "git/blind-add", "git add ':!x'"},
                           {"deny", "git/blind-add", "git add ':^x' ':(exclude)y'"},
                           {"deny", "git/blind-add", "git add ':(glob)**'"},
                           {"deny", "git/blind-add", "git add ':(top,glob)**/*'"},
                           {"deny", "git/blind-add", "git add '**'"},
                           {"deny", "git/blind-add", "git add /home/user/app"},
                           {"deny", "git/blind-add", "git add ~/app"},
                           {"deny", "git/blind-add", "cd /srv && git add /srv/"},
                           {"deny", "git/blind-add", "git-add -A"},
                           {"deny", "git/blind-add", "/usr/lib/git-core/git-add ."},
                           {"deny", "git/blind-add", "for x in a .; do git add $x; done"},
                           // Those who know what they add.
                           {"allow", "", "git add src ':!src/x'"},
                           {"allow", "", "git add ':(glob)src/**'"},
                           {"allow", "", "git add :/src"},
                           {"allow", "", "git add /home/user/app/src"},
                           {"allow", "", "git-add src"},
                           {"allow", "", "git add -n ."},
                           {"allow", "", "git add -N ."},
                           {"allow", "", "git add --dry-run ."},
                           {"allow", "", "git add --intent-to-add ."},
                           {"allow", "", "git add src/main.cc"},
                           {"allow", "", "git add *.c"},
                           {"allow", "", "git add src/*"},
                           {"allow", "", "git add .gitignore"},
                           {"allow", "", "git add ./src"},
                           {"allow", "", "git add .."},
                           {"allow", "", "git add -u"},
                           {"allow", "", "git add -p src"},
                           {"allow", "", "git add --no-all src"},
                           {"allow", "", "git add -- -A"},
                           {"allow", "", "git add"},
                           {"allow", "", "git commit -a"},
                           {"allow", "", "git commit -m 'never git add .'"},
                           {"allow", "", "git commit --all -m x"},
                           {"allow", "", "git log -- ."},
                           {"allow", "", "git diff --all ."},
                           {"allow", "", "echo git add ."},
                           {"allow", "", "yarn add ."},
                       }),
              "");
}

TEST(GitPack, ForcePush) {
    EXPECT_EQ(
        mistakes(only_packs({"git"}),
                 {
                     {"deny", "git/force-push", "git push --force"},
                     {"deny", "git/force-push", "git push -f"},
                     {"deny", "git/force-push", "git push origin main --force"},
                     {"deny", "git/force-push", "git push -fu origin main"},
                     {"deny", "git/force-push", "git push -uf origin main"},
                     {"deny", "git/force-push", "git push origin +main"},
                     {"deny", "git/force-push", "git push origin '+refs/heads/*:refs/heads/*'"},
                     {"deny", "git/force-push", "git push origin \"+$branch\""},
                     {"deny", "git/force-push", "git push --force-with-lease --force"},
                     {"deny", "git/force-push", "git  -c x=y push -f"},
                     {"deny", "git/force-push", "git --git-dir=x push -f"},
                     {"deny", "git/force-push", "sudo -u x git push -f"},
                     {"deny", "git/force-push", "git-push -f"},
                     {"deny", "git/mirror-push", "git push --mirror"},
                     {"deny", "git/mirror-push", "git push --mir backup"},
                     {"allow", "", "git clone --mirror x"},
                     {"allow", "", "git push origin --delete old"},
                     // A lease cannot overwrite work that nobody has seen.
                     {"allow", "", "git push --force-with-lease"},
                     {"allow", "", "git push --force-with-lease=main origin main"},
                     {"allow", "", "git push --force-if-includes --force-with-lease"},
                     {"allow", "", "git push"},
                     {"allow", "", "git push -u origin fix-force"},
                     {"allow", "", "git push -o f origin"},
                     {"allow", "", "git push --follow-tags"},
                     {"allow", "", "git push -- -f"},
                     {"allow", "", "git fetch -f"},
                     {"allow", "", "git branch -f x"},
                     {"allow", "", "git commit -m 'git push --force'"},
                     {"allow", "", "docker push -f"},
                 }),
        "");
}

TEST(GitPack, WhatMayBeGit) {
    EXPECT_EQ(mistakes(only_packs({"git"}),
                       {
                           {"ask", "git/perhaps-git", "$GIT push --force"},
                           {"ask", "git/perhaps-git", "g?t add -A"},
                           {"ask", "git/perhaps-git", "$x push --mirror"},
                           {"ask", "git/perhaps-git", "/usr/bin/$x add ."},
                           {"allow", "", "$GIT push"},
                           {"allow", "", "b$x push --force"},
                           {"ask", "git/inline-alias", "git -c alias.p='log -1' p"},
                           {"ask", "git/inline-alias", "git -c ALIAS.p='log -1' p"},
                           {"deny", "git/force-push", "git -c alias.p='push -f' p"},
                           {"allow", "", "git -c user.name=x commit"},
                       }),
              "");
}

TEST(GitPack, MessagesToTheByte) {
    const Rules rules = only_packs({"git"});
    EXPECT_EQ(verdict_of("git add .", rules).reason,
              "permission denied: blind git add commands (git add -A, git add ., git add --all, "
              "git add *) are not allowed, specify files explicitly");
    EXPECT_EQ(verdict_of("git push -f", rules).reason,
              "permission denied: git push --force is not allowed. Use --force-with-lease for "
              "safer force pushes, or push without force");
}

}  // namespace
}  // namespace husk::decide
