#include <gtest/gtest.h>

#include "parse/listing.h"

namespace husk::parse {
namespace {

class Carrying : public testing::TestWithParam<Row> {};

TEST_P(Carrying, IsSeenThrough) { EXPECT_EQ(listing(GetParam().text), GetParam().commands); }

INSTANTIATE_TEST_SUITE_P(
    Wrappers, Carrying,
    testing::Values(
        Row{"sudo -u x git push -f", "s sudo -u x git push -f\n  w git push -f\n"},
        Row{"sudo -nE A=1 -- rm x", "s sudo -nE A=1 -- rm x\n  w rm x\n"},
        Row{"sudo -e f", "s sudo -e f\n"},
        Row{"env -i -u A B=1 rm x", "s env -i -u A B=1 rm x\n  w rm x\n"},
        Row{"timeout -k 5 10 nice -n 5 a b",
            "s timeout -k 5 10 nice -n 5 a b\n  w nice -n 5 a b\n    w a b\n"},
        Row{"command a; command -v b; builtin c; exec -a d e",
            "s command a\n  w a\ns command -v b\ns builtin c\n  w c\ns exec -a d e\n  w e\n"},
        Row{"nohup stdbuf -oL a & setsid b",
            "s nohup stdbuf -oL a\n  w stdbuf -oL a\n    w a\ns setsid b\n  w b\n"},
        Row{"x | xargs -0 -n 1 rm -rf", "s x\ns xargs -0 -n 1 rm -rf\n  w rm -rf ?...\n"},
        Row{"find . -name '*.o' -exec rm {} + -o -execdir a \\;",
            "s find . -name *.o -exec rm {} + -o -execdir a ;\n  w rm {} ?...\n  w a ?...\n"},
        Row{"flock f a b; flock f -c 'c; d'",
            "s flock f a b\n  w a b\ns flock f -c c; d\n  c c\n  c d\n"},
        Row{"env -vS 'a b'; env --split-string='a b' c; env -S'a'",
            "s env -vS a b\n  c a b\ns env --split-string=a b c\n  c a b c\ns env -Sa\n  c a\n"},
        Row{"env a.b=1 -u X c", "s env a.b=1 -u X c\n  w c\n"},
        Row{"timeout --sig KILL 5 a; xargs --replace b",
            "s timeout --sig KILL 5 a\n  w a\ns xargs --replace b\n  w b ?...\n"},
        Row{"find . -exec env -u + a \\;",
            "s find . -exec env -u + a ;\n  w env -u + a ?...\n"
            "    w a ?...\n"},
        Row{"script -qefc 'a' f; script -c'a'; flock L git -c x=y push",
            "s script -qefc a f\n  c a\ns script -ca\n  c a\ns flock L git -c x=y push\n"
            "  w git -c x=y push ...\n"},
        Row{"git rebase -x 'a b' main; git bisect run c d; git -c alias.x='!e' x",
            "s git rebase -x a b main\n  c a b\ns git bisect run c d\n  w c d\n"
            "s git -c alias.x=!e x\n  c e\n"},
        Row{"timeout $t a; bash \"${b[@]}\"", "s timeout ?$t a ...\n  w a\ns bash ?${b[@]} ...\n"},
        Row{"watch -n 1 'a | b'", "s watch -n 1 a | b\n  c a\n  c b\n"}));

INSTANTIATE_TEST_SUITE_P(
    GitThatRunsOthers, Carrying,
    testing::Values(
        Row{"git fetch --upload-pack='a b' x; git push --receive-pack a",
            "s git fetch --upload-pack=a b x\n  c a b\ns git push --receive-pack a\n  c a\n"},
        Row{"git clone -u a ext::'b c' d", "s git clone -u a ext::b c d\n  c a\n  c b c\n"},
        Row{"git push -u origin main", "s git push -u origin main\n"},
        Row{"git fetch --upload-pa='a b' x; git push --rece a",
            "s git fetch --upload-pa=a b x\n  c a b\ns git push --rece a\n  c a\n"},
        Row{"git clone -ccore.pager=a u; git clone --conf core.pager=a u; git init --templ x",
            "s git clone -ccore.pager=a u ...\ns git clone --conf core.pager=a u ...\n"
            "s git init --templ x ...\n"},
        Row{"git -c alias.x='a -b' x", "s git -c alias.x=a -b x\n  c git a -b\n"},
        Row{"git -c tar.x.command=a -c gpg.ssh.defaultKeyCommand=b -c x.y=c log",
            "s git -c tar.x.command=a -c gpg.ssh.defaultKeyCommand=b -c x.y=c log ...\n"
            "  c a\n  c b\n"},
        Row{"GIT_PAGER='a b' git log; export EDITOR=a; GIT_CONFIG_COUNT=1 git log",
            "s GIT_PAGER=a b git log\n  c a b\ns export EDITOR=a\n  c a\n"
            "s GIT_CONFIG_COUNT=1 git log ...\n"},
        Row{"GIT_PAGER='a; b; c; d; e' git log",
            "s GIT_PAGER=a; b; c; d; e git log\n  c a\n  c b\n  c c\n  c d\n  c e\n"},
        Row{"git config --global alias.y '!a b'; git config alias.y 'log -1'",
            "s git config --global alias.y !a b\n  c a b\ns git config alias.y log -1\n  c git log "
            "-1\n"},
        Row{"git config --get core.editor x; git config core.editor; git config user.name me",
            "s git config --get core.editor x\ns git config core.editor\ns git config user.name "
            "me\n"},
        Row{"git -c CORE.sshCommand='a' -c diff.png.textconv=b fetch",
            "s git -c CORE.sshCommand=a -c diff.png.textconv=b fetch\n  c a\n  c b\n"},
        Row{"git grep -Oa b; git difftool -x a; git rebase --exec=a",
            "s git grep -Oa b\n  c a\ns git difftool -x a\n  c a\ns git rebase --exec=a\n  c a\n"},
        Row{"git -c core.hooksPath=x commit; git -c core.hooksPath=/dev/null commit",
            "s git -c core.hooksPath=x commit ...\ns git -c core.hooksPath=/dev/null commit\n"},
        Row{"git --exec-path=x log; git config include.path x; git --config-env=a.b=C log",
            "s git --exec-path=x log ...\ns git config include.path x ...\n"
            "s git --config-env=a.b=C log ...\n"},
        Row{"git submodule foreach --recursive 'a; b'",
            "s git submodule foreach --recursive a; b\n  c a\n  c b\n"}));

INSTANTIATE_TEST_SUITE_P(
    NamedByOptions, Carrying,
    testing::Values(
        Row{"tar -I 'a b' -xf x; tar -xIa -f x; tar --use-comp=a -xf x",
            "s tar -I a b -xf x\n  c a b\ns tar -xIa -f x\n  c a\ns tar --use-comp=a -xf x\n  c "
            "a\n"},
        Row{"tar cfI x a y; tar xvfC x y z; tar -cf I x",
            "s tar cfI x a y\n  c a\ns tar xvfC x y z\ns tar -cf I x\n"},
        Row{"tar xf x --to-command='a; b'; tar xf x --to-command \"$c\"",
            "s tar xf x --to-command=a; b\n  c a\n  c b\ns tar xf x --to-command ?$c ...\n  c "
            "?$c\n"},
        Row{"tar xf x --checkpoint=1 --checkpoint-action=exec='a b'; tar --checkpoint-action=dot x",
            "s tar xf x --checkpoint=1 --checkpoint-action=exec=a b\n  c a b\n"
            "s tar --checkpoint-action=dot x\n"},
        Row{"tar xf x -- --to-command=a", "s tar xf x -- --to-command=a\n"},
        Row{"rsync -avze 'ssh -p 22' a b; rsync --rsh=a --rsync-path='b c' x y",
            "s rsync -avze ssh -p 22 a b\n  c ssh -p 22\n"
            "s rsync --rsh=a --rsync-path=b c x y\n  c a\n  r b c\n"},
        Row{"ssh -o ProxyCommand='a b' h; ssh -oproxycommand=a h b; ssh -o 'ProxyCommand a' h b",
            "s ssh -o ProxyCommand=a b h ...\n  c a b\n"
            "s ssh -oproxycommand=a h b\n  c a\n  r b\n"
            "s ssh -o ProxyCommand a h b\n  c a\n  r b\n"},
        Row{"scp -S a x h:; scp -o StrictHostKeyChecking=no x h:",
            "s scp -S a x h:\n  c a\ns scp -o StrictHostKeyChecking=no x h:\n"},
        Row{"man -Pa ls; man --pager='a b' ls; less +!a x; split --filter='a' x",
            "s man -Pa ls\n  c a\ns man --pager=a b ls\n  c a b\ns less +!a x\n  c a\n"
            "s split --filter=a x\n  c a\n"},
        Row{"vim -c ':!a' x; vim +!a; vim -c wq x; nvim --cmd '!a b'",
            "s vim -c :!a x\n  c a\ns vim +!a\n  c a\ns vim -c wq x\ns nvim --cmd !a b\n  c a b\n"},
        Row{"psql -c '\\! a'; psql -c 'select 1'; sqlite3 x '.shell a b'; gdb -ex '!a' b",
            "s psql -c \\! a\n  c a\ns psql -c select 1\ns sqlite3 x .shell a b\n  c a b\n"
            "s gdb -ex !a b\n  c a\n"},
        Row{"socat - EXEC:'a b'; nc -e a h 1; zip x -T -TT 'a b'; sort --compress-program=a x",
            "s socat - EXEC:a b\n  c a b\ns nc -e a h 1\n  c a\ns zip x -T -TT a b\n  c a b\n"
            "s sort --compress-program=a x\n  c a\n"},
        Row{"mapfile -tC 'a b' x; mapfile -C'a' -c1 x; compgen -C a",
            "s mapfile -tC a b x\n  c a b\ns mapfile -Ca -c1 x\n  c a\ns compgen -C a\n  c a\n"},
        Row{"su - u -c 'a'; su --command=a; script -qc a",
            "s su - u -c a\n  c a\ns su --command=a\n  c a\ns script -qc a\n  c a\n"},
        Row{"go test -exec 'a b' ./...; make SHELL=a x; rg --pre a x; gh alias set x '!a'",
            "s go test -exec a b ./...\n  c a b\ns make SHELL=a x\n  c a\ns rg --pre a x\n  c a\n"
            "s gh alias set x !a\n  c a\n"},
        Row{"ip netns exec n a b; ip -n n link",
            "s ip netns exec n a b\n  w a b\ns ip -n n link\n"},
        Row{"git rebase -ix a main; git difftool -yx a; git grep -iOa b; git-rebase -x a",
            "s git rebase -ix a main\n  c a\ns git difftool -yx a\n  c a\ns git grep -iOa b\n"
            "  c a\ns git-rebase -x a\n  c a\n"},
        Row{"git submodule --quiet foreach a b; git submodule foreach -q a; git send-email "
            "--to-cmd=a",
            "s git submodule --quiet foreach a b\n  c a b\ns git submodule foreach -q a\n  c a\n"
            "s git send-email --to-cmd=a\n  c a\n"}));

INSTANTIATE_TEST_SUITE_P(
    InOtherLanguages, Carrying,
    testing::Values(
        Row{"awk 'BEGIN { system(\"a b\") }'; gawk -F, -e 'BEGIN{system( \"a\" )}' x",
            "s awk BEGIN { system(\"a b\") }\n  c a b\n"
            "s gawk -F, -e BEGIN{system( \"a\" )} x\n  c a\n"},
        Row{"awk '{ print | \"a b\" }'; awk '{ print $1 |& \"a\"; x }'; awk '{ \"a\" | getline x "
            "}'",
            "s awk { print | \"a b\" }\n  c a b\ns awk { print $1 |& \"a\"; x }\n  c a\n"
            "s awk { \"a\" | getline x }\n  c a\n"},
        Row{"awk '{ system($1) }'; awk '{ print | c }'; awk '{ c | getline }'",
            "s awk { system($1) } ...\ns awk { print | c } ...\ns awk { c | getline } ...\n"},
        Row{"awk '{ system(\"a \" $1) }'", "s awk { system(\"a \" $1) } ...\n  c a\n"},
        Row{"awk 'BEGIN { system \\\n(\"a\") }'; awk '{ print | \\\n \"a\" }'",
            "s awk BEGIN { system \\\n(\"a\") }\n  c a\ns awk { print | \\\n \"a\" }\n  c a\n"},
        Row{"awk '/a|b/ { print \"x | y\" }'; awk '$1 == 1 || /c|d/'; awk '{ print a/b } # | "
            "\"c\"'",
            "s awk /a|b/ { print \"x | y\" }\ns awk $1 == 1 || /c|d/\n"
            "s awk { print a/b } # | \"c\"\n"},
        Row{"awk -f x y; awk -v 's=| \"a\"' '{ print s }' x",
            "s awk -f x y\ns awk -v s=| \"a\" { print s } x\n"},
        Row{"sed 'e a b'; sed '1,/x/e a'; sed -n '$!{p;e a\n}'",
            "s sed e a b\n  c a b\ns sed 1,/x/e a\n  c a\ns sed -n $!{p;e a\n}\n  c a\n"},
        Row{"sed -e 's/x/y/' -e e; sed 's|x|y|ge'; sed -i.bak -E 's,a,b,e' f",
            "s sed -e s/x/y/ -e e ...\ns sed s|x|y|ge ...\ns sed -i.bak -E s,a,b,e f ...\n"},
        Row{"sed 's/e/the e/g;/one/d;y/ae/ea/;a\\\ne x'; sed '/\\/e/p;b e;:e'; sed -ne 's/e x/e/p'",
            "s sed s/e/the e/g;/one/d;y/ae/ea/;a\\\ne x\ns sed /\\/e/p;b e;:e\n"
            "s sed -ne s/e x/e/p\n"},
        Row{"sed -f x e; sed --expression='e a' x",
            "s sed -f x e\ns sed --expression=e a x\n  c a\n"}));

INSTANTIATE_TEST_SUITE_P(
    LaterAndElsewhere, Carrying,
    testing::Values(
        Row{"docker exec -it web a b", "s docker exec -it web a b\n  r a b\n"},
        Row{"docker run --rm -v x:/y -w /y --name n -e A=1 -p80:80 img a b",
            "s docker run --rm -v x:/y -w /y --name n -e A=1 -p80:80 img a b\n  r a b\n"},
        Row{"docker run img; docker ps -a", "s docker run img\ns docker ps -a\n"},
        Row{"docker compose -f x exec -T api sh -c 'a; b'",
            "s docker compose -f x exec -T api sh -c a; b\n  r sh -c a; b\n    r a\n    r b\n"},
        Row{"kubectl exec -it pod -c x -- a b", "s kubectl exec -it pod -c x -- a b\n  r a b\n"},
        Row{"kubectl get pods", "s kubectl get pods\n"},
        Row{"tmux new -d -s x 'a; b'; tmux new-window a b",
            "s tmux new -d -s x a; b\n  c a\n  c b\ns tmux new-window a b\n  w a b\n"},
        Row{"tmux send-keys -t x 'a b' Enter; tmux ls",
            "s tmux send-keys -t x a b Enter\n  c a b\n"
            "s tmux ls\n"},
        Row{"tmux new -d \\; splitw 'a'", "s tmux new -d ; splitw a\n  c a\n"},
        Row{"screen -dmS x a b; screen -r x", "s screen -dmS x a b\n  w a b\ns screen -r x\n"},
        Row{"npx -y -p p -c 'a; b'; npx tsc -c x",
            "s npx -y -p p -c a; b\n  c a\n  c b\ns npx tsc -c "
            "x\n"},
        Row{"npm exec -c a; npm run -c", "s npm exec -c a\n  c a\ns npm run -c\n"},
        Row{"/lib64/ld-linux-x86-64.so.2 --library-path x /bin/a b",
            "s /lib64/ld-linux-x86-64.so.2 --library-path x /bin/a b\n  w /bin/a b\n"},
        Row{"echo a | at now + 1 hour; at -f x now",
            "s echo a\ns at now + 1 hour\n  c a\ns at -f x now\n"},
        Row{"crontab - <<E\n# c\nX=1\n*/5 * * * 1-5 a b\n@daily c %x\nE",
            "s crontab - <0>\n  c a b\n  c c\n"},
        Row{"crontab -l; crontab x", "s crontab -l\ns crontab x\n"},
        Row{"(crontab -l; echo x) | crontab -", "s crontab -l\ns echo x\ns crontab - ...\n"}));

INSTANTIATE_TEST_SUITE_P(
    Code, Carrying,
    testing::Values(
        Row{"bash -c 'a; b' x", "s bash -c a; b x\n  c a\n  c b\n"},
        Row{"sh -euo pipefail -c \"a \\$(b)\"",
            "s sh -euo pipefail -c a $(b)\n  c a ?$(b)\n    $ b\n"},
        Row{"bash script.sh -c x", "s bash script.sh -c x\n"},
        Row{"bash -c \"$x\"", "s bash -c ?$x ...\n  c ?$x\n"},
        Row{"bash -c \"rm $x\"", "s bash -c ?rm $x ...\n  c rm ?$x\n"},
        Row{"eval a '&&' b", "s eval a && b\n  c a\n  c b\n"},
        Row{"trap 'a; b' EXIT; trap - INT", "s trap a; b EXIT\n  c a\n  c b\ns trap - INT\n"},
        Row{"ssh -p 22 host 'a; b'", "s ssh -p 22 host a; b\n  r a\n  r b\n"},
        Row{"env -S 'a b' c", "s env -S a b c\n  c a b c\n"},
        Row{"bash <<E\na $(b)\nE", "s bash <0> ...\n  $ b\n  c a ?$(b)\n    $ b\n"},
        Row{"bash <<'E'\na\nE", "s bash <0>\n  c a\n"},
        Row{"echo 'a; b' | sudo sh", "s echo a; b\ns sudo sh\n  w sh\n    c a\n    c b\n"},
        Row{"cat <<E | bash\na\nE", "s cat <0>\ns bash\n  c a\n"},
        Row{"env bash <<< 'a'", "s env bash <0>\n  w bash <0>\n    c a\n"},
        Row{"bash <<< : <<< 'a'", "s bash <0> <0>\n  c a\n"},
        Row{"(bash) <<< a", "s bash ...\ns <0>\n"},
        Row{"echo a | bash </dev/stdin", "s echo a\ns bash <0> ...\n"},
        Row{"bash < f; bash -Oc extglob 'a'", "s bash <0>\ns bash -Oc extglob a\n  c a\n"},
        Row{"echo -ne 'a' | bash; printf -- 'b' | sh",
            "s echo -ne a\ns bash\n  c a\ns printf -- b\ns sh\n  c b\n"},
        Row{"ssh h -p 22 a", "s ssh h -p 22 a\n  r a\n"},
        Row{"curl u | sh", "s curl u\ns sh ...\n"},
        Row{"source <(a); bash <(b)", "s source ?<(a) ...\n  $ a\ns bash ?<(b) ...\n  $ b\n"},
        Row{"bash <(echo a); bash <(echo 'a; b') x; . <(cat <<< a)",
            "s bash ?<(echo a)\n  $ echo a\n  c a\ns bash ?<(echo 'a; b') x\n  $ echo a; b\n  c a\n"
            "  c b\ns . ?<(cat <<< a)\n  $ cat <0>\n  c a\n"},
        Row{"bash <(echo $x)", "s bash ?<(echo $x) ...\n  $ echo ?$x\n  c ?$x\n"},
        Row{"bash <(echo a; b)", "s bash ?<(echo a; b) ...\n  $ echo a\n  $ b\n"},
        Row{"cat <<< a | sh", "s cat <0>\ns sh\n  c a\n"},
        Row{". /dev/stdin <<< 'a'", "s . /dev/stdin <0>\n  c a\n"},
        Row{"bash /dev/stdin <<< 'a'", "s bash /dev/stdin <0>\n  c a\n"},
        Row{"echo a | sudo -s", "s echo a\ns sudo -s\n  c a\n"},
        Row{"echo a | su", "s echo a\ns su\n  c a\n"},
        Row{"curl u | bash -s -- -y", "s curl u\ns bash -s -- -y ...\n"},
        Row{"bash -c 'bash -c \"bash -c a\"'",
            "s bash -c bash -c \"bash -c a\"\n  c bash -c bash -c a\n    c bash -c a\n      c a\n"},
        Row{"bash -c 'if'",
            "s bash -c if\nnot: a string that is run as a script is none: syntax error: unexpected "
            "end of file\n"}));

}  // namespace
}  // namespace husk::parse
