#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

// With the rm pack alone: the home directory is /home/user, the working directory below it.
TEST(RmPack, EverySpellingOfRecursiveAndForced) {
    for (const char* options : {"-rf", "-fr", "-Rf", "-fR", "-r -f", "-f -r", "-rvf", "-rfv",
                                "-r --force", "--recursive -f", "--recursive --force", "--rec --fo",
                                "--r --f", "-rf --", "-rf --no-preserve-root", "-rf x"}) {
        const Verdict verdict = verdict_of("rm " + std::string(options) + " ~", only_packs({"rm"}));
        EXPECT_EQ(verdict.rule, "rm/critical-target") << options;
    }
    EXPECT_EQ(verdict_of("rm ~ -rf", only_packs({"rm"})).rule, "rm/critical-target");
    for (const char* options : {"", "-r", "-f", "-R", "-v", "-d", "-i", "-- -rf"})
        EXPECT_EQ(verdict_of("rm " + std::string(options) + " ~", only_packs({"rm"})).decision,
                  Decision::Allow)
            << options;
}

TEST(RmPack, EverySpellingOfACriticalTarget) {
    for (const char* target :
         {// the root
          "/", "//", "/.", "/./", "/..", "/tmp/..", "/home/x/../..", "\"/\"", "'/'", "\\/", "\"\"/",
          "/''", "$'/'", "$'\\x2f'", "$(echo /)", "`echo /`", "{/,x}", "/*", "/.*",
          // homes, and all below
          "~", "~/", "~/.", "~/x", "~/.cache/x", "~root", "~root/x", "$HOME", "${HOME}",
          "\"$HOME\"", "\"${HOME}\"/", "$HOME/x", "${HOME:?}/x", "$HOME/..", "/home/user",
          "/home/user/", "/home/user/../user", "/home/x/..", "/home/*",
          // what nobody can put back
          ".git", ".git/", "./.git", "src/.git", "/srv/x/.git", "$DIR/.git", ".git/*", ".gi[t]",
          ".g*",
          // everything here, and above
          "*", "./*", ".*", ".", "./", "..", "../", "../..", "../*", "./..", "x/..", "?*", ".[!.]*",
          "*/", "$PWD", "\"$(pwd)\"", "$PWD/*", "~+",
          // the system
          "/etc", "/usr", "/usr/*", "/e*", "/bi?", "/{bin,lib}", "/var/", "/home",
          // one among others
          "a b ~ c"})
        EXPECT_EQ(verdict_of("rm -rf " + std::string(target), only_packs({"rm"})).rule,
                  "rm/critical-target")
            << target;
}

TEST(RmPack, EverydayTargetsPass) {
    for (const char* target : {"node_modules",
                               "./build",
                               "build/",
                               "build/*",
                               "dist build",
                               "/tmp/build",
                               "/tmp/*",
                               "/var/lib/apt/lists/*",
                               "/home/user/app/build",
                               "/opt/app/old",
                               "../build",
                               "../other/*",
                               "*.o",
                               "*.egg-info",
                               "[0-9]*",
                               "foo*",
                               ".cache",
                               ".cache*",
                               ".github",
                               ".gitignore",
                               ".git/hooks/x",
                               "x.git",
                               "a..b",
                               "..a",
                               "...",
                               "\"$tmp\"",
                               "$files",
                               "\"${X:?}/\"",
                               "\"${X:?no X}/build\"",
                               "${X:-build}/",
                               "${X:=build}/x",
                               "$$/x",
                               "'$HOME'",
                               "'~'",
                               "'*'",
                               "-- -x",
                               "$(mktemp -d)",
                               "$(find . -name x)",
                               "$(git ls-files -o)",
                               "\"\""})
        EXPECT_EQ(verdict_of("rm -rf " + std::string(target), only_packs({"rm"})).decision,
                  Decision::Allow)
            << target;
}

TEST(RmPack, AVariableThatMayBeEmptyNextToASlash) {
    for (const char* target : {"\"$X/\"", "\"$X\"/", "/$X", "/\"$X\"", "$X/*", "${X}/build",
                               "\"$X/build\"", "build/$X", "$X$Y/z", "${X:-}/", "$1/x", "${X%/}/y"})
        EXPECT_EQ(verdict_of("rm -rf " + std::string(target), only_packs({"rm"})).rule,
                  "rm/empty-variable")
            << target;
    EXPECT_EQ(mistakes(only_packs({"rm"}),
                       {
                           {"allow", "", "rm -f \"$X/\""},
                           {"allow", "", "rm -r $X/file"},
                           {"allow", "", "X=build; rm -rf \"$X/\""},
                           {"deny", "rm/critical-target", "X=; rm -rf \"$X/\""},
                       }),
              "");
}

TEST(RmPack, WhatIsKnownOnlyFromTheRestOfTheScript) {
    EXPECT_EQ(mistakes(only_packs({"rm"}),
                       {
                           {"deny", "rm/critical-target", "x=~; y=/; rm -rf $y"},
                           {"deny", "rm/critical-target", "export x=/; rm -rf \"$x\""},
                           {"deny", "rm/critical-target", "x=a; x=/; rm -rf \"$x\""},
                           {"allow", "", "x=/; x=a; rm -rf \"$x\""},
                           {"allow", "", "x=/; x=$(y); rm -rf \"$x\""},
                           {"allow", "", "rm -rf \"$x\"; x=/"},
                           {"allow", "", "x=/ ls; rm -rf \"$x\""},
                           {"deny", "rm/critical-target", "x='-rf /'; rm $x"},
                           {"deny", "rm/critical-target", "a=rm; $a -rf ~"},
                           {"deny", "rm/critical-target", "$(echo rm) -rf /"},
                           {"deny", "rm/critical-target", "cd /; rm -rf home"},
                           {"deny", "rm/critical-target", "cd .. && cd .. && rm -rf user"},
                           {"allow", "", "cd /tmp && rm -rf home"},
                           {"allow", "", "cd \"$x\" && rm -rf home"},
                           {"ask", "rm/perhaps-critical", "rm $options /"},
                           {"ask", "rm/perhaps-critical", "$program -rf /"},
                           {"ask", "rm/perhaps-critical", "r? -rf ~"},
                           {"allow", "", "$program -rf build"},
                           {"allow", "", "rm $files"},
                           {"allow", "", "rm *"},
                           {"allow", "", "$program /"},
                       }),
              "");
}

TEST(RmPack, TargetsThatAnotherProgramNames) {
    EXPECT_EQ(mistakes(only_packs({"rm"}),
                       {
                           {"ask", "rm/targets-from-elsewhere", "xargs rm -rf < list"},
                           {"ask", "rm/targets-from-elsewhere", "cat list | xargs rm -rf"},
                           {"ask", "rm/targets-from-elsewhere", "echo / | xargs rm -rf"},
                           {"ask", "rm/targets-from-elsewhere", "rm -rf $(cat list)"},
                           {"ask", "rm/targets-from-elsewhere", "parallel rm -rf ::: /"},
                           {"ask", "rm/targets-from-elsewhere", "parallel rm -rf {} ::: /"},
                           {"ask", "rm/targets-from-elsewhere", "xargs -I% rm -rf % < list"},
                           {"allow", "", "cat list | xargs rm -f"},
                           {"allow", "", "find . -name node_modules | xargs rm -rf"},
                           {"allow", "", "find . -name x -print0 | grep -v y | xargs -0 rm -rf"},
                           {"allow", "", "find . -name node_modules -exec rm -rf {} +"},
                           {"deny", "rm/critical-target", "xargs rm -rf ~ < list"},
                       }),
              "");
}

TEST(RmPack, FindThatDeletes) {
    EXPECT_EQ(mistakes(only_packs({"rm"}),
                       {
                           {"deny", "rm/find-delete", "find / -delete"},
                           {"deny", "rm/find-delete", "find ~ -delete"},
                           {"deny", "rm/find-delete", "find \"$HOME\" -type f -delete"},
                           {"deny", "rm/find-delete", "find . -delete"},
                           {"deny", "rm/find-delete", "find -delete"},
                           {"deny", "rm/find-delete", "find .git -delete"},
                           {"deny", "rm/find-delete", "find build / -type f -delete"},
                           {"deny", "rm/find-delete", "find / -exec rm -rf {} +"},
                           {"deny", "rm/find-delete", "find . -type f -exec /bin/rm {} \\;"},
                           {"allow", "", "find . -name '*.o' -delete"},
                           {"allow", "", "find build -delete"},
                           {"allow", "", "find -L build -delete"},
                           {"deny", "rm/find-delete", "find -L / -delete"},
                           {"allow", "", "find /tmp/x -type f -delete"},
                           {"allow", "", "find ~ -name .DS_Store -delete"},
                           {"allow", "", "find / -name '*.core'"},
                           {"allow", "", "find . -exec grep rm {} +"},
                       }),
              "");
}

TEST(RmPack, MessageToTheByte) {
    EXPECT_EQ(
        verdict_of("rm -rf .git", only_packs({"rm"})).reason,
        "permission denied: this rm command could delete critical data (.git, home directory, "
        "or root). Specify the full path explicitly (no wildcards, ~, or $HOME)");
    EXPECT_EQ(verdict_of("rm -rf \"$X/\"", only_packs({"rm"})).reason,
              "If the variable in $X/ is empty, this removes something else than is meant.");
}

TEST(RmPack, NeedsNoContext) {
    const Rules rules = only_packs({"rm"});
    for (const char* target : {"/", "~", "~/..", "$HOME/..", "..", "../..", "*", ".git", "/etc"})
        EXPECT_EQ(decide(parse::parse("rm -rf " + std::string(target)), rules, {}).decision,
                  Decision::Deny)
            << target;
    for (const char* target : {"build", "../build", "/tmp/x", "foo*", "./a/../b"})
        EXPECT_EQ(decide(parse::parse("rm -rf " + std::string(target)), rules, {}).decision,
                  Decision::Allow)
            << target;
}

}  // namespace
}  // namespace husk::decide
