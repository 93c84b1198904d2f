#include "confine/accounts.h"

#include <linux/capability.h>
#include <sys/mount.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "os/capability_set.h"

namespace husk::confine {

namespace fs = std::filesystem;
using wire::WallOp;

namespace {

// The last one is for keepers: they kill processes of all users of their session.
constexpr int rights[] = {CAP_SETUID, CAP_SETGID, CAP_KILL};

// Everybody in /etc/passwd, without a password and without a date on which the account ends.
std::string without_passwords() {
    std::string text;
    std::ifstream accounts("/etc/passwd");
    for (std::string line; std::getline(accounts, line);) {
        const std::string name = line.substr(0, line.find(':'));
        if (!name.empty() && name.front() != '#') text += name + ":*:19000:0:99999:7:::\n";
    }
    return text;
}

}  // namespace

bool can_become_others(const Wanted& wanted) {
    const Machine& machine = wanted.machine;
    return wanted.root && wanted.mode == Mode::Workspace && machine.mount_namespace &&
           machine.pid_namespace && !machine.user_namespace &&
           std::ranges::all_of(rights, os::has_capability) && os::has_capability(CAP_SYS_PTRACE);
}

uint64_t rights_to_become_others() {
    uint64_t mask = 0;
    for (const int one : rights) mask |= 1ULL << one;
    return mask;
}

fs::path passwords_file(const Wanted& wanted) {
    const fs::path file = "/etc/shadow";
    std::error_code failed;
    const bool is_given = std::ranges::find(wanted.readable, file) != wanted.readable.end();
    const bool is_plain = fs::canonical(file, failed) == file && fs::is_regular_file(file, failed);
    return can_become_others(wanted) && !wanted.allowed && !is_given && is_plain ? file
                                                                                 : fs::path();
}

void make_passwords_file(const Wanted& wanted, const fs::path& store, uint64_t slot, Steps& steps) {
    if (passwords_file(wanted).empty()) return;
    const fs::path file = store / "shadow";
    steps.add({WallOp::MakeFile, "make " + file.string(), 0600, 0, 0, {file}});
    steps.add({WallOp::WriteFile,
               "list the users without passwords",
               0,
               0,
               0,
               {file, without_passwords()}});
    steps.add({WallOp::CloneTree,
               "copy " + file.string(),
               slot,
               0,
               MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY,
               {file}});
}

}  // namespace husk::confine
