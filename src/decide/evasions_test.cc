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
             "git -c alias.x='push -f' x",
             "git --attr-source HEAD --unknown push -f",
             "GIT_PAGER='rm -rf /' git log",
             "export GIT_SSH_COMMAND='git push -f'; git fetch",
             // other spellings of programs and places
             "//bin//rm -rf /",
             "/bin/../bin/rm -rf /",
             "/proc/self/root/bin/rm -rf /",
             "/proc/self/exe -c 'rm -rf /'",
             "/usr/bin/env rm -rf /",
             "/lib64/ld-2.31.so /bin/rm -rf /",
             "rm -rf /proc/self/root",
             "rm -rf /proc/thread-self/root/etc",
             "rm -rf /proc/1/root/usr",
             "rm -rf /proc/1/cwd/etc",
             "rm -rf /proc/$$/root/etc",
             "rm -rf /proc/$$/cwd",
             "rm -rf /proc/self/task/1/root/etc",
             "rm -rf /proc/self/cwd/..",
             "cd /proc/self/root && rm -rf etc",
             "git config alias.x '!rm -rf /'",
             "git clone 'ext::rm -rf ~'",
         })
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
}

TEST(Evasions, ThatCannotBeDecidedAreAskedAbout) {
    const Rules rules = rules_of({});
    for (const char* command :
         {"xargs rm -rf < list", "echo / | xargs rm -rf", "rm $options /", "$x -rf /", "g?t add -A",
          "git -c alias.x='log -1' x", "rm -rf $(cat list)", "rm -rf \"$X/\""})
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

// What bash or git would run is not in the commands of the script.
TEST(Evasions, ThatHideCodeAreNeverAllowed) {
    const Rules rules = rules_of({.allow = {"Bash"}, .deny = {"Bash(rm:*)"}});
    for (const char* command : {
             // names that mean something else
             "BASH_CMDS[ls]=/bin/rm; ls x",
             "hash -p /bin/rm ls; ls x",
             "hash -rp /bin/rm ls; ls x",
             "x='BASH_CMDS[ls]'; printf -v \"$x\" /bin/rm; ls x",
             "for x in 'BASH_CMDS[ls]'; do printf -v $x /bin/rm; done; ls x",
             "printf -v 'BASH_CMDS[ls]' /bin/rm; ls x",
             "shopt -s expand_aliases\nalias ls=rm\nls x",
             "enable -f ./x.so ls; ls x",
             "set -k; ls PATH=.",
             // arithmetic
             "RANDOM='a[$(rm x)]'",
             "RANDOM=$x",
             "x=$'a[\\x24(rm x)]'; ((x))",
             "x=\"a[\\$(rm x)]\"; ((x))",
             "x=a[\\$\\(rm\\ x\\)]; ((x))",
             "read x <<'E'\na[$(rm x)]\nE\n((x))",
             "read SECONDS < f",
             "for OPTIND in 'a[$(rm x)]'; do :; done",
             "declare -ri x='a[$(rm x)]'",
             "declare -n r='a[$(rm x)]'; r=1",
             "y='PATH=1'; ((y))",
             "((HOME=1))",
             "{a['$(rm x)']}> f",
             // lists
             "declare -a 'a=($(rm x))'",
             // places
             "HOME=/; touch ~/etc/x",
             "read HOME <<< /; touch ~/etc/x",
             "CDPATH=/; cd etc",
             "exec 3< /bin/rm; /proc/self/fd/3 x",
             // variables that lead elsewhere
             "for PATH in .; do ls; done",
             "coproc PATH { ls; }",
             "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm x' git x",
             "GIT_CONFIG_PARAMETERS=\"'core.pager=rm x'\" git log",
             "GIT_EXEC_PATH=. git x",
             "GIT_PAGER=\"$x\" git log",
             // settings of git
             "git -c tar.x.command='rm x' archive",
             "git -c gpg.ssh.defaultKeyCommand='rm x' commit -S",
             "git -c ALIAS.x='!rm x' x",
             "git -c include.path=x log",
             "git -c core.hooksPath=x commit",
             "git -c protocol.ext.allow=always fetch",
             "git -c url.ext::x.insteadOf=y fetch",
             "git -c a.new.setting=x log",
             "git --config-env=core.pager=X log",
             "git config core.editor 'rm x' get",
             "git config --add include.path x",
         })
        EXPECT_NE(verdict_of(command, rules).decision, Decision::Allow) << command;
    for (const char* command :
         {"RANDOM=42", "RANDOM=$$", "SECONDS=0; sleep 1; echo $SECONDS", "OPTIND=1",
          "declare -i x=1; x=x+1", "declare -a 'a=(b c)'", "HOME=/x npm ci", "cd sub; ls",
          "git -c user.name=x commit", "git -c color.ui=always log", "git -c core.pager=cat log",
          "git -c core.fsmonitor=false status", "git config user.name me", "git switch -c a=b",
          "GIT_PAGER=cat git log", "GIT_AUTHOR_NAME=x git commit", "echo $((${#PATH} + 1))"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
}

TEST(Evasions, OfAnAllowRuleByVariables) {
    const Rules rules = rules_of(
        {.mode = "strict",
         .allow = {"Bash(ls:*)", "Bash(printf:*)", "Bash(read:*)", "Bash(: *)", "Bash(unset:*)",
                   "Bash(mapfile:*)", "Bash(export:*)", "Bash(getopts:*)", "Bash(wait:*)"}});
    for (const char* command :
         {"printf -v PATH .; ls", "printf -vPATH .; ls", "read PATH <<< .; ls", "wait -np PATH; ls",
          "read -a PATH <<< .; ls", "mapfile PATH <<< .; ls", "getopts a PATH; ls",
          ": ${PATH:=.}; ls", "export PATH=.; ls", "unset PATH; ls", "printf -v \"$n\" .; ls",
          "x=${PATH:=.}; ls", "ls {PATH}>f", "PATH=. command ls", "PATH=. timeout 5 ls",
          "LD_PRELOAD=./x nice ls", "//bin/ls", "/proc/self/root/bin/ls", "./ls"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
    for (const char* command : {"printf -v x .; ls", "read -r x; ls", ": ${x:=y}; ls",
                                "export FOO=x; ls", "unset foo; ls", "timeout 5 ls", "/bin/ls"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
}

// A program that is allowed can be told to run another.
TEST(Evasions, OfAnAllowRuleByProgramsThatRunOthers) {
    const Rules rules =
        rules_of({.mode = "strict",
                  .allow = {"Bash(tar:*)",  "Bash(rsync:*)", "Bash(ssh:*)",   "Bash(scp:*)",
                            "Bash(find:*)", "Bash(xargs:*)", "Bash(awk:*)",   "Bash(sed:*)",
                            "Bash(vim:*)",  "Bash(man:*)",   "Bash(less:*)",  "Bash(git:*)",
                            "Bash(sort:*)", "Bash(zip:*)",   "Bash(split:*)", "Bash(make:*)",
                            "Bash(go:*)",   "Bash(psql:*)",  "Bash(rg:*)",    "Bash(cargo:*)",
                            "Bash(nc:*)",   "Bash(socat:*)", "Bash(ip:*)",    "Bash(mapfile:*)"}});
    for (const char* command : {
             "tar xf x --to-command=rm",
             "tar xf x --to-command rm",
             "tar cf x y --checkpoint=1 --checkpoint-action=exec=rm",
             "tar -I rm -xf x",
             "tar -xIrm -f x",
             "tar xfI x rm",
             "tar --use-compress-program='rm x' -xf y",
             "tar -cf x -F rm y",
             "tar cf x --to-command=\"$c\"",
             "rsync -e rm a b",
             "rsync -ave 'sh -c rm' a b",
             "rsync --rsh=rm a b",
             "rsync --rsync-path='rm x; rsync' a b:",
             "ssh -o ProxyCommand='rm x' host true",
             "ssh -oProxyCommand='rm x' host",
             "ssh -o 'proxycommand rm x' host",
             "ssh -o PermitLocalCommand=yes -o LocalCommand='rm x' host",
             "scp -S rm a b:",
             "find . -exec rm {} +",
             "xargs rm",
             "awk 'BEGIN { system(\"rm x\") }'",
             "awk '{ print | \"rm x\" }'",
             "awk 'BEGIN { \"rm x\" | getline }'",
             "awk '{ system($1) }'",
             "sed 'e rm x'",
             "sed '1e rm x' f",
             "sed 's/.*/rm x/e' f",
             "vim -c '!rm x'",
             "vim '+!rm x' f",
             "man -P 'rm x' ls",
             "less '+!rm x' f",
             "git fetch --upload-pack='rm x' y",
             "git rebase -ix 'rm x' y",
             "git submodule --quiet foreach 'rm x'",
             "git grep -iO'rm x' y",
             "sort --compress-program=rm x",
             "zip x y -T -TT 'rm x'",
             "split --filter='rm x' y",
             "make SHELL=/bin/rm x",
             "go test -exec rm ./...",
             "psql -c '\\! rm x'",
             "rg --pre rm x",
             "cargo --config 'build.rustc-wrapper=\"rm\"' build",
             "nc -e rm host 1",
             "socat - exec:rm",
             "ip netns exec x rm y",
             "mapfile -tC 'rm x' y",
         })
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Deny) << command;
    for (const char* command : {"tar czf x.tar.gz src",
                                "tar -xf x -C y",
                                "tar cf - a --exclude=b",
                                "tar xf x --checkpoint=100 --checkpoint-action=dot",
                                "rsync -av --delete a b",
                                "rsync -ave ssh a b:",
                                "scp -o StrictHostKeyChecking=no a b:",
                                "man -k x",
                                "awk '/a|b/ { print $1 }' f",
                                "awk -F'|' '{ print $2 }' f",
                                "awk '$1 || $2'",
                                "awk '{ print \"a | b\" }'",
                                "sed -e 's/e/x/' f",
                                "sed -n '/e x/p;s/a/e/g'",
                                "sed -ie 's/a/b/' f",
                                "vim +10 f",
                                "less +F f",
                                "git log -S exec",
                                "make -j4 all",
                                "go test ./...",
                                "psql -c 'select 1'",
                                "rg pre x",
                                "zip -r x y"})
        EXPECT_EQ(verdict_of(command, rules).decision, Decision::Allow) << command;
}

}  // namespace
}  // namespace husk::decide
