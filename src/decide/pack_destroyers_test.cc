#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(DestroyersPack, ForkBombs) {
    EXPECT_EQ(mistakes(only_packs({"destroyers"}),
                       {
                           {"deny", "destroyers/fork-bomb", ":(){ :|:& };:"},
                           {"deny", "destroyers/fork-bomb", ":(){ :|: & }; :"},
                           {"deny", "destroyers/fork-bomb", "bomb() { bomb | bomb & }; bomb"},
                           {"deny", "destroyers/fork-bomb", "function bomb { bomb | bomb; }; bomb"},
                           {"deny", "destroyers/fork-bomb", "f() { f & }; f"},
                           {"deny", "destroyers/fork-bomb", "f() { f & f; }"},
                           {"deny", "destroyers/fork-bomb", "f() { f x | f x; }"},
                           {"deny", "destroyers/fork-bomb", "f() { f | cat; }"},
                           {"deny", "destroyers/fork-bomb", "f() { if true; then f | f; fi; }"},
                           {"deny", "destroyers/fork-bomb", "bash -c ':(){ :|:& };:'"},
                           {"allow", "", "f() { g | h & }; f"},
                           {"allow", "", "f() { f \"$1/x\"; }; f ."},
                           {"allow", "", "f() { f x && g; }"},
                           {"allow", "", "f() { ls | while read d; do f \"$d\"; done; }"},
                           {"allow", "", "f() { ls; }; f | f"},
                           {"allow", "", "f() { ls; }; f & f &"},
                           {"allow", "", "echo ':(){ :|:& };:'"},
                           {"allow", "", ": | :"},
                           {"allow", "", "bash -c 'f() { f x; }; f y' &"},
                           {"allow", "", "f() { f x &> log; }"},
                       }),
              "");
}

TEST(DestroyersPack, RemovalOfTheRoot) {
    EXPECT_EQ(mistakes(only_packs({"destroyers"}),
                       {
                           {"deny", "destroyers/root-removal", "rm -rf /"},
                           {"deny", "destroyers/root-removal", "rm -rf / && x"},
                           {"deny", "destroyers/root-removal", "rm -rf /*"},
                           {"deny", "destroyers/root-removal", "rm --recursive --force /"},
                           {"deny", "destroyers/root-removal", "rm -rf --no-preserve-root /"},
                           {"deny", "destroyers/root-removal", "rm -fr //"},
                           {"deny", "destroyers/root-removal", "rm -rf /tmp/.."},
                           {"deny", "destroyers/root-removal", "rm -rf ../../.."},
                           {"deny", "destroyers/root-removal", "cd / && rm -rf *"},
                           {"deny", "destroyers/root-removal", "cd /; rm -rf ."},
                           {"deny", "destroyers/root-removal", "sudo rm -rf /"},
                           {"deny", "destroyers/root-removal", "ssh host 'rm -rf /'"},
                           {"allow", "", "rm -r /"},
                           {"allow", "", "rm -rf ~"},
                           {"allow", "", "rm -rf *"},
                           {"allow", "", "rm -rf /tmp"},
                           {"allow", "", "rm -rf $x"},
                           {"allow", "", "echo rm -rf /"},
                       }),
              "");
}

TEST(DestroyersPack, WritesOntoDisks) {
    for (const char* device :
         {"/dev/sda", "/dev/sdb1", "/dev/hda", "/dev/vda2", "/dev/xvda", "/dev/nvme0n1",
          "/dev/nvme0n1p2", "/dev/mmcblk0", "/dev/loop0", "/dev/dm-0", "/dev/md0", "/dev/md/x",
          "/dev/disk/by-id/x", "/dev/mapper/root", "/dev/sd$x", "//dev/./sda", "/dev/sd?"}) {
        const std::string name = device;
        for (const std::string& command :
             {"dd if=/dev/zero of=" + name, "cat x > " + name, "cat x >> " + name, "> " + name,
              "echo x >| " + name, "cat x | tee " + name, "cp x " + name, "shred " + name,
              "wipefs -a " + name}) {
            const Verdict verdict = verdict_of(command, only_packs({"destroyers"}));
            EXPECT_EQ(verdict.decision, Decision::Deny) << command;
            EXPECT_EQ(verdict.reason, "Command matches a known-dangerous pattern") << command;
        }
    }
    for (const char* command :
         {"dd if=/dev/sda of=disk.img", "dd if=/dev/zero of=x", "cat < /dev/sda",
          "echo > /dev/null", "echo > /dev/stderr", "echo > /dev/tty", "echo > /dev/shm/x",
          "echo > /dev/sdx.txt/../null", "lsblk /dev/sda", "cat x > dev/sda",
          "cat x > /dev/loop-control", "wipefs /dev/sda", "ls /dev/sda > list", "dd of=\"$x\""})
        EXPECT_EQ(verdict_of(command, only_packs({"destroyers"})).decision, Decision::Allow)
            << command;
}

TEST(DestroyersPack, OtherWaysToBreakAMachine) {
    EXPECT_EQ(mistakes(only_packs({"destroyers"}),
                       {
                           {"deny", "destroyers/new-file-system", "mkfs /dev/sda"},
                           {"deny", "destroyers/new-file-system", "mkfs.ext4 -F x"},
                           {"deny", "destroyers/new-file-system", "mke2fs x"},
                           {"deny", "destroyers/new-file-system", "/sbin/mkswap x"},
                           {"deny", "destroyers/kernel-module", "insmod x.ko"},
                           {"deny", "destroyers/kernel-module", "sudo rmmod x"},
                           {"deny", "destroyers/kernel-module", "modprobe x"},
                           {"deny", "destroyers/open-root", "chmod 777 /"},
                           {"deny", "destroyers/open-root", "chmod -R 777 /"},
                           {"deny", "destroyers/open-root", "chmod -R 0777 /*"},
                           {"deny", "destroyers/open-root", "chmod a+rwx /"},
                           {"allow", "", "echo mkfs"},
                           {"allow", "", "man mkfs.ext4"},
                           {"allow", "", "lsmod"},
                           {"allow", "", "chmod 777 /tmp/x"},
                           {"allow", "", "chmod 755 /"},
                           {"allow", "", "chmod -R 777 build"},
                       }),
              "");
}

}  // namespace
}  // namespace husk::decide
