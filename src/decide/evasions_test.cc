// What somebody would try who wants to get past the checks. Nothing here is ever run.
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

// With what is on when nobody says anything.
TEST(Evasions, OfTheDefaultPacks) {
    const Rules rules = rules_of({});
    for (const char* command : {
             // quoting
             "g\\it add -A",
             "\"git\" \"add\" \"-A\"",
             "g''it add -A",
             "$'\\x67it' add -A",
             "git\\\n add -A",
             "\"rm\" -rf '/'",
             "r\"\"m -rf /",
             "\\rm -rf /",
             "rm -rf $'\\057'",
             "rm -\"r\"f ~",
             "rm -rf \"/\"\"\"",
             "rm -rf \"$HOME\"",
             // braces
             "{rm,-rf,/}",
             "rm -{r,f} /",
             "rm -rf {/,/tmp}",
             "git {add,-A}",
             "{git,push,-f}",
             // values from the script
             "$(echo rm) -rf /",
             "rm -rf $(echo /)",
             "rm -rf `printf /`",
             "a=/; rm -rf $a",
             "a=rm b=-rf c=/; $a $b $c",
             "a='-rf /'; rm $a",
             "git add $(echo .)",
             "d=.; git add $d",
             "x=push; git $x -f",
             // wrappers
             "env -i rm -rf /",
             "env X=1 rm -rf /",
             "env -u A git push -f",
             "sudo -u x git push -f",
             "timeout 5 rm -rf ~",
             "nohup nice -n 5 ionice -c3 git push -f",
             "command git push -f",
             "exec git push -f",
             "busybox rm -rf /",
             "setsid rm -rf /",
             "xargs git push -f < x",
             "find . -exec rm -rf / \\;",
             "time -p rm -rf /",
             "coproc rm -rf /",
             "watch rm -rf ~",
             "env -S 'rm -rf /'",
             "su -c 'rm -rf /'",
             "sudo -- sh -c 'rm -rf /'",
             "flock x -c 'rm -rf /'",
             "stdbuf -oL rm -rf /",
             "doas rm -rf ~",
             // code in strings
             "bash -c 'git add -A'",
             "bash -c \"sh -c 'git push -f'\"",
             "eval 'git push -f'",
             "eval git push -f",
             "bash <<< 'rm -rf /'",
             "bash <<'E'\nrm -rf /\nE",
             "sh -c 'rm -rf \"$1\"' - /",
             "bash -c 'env rm -rf $0' /",
             "trap 'git push -f' EXIT",
             "echo 'rm -rf /' | sh",
             "ssh host 'rm -rf /'",
             // places
             "(git add -A)",
             "{ git add -A; }",
             "! git add -A",
             "git add -A &",
             "x=$(git add -A)",
             "echo \"$(git add -A)\"",
             "echo `git add -A`",
             "cat <(git add -A)",
             "if git add -A; then :; fi",
             "while git add -A; do :; done",
             "f() { git push -f; }; f",
             "case $(rm -rf /) in *) ;; esac",
             "[[ -n $(rm -rf /) ]]",
             "echo ${x:-$(rm -rf /)}",
             "echo $((`rm -rf /`))",
             "cat <<E\n$(rm -rf /)\nE",
             "arr=($(rm -rf /))",
             "true;git add -A",
             "true&&git add -A",
             "true|git add -A",
             "true\ngit add -A",
             "true # \ngit add -A",
             // git
             "git  -c x=y push -f",
             "git -c alias.x='!rm -rf /' x",
             "git -C . --no-pager push -f",
             "git push origin +HEAD",
             "git add -- :/",
             "/usr/bin/git add -A",
             "./git add -A",
             // rm
             "rm -rf /tmp/../",
             "rm -rf //./",
             "rm -rf ../../..",
             "rm -rf -- /",
             "rm / -rf",
             "cd / && rm -rf *",
             "cd ~ && rm -rf .git",
             "find / -delete",
             "find ~ -type f -delete",
             "find / | xargs rm -rf",
             "find / -name '*' -exec sh -c 'rm -rf \"$0\"' {} \\;",
             "for d in /; do rm -rf $d; done",
             "x=~; y=$x; rm -rf \"$y\"",
             "a=(x /); rm -rf \"${a[@]}\"",
             "rm -rf \"${nothing:-/}\"",
             "f() { rm -rf \"$@\"; }; f x /",
             "set -- /; rm -rf $1",
             "env -C / rm -rf usr",
             // later, elsewhere, and by other names
             "echo 'rm -rf /' | at now",
             "echo '@reboot rm -rf /' | crontab -",
             "tmux new -d 'rm -rf ~'",
             "tmux send-keys 'git push -f' Enter",
             "screen -dm git push -f",
             "docker exec web rm -rf /",
             "kubectl exec pod -- sh -c 'rm -rf /'",
             "npx -c 'git add -A'",
             "/lib64/ld-linux-x86-64.so.2 /usr/bin/git add -A",
             "bash <(echo git add -A)",
             "cat <<< 'git add -A' | sh",
             "git-add -A",
             "git add ':(glob)**'",
             "git push --mirror",
             "git config alias.x '!rm -rf /'",
             "git clone 'ext::rm -rf ~'",
         })
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
}

TEST(Evasions, ThatCannotBeDecidedAreAskedAbout) {
    const Rules rules = rules_of({});
    for (const char* command :
         {"xargs rm -rf < list", "echo / | xargs rm -rf", "rm $options /", "$x -rf /", "g?t add -A",
          "git -c alias.x='push -f' x", "rm -rf $(cat list)", "rm -rf \"$X/\""})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Ask) << command;
}

TEST(Evasions, OfADenyRule) {
    const Rules rules = rules_of({.allow = {"Bash"}, .deny = {"Bash(curl:*)"}});
    for (const char* command :
         {"curl x", "c\\url x", "'curl' x", "/usr/bin/curl x", "~/bin/curl x", "env curl x",
          "sudo -u y curl x", "bash -c 'curl x'", "eval curl x", "echo $(curl x)",
          "ls | xargs curl", "find . -exec curl {} \\;", "xargs -I% curl % < list", "{curl,x}",
          "if curl x; then :; fi", "A=1 curl x"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
    for (const char* command :
         {"$x y", "c$x y", "cur? x", "$(which curl) x", "eval \"$x\"", "bash -c \"$x\"",
          "\"$(echo curl)\" x", "echo curl x | sh -s", "ls | xargs $x", "c{$x,y} z"})
        EXPECT_NE(verdict_of(command, rules).decision, Decision::Allow) << command;
}

TEST(Evasions, OfAnAllowRule) {
    const Rules rules = rules_of({.mode = "strict", .allow = {"Bash(git log:*)", "Bash(echo:*)"}});
    for (const char* command : {"git log; ls",
                                "git log && ls",
                                "git log | sh",
                                "git log & ls",
                                "git log\nls",
                                "git log $(ls)",
                                "git log `ls`",
                                "git log <(ls)",
                                "git log \"$(ls)\"",
                                "git logx",
                                "git $x",
                                "git -c a=b log",
                                "sudo git log",
                                "env git log",
                                "./git log",
                                "/tmp/git log",
                                "PATH=. git log",
                                "GIT_PAGER=x git log",
                                "xargs git log",
                                "$git log",
                                "(ls)",
                                "ls git log",
                                "bash -c 'git log'",
                                "eval git log",
                                "echo x | bash",
                                "f() { ls; }; echo x",
                                "git() { ls; }; git log",
                                "exec ls",
                                "'git log'"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
}

}  // namespace
}  // namespace husk::decide
