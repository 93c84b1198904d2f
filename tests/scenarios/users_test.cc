// Root becomes another user behind walls, and gains nothing by it.
#include <gmock/gmock.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr const char* as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";

class OtherUsers : public Walled, public testing::Test {
protected:
    OtherUsers() : Walled(Who::Caller) {}

    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    }
};

TEST_F(OtherUsers, AreWhatSuAndItsLikeMakeOfRoot) {
    for (const char* command :
         {"su nobody -s /bin/sh -c 'id -un'", "su - nobody -s /bin/sh -c 'id -un' 2>/dev/null",
          "runuser -u nobody -- id -un",
          "setpriv --reuid=65534 --regid=65534 --clear-groups id -un"}) {
        const nlohmann::json report = report_in("workspace", command);
        SCOPED_TRACE(std::string(command) + "\n" + report.dump());
        EXPECT_EQ(report["output"], "nobody\n");
        EXPECT_THAT(report["denials"], IsEmpty());
    }
}

// The file of passwords is withheld: `su` sees one without any.
TEST_F(OtherUsers, NeedNoPassword) {
    const Ran ran = in("workspace",
                       "for who in daemon mail; do su $who -s /bin/sh -c 'id -un'; done; "
                       "grep -c '^[^:]*:[*]:' /etc/shadow; grep -vc '^[^:]*:[*]:' /etc/shadow; "
                       "stat -c %a /etc/shadow; " +
                           std::string(as_nobody) + "cat /etc/shadow 2>&1 | grep -c denied");
    EXPECT_THAT(ran.out, testing::MatchesRegex("daemon\nmail\n[0-9]+\n0\n600\n1\n")) << ran.err;
}

TEST_F(OtherUsers, HaveNoCapabilities) {
    const Ran ran = in("workspace", std::string(as_nobody) + "grep CapEff /proc/self/status");
    EXPECT_EQ(ran.out, "CapEff:\t0000000000000000\n") << ran.err;
}

TEST_F(OtherUsers, DoNotBecomeRootAgain) {
    const Ran ran = in("workspace", std::string(as_nobody) +
                                        "bash -c 'perl -e \"\\$< = \\$> = 0; print qq(\\$< "
                                        "\\$>)\"; su -c \"echo root\" </dev/null 2>/dev/null'");
    EXPECT_EQ(ran.out, "65534 65534") << ran.err;
}

// What belongs to the other user is withheld from it, too.
TEST_F(OtherUsers, SeeNoSecretOfTheirOwn) {
    const fs::path secret = home() / ".ssh" / "id_ed25519";
    write(secret, "the key\n");
    ASSERT_EQ(::chown(secret.c_str(), 65534, 65534), 0);
    ASSERT_EQ(::chown(secret.parent_path().c_str(), 65534, 65534), 0);
    fs::permissions(home(), fs::perms{0755});
    const Ran ran = in("workspace",
                       std::string(as_nobody) + "cat " + secret.string() + " 2>/dev/null; echo $?");
    EXPECT_EQ(ran.out, "1\n");
}

TEST_F(OtherUsers, WriteNothingOfTheirOwnOutside) {
    ASSERT_EQ(::chown(outside().c_str(), 65534, 65534), 0);
    const nlohmann::json report =
        report_in("workspace", std::string(as_nobody) + "touch " + (outside() / "new").string());
    EXPECT_NE(report["exit_code"], 0);
    EXPECT_FALSE(fs::exists(outside() / "new"));
}

// As without walls: the modes of files are obeyed, and no wall is said to be the reason.
TEST_F(OtherUsers, HaveTheRightsOfThatUserOnly) {
    write(work() / "mine", "x");
    fs::permissions(work(), fs::perms{0755});
    const nlohmann::json report =
        report_in("workspace", std::string(as_nobody) +
                                   "sh -c 'echo y >mine; chmod g+s .'; stat "
                                   "-c %A . | cut -c7");
    EXPECT_THAT(report["output"].get<std::string>(), testing::EndsWith("x\n")) << report;
    EXPECT_EQ(read_text(work() / "mine"), "x");
    EXPECT_THAT(report["denials"], IsEmpty()) << report;
}

TEST_F(OtherUsers, DieWithTheirCommand) {
    const Mark mark;
    const Ran ran = in("workspace",
                       std::string(as_nobody) + "setsid sh -c ': " + mark.word() +
                           "; trap \"\" TERM; sleep 600' & sleep 600",
                       {"--timeout", "1s"});
    EXPECT_EQ(ran.code, 124);
    EXPECT_THAT(mark.bearers(), IsEmpty()) << "a process of another user lives on";
}

TEST_F(OtherUsers, CannotTouchTheKeeper) {
    const Ran ran = in("workspace", std::string(as_nobody) +
                                        "bash -c 'kill -STOP $PPID 1; for p in /proc/[0-9]*; do "
                                        "[[ $(<$p/comm) == husk-keeper* ]] && kill -KILL "
                                        "${p#/proc/} && echo killed; done' 2>/dev/null; echo end");
    EXPECT_EQ(ran.out, "end\n") << ran.err;
}

// A server that asks who its client is hears the truth.
TEST_F(OtherUsers, AreKnownToServersAsThemselves) {
    const Ran ran = in("workspace", R"(cd /tmp; cat >s.py <<'END'
import os, socket, struct, subprocess
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/s"); os.chmod("/tmp/s", 0o777); s.listen()
client = subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
    "python3", "-c", 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("/tmp/s")'])
one, _ = s.accept()
print(struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1:])
os.chmod("/tmp/s", 0o700)
print(subprocess.call(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
    "python3", "-c", 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("/tmp/s")'],
    stderr=subprocess.DEVNULL))
END
PATH=/usr/bin:$PATH python3 s.py)");
    EXPECT_EQ(ran.out, "(65534, 65534)\n1\n") << ran.err;
}

TEST_F(OtherUsers, AreOutOfReachInReadOnly) {
    const nlohmann::json report = report_in("read-only", std::string(as_nobody) + "true");
    EXPECT_NE(report["exit_code"], 0);
    EXPECT_EQ(report["denials"][0]["target"], "setresuid") << report;
}

}  // namespace
}  // namespace husk::test
