// Places of a session that settings and the machine give: /var/tmp, files of `read`, devices.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class Places : public testing::TestWithParam<Who>, protected Walled {
protected:
    Places() : Walled(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, Places, both(), who_name);

TEST_P(Places, VarTmpIsPrivate) {
    if (!fs::is_directory("/var/tmp") || fs::canonical("/var/tmp") != "/var/tmp")
        GTEST_SKIP() << "/var/tmp is no directory of its own here";
    const TempDir outside("/var/tmp");
    write_text(outside.path() / "file", "of the machine\n");
    for (const char* mode : {"workspace", "read-only"}) {
        const Ran ran = in(mode, "ls -A /var/tmp; echo x >/var/tmp/mine && cat /var/tmp/mine",
                           {"--session", mode});
        EXPECT_EQ(ran.out, "x\n") << mode << ran.err;
        EXPECT_EQ(in(mode, "ls -A /var/tmp").out, "") << mode;
        EXPECT_EQ(in(mode, "cat /var/tmp/mine", {"--session", mode}).out, "x\n") << mode;
    }
    EXPECT_FALSE(fs::exists("/var/tmp/mine"));
}

TEST_P(Places, AWorkspaceInVarTmpWorks) {
    if (!fs::is_directory("/var/tmp") || fs::canonical("/var/tmp") != "/var/tmp")
        GTEST_SKIP() << "/var/tmp is no directory of its own here";
    const TempDir place("/var/tmp");
    write_text(place.path() / "file", "old\n");
    for (const fs::path& path : {place.path(), place.path() / "file"})
        EXPECT_EQ(::lchown(path.c_str(), uid(), uid()), 0);
    EXPECT_EQ(in("workspace", "echo new >file; ls -A ..", {}, place.path().string()).out,
              place.path().filename().string() + "\n");
    EXPECT_EQ(read_text(place.path() / "file"), "new\n");
    EXPECT_EQ(
        in("read-only", "cat file; (echo x >file) 2>/dev/null", {}, place.path().string()).out,
        "new\n");
}

TEST_P(Places, FilesCanBeGivenToRead) {
    write(home() / "notes", "of home\n");
    write(home() / ".npmrc", "a secret\n");
    write(home() / ".ssh" / "known_hosts", "hosts\n");
    write(outside() / "given", "given\n");
    for (const char* mode : {"workspace", "read-only"})
        for (const auto& [file, text] :
             {std::pair(outside() / "given", "given\n"), std::pair(home() / "notes", "of home\n"),
              std::pair(home() / ".npmrc", "a secret\n"),
              std::pair(home() / ".ssh" / "known_hosts", "hosts\n")}) {
            const Ran ran = in(mode, "cat '" + file.string() + "'; ls -A ~/.ssh",
                               {"--read", file.string(), "--read", file.string()});
            EXPECT_THAT(ran.out, HasSubstr(text)) << mode << ran.err;
            EXPECT_THAT(ran.out, testing::Not(HasSubstr("id\n"))) << mode;
            in(mode, "echo x >'" + file.string() + "'", {"--read", file.string()});
            EXPECT_EQ(read_text(file), text);  // of a name with a dot, a copy was written
        }
    EXPECT_NE(in("workspace", "cat '" + (outside() / "file").string() + "'",
                 {"--read", (outside() / "given").string()})
                  .code,
              0);
}

TEST_P(Places, AFullScratchIsNamedWithItsSetting) {
    for (const char* fill : {"dd if=/dev/zero of=/tmp/big bs=1M count=20 2>/dev/null",
                             "i=0; while : >/tmp/$((i++)); do :; done 2>/dev/null"}) {
        const json report = report_in("workspace", fill, {"--scratch", "8M"});
        EXPECT_THAT(report["notes"].dump(),
                    testing::AllOf(HasSubstr("scratch of the session is full"),
                                   HasSubstr("larger `scratch`")))
            << report;
    }
    EXPECT_THAT(report_in("workspace", "echo x >/tmp/x", {"--scratch", "8M"})["notes"].dump(),
                testing::Not(HasSubstr("is full")));
}

TEST_P(Places, MessageQueuesAreTheSessionsOwn) {
    if (!read_text("/proc/filesystems").contains("nodev\tmqueue\n"))
        GTEST_SKIP() << "this kernel has no message queues";
    write(work() / "queue.py", R"(
import ctypes, os
queue = ctypes.CDLL("librt.so.1").mq_open(b"/of-the-session", os.O_CREAT | os.O_RDWR, 0o600, None)
print(queue >= 0, os.listdir("/dev/mqueue"))
)");
    for (const char* mode : {"workspace", "read-only"}) {
        const json report = report_in(mode, "PATH=/usr/bin:$PATH python3 queue.py");
        EXPECT_EQ(report["output"], "True ['of-the-session']\n") << report;
    }
    EXPECT_FALSE(fs::exists("/dev/mqueue/of-the-session"));
}

class Devices : public Walled, public testing::Test {
protected:
    Devices() : Walled(Who::Caller) {
        if (::geteuid() != 0) return;
        for (const char* name : {"/dev/fuse", "/dev/net/tun", "/dev/loop-control"})
            if (device_.empty() && fs::exists(name)) device_ = name;
    }
    std::string device_;
};

TEST_F(Devices, AreThereOnlyIfTheyAreNamed) {
    if (device_.empty()) GTEST_SKIP() << "no device to try";
    for (const char* mode : {"workspace", "read-only"}) {
        EXPECT_NE(in(mode, "exec 3<>" + device_).code, 0) << mode;
        const json report =
            report_in(mode, "exec 3<>" + device_ + " && ls " + device_, {"--device", device_});
        EXPECT_EQ(report["exit_code"], 0) << report;
        EXPECT_THAT(report["denials"], IsEmpty());
        EXPECT_NE(
            in(mode, "mv " + device_ + " /dev/x || rm " + device_, {"--device", device_}).code, 0);
    }
}

TEST_F(Devices, OfADirectoryAreAllThere) {
    if (!fs::exists("/dev/net/tun") || ::geteuid() != 0) GTEST_SKIP() << "no directory to try";
    EXPECT_EQ(in("workspace", "exec 3<>/dev/net/tun", {"--device", "/dev/net"}).code, 0);
    EXPECT_EQ(in("workspace", "exec 3<>/dev/net/tun",
                 {"--device", "/dev/net", "--device", "/dev/net/tun", "--device", "/dev/null"})
                  .code,
              0);
}

TEST_F(Devices, ThatAreTheMachineAreRefused) {
    const auto refused = [&](const std::string& device) {
        const Ran ran = in("workspace", "touch started", {"--device", device});
        EXPECT_TRUE(is_refusal(ran)) << device << ran.err;
        EXPECT_FALSE(fs::exists(work() / "started"));
        return ran.err;
    };
    EXPECT_THAT(refused("/dev/no-such-device"), HasSubstr("No such file"));
    EXPECT_THAT(refused("/dev"), HasSubstr("devices"));
    EXPECT_THAT(refused("/etc/passwd"), HasSubstr("not below /dev"));
    EXPECT_THAT(refused("/dev/shm"), HasSubstr("another file system"));
    for (const char* name : {"/dev/mem", "/dev/kmsg", "/dev/tty1", "/dev/ttyS0", "/dev/sda",
                             "/dev/vda", "/dev/nvme0", "/dev/loop0", "/dev/uinput", "/dev/input"})
        if (fs::exists(name)) refused(name);
    fs::create_symlink("/dev/null", work() / "device");
    EXPECT_THAT(refused((work() / "device").string()), HasSubstr("link"));
}

}  // namespace
}  // namespace husk::test
