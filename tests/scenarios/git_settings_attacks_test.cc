// Commands that want settings of git in place that nobody has checked.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// For python: the calls that `os` does not have, and what a command may try.
constexpr const char* prelude = R"(
import ctypes, os, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def renameat2(old, new, flags):
    if libc.syscall(316 if os.uname().machine == 'x86_64' else 276, -100, old.encode(), -100,
                    new.encode(), flags) != 0: return ctypes.get_errno()
    return 0
lock, config = '.git/config.lock', '.git/config'
old = open(config).read()
evil = old + '[core]\n\tfsmonitor = evil\n'
fine = old + '[branch "x"]\n\tdescription = fine\n'
def put(text, path=lock):
    new = path + '.new%d' % threading.get_native_id()
    open(new, 'w').write(text); os.rename(new, path)
def attempt(what, *arguments):
    try: what(*arguments)
    except OSError as error: return error.errno
    return 0
)";

class SettingsOfGit : public testing::TestWithParam<Who>, public Walled {
protected:
    SettingsOfGit() : Walled(GetParam()) {
        EXPECT_EQ(in("open", "git init -q . && git config branch.y.description old").code, 0);
    }
    fs::path config() const { return work() / ".git" / "config"; }
    Ran try_out(const std::string& script) const {
        write(work() / "try.py", prelude + script);
        return in("workspace", "python3 try.py");
    }
};

INSTANTIATE_TEST_SUITE_P(, SettingsOfGit, both(), who_name);

// Whatever the command does to the file between the check and its use: what was checked is used.
TEST_P(SettingsOfGit, AreTheOnesThatWereChecked) {
    std::atomic<bool> is_over = false;
    std::atomic<int> looks = 0;
    std::string bad;
    std::thread reader([&] {
        while (!is_over && bad.empty()) {
            const std::string text = read_text(config());
            ++looks;
            if (text.contains("evil") || !text.contains("description = old")) bad = text;
        }
    });
    const Ran ran = try_out(R"(
end = time.time() + 3
def swap():
    while time.time() < end:
        for text in (evil, fine):
            attempt(put, text)
        attempt(lambda: (os.symlink('../try.py', lock + '.l'), os.rename(lock + '.l', lock)))
        attempt(lambda: (os.mkfifo(lock + '.p'), os.rename(lock + '.p', lock)))
        attempt(lambda: open(lock, 'r+b', buffering=0).write(evil.encode()))
def move():
    while time.time() < end:
        attempt(os.rename, lock, config)
threads = [threading.Thread(target=swap) for _ in range(2)] + [threading.Thread(target=move)]
for one in threads: one.start()
for one in threads: one.join()
attempt(os.unlink, lock)
put(fine)
print(attempt(os.rename, lock, config))
)");
    is_over = true;
    reader.join();
    EXPECT_EQ(bad, "");
    EXPECT_GT(looks, 100);
    EXPECT_EQ(ran.out, "0\n") << ran.err;
    EXPECT_THAT(read_text(config()), HasSubstr("description = fine"));
}

// Git takes what it does not know as a remote for a path, and pushes there.
TEST_P(SettingsOfGit, LeadToNoRepositoryThatRunsHooks) {
    const std::string mark = (outside() / "pushed").string();
    const nlohmann::json report = report_in(
        "workspace",
        "exec 2>/dev/null; make() { git init -q --bare $1; printf '#!/bin/sh\\ntouch " + mark +
            "' >$1/hooks/pre-receive; chmod +x $1/hooks/pre-receive; }; for at in a b c d e; do "
            "make "
            "$at; done; git config remote.one.url \"file://$PWD/%61\"; git config "
            "remote.two.url \"~/../work/b\"; git config branch.main.remote c; git config "
            "branch.main.pushRemote ./d; git config remote.pushDefault ./e; git config "
            "remote.three.url 'ssh://a$(x)b/'; ls -d ?");
    EXPECT_THAT(report["reverted"].dump(),
                testing::AllOf(HasSubstr("/c\""), HasSubstr("/d\""), HasSubstr("/e\"")))
        << report;
    EXPECT_THAT(read_text(config()), Not(HasSubstr("[remote \"")));
    in("open",
       "git add -A; git -c user.name=n -c user.email=e commit -qm one --allow-empty; for at in one "
       "two three ''; do timeout 9 git push $at HEAD:main; done");
    EXPECT_FALSE(fs::exists(mark));
}

// The directory is another one when the mason goes there.
TEST_P(SettingsOfGit, AreThoseOfTheDirectoryThatIsMeant) {
    const Ran ran = try_out(R"(
os.makedirs('other/.git')
open('other/.git/config', 'w').write(old)
open('other/.git/config.lock', 'w').write(evil)
print(attempt(os.rename, 'other/.git/config.lock', 'other/.git/config'))
os.symlink('../.git', 'other/link')
put(evil)
print(attempt(os.rename, 'other/link/config.lock', 'other/link/config'))
print(attempt(os.rename, lock, 'other/link/config'))
print(attempt(os.rename, 'other/.git/config', config))
here = os.open('.git', os.O_RDONLY)
print(attempt(lambda: os.rename('config.lock', 'config', src_dir_fd=here, dst_dir_fd=here)))
put(fine)
print(attempt(lambda: os.rename('config.lock', 'config', src_dir_fd=here, dst_dir_fd=here)))
put(evil)
os.chdir('.git')
print(attempt(os.rename, 'config.lock', 'config'))
)");
    EXPECT_EQ(ran.out, "0\n1\n16\n18\n1\n0\n1\n") << ran.err;
    EXPECT_THAT(read_text(config()), Not(HasSubstr("evil")));
    EXPECT_THAT(read_text(config()), HasSubstr("description = fine"));
}

TEST_P(SettingsOfGit, AreWrittenInNoOtherWay) {
    const std::string before = read_text(config());
    const Ran ran = try_out(R"(
results = []
for flags in (1, 2, 4):
    put(fine)
    results.append(renameat2(lock, config, flags) != 0)
put(fine)
results.append(attempt(os.link, lock, config) != 0)
results.append(attempt(os.symlink, 'x', config) != 0)
results.append(attempt(os.unlink, config) != 0)
results.append(attempt(lambda: open(config, 'w')) != 0)
results.append(attempt(lambda: open(config, 'a')) != 0)
results.append(attempt(os.truncate, config, 0) != 0)
results.append(attempt(os.rename, '.git', 'git') != 0)
os.link(lock, '.git/kept')
put(evil, '.git/kept')
results.append(attempt(os.rename, '.git/kept', config) != 0)
print(all(results), results)
)");
    EXPECT_THAT(ran.out, testing::StartsWith("True")) << ran.out << ran.err;
    EXPECT_EQ(read_text(config()), before);
}

// A file that has a second name is not written: the other name may be anybody's.
TEST_P(SettingsOfGit, AreNotWrittenThroughASecondName) {
    fs::create_hard_link(config(), outside() / "config");
    const std::string before = read_text(config());
    const Ran ran = try_out("put(fine)\nprint(attempt(os.rename, lock, config))\n");
    EXPECT_EQ(ran.out, "1\n") << ran.err;
    EXPECT_EQ(read_text(outside() / "config"), before);
}

// What the user protects by name, git does not change either.
TEST_P(SettingsOfGit, AreNotWrittenIfTheUserProtectsThem) {
    for (const char* path : {".git/config", ".git", ".git/con*"}) {
        const Ran ran = in("workspace", "git config branch.x.description y",
                           {"--protect", (work() / path).string()});
        EXPECT_NE(ran.code, 0) << path;
        EXPECT_THAT(read_text(config()), Not(HasSubstr("[branch \"x\"]"))) << path;
    }
}

// A program that writes the settings by other means than git is told why, too.
TEST_P(SettingsOfGit, ThatAreWrittenInPlaceAreExplained) {
    const nlohmann::json report = report_in("workspace", "echo >> .git/config");
    EXPECT_THAT(report["notes"],
                testing::Contains(HasSubstr("hooks and settings of git can run programs")))
        << report;
    const nlohmann::json hook = report_in("workspace", "echo x > .git/hooks/pre-commit");
    EXPECT_THAT(hook["notes"], testing::Contains(HasSubstr("hooks/pre-commit is read-only")))
        << hook;
}

// As before there was a witness: nothing is written, and nothing is opened.
TEST_P(SettingsOfGit, StayWithoutAWitness) {
    const std::string before = read_text(config());
    for (const char* missing : {"listener=no", "pidns=no"}) {
        const Ran ran = pretending(missing, "workspace", "git config branch.x.description y");
        EXPECT_NE(ran.code, 0) << missing;
        EXPECT_EQ(read_text(config()), before) << missing;
    }
}

}  // namespace
}  // namespace husk::test
