// What /proc tells about processes and about this boot.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace husk::os {

// Different after every boot of the machine; empty if it cannot be read at this moment.
std::string boot_id();

struct ProcessInfo {
    pid_t pid = 0;
    std::string name;
    char state = '?';  // as in /proc/<pid>/stat, of its first thread
    uid_t uid = 0;
    int threads = 1;

    // The first thread may have ended before the others.
    bool lives() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

std::optional<ProcessInfo> process_info(pid_t pid);

// What a process uses at this moment.
struct ProcessUse {
    std::chrono::nanoseconds user{0};
    std::chrono::nanoseconds system{0};
    std::chrono::nanoseconds reaped_user{0};  // of children that it has waited for
    std::chrono::nanoseconds reaped_system{0};
    uint64_t memory = 0;  // bytes that are its own
    uint64_t peak = 0;    // the most that it has ever had in memory; 0: not known
};

std::optional<ProcessUse> process_use(pid_t pid);

// All living descendants of a process, nearest first; zombies are not alive.
std::vector<ProcessInfo> descendants(pid_t pid);

// The number that a process has in its own, innermost PID namespace; 0 if it is gone, or cannot be
// looked at.
pid_t number_inside(pid_t pid);

// The namespace's identity ("mnt", "net", "pid" ...) of this process; 0 if unknown.
uint64_t own_namespace(const char* kind);

// The umask of this process, which cannot be asked for without setting it elsewhere.
unsigned own_umask();

// Whether something listens on a TCP port in the network of that process.
bool port_is_open(pid_t pid, int port);

}  // namespace husk::os
