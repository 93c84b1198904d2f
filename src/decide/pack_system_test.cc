#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(SystemPack, DeniesTokensAtCommandPosition) {
    for (const char* token : {"sudo", "su", "shutdown", "reboot", "halt", "poweroff", "chroot",
                              "mount", "umount", "mkfs", "mkfs.ext4", "mkfs.xfs"}) {
        const std::string text = token;
        const std::string reason = "command uses denylisted token \"" + text + "\"";
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
                                "docker run x mount"})
        EXPECT_EQ(verdict_of(command, only_packs({"system"})).decision, Decision::Allow) << command;
}

}  // namespace
}  // namespace husk::decide
