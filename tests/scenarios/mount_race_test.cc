// A process swaps a directory and a symbolic link while sessions are built whose roots lie behind
// that name. A session may fail to start then. It must never show what is withheld.
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

constexpr int sessions_built = 30;
constexpr const char* withheld_word = "the word in /run";

// Runs tests/programs/swap as the user until the end of its life.
class Swapper {
public:
    Swapper(const fs::path& one, const fs::path& other, uid_t uid) : pid_(::fork()) {
        if (pid_ != 0) return;
        if (::geteuid() == 0 && (::setgid(uid) != 0 || ::setuid(uid) != 0)) ::_exit(1);
        ::execl(HUSK_TEST_PROGRAMS_DIR "/swap", "swap", one.c_str(), other.c_str(), nullptr);
        ::_exit(1);
    }
    ~Swapper() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Swapper(const Swapper&) = delete;
    Swapper& operator=(const Swapper&) = delete;

private:
    pid_t pid_;
};

class MountRace : public Walled, public testing::TestWithParam<Who> {
protected:
    MountRace() : Walled(GetParam()) {}
    ~MountRace() override {
        if (!in_run_.empty()) fs::remove(in_run_);
    }

    void SetUp() override {
        // Everybody on the host may read it; no session may.
        const fs::path file = fs::path("/run") / ("husk-race-" + unique_word());
        if (::access("/run", W_OK) != 0) GTEST_SKIP() << "nothing can be put into /run";
        in_run_ = file;
        write_text(in_run_, withheld_word);
        fs::permissions(in_run_, fs::perms(0644));
        write(decoy() / "run" / "own", "of the workspace");
        fs::create_directory_symlink("/", link());
        EXPECT_EQ(::lchown(link().c_str(), uid(), uid()), 0);
    }

    fs::path decoy() const { return work() / "decoy"; }
    fs::path link() const { return work() / "link"; }
    // The workspace or root of sessions: while the names are swapped, /run.
    fs::path swapped() const { return decoy() / "run"; }
    std::string secret() const { return in_run_.filename(); }

    // Whether any of many sessions, built while something swaps the names, reads the secret.
    void expect_never_shown(const std::string& command, const std::vector<std::string>& options,
                            const fs::path& cwd) const {
        for (int i = 0; i < sessions_built; ++i) {
            const Ran ran = in("workspace", command, options, cwd);
            ASSERT_EQ(ran.out.find(withheld_word), std::string::npos) << "session " << i;
        }
    }

private:
    fs::path in_run_;
};

TEST_P(MountRace, NeverPutsAnotherDirectoryInThePlaceOfTheWorkspace) {
    {
        const Swapper swapper(decoy(), link(), uid());
        expect_never_shown("cat " + secret(), {}, swapped());
    }
    // Which of the two has the name now is chance; the directory is one of them.
    const bool is_back = fs::is_directory(fs::symlink_status(decoy()));
    const Ran ran = in("workspace", "cat own", {}, (is_back ? decoy() : link()) / "run");
    EXPECT_EQ(ran.out, "of the workspace") << ran.err;
}

TEST_P(MountRace, NeverPutsAnotherDirectoryInThePlaceOfAWritableRoot) {
    const Swapper swapper(decoy(), link(), uid());
    expect_never_shown("cat " + (swapped() / secret()).string(), {"--write", swapped()}, outside());
}

TEST_P(MountRace, NeverPutsAnotherDirectoryInThePlaceOfAProtectedName) {
    fs::remove(link());
    fs::create_directory_symlink("/run", link());
    write(work() / ".vscode" / "own", "of the workspace");
    const Swapper swapper(work() / ".vscode", link(), uid());
    expect_never_shown("cat .vscode/" + secret() + " link/" + secret(), {}, work());
}

// The mount goes where its directory goes, and is covered there or the session is not built.
TEST_P(MountRace, NeverShowsAMountOfTheMachineUnderAnotherName) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
    const fs::path chroot = work() / "chroot";
    const fs::path other = work() / "other";
    write(chroot / "run" / "own", "");
    write(other / "run" / "own", "");
    ASSERT_EQ(::mount("/run", (chroot / "run").c_str(), nullptr, MS_BIND, nullptr), 0);
    {
        const Swapper swapper(chroot, other, uid());
        expect_never_shown("cat chroot/run/" + secret() + " other/run/" + secret(), {}, work());
    }
    for (const fs::path& one : {chroot, other}) ::umount2((one / "run").c_str(), MNT_DETACH);
}

// The attacker is a command of its own session, whose workspace holds that of the others.
TEST_P(MountRace, IsLostByAnOuterSession) {
    const std::string swap = program_in(work(), "swap");
    const Ran started = in("workspace", swap + " " + decoy().string() + " " + link().string(),
                           {"--background", "--session", "outer"});
    ASSERT_EQ(started.code, 0) << started.err;
    expect_never_shown("cat " + secret(), {}, swapped());
}

INSTANTIATE_TEST_SUITE_P(, MountRace, both(), who_name);

}  // namespace
}  // namespace husk::test
