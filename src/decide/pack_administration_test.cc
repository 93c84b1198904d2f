#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(AdministrationPack, Table) {
    EXPECT_EQ(mistakes(only_packs({"administration"}),
                       {
                           {"deny", "administration/disk", "fdisk /dev/sda"},
                           {"deny", "administration/disk", "sudo parted /dev/nvme0n1 mkpart x"},
                           {"allow", "", "parted /dev/nvme0n1 print"},
                           {"allow", "", "sgdisk -p /dev/sda"},
                           {"deny", "administration/disk", "swapoff /dev/sda2"},
                           {"allow", "", "fdisk -l /dev/sda"},
                           {"allow", "", "fdisk --help"},
                           {"allow", "", "man fdisk"},
                           {"allow", "", "ssh host fdisk /dev/sda"},
                           {"deny", "administration/foreign-process", "kill -9 1"},
                           {"deny", "administration/foreign-process", "kill -9 -1"},
                           {"deny", "administration/foreign-process", "kill -s KILL -- -1"},
                           {"deny", "administration/foreign-process", "kill 1"},
                           {"deny", "administration/foreign-process", "killall5"},
                           {"deny", "administration/foreign-process", "killall -u root"},
                           {"deny", "administration/foreign-process", "pkill -9 -u www-data"},
                           {"deny", "administration/foreign-process", "pkill sshd"},
                           {"deny", "administration/foreign-process", "killall -9 systemd"},
                           {"deny", "administration/foreign-process", "pkill -9 ."},
                           {"deny", "administration/foreign-process", "pkill \"\""},
                           {"deny", "administration/foreign-process", "pkill -f '.*'"},
                           {"deny", "administration/foreign-process", "pkill -KILL '[a-z]'"},
                           {"deny", "administration/foreign-process", "pkill -x 'node|.+'"},
                           {"deny", "administration/foreign-process", "pkill -v node"},
                           {"deny", "administration/foreign-process", "pkill --inverse node"},
                           {"deny", "administration/foreign-process", "killall -r '^'"},
                           {"deny", "administration/foreign-process", "pkill -USR1 -u root x"},
                           {"allow", "", "pkill -USR1 nginx"},
                           {"allow", "", "pkill -QUIT -f 'java .*'"},
                           {"allow", "", "pkill -f '[n]ode server'"},
                           {"allow", "", "pkill \"$name\""},
                           {"allow", "", "killall -v node"},
                           {"allow", "", "killall ."},
                           {"allow", "", "kill 1234"},
                           {"allow", "", "kill -9 1234"},
                           {"allow", "", "kill -1 1234"},
                           {"allow", "", "kill %1"},
                           {"allow", "", "pkill -f 'node server.js'"},
                           {"allow", "", "killall node"},
                           {"allow", "", "echo kill -9 1"},
                           {"ask", "administration/open-to-all", "chmod 777 build"},
                           {"ask", "administration/open-to-all", "chmod -R a+rwx ."},
                           {"allow", "", "chmod 755 build"},
                           {"allow", "", "chmod 1777 shared"},
                           {"allow", "", "chmod +x run.sh"},
                       }),
              "");
}

}  // namespace
}  // namespace husk::decide
