#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(SystemPack, DeniesTokensAtCommandPosition) {
    for (const char* token : {"sudo", "su", "shutdown", "reboot", "halt", "poweroff", "chroot",
                              "mount", "umount", "mkfs", "mkfs.ext4", "mkfs.xfs"}) {
        // Alone, mount only tells what is mounted, and a file system may be made in a file.
        const std::string name = token;
        const bool needs_more = name == "mount" || name.starts_with("mkfs");
        const std::string text = needs_more ? name + " /dev/sdb" : name;
        const std::string reason = "command uses denylisted token \"" + name + "\"";
        for (const std::string& command :
             {text, text + " x", "x && " + text + " ls", "x; " + text, "x | " + text, "x & " + text,
              "(" + text + " ls)", "{ " + text + " ls; }", "FOO=1 " + text + " x",
              "if " + text + " x; then y; fi", "while " + text + "; do y; done",
              "$(" + text + " x)", "`" + text + " x`", "timeout 5 " + text + " x",
              "nohup " + text + " x", "echo \"$(" + text + ")\"", "x\n" + text}) {
            const Verdict verdict = verdict_of(command, only_packs({"system"}));
            EXPECT_EQ(verdict.decision, Decision::Deny) << command;
            EXPECT_EQ(verdict.rule, "system/denied-token") << command;
            EXPECT_EQ(verdict.reason, reason) << command;
        }
    }
}

TEST(SystemPack, LetsTheRestPass) {
    for (const char* command : {"man mount",
                                "git commit -m 'fix su bug'",
                                "echo sudo",
                                "make mount",
                                "bash -c \"sudo ls\"",
                                "eval 'sudo ls'",
                                "eval sudo ls",
                                "bash <<E\nsudo ls\nE",
                                "echo \"don't sudo\"",
                                "$(echo sudo) whoami",
                                "x=sudo; $x ls",
                                "SUDO ls",
                                "Sudo ls",
                                "sudoku",
                                "./mounted",
                                "mkfsx",
                                "grep -rn sudo .",
                                "cat sudo",
                                "ssh host sudo ls",
                                "ls # sudo",
                                "npm run mount",
                                "mount | grep ext4",
                                "mount -t ext4",
                                "mount -l",
                                "umount -h",
                                "su --version",
                                "reboot --help",
                                "mkfs.ext4 --version",
                                "mkfs.ext4 test.img",
                                "docker run x mount"})
        EXPECT_EQ(verdict_of(command, only_packs({"system"})).decision, Decision::Allow) << command;
}

TEST(SystemPack, HelpIsNoExcuse) {
    for (const char* command :
         {"mount -a", "mkfs", "mkfs.ext4 \"$disk\"", "mount /dev/sdb1 /mnt", "shutdown -h",
          "reboot -h", "sudo rm --help", "su x --version", "umount -h /mnt"})
        EXPECT_EQ(verdict_of(command, only_packs({"system"})).decision, Decision::Deny) << command;
}

}  // namespace
}  // namespace husk::decide
