#include "caller.h"

#include <asm/errno.h>
#include <linux/capability.h>
#include <linux/fcntl.h>

#include "proc.h"
#include "usage.h"

namespace caller {
namespace {

char status_text[4096];

uint64_t hex_number(const char* at) {
    uint64_t value = 0;
    for (;; ++at) {
        if (*at >= '0' && *at <= '9')
            value = value << 4 | static_cast<uint64_t>(*at - '0');
        else if (*at >= 'a' && *at <= 'f')
            value = value << 4 | static_cast<uint64_t>(*at - 'a' + 10);
        else
            return value;
    }
}

// The next number of a line, after blanks. False at its end.
bool take_number(const char*& at, uint32_t& value) {
    while (*at == ' ' || *at == '\t') ++at;
    if (*at < '0' || *at > '9') return false;
    value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint32_t>(*at - '0');
    return true;
}

// "Uid:	real	effective	saved	of files".
bool second_number(const char* line, uint32_t& value) {
    return line != nullptr && take_number(line, value) && take_number(line, value);
}

uint64_t permitted() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (sys::capget(&header, data) < 0) return 0;
    return uint64_t{data[1].permitted} << 32 | data[0].permitted;
}

long set_effective(uint64_t effective, uint64_t permitted) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    for (unsigned half = 0; half < 2; ++half)
        data[half] = {static_cast<uint32_t>(effective >> (32 * half)),
                      static_cast<uint32_t>(permitted >> (32 * half)), 0};
    return sys::capset(&header, data);
}

}  // namespace

long take_descriptor(int thread, int fd) {
    constexpr unsigned of_thread = O_EXCL;  // PIDFD_THREAD. Linux 6.9
    long opened = sys::pidfd_open(thread, of_thread);
    if (opened == -EINVAL) opened = sys::pidfd_open(thread, 0);
    if (opened < 0) return opened;
    const auto process = static_cast<int>(opened);
    const long taken = sys::pidfd_getfd(process, fd);
    sys::close(process);
    return taken;
}

void let_go(int fd) {
    constexpr uint64_t longest_us = 20'000;
    sys::setitimer(longest_us);
    sys::close(fd);
    sys::setitimer(0);
}

bool read_rights(int proc, int thread, Rights& rights) {
    if (!::proc::read_text_in(proc, thread, "/status", status_text, sizeof status_text))
        return false;
    const char* capabilities = usage::line_after(status_text, "CapEff");
    const char* groups = usage::line_after(status_text, "Groups");
    if (capabilities == nullptr || groups == nullptr ||
        !second_number(usage::line_after(status_text, "Uid"), rights.user) ||
        !second_number(usage::line_after(status_text, "Gid"), rights.group))
        return false;
    rights.capabilities = hex_number(capabilities);
    rights.group_count = 0;
    for (uint32_t group = 0; take_number(groups, group);) {
        if (rights.group_count == Rights::most_groups) return false;
        rights.groups[rights.group_count++] = group;
    }
    return true;
}

ActingAs::ActingAs(const Rights& rights) {
    own_user_ = static_cast<uint32_t>(sys::geteuid());
    own_group_ = static_cast<uint32_t>(sys::getegid());
    own_capabilities_ = permitted();
    is_other_ = rights.user != own_user_ || rights.group != own_group_;
    if (is_other_ && !take_identity(rights)) return;
    succeeded_ = set_effective(rights.capabilities & own_capabilities_, own_capabilities_) == 0;
}

// The user last: without being root there would be no right to the rest.
bool ActingAs::take_identity(const Rights& rights) {
    const long groups = sys::getgroups(Rights::most_groups, own_groups_);
    if (groups < 0) {
        is_other_ = false;
        return false;
    }
    own_group_count_ = static_cast<int>(groups);
    return sys::setgroups(rights.group_count, rights.groups) == 0 &&
           sys::setresgid(-1, rights.group, -1) == 0 && sys::setresuid(-1, rights.user, -1) == 0;
}

ActingAs::~ActingAs() {
    bool is_itself = !is_other_ || sys::setresuid(-1, own_user_, -1) == 0;
    is_itself = is_itself && set_effective(own_capabilities_, own_capabilities_) == 0;
    if (is_other_)
        is_itself = is_itself && sys::setresgid(-1, own_group_, -1) == 0 &&
                    sys::setgroups(own_group_count_, own_groups_) == 0;
    if (!is_itself) sys::exit_group(1);  // which ends the session
}

// Only root's sessions have more than one user.
Permissions::Permissions(int proc, int thread) {
    if (sys::geteuid() != 0) return;
    are_known_ = read_rights(proc, thread, rights_);
    are_of_another_ = rights_.user != 0;
}

bool Permissions::allow(int object, int wanted) const {
    constexpr int empty_path = 0x1000;
    constexpr int effective = 0x200;  // AT_EACCESS: of the effective user
    if (!are_known_) return false;
    if (!are_of_another_) {
        const long answer = sys::faccessat2(object, "", wanted, empty_path);
        return answer == 0 || answer == -EROFS;
    }
    const ActingAs acting(rights_);
    if (!acting.succeeded()) return false;
    const long answer = sys::faccessat2(object, "", wanted, empty_path | effective);
    return answer == 0 || answer == -EROFS;
}

}  // namespace caller
