// Everyday tools do their work in mode `workspace`, on small projects that are made here.
#include <gtest/gtest.h>

#include <ostream>

#include "walled.h"

namespace husk::test {
namespace {

struct Tool {
    const char* name;
    const char* prepare;  // outside, by the same user
    const char* command;  // behind the walls
    const char* output;
};

std::ostream& operator<<(std::ostream& out, const Tool& tool) { return out << tool.name; }

const Tool tools[] = {
    {"GitCommit", "git init -q . && git add file && git commit -qm one",
     "echo more >> file && git stash -q && git stash pop -q && git checkout -qb other &&"
     "git commit -qam two && git rebase -q master && git gc -q && git log --oneline | wc -l",
     "2\n"},
    {"GitWorktree", "git init -q . && git add file && git commit -qm one",
     "git worktree add -q tree && cd tree && echo more >> file && git commit -qam two &&"
     "git log --oneline | wc -l && git worktree remove ../tree && ls ..",
     "2\nfile\n"},
    {"GitClone", "git init -q up && git -C up commit -q --allow-empty -m one",
     "git clone -q up down && cd down && git config core.pager cat && git checkout -qb new &&"
     "git commit -q --allow-empty -m two && git push -q -u origin new && git -C ../up log new "
     "--oneline | wc -l",
     "2\n"},
    {"GitSubmodule",
     "git init -q lib && git -C lib commit -q --allow-empty -m one && git init -q . &&"
     "git -c protocol.file.allow=always submodule --quiet add $PWD/lib sub && git commit -qm sub",
     "cd sub && echo x > y && git add y && git commit -qm two && cd .. && git add sub &&"
     "git commit -qm moved && git submodule status | cut -c1 && git log --oneline | wc -l",
     " \n2\n"},
    {"Npm",
     "mkdir dep && cd dep && echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' > package.json &&"
     "echo 'module.exports = 42' > index.js && npm pack --silent && mv dep-1.0.0.tgz .. && cd .. &&"
     "echo 'console.log(require(\"dep\"))' > start.js &&"
     "echo "
     "'{\"name\":\"app\",\"version\":\"1.0.0\",\"dependencies\":{\"dep\":\"file:dep-1.0.0.tgz\"},"
     "\"scripts\":{\"postinstall\":\"echo built > built\",\"start\":\"node start.js\"}}'"
     "> package.json && npm install --offline --package-lock-only --no-audit --no-fund",
     "npm ci --offline --no-audit --no-fund --silent && cat built && npm run --silent start",
     "built\n42\n"},
    {"Node",
     R"(cat > serve.js <<'END'
const http = require('http'), { Worker } = require('worker_threads');
const child = require('child_process').execFileSync('echo', ['child']).toString().trim();
const server = http.createServer((_, answer) => answer.end('served'));
server.listen(0, '127.0.0.1', async () => {
  const got = await fetch('http://127.0.0.1:' + server.address().port);
  console.log(await got.text(), child);
  new Worker('require("worker_threads").parentPort.postMessage("worker")', { eval: true })
    .on('message', (text) => { console.log(text); server.close(); });
});
END)",
     "node serve.js", "served child\nworker\n"},
    {"CMake",
     "printf 'cmake_minimum_required(VERSION 3.13)\\nproject(hello C)\\n"
     "add_executable(hello main.c)\\n' > CMakeLists.txt;"
     "printf '#include <stdio.h>\\nint main(void) { puts(\"hello\"); }\\n' > main.c",
     "cmake -S . -B out >/dev/null && cmake --build out -j2 >/dev/null && out/hello", "hello\n"},
    {"Cargo",
     "mkdir src; printf '[package]\\nname = \"hello\"\\nversion = \"1.0.0\"\\n' > Cargo.toml;"
     "printf 'fn main() { println!(\"hello\"); }\\n#[test]\\nfn adds() { assert_eq!(1 + 1, 2); "
     "}\\n'"
     "> src/main.rs",
     "cargo build -q --offline && target/debug/hello && cargo test -q --offline | grep -c '1 "
     "passed'",
     "hello\n1\n"},
    {"Venv",
     "mkdir -p pkg/thing; echo 'answer = 42' > pkg/thing/__init__.py; printf 'from setuptools "
     "import "
     "setup\\nsetup(name=\"thing\", version=\"1.0\", packages=[\"thing\"])\\n' > pkg/setup.py",
     "python3 -m venv v && v/bin/pip install -q --no-index --no-build-isolation "
     "--disable-pip-version-check ./pkg 2>/dev/null && v/bin/python -c "
     "'import thing; print(thing.answer)'",
     "42\n"},
    {"PythonTests",
     R"(cat > test_it.py <<'END'
import multiprocessing, tempfile, unittest
class It(unittest.TestCase):
    def test_pool(self):
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(pool.map(abs, [-1, -2]), [1, 2])
    def test_scratch(self):
        with tempfile.TemporaryFile() as file:
            self.assertEqual(file.write(b'x'), 1)
END)",
     "python3 -m unittest -q 2>&1 | tail -1; python3 -m pytest -q | grep -o '2 passed'",
     "OK\n2 passed\n"},
    {"Make",
     R"(printf 'all: a b c d\n\tcat a b c d\na b c d:\n\tsleep 0.1; echo $@ > $@\n' > Makefile)",
     "make -s -j4", "a\nb\nc\nd\n"},
    {"AddressSanitizer",
     R"(printf '#include <stdlib.h>\nint main(void) { free(malloc(3)); }\n' > main.c)",
     "cc -fsanitize=address main.c -o main && ./main && echo clean", "clean\n"},
    {"Gdb", R"(printf 'int main(void) { return 0; }\n' > main.c; cc -g main.c -o main)",
     "gdb -nx -batch -ex 'break main' -ex run -ex bt ./main 2>&1 | grep -c '^#0  main'", "1\n"},
    {"Strace", "",
     "strace -f -o calls sh -c '/bin/echo hi; true' && grep -c 'execve(./bin/echo' calls",
     "hi\n1\n"},
    {"StraceOfARunningProcess", "",
     "sleep 60 & p=$!; strace -o calls -p $p 2>/dev/null & "
     "until grep -q '^TracerPid:.[1-9]' /proc/$p/status; do :; done; "
     "kill $p; wait; grep -c 'killed by SIGTERM' calls",
     "1\n"},
    // No signal would end processes that trace each other with PTRACE_O_TRACEEXIT.
    {"TracersOfEachOther", R"(cat > main.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
static long stops_at_exit(long request, int pid) { return ptrace(request, pid, 0L, 0x40L); }
int main(void) {
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGCHLD);
    sigprocmask(SIG_BLOCK, &quiet, 0);
    prctl(PR_SET_PTRACER, -1L, 0, 0, 0);
    int ends[2], status = 0, parent = getpid();
    char byte;
    if (pipe(ends) != 0) return 1;
    int child = fork();
    if (child == 0) {
        if (read(ends[0], &byte, 1) != 1) return 1;
        printf("back %ld\n", stops_at_exit(PTRACE_SEIZE, parent));
        printf("without it %ld\n", ptrace(PTRACE_SEIZE, parent, 0L, 0L));
        ptrace(PTRACE_INTERRUPT, parent, 0L, 0L);
        waitpid(parent, &status, __WALL);
        printf("later %ld", stops_at_exit(PTRACE_SETOPTIONS, parent));
        printf(" %ld\n", stops_at_exit(21, parent));
        ptrace(PTRACE_DETACH, parent, 0L, 0L);
        return 0;
    }
    printf("there %ld\n", stops_at_exit(PTRACE_SEIZE, child));
    fflush(stdout);
    if (write(ends[1], "x", 1) != 1) return 1;
    while (waitpid(child, &status, __WALL) == child && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, 0L, 0L);
    return 0;
}
END
cc -w main.c -o main)",
     "timeout -s KILL 20 ./main", "there 0\nback -1\nwithout it 0\nlater -1 -1\n"},
    {"Sqlite", "",
     "sqlite3 db 'pragma journal_mode=wal; create table t(x); insert into t values (42);"
     "select x from t'",
     "wal\n42\n"},
    {"Tar", "mkdir d; echo x > d/a; chmod 640 d/a; ln d/a d/b; ln -s a d/c",
     "tar czf d.tgz d && mkdir e && tar xpzf d.tgz -C e && stat -c '%a %h' e/d/a && readlink e/d/c "
     "&&"
     "cp -a d f && stat -c %a f/a",
     "640 2\na\n640\n"},
    {"Rsync", "mkdir d; echo x > d/a; chmod 640 d/a; touch -d 2001-01-01 d/a",
     "rsync -a d/ e && touch e/more && rsync -a --delete d/ e && stat -c '%a %y' e/* | cut -c1-14",
     "640 2001-01-01\n"},
    {"Shell", "",
     "printf -v long '%070000d' 0; wc -c <<< $long; mkfifo p; cat p & echo fifo > p; wait;"
     "flock l echo locked; sleep 60 & until pkill -x sleep; do :; done; wait; script -qc 'test -t "
     "0 && echo tty' "
     "/dev/null | tr -d '\\r'; seq 300000 | sort -S 1M -n | tail -1",
     "70001\nfifo\nlocked\ntty\n300000\n"},
};

class Tools : public testing::TestWithParam<std::tuple<Tool, Who>> {};

TEST_P(Tools, Work) {
    const auto& [tool, who] = GetParam();
    const Walled place(who);
    place.write(place.home() / ".gitconfig",
                "[user]\n\tname = Somebody\n\temail = s@example.org\n[init]\n\tdefaultBranch = "
                "master\n[receive]\n\tdenyCurrentBranch = ignore\n");
    // Those of the system: what somebody has below a home of root is out of reach for others.
    const std::vector<std::string> path = {"--env", "PATH=/usr/local/bin:/usr/bin:/bin"};
    const Ran prepared = place.in("open", tool.prepare, path);
    ASSERT_EQ(prepared.code, 0) << prepared.out << prepared.err;
    const Ran ran = place.in("workspace", tool.command, path);
    EXPECT_EQ(ran.out, tool.output) << ran.err;
    EXPECT_EQ(ran.code, 0);
}

std::string tool_name(const testing::TestParamInfo<std::tuple<Tool, Who>>& test) {
    return std::string(std::get<Tool>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "AsOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, Tools, testing::Combine(testing::ValuesIn(tools), both()), tool_name);

}  // namespace
}  // namespace husk::test
