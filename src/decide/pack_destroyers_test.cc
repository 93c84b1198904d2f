#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(DestroyersPack, ForkBombs) {
    EXPECT_EQ(
        mistakes(only_packs({"destroyers"}),
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
                     {"deny", "destroyers/fork-bomb", "f(){ f|f& };f"},
                     {"deny", "destroyers/fork-bomb", "bomb() { bomb & bomb; }; bomb"},
                     {"deny", "destroyers/fork-bomb", "f() { (f; f) & }; f"},
                     {"deny", "destroyers/fork-bomb", "f() { nohup sh -c x; f >x & }; f"},
                     {"deny", "destroyers/fork-bomb", "while :; do $0 & done"},
                     {"deny", "destroyers/fork-bomb", "\"$0\" & \"$0\" &"},
                     {"deny", "destroyers/fork-bomb", "perl -e 'fork while fork'"},
                     {"deny", "destroyers/fork-bomb", "python3 -c 'import os\nwhile 1: os.fork()'"},
                     {"allow", "", "\"$0\" \"$@\" &"},
                     {"deny", "destroyers/fork-bomb", "perl -e 'while (1) { fork(); }'"},
                     {"deny", "destroyers/fork-bomb", "ruby -e 'loop { fork }'"},
                     {"allow", "", "perl -e 'print fork'"},
                     {"allow", "", "python3 -c 'import os; os.fork()'"},
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
                           {"deny", "destroyers/new-file-system", "mkfs.ext4 -F /dev/sdb1"},
                           {"deny", "destroyers/new-file-system", "mkfs -t ext4 /dev/vg0/home"},
                           {"deny", "destroyers/new-file-system", "mke2fs \"$disk\""},
                           {"deny", "destroyers/new-file-system", "mkfs.xfs /dev/$disk"},
                           {"deny", "destroyers/new-file-system", "/sbin/mkswap /dev/sda2"},
                           {"deny", "destroyers/new-file-system", "mkdosfs -F 32 /dev/sdb1"},
                           {"deny", "destroyers/new-file-system", "mkntfs /dev/sdb1"},
                           {"deny", "destroyers/new-file-system", "mkfs.btrfs -L x /dev/sdb"},
                           {"allow", "", "mkfs.ext4 test.img"},
                           {"allow", "", "mkfs.ext4 -F -L x \"$dir/test.img\""},
                           {"allow", "", "mkfs -t ext4 /tmp/test.img"},
                           {"allow", "", "mkswap swapfile"},
                           {"allow", "", "mkfs.ext4 /dev/shm/x"},
                           {"allow", "", "mkfs.ext4 -V"},
                           {"deny", "destroyers/device-wipe", "wipefs --al /dev/sda"},
                           {"deny", "destroyers/device-wipe", "sgdisk -Z /dev/sda"},
                           {"deny", "destroyers/device-wipe", "sgdisk --zap-all /dev/nvme0n1"},
                           {"deny", "destroyers/device-wipe", "parted -s /dev/sda mklabel gpt"},
                           {"deny", "destroyers/device-wipe", "cryptsetup luksFormat /dev/sda2"},
                           {"allow", "", "wipefs -n -a /dev/sda"},
                           {"allow", "", "sgdisk -p /dev/sda"},
                           {"allow", "", "sgdisk -Z disk.img"},
                           {"allow", "", "parted /dev/sda print"},
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
                           {"deny", "destroyers/open-root", "chmod -R a+rwX /"},
                           {"deny", "destroyers/open-root", "chmod -R 000 /"},
                           {"deny", "destroyers/open-root", "chmod 000 /"},
                           {"deny", "destroyers/open-root", "chmod -R 755 /"},
                           {"deny", "destroyers/open-root", "chown -R x /"},
                           {"deny", "destroyers/open-root", "chown --recursive x:y /*"},
                           {"deny", "destroyers/open-root", "for d in /; do chown -R x $d; done"},
                           {"allow", "", "chown -R x /srv/app"},
                           {"allow", "", "chown x /"},
                           {"allow", "", "chmod -R 000 build"},
                           {"allow", "", "modprobe -n x"},
                           {"allow", "", "modprobe --version"},
                           {"allow", "", "modprobe --show-depends x"},
                           {"allow", "", "chmod 755 /"},
                           {"allow", "", "chmod -R 777 build"},
                       }),
              "");
}

}  // namespace
}  // namespace husk::decide
