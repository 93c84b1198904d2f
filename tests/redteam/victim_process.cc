#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <sstream>

#include "arena.h"
#include "snapshot.h"

namespace husk::redteam {
namespace {

[[noreturn]] void become_victim(uid_t uid, const std::vector<std::string>& words,
                                const std::string& secret, const std::string& dir, int out) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::string variable = "REDTEAM_SECRET=" + secret;
    char* environment[] = {variable.data(), nullptr};
    ::setpgid(0, 0);
    ::dup2(out, 1);
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setresgid(uid, uid, uid) != 0 ||
                             ::setresuid(uid, uid, uid) != 0))
        ::_exit(126);
    if (::chdir(dir.c_str()) != 0) ::_exit(126);
    ::execve(argv[0], argv.data(), environment);
    ::_exit(127);
}

}  // namespace

VictimProcess::VictimProcess(Attacker attacker, const std::string& secret, const std::string& id,
                             const std::filesystem::path& dir) {
    const std::filesystem::path program = dir.parent_path().parent_path() / "probe";
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0)
        become_victim(uid_of(attacker), {program, "victim", secret, id}, secret, dir, ends[1]);
    ::close(ends[1]);
    char buffer[256] = {};
    EXPECT_GT(::read(ends[0], buffer, sizeof buffer - 1), 0) << "the victim did not start";
    ::close(ends[0]);
    std::istringstream said(buffer);
    std::string ready;
    said >> ready >> cell_ >> descriptor_;
    EXPECT_EQ(ready, "ready");
    // It has just spoken; until it waits it would look different.
    test::eventually(
        [&] { return test::read_text("/proc/" + std::to_string(pid_) + "/wchan") != "0"; },
        std::chrono::milliseconds(100));
}

VictimProcess::~VictimProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::string VictimProcess::snapshot() const {
    return process_snapshot(pid_, std::stoul(cell_, nullptr, 16));
}

}  // namespace husk::redteam
