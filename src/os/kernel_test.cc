#include "os/kernel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "os/cgroup.h"
#include "os/probe.h"
#include "patience.h"

namespace husk::os {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Kernels : public testing::Test {
protected:
    void SetUp() override { ASSERT_NE(::mkdtemp(dir.data()), nullptr); }
    void TearDown() override { fs::remove_all(dir); }

    Kernel probe(const fs::path& state) const { return Kernel::probe({state}); }
    Kernel probe() const { return probe(dir); }
    bool has_no_file() const { return fs::is_empty(dir); }

    std::string dir = (fs::temp_directory_path() / "husk-kernel-XXXXXX").string();
};

const Capability& row(const Kernel& kernel, const std::string& mechanism) {
    const auto found = std::ranges::find(kernel.capabilities, mechanism, &Capability::mechanism);
    EXPECT_NE(found, kernel.capabilities.end()) << mechanism;
    return *found;
}

bool has_no_child() { return ::waitpid(-1, nullptr, WNOHANG | __WALL) == -1 && errno == ECHILD; }

TEST_F(Kernels, EveryRowSaysWhatItIsForAndWhatToDo) {
    for (const Capability& one : probe().capabilities) {
        EXPECT_NE(one.mechanism, "");
        EXPECT_NE(one.needed_for, "") << one.mechanism;
        EXPECT_NE(one.without, "") << one.mechanism;
        EXPECT_NE(one.remedy, "") << one.mechanism;
        EXPECT_EQ(one.why_not.empty(), one.available) << one.mechanism;
    }
}

TEST_F(Kernels, LeaveNeitherAChildNorAFile) {
    probe();
    EXPECT_TRUE(has_no_child());
    EXPECT_TRUE(has_no_file());
}

TEST_F(Kernels, DoNotMakeTheStateDirectory) {
    const Kernel kernel = probe(fs::path(dir) / "not" / "yet");
    EXPECT_TRUE(row(kernel, "file locks").available) << row(kernel, "file locks").why_not;
    EXPECT_TRUE(has_no_file());
}

TEST_F(Kernels, WorkWhereSignalsOfChildrenAreIgnored) {
    std::signal(SIGCHLD, SIG_IGN);
    const Kernel kernel = probe();
    std::signal(SIGCHLD, SIG_DFL);
    EXPECT_THAT(kernel.missing(), IsEmpty());
}

TEST_F(Kernels, AreProbedInNoTime) {
    // Once at least: others are at work on this machine too.
    const auto limit = test::patient(1s);
    auto fastest = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 10 && fastest >= limit; ++i) {
        const auto start = std::chrono::steady_clock::now();
        probe();
        fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
    }
    EXPECT_LT(fastest, limit);  // 30 ms on an idle machine
}

TEST_F(Kernels, NameTheDirectoryThatCannotBeUsed) {
    const Kernel kernel = probe("/proc/nowhere");
    for (const char* mechanism : {"file locks", "shared mapping", "hole punching", "inotify"}) {
        EXPECT_FALSE(row(kernel, mechanism).available) << mechanism;
        EXPECT_THAT(row(kernel, mechanism).why_not, HasSubstr("/proc/nowhere"));
        EXPECT_THAT(row(kernel, mechanism).remedy, HasSubstr("--state"));
    }
    ASSERT_EQ(kernel.missing().size(), 2U);
    EXPECT_EQ(kernel.missing()[0].mechanism, "file locks");
}

TEST_F(Kernels, DoNotTakeAnyProgramForBash) {
    EXPECT_THAT(probe::bash(open_program("/nowhere/bash")).why_not,
                HasSubstr("No such file or directory"));
    EXPECT_FALSE(probe::bash(open_program("/bin/true")).available);
    EXPECT_THAT(probe::bash(open_bash()).version, testing::MatchesRegex("[3-9]\\.[0-9].*"));
}

TEST_F(Kernels, TellTheAbiOfLandlock) {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const Capability landlock = probe::landlock();
    EXPECT_EQ(landlock.available, abi > 0);
    EXPECT_EQ(landlock.version, abi > 0 ? "ABI " + std::to_string(abi) : "");
}

TEST(InChild, GivesTheTextOrTheStepThatFailed) {
    EXPECT_EQ(probe::in_child([] { return probe::well("7"); }).value(), "7");
    const auto failed = probe::in_child([] { return probe::failed_at("unshare", EPERM); });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().text(), "unshare: Operation not permitted");
}

TEST(InChild, SurvivesAProbeThatIsKilled) {
    const auto killed = probe::in_child([]() -> probe::Outcome {
        ::kill(::getpid(), SIGKILL);
        return {};
    });
    ASSERT_FALSE(killed);
    EXPECT_EQ(killed.error().text(), "the probe was killed");
    EXPECT_TRUE(has_no_child());
}

TEST(InChild, EndsAProbeThatHangsAndWhatItStarted) {
    auto pipe = probe::make_pipe();
    ASSERT_TRUE(pipe);
    const auto hung = probe::in_child([]() -> probe::Outcome {
        const probe::Sleeper sleeper;
        for (;;) ::pause();
    });
    EXPECT_FALSE(hung);
    EXPECT_TRUE(has_no_child());
    // The pipe has ended when nobody is left who inherited it.
    pipe->writing.reset();
    pollfd ended{pipe->reading.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 5000), 1);
}

std::vector<std::string> directories(std::string_view memberships, std::string_view mounts) {
    std::vector<std::string> found;
    for (const Cgroup& one : cgroups_in(memberships, mounts))
        found.push_back(one.controllers + "=" + one.directory.string());
    return found;
}

TEST(Cgroups, AreFoundOnASystemdHost) {
    EXPECT_THAT(
        directories("0::/user.slice/user-1000.slice/session-2.scope\n",
                    "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"),
        ElementsAre("=/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope"));
}

TEST(Cgroups, AreFoundInAContainerWithItsOwnRoot) {
    EXPECT_THAT(directories("0::/\n", "30 24 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"),
                ElementsAre("=/sys/fs/cgroup"));
}

TEST(Cgroups, AreFoundWhereOnlyAPartIsMounted) {
    EXPECT_THAT(directories("4:memory:/docker/abc/x\n0::/docker/abc\n",
                            "30 24 0:26 /docker/abc /cg/memory rw - cgroup cgroup rw,memory\n"
                            "31 24 0:27 /docker/abc /cg/two rw - cgroup2 cgroup rw\n"),
                ElementsAre("memory=/cg/memory/x", "=/cg/two"));
}

TEST(Cgroups, OfVersion1MayShareAMount) {
    EXPECT_THAT(
        directories("3:cpu,cpuacct:/a\n2:pids:/\n1:name=systemd:/\n",
                    "30 24 0:26 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                    "31 24 0:27 / /cg/pids rw - cgroup cgroup rw,pids\n"
                    "32 24 0:28 / /cg/systemd rw - cgroup cgroup rw,name=systemd\n"),
        ElementsAre("cpu,cpuacct=/cg/cpu,cpuacct/a", "pids=/cg/pids", "name=systemd=/cg/systemd"));
}

TEST(Cgroups, ThatCannotBeReachedAreNotFound) {
    EXPECT_THAT(directories("0::/../outside\n4:memory:/a\n",
                            "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
                            "31 24 0:27 /b /cg/memory rw - cgroup cgroup rw,memory\n"),
                IsEmpty());
    EXPECT_THAT(directories("", ""), IsEmpty());
    EXPECT_THAT(directories("nonsense\n0:\n", "nonsense\n"), IsEmpty());
}

}  // namespace
}  // namespace husk::os
