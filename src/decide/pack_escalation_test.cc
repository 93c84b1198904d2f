#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

TEST(EscalationPack, Table) {
    EXPECT_EQ(
        mistakes(only_packs({"escalation"}),
                 {
                     {"deny", "escalation/other-user", "sudo ls"},
                     {"deny", "escalation/other-user", "sudo -u postgres psql"},
                     {"deny", "escalation/other-user", "echo x | sudo -S ls"},
                     {"deny", "escalation/other-user", "bash -c 'sudo ls'"},
                     {"deny", "escalation/other-user", "su"},
                     {"deny", "escalation/other-user", "su - root -c ls"},
                     {"deny", "escalation/other-user", "doas ls"},
                     {"deny", "escalation/other-user", "pkexec ls"},
                     {"deny", "escalation/other-user", "visudo"},
                     {"deny", "escalation/identity-bit", "chmod u+s x"},
                     {"deny", "escalation/identity-bit", "chmod +s x"},
                     {"deny", "escalation/identity-bit", "chmod a+x,g+s x"},
                     {"deny", "escalation/identity-bit", "chmod ug=rwxs x"},
                     {"deny", "escalation/identity-bit", "chmod 4755 x"},
                     {"deny", "escalation/identity-bit", "chmod 06755 x"},
                     {"deny", "escalation/identity-bit", "install -m 4755 x y"},
                     {"deny", "escalation/capability", "setcap cap_net_raw+ep x"},
                     {"deny", "escalation/account", "usermod -aG docker me"},
                     {"deny", "escalation/account", "gpasswd -a me sudo"},
                     {"deny", "escalation/account", "passwd"},
                     {"deny", "escalation/account", "useradd x"},
                     {"deny", "escalation/account", "/usr/sbin/useradd x"},
                     {"deny", "escalation/account", "cd /usr && bin/passwd"},
                     {"allow", "", "/etc/passwd"},
                     {"allow", "", "./scripts/adduser x"},
                     {"deny", "escalation/powerful-file", "echo x >> /etc/sudoers"},
                     {"deny", "escalation/powerful-file", "echo x > /etc/sudoers.d/me"},
                     {"deny", "escalation/powerful-file", "echo x | tee -a /etc/passwd"},
                     {"deny", "escalation/powerful-file", "cp x /etc/shadow"},
                     {"deny", "escalation/powerful-file", "sed -i s/a/b/ /etc/../etc/passwd"},
                     {"deny", "escalation/powerful-file", "cd /etc && echo x > passwd"},
                     {"deny", "escalation/powerful-file", "rm /etc/passwd"},
                     {"deny", "escalation/powerful-file", "cp x.service /etc/systemd/system/"},
                     {"ask", "escalation/container", "docker run -v /:/host alpine"},
                     {"ask", "escalation/container", "docker run --privileged alpine"},
                     {"ask", "escalation/container", "docker run --mount type=bind,src=/,dst=/h x"},
                     {"ask", "escalation/container",
                      "docker run --mount=type=bind,source=/,target=/h,readonly x"},
                     {"ask", "escalation/container", "docker run -itv /:/h x"},
                     {"ask", "escalation/container",
                      "docker run --mount 'type=bind,\"SRC=/\",dst=/h' x"},
                     {"ask", "escalation/container", "docker run -v=/:/h x"},
                     {"ask", "escalation/container", "podman run -v //:/h x"},
                     {"ask", "escalation/container", "docker run -v /data/..:/h x"},
                     {"ask", "escalation/container", "docker create --volume /:/h x"},
                     {"ask", "escalation/container", "docker run --pid host x"},
                     {"ask", "escalation/container", "docker run --cap-add=ALL x"},
                     {"ask", "escalation/container", "docker run --cap-add sys_admin x"},
                     {"deny", "escalation/other-user", "setpriv --reuid=0 true"},
                     {"deny", "escalation/other-user", "setpriv --regid root --init-groups true"},
                     {"deny", "escalation/other-user", "setpriv --ruid 0 --eu 0 true"},
                     {"deny", "escalation/other-user", "sg root -c x"},
                     {"deny", "escalation/other-user", "sg - wheel"},
                     {"deny", "escalation/other-user", "newgrp sudo"},
                     {"allow", "", "setpriv --no-new-privs true"},
                     {"allow", "", "setpriv --dump"},
                     {"allow", "", "setpriv --help"},
                     {"allow", "", "sg docker -c 'docker ps'"},
                     {"allow", "", "docker run --mount type=bind,src=/data,dst=/ alpine"},
                     {"allow", "", "docker run --mount type=volume,src=x,dst=/h alpine"},
                     {"allow", "", "docker run --cap-add NET_ADMIN --pid container:x alpine"},
                     {"allow", "", "docker run --rm -v ./data:/data -e V=/:/x alpine"},
                     {"ask", "escalation/namespace", "nsenter -t 1 -m sh"},
                     {"allow", "", "echo sudo"},
                     {"allow", "", "man sudo"},
                     {"allow", "", "grep -rn sudo ."},
                     {"allow", "", "ssh host sudo ls"},
                     {"allow", "", "chmod +x x"},
                     {"allow", "", "chmod 755 x"},
                     {"allow", "", "chmod 0755 x"},
                     {"allow", "", "chmod 1777 x"},
                     {"allow", "", "chmod u-s x"},
                     {"allow", "", "chmod u=rw,g-s scripts"},
                     {"allow", "", "getcap x"},
                     {"allow", "", "cat /etc/passwd"},
                     {"allow", "", "cp /etc/passwd x"},
                     {"allow", "", "echo x > /etc/passwords"},
                     {"allow", "", "docker run -v /data:/data alpine"},
                     {"allow", "", "docker run -v \"$PWD\":/app alpine"},
                     {"deny", "escalation/powerful-file", "chmod 700 /root/.ssh"},
                     {"deny", "escalation/other-user", "su x --version"},
                     {"allow", "", "su --version"},
                     {"allow", "", "sudo --help"},
                     {"allow", "", "passwd -S"},
                     {"allow", "", "passwd --status me"},
                     {"allow", "", "groups"},
                     {"allow", "", "id"},
                 }),
        "");
}

TEST(EscalationPack, RootMayChangeItsOwnHome) {
    const Context root = {.working_directory = "/root", .home = "/root"};
    const auto decision = [&](const char* command) {
        return decide(parse::parse(command), only_packs({"escalation"}), root).decision;
    };
    EXPECT_EQ(decision("chmod 700 ~/.ssh"), Decision::Allow);
    EXPECT_EQ(decision("chmod 600 /root/.ssh/config"), Decision::Allow);
    EXPECT_EQ(decision("echo x >> /etc/sudoers"), Decision::Deny);
}

TEST(EscalationPack, IsCriticalAndNearlySure) {
    const Verdict verdict = verdict_of("sudo ls", only_packs({"escalation"}));
    EXPECT_EQ(verdict.commands[0].severity, Severity::Critical);
    EXPECT_EQ(verdict.commands[0].confidence, 0.9);
    EXPECT_EQ(verdict.commands[0].evidence, "sudo ls");
    EXPECT_EQ(verdict.reason, "This runs something with the rights of another user (sudo ls).");
}

}  // namespace
}  // namespace husk::decide
