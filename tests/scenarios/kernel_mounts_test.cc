// File systems of the kernel that are mounted where a command could use them, as in a chroot that
// is being built, and device files outside of /dev.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

// Unmounted at the end of its life.
class Mounted {
public:
    Mounted(const fs::path& point, const char* source, const char* type, unsigned long flags = 0)
        : point_(point) {
        fs::create_directories(point);
        EXPECT_EQ(::mount(source, point.c_str(), type, flags, nullptr), 0) << point;
    }
    ~Mounted() { ::umount2(point_.c_str(), MNT_DETACH); }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;

private:
    fs::path point_;
};

class KernelMounts : public Walled, public testing::TestWithParam<Who> {
protected:
    KernelMounts() : Walled(GetParam()) {}

    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
        // Nothing stays mounted if this process is killed.
        ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
        ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
        const std::string name = "husk-mounts-" + unique_word();
        in_run_ = fs::path("/run") / name;
        elsewhere_ = fs::path("/opt") / name;
        write_text(in_run_, "the hidden words\n");
        fs::permissions(in_run_, fs::perms(0644));
    }
    void TearDown() override {
        mounts_.clear();
        if (in_run_.empty()) return;
        fs::remove(in_run_);
        fs::remove_all(elsewhere_);
    }

    // What somebody who builds a chroot mounts in it.
    void mount_all(const fs::path& chroot) {
        add(chroot / "proc", "proc", "proc");
        add(chroot / "sys", "sysfs", "sysfs");
        add(chroot / "dev", "/dev", nullptr, MS_BIND);
        add(chroot / "run", "/run", nullptr, MS_BIND);
        add(chroot / "pts", "devpts", "devpts");
        add(chroot / "trace", "tracefs", "tracefs");
        add(chroot / "groups", "cgroup2", "cgroup2");
        add(chroot / "process", "/proc/self", nullptr, MS_BIND);
        add(chroot / "data", "tmpfs", "tmpfs");
        write_text(chroot / "data" / "file", "ordinary\n");
        EXPECT_EQ(::chown((chroot / "data").c_str(), uid(), uid()), 0);
    }
    void add(const fs::path& point, const char* source, const char* type, unsigned long flags = 0) {
        mounts_.insert(mounts_.begin(), std::make_unique<Mounted>(point, source, type, flags));
    }
    // The parts of a chroot in which a command finds anything.
    static std::string look_at(const fs::path& chroot) {
        return "cd " + chroot.string() + " && for d in *; do ls -A $d 2>/dev/null | grep -q . && " +
               "echo $d; done; cat */" + "husk-mounts-* */version */null 2>/dev/null; true";
    }
    // Where every session sees it.
    const fs::path& elsewhere() const { return elsewhere_; }

private:
    fs::path in_run_;
    fs::path elsewhere_;
    std::vector<std::unique_ptr<Mounted>> mounts_;
};

INSTANTIATE_TEST_SUITE_P(, KernelMounts, both(), who_name);

TEST_P(KernelMounts, AreEmptyInAWorkspace) {
    mount_all(work() / "chroot");
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, look_at(work() / "chroot")).out, "data\n") << mode;
}

TEST_P(KernelMounts, AreEmptyElsewhere) {
    mount_all(elsewhere());
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, look_at(elsewhere())).out, "data\n") << mode;
}

TEST_P(KernelMounts, AreEmptyInAnotherWritableDirectory) {
    mount_all(outside() / "chroot");
    EXPECT_EQ(in("workspace", look_at(outside() / "chroot"), {"--write", outside()}).out, "data\n");
}

TEST_P(KernelMounts, ForDebuggingAreEmptyEverywhere) {
    add("/sys/kernel/debug", "debugfs", "debugfs");
    ASSERT_FALSE(fs::is_empty("/sys/kernel/debug"));
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, "ls -A /sys/kernel/debug 2>&1; ls /sys/kernel | grep debug").out,
                  "debug\n")
            << mode;
}

TEST_P(KernelMounts, OfOtherKindsStayUsable) {
    mount_all(work() / "chroot");
    EXPECT_EQ(in("workspace", "cd chroot/data && cat file && echo more > new && cat new").out,
              "ordinary\nmore\n");
    EXPECT_EQ(in("workspace", "cat file", {}, work() / "chroot" / "data").out, "ordinary\n");
}

// As in a container whose volumes lie in the workspace.
TEST_P(KernelMounts, OnProtectedNamesAreReadOnly) {
    for (const char* name : {".vscode", "data"}) {
        write(outside() / name / "file", "as it was\n");
        add(work() / name, (outside() / name).c_str(), nullptr, MS_BIND);
    }
    for (const char* mode : {"workspace", "open"}) {
        const Ran ran = in(mode, "for f in */file .vscode/file; do echo changed > $f; done; true",
                           {"--protect", work() / "data"});
        EXPECT_EQ(read_text(outside() / "data" / "file"), "as it was\n") << mode << ran.err;
        const bool is_walled = mode == std::string("workspace");
        EXPECT_EQ(read_text(outside() / ".vscode" / "file") == "as it was\n", is_walled) << mode;
    }
}

TEST_P(KernelMounts, AreNoPlaceForAWorkspace) {
    mount_all(outside() / "chroot");
    for (const char* place : {"run", "proc", "dev", "sys"})
        EXPECT_TRUE(is_refusal(in("workspace", "true", {}, outside() / "chroot" / place)));
}

TEST_P(KernelMounts, CannotBeCoveredWithoutAMountNamespace) {
    mount_all(work() / "chroot");
    const Ran ran = pretending("mountns=no", "workspace", "cat chroot/run/*",
                               {"--accept", "metadata,protected-paths"});
    EXPECT_TRUE(is_refusal(ran)) << ran.out;
}

class DeviceFiles : public Walled, public testing::TestWithParam<Who> {
protected:
    DeviceFiles() : Walled(GetParam()) {}

    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can make a device file";
        for (const fs::path& where : {work(), outside(), home()}) {
            const fs::path node = where / "zero";
            ASSERT_EQ(::mknod(node.c_str(), S_IFCHR | 0666, ::makedev(1, 5)), 0);
            ::chmod(node.c_str(), 0666);
            if (std::ifstream(node).get() != 0) GTEST_SKIP() << "no device can be opened here";
        }
    }
};

INSTANTIATE_TEST_SUITE_P(, DeviceFiles, both(), who_name);

TEST_P(DeviceFiles, OutsideOfDevCannotBeOpened) {
    std::string command;
    for (const fs::path& where : {work(), outside(), home()})
        command += "head -c 1 " + (where / "zero").string() + " 2>/dev/null | wc -c; " +
                   "(echo > " + (where / "zero").string() + ") 2>/dev/null && echo written; ";
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, command).out, "0\n0\n0\n") << mode;
    EXPECT_EQ(in("workspace", command, {"--write", outside()}).out, "0\n0\n0\n");
}

TEST_P(DeviceFiles, OfTheSessionWork) {
    const std::string command =
        "for d in zero random urandom full; do head -c 1 /dev/$d | wc -c; done; "
        "cat /dev/null && echo > /dev/null && script -qec 'echo terminal' /dev/null";
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, command).out, "1\n1\n1\n1\nterminal\r\n") << mode;
}

}  // namespace
}  // namespace husk::test
