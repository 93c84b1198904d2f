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

TEST(SystemPack, OtherWaysToStopTheMachine) {
    for (const char* command :
         {"systemctl reboot", "systemctl --no-wall poweroff", "systemctl -i halt", "init 6",
          "init 0", "telinit 1", "/sbin/init S", "systemctl isolate reboot.target",
          "systemctl start poweroff.target", "kexec -e", "timeout 5 systemctl kexec",
          "bash -c 'systemctl reboot'", "systemctl rescue", "x; systemctl suspend"}) {
        const Verdict verdict = verdict_of(command, only_packs({"system"}));
        EXPECT_EQ(verdict.decision, Decision::Deny) << command;
        EXPECT_EQ(verdict.rule, "system/power") << command;
    }
    for (const char* command :
         {"systemctl status reboot.target", "systemctl restart nginx", "systemctl --user start x",
          "systemctl --help", "init", "npm init 6", "git init 6", "ssh host systemctl reboot",
          "systemctl list-units halt", "man systemctl reboot", "systemctl cat reboot.target",
          "loginctl list-sessions", "kexec --help", "terraform init 0", "init --version"})
        EXPECT_EQ(verdict_of(command, only_packs({"system"})).decision, Decision::Allow) << command;
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

// In the contract of the list's author: arguments make no difference.
TEST(SystemPack, MayApplyToTheLetter) {
    Context literal = test_context;
    literal.denylist = Denylist::Literal;
    struct {
        const char* command;
        const char* token;
    } const cases[] = {
        {"mount", "mount"},
        {"mount | grep ext4", "mount"},
        {"mount -l", "mount"},
        {"mount -t ext4", "mount"},
        {"mount --help", "mount"},
        {"umount -h", "umount"},
        {"su --version", "su"},
        {"su --help", "su"},
        {"sudo -V", "sudo"},
        {"sudo --version", "sudo"},
        {"sudo -l", "sudo"},
        {"shutdown --help", "shutdown"},
        {"shutdown -c", "shutdown"},
        {"reboot --help", "reboot"},
        {"halt --version", "halt"},
        {"poweroff --help", "poweroff"},
        {"chroot --version", "chroot"},
        {"mkfs -V", "mkfs"},
        {"mkfs.ext4 --version", "mkfs.ext4"},
        {"mkfs.ext4 test.img", "mkfs.ext4"},
        {"mkfs.ext4 \"$disk\"", "mkfs.ext4"},
        {"x && mkfs.vfat ./disk.img", "mkfs.vfat"},
        {"env A=1 mount -l", "mount"},
        {"xargs mount -l", "mount"},
        {"! mount -l", "mount"},
        {"command sudo --version", "sudo"},
        {"timeout 5 mount --version", "mount"},
        {"\\mount -l", "mount"},
        {"\"mount\" -l", "mount"},
        {"f() { mount -l; }; f", "mount"},
        {"cat <(mount -l)", "mount"},
        {"/bin/mount", "/bin/mount"},
        {"/usr/bin/sudo ls", "/usr/bin/sudo"},
        {"x; \"/sbin\"/reboot", "/sbin/reboot"},
        {"./run; sudo ls", "sudo"},
        {"./run sudo | sudo ls", "sudo"},
    };
    for (const auto& one : cases) {
        const Verdict verdict = decide(parse::parse(one.command), only_packs({"system"}), literal);
        EXPECT_EQ(verdict.decision, Decision::Deny) << one.command;
        EXPECT_EQ(verdict.reason,
                  "command uses denylisted token \"" + std::string(one.token) + "\"")
            << one.command;
    }
    for (const char* command :
         {"man mount", "echo sudo --version", "make mount", "bash -c \"mount -l\"",
          "eval 'sudo --version'", "command -v sudo", "which mount su", "type sudo",
          "case $x in mount) ls ;; esac", "for su in a; do ls; done", "mount=1 ls",
          "cat <<E\nmount -l\nE", "$(echo mount) -l", "x=mount; $x -l", "docker run x mount -l",
          // Programs of the user's own that only share the name.
          "./mount x", "./sudo", "scripts/mkfs.ext4 x", "../su", "timeout 5 ./halt",
          "~/bin/mount x", "x && ./umount"})
        EXPECT_EQ(decide(parse::parse(command), only_packs({"system"}), literal).decision,
                  Decision::Allow)
            << command;
}

TEST(SystemPack, HelpIsNoExcuse) {
    for (const char* command :
         {"mount -a", "mkfs", "mkfs.ext4 \"$disk\"", "mount /dev/sdb1 /mnt", "shutdown -h",
          "reboot -h", "sudo rm --help", "su x --version", "umount -h /mnt"})
        EXPECT_EQ(verdict_of(command, only_packs({"system"})).decision, Decision::Deny) << command;
}

}  // namespace
}  // namespace husk::decide
