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
                           {"ask", "rm/empty-variable", "rm -rf /*$x"},
                           {"ask", "rm/empty-variable", "rm -rf /etc\"$x\""},
                           {"allow", "", "rm -rf /tmp/build$x"},
                           {"allow", "", "rm -rf \"$prefix\"*"},
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

TEST(RmPack, EveryWayToGiveAVariableAValue) {
    for (const char* script : {
             // loops
             "for d in /; do rm -rf $d; done",
             "for d in a b / c; do rm -rf \"$d\"; done",
             "for d in a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 /; do rm -rf $d; done",
             "for d in {x,/}; do rm -rf $d; done",
             "for d in *; do rm -rf \"$d\"; done",
             "for d in ~ x; do rm -rf \"$d\"; done",
             "for x in etc usr; do rm -rf /$x; done",
             "for x in /; do y=$x; rm -rf \"$y\"; done",
             "for o in -rf; do rm $o /; done",
             // other kinds of values
             "x=~; rm -rf $x",
             "x=~; rm -rf \"$x\"",
             "x=$HOME; rm -rf \"$x\"",
             "x=$HOME; y=$x; rm -rf \"$y\"",
             "x=/; y=$x; z=\"$y\"; rm -rf $z",
             "x=/; x+=etc; rm -rf $x",
             "x=.git; rm -rf \"./$x\"",
             "x='/*'; rm -rf $x",
             "x=$(pwd); rm -rf \"$x\"",
             "local x=~; rm -rf \"$x\"",
             // arrays
             "a=(/ /etc); rm -rf \"${a[@]}\"",
             "a=(build ~); rm -rf ${a[*]}",
             "a=(build /); rm -rf \"${a[1]}\"",
             "a=(x); a+=(/); rm -rf \"${a[@]}\"",
             ("a=(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
              "31 32 33 /); rm -rf ${a[@]}"),
             "declare -a a=(x /); rm -rf \"${a[@]}\"",
             // defaults
             "rm -rf ${x:-/}",
             "rm -rf \"${x:-$HOME}\"",
             "rm -rf \"${1:-/}\"",
             "x=; rm -rf \"${x:-/}\"",
             "rm -rf \"${HOME:-/x}\"",
             "rm -rf \"${HOME:-/root}/.cache\"",
             "rm -rf ${HOME-x}",
             "rm -rf \"${HOME:=/x}\"",
             "rm -rf \"${PWD:-/x}\"",
             "rm -rf \"${x:+/}\"",
             "rm -rf ${USER:+/etc}",
             // names in variables
             "v=HOME; rm -rf ${!v}",
             "x=/; v=x; rm -rf \"${!v}\"",
             "set -- /; v=1; rm -rf ${!v}",
             // builtins that set variables
             "printf -v d /; rm -rf $d",
             "printf -v d '%s' /; rm -rf \"$d\"",
             "printf -v d %-9.1s /x; rm -rf \"$d\"",
             "printf -v d %c /x; rm -rf \"$d\"",
             "for d in $(echo /); do rm -rf \"$d\"; done",
             "for d in x `printf /`; do rm -rf $d; done",
             "printf -v d %s%s / etc; rm -rf \"$d\"",
             "printf -vd '\\057'; rm -rf \"$d\"",
             "rm -rf \"$(printf '\\057')\"",
             "rm -rf \"$(printf %s\\\\n /etc)\"",
             "rm -rf \"$(echo -e '\\x2f')\"",
             "read d <<< /; rm -rf $d",
             "read -r d <<< \"$HOME\"; rm -rf \"$d\"",
             "read a b <<< 'x /etc'; rm -rf \"$b\"",
             "read <<< /; rm -rf $REPLY",
             "read -a a <<< 'x /'; rm -rf \"${a[1]}\"",
             "mapfile -t a <<< /; rm -rf \"${a[@]}\"",
             "readarray -t a < <(echo /); rm -rf \"${a[@]}\"",
             "while read d; do rm -rf \"$d\"; done <<< /",
             ("while read d; do rm -rf $d; done <<< "
              "$'1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12"
              "\\n13\\n14\\n15\\n16\\n17\\n18\\n19\\n20\\n21\\n22\\n23\\n24\\n25\\n26\\n27\\n28\\n2"
              "9\\n30"
              "\\n31\\n32\\n33\\n/'"),
             "while IFS= read -r d; do rm -rf \"$d\"; done <<E\nbuild\n/\nE",
             "while read -r d; do if true; then rm -rf \"$d\"; fi > log; done <<< '/ '",
             "echo / | while read d; do rm -rf \"$d\"; done",
             "printf '%s\\n' build /etc | while read d; do rm -rf $d; done",
             "echo / | { read d; rm -rf \"$d\"; }",
             "while read d; do rm -rf \"$d\"; done < <(echo /)",
             // arguments
             "f() { rm -rf \"$1\"; }; f /",
             "f() { rm -rf \"$@\"; }; f build ~",
             "f() { local d=$1; rm -rf \"$d\"; }; f /",
             "f() { rm -rf \"$x\"; }; x=/; f",
             "set -- /; rm -rf \"$1\"",
             "set -- a /; rm -rf \"$@\"",
             "sh -c 'rm -rf \"$@\"' - x /",
             "bash -c 'sh -c \"rm -rf \\$1\" - /'",
             // places
             "env -C / rm -rf home",
             "sudo --chdir=/ rm -rf etc",
             "rm -rf \"$(git rev-parse --show-toplevel)\"",
             "root=$(git rev-parse --show-toplevel); rm -rf \"$root\"",
             "cd / && rm -rf *",
         })
        EXPECT_EQ(verdict_of(script, only_packs({"rm"})).rule, "rm/critical-target") << script;
}

TEST(RmPack, ValuesThatAreHarmless) {
    for (const char* script : {
             "for d in a b; do rm -rf \"$d/build\"; done",
             "for d in a b; do rm -rf $d/node_modules; done",
             "for d in packages/*; do rm -rf \"$d/dist\"; done",
             "for d in */; do rm -rf \"${d}node_modules\"; done",
             "for f in *.o; do rm -rf \"$f\"; done",
             "x='*'; rm -rf \"$x\"",
             "x=build; rm -rf \"./$x\"",
             "x=/tmp; rm -rf \"$x/y\"",
             "a=(build dist); rm -rf \"${a[@]}\"",
             "a=(/ build); rm -rf \"${a[1]}\"",
             "rm -rf \"${x:-build}\"",
             "rm -rf \"${x:+build}\"",
             "rm -rf ${x:+\"$x\"}",
             "v=x; rm -rf \"${!v}\"",
             "v=$(y); rm -rf \"${!v}\"",
             "printf -v d 'build-%s' x; rm -rf \"$d\"",
             "printf -v d '%03d' 7; rm -rf \"$d\"",
             "read d <<< build; rm -rf \"$d\"",
             "read -p 'Which? ' d; rm -rf \"$d\"",
             "read -r a b <<< '/ build'; rm -rf \"$b\"",
             "while read -r d; do rm -rf \"$d/build\"; done <<< x",
             "while read -r d; do echo \"$d\"; done <<< /; rm -rf build",
             "echo build | while read -r d; do rm -rf \"$d\"; done",
             "find . -name node_modules -type d | while read -r d; do rm -rf \"$d\"; done",
             "while IFS= read -rd '' d; do rm -rf \"$d\"; done < <(find . -name x -print0)",
             "mapfile -t a < <(git ls-files build); rm -rf \"${a[@]}\"",
             "rm -rf \"${x:-/tmp/y}/z\"",
             "x=a; rm -rf \"${x:-/}\"",
             "f() { rm -rf \"$1\"; }; f build",
             "f() { rm -rf \"$1/build\"; }; f a; f b",
             "f() { echo \"$1\"; rm -rf \"$2\"; }; f / build",
             "f() { rm -rf \"$1\"; }",
             "set -- build; rm -rf \"$1\"",
             "env -C /tmp rm -rf home",
             "rm -rf \"$(git rev-parse --show-toplevel)/build\"",
             "root=$(git rev-parse --show-toplevel); rm -rf \"$root/build\"",
             "x=$(y); rm -rf \"$x\"",
             "x=/; unset x; rm -rf \"$x\"",
             "y='my dir /'; x=$y; rm -rf \"$x\"",
             "f() { g \"$1\"; }; g() { f \"${1:-$2}\"; rm -rf \"$1\"; }; f a",
         })
        EXPECT_EQ(verdict_of(script, only_packs({"rm"})).decision, Decision::Allow) << script;
}

TEST(RmPack, TargetsThatAnotherProgramNames) {
    EXPECT_EQ(
        mistakes(only_packs({"rm"}),
                 {
                     {"ask", "rm/targets-from-elsewhere", "xargs rm -rf < list"},
                     {"ask", "rm/targets-from-elsewhere", "cat list | xargs rm -rf"},
                     {"ask", "rm/targets-from-elsewhere", "echo / | xargs rm -rf"},
                     {"ask", "rm/targets-from-elsewhere", "rm -rf $(cat list)"},
                     {"ask", "rm/targets-from-elsewhere", "parallel rm -rf ::: /"},
                     {"ask", "rm/targets-from-elsewhere", "parallel rm -rf {} ::: /"},
                     {"ask", "rm/targets-from-elsewhere", "xargs -I% rm -rf % < list"},
                     {"ask", "rm/targets-from-elsewhere",
                      "while read -r d; do rm -rf \"$d\"; done < list"},
                     {"ask", "rm/targets-from-elsewhere",
                      "cat list | while read -r d; do rm -rf \"$d\"; done"},
                     {"ask", "rm/targets-from-elsewhere", "read d < list; rm -rf \"$d\""},
                     {"ask", "rm/targets-from-elsewhere",
                      "mapfile -t a < <(cat list); rm -rf \"${a[@]}\""},
                     {"allow", "", "while read -r d; do rm -f \"$d\"; done < list"},
                     {"deny", "rm/find-delete", "find / | while read -r d; do rm -rf \"$d\"; done"},
                     {"deny", "rm/find-delete", "while read -r d; do rm -rf \"$d\"; done < <(ls)"},
                     {"allow", "", "cat list | xargs rm -f"},
                     {"allow", "", "find . -name node_modules | xargs rm -rf"},
                     {"allow", "", "find . -name x -print0 | grep -v y | xargs -0 rm -rf"},
                     {"allow", "", "find . -name node_modules -exec rm -rf {} +"},
                     {"deny", "rm/critical-target", "xargs rm -rf ~ < list"},
                     {"deny", "rm/find-delete", "find / | xargs rm -rf"},
                     {"deny", "rm/find-delete", "find . -type f -print0 | xargs -0 rm"},
                     {"deny", "rm/find-delete", "find ~ | sort | xargs -I% rm -rf %"},
                     {"deny", "rm/find-delete", "find / | xargs sh -c 'rm -rf \"$@\"' _"},
                     {"deny", "rm/find-delete", "ls | xargs rm -rf"},
                     {"deny", "rm/find-delete", "rm -rf $(ls)"},
                     {"deny", "rm/find-delete", "rm -rf $(find ~)"},
                     {"allow", "", "ls | xargs rm"},
                     {"allow", "", "ls build | xargs rm -rf"},
                     {"allow", "", "ls -t | tail -n +5 | xargs rm -rf"},
                     {"allow", "", "find . | grep tmp | xargs rm -rf"},
                     {"allow", "", "find build | xargs rm -rf"},
                 }),
        "");
}

TEST(RmPack, FindThatDeletes) {
    EXPECT_EQ(
        mistakes(only_packs({"rm"}),
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
                     {"deny", "rm/find-delete", "find / -name '*' -delete"},
                     {"deny", "rm/find-delete", "find . -path './*' -delete"},
                     {"deny", "rm/find-delete", "find / -exec sh -c 'rm -rf \"$1\"' _ {} \\;"},
                     {"deny", "rm/find-delete", "find . -exec sh -c 'rm \"$@\"' _ {} +"},
                     {"deny", "rm/find-delete", "find ~ -exec sudo rm -f {} +"},
                     {"allow", "", "find . -exec sh -c 'rm -f /tmp/mark; cat {}' \\;"},
                     {"allow", "", "find . -links +5 -delete"},
                     {"allow", "", "find . -xtype l -delete"},
                     {"allow", "", "find . -type l -delete"},
                     {"allow", "", "find . -newermt 2024-01-01 -delete"},
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
