// What callers, nurseries and keepers say to each other. docs/keeper-protocol.md is its page.
#pragma once

#include <stdint.h>

namespace husk::wire {

inline constexpr uint32_t magic = 0x4b535557;  // "WUSK"
inline constexpr uint32_t version = 10;

// The socket that a nursery is born with; 0, 1 and 2 are /dev/null.
inline constexpr int birth_fd = 3;

enum BirthFlag : uint32_t {
    HasListener = 1,
    HasCgroup = 2,
    HasWalls = 4,
    HasDenials = 8,
};

// caller -> nursery, once, with the descriptors {lock, [listener], [cgroup to be below],
// [walls to build], [the log of what they stop, the time of the last settled call]}. Walls are
// described in walls_wire.h.
struct Birth {
    uint32_t magic;
    uint32_t version;
    uint32_t flags;
    uint32_t reserved;
    char cgroup[32];               // the name of the session's own
    uint64_t linger_ms;            // how long to stay with neither client nor command
    uint64_t leftovers_linger_ms;  // the same when there is something that commands left behind
    uint64_t mount_namespace;
    uint64_t network_namespace;
};

// nursery -> every client that connects, with the descriptors {queue, [the session's mason],
// [where a proxy listens]}. The last goes to the first client alone.
struct Hello {
    uint32_t magic;
    uint32_t version;
    int32_t error;       // errno; 0 = welcome, and the queue comes along
    uint32_t wall_step;  // that failed with this error, counted from 1; 0 = none
    uint64_t mount_namespace;
    uint64_t network_namespace;
};

enum class Leftovers : uint32_t { Adopt = 0, Kill = 1, Wait = 2 };

enum PlanFlag : uint32_t {
    Foreground = 1,            // the caller's death, or the end of the lifeline, ends the command
    BackgroundAtDeadline = 2,  // the deadline does not kill
    Split = 4,                 // stderr apart
    DirectoryByName = 8,       // behind the program's path, as the session sees it
    EndsWithLine = 16,         // the log ends with a line that tells the ending
    FeedsInput = 32,           // the keeper reads standard input and passes it on through a pipe
    NullInput = 64,            // standard input is the /dev/null that the session sees
};

struct Limit {
    uint32_t resource;  // RLIMIT_*
    uint32_t reserved;
    uint64_t soft;
    uint64_t hard;
};

// What the whole tree may use; 0 = as much as it likes. The keeper measures it.
struct TreeLimits {
    uint64_t cpu_us;
    uint64_t memory;  // bytes
    uint64_t processes;
    uint64_t disk;       // bytes written to storage
    uint64_t page_size;  // which the kernel counts memory in
};

// The kernel counts threads too where a limit of processes does not mean them, so it is given some
// room: eight for each process.
inline constexpr uint64_t most_tasks = 4'194'304;  // the highest number that a process can have
constexpr uint64_t tasks_for(uint64_t processes) {
    return processes < most_tasks / 8 ? processes * 8 : most_tasks;
}
static_assert(tasks_for(100) == 800 && tasks_for(~uint64_t{0}) == most_tasks);

// The kernel's limit of memory is a little above the limit of the call. When the kernel kills, the
// tree has therefore used more than the limit, and the cgroup's peak is the measured figure. The
// kernel rounds down to whole pages and charges a few pages at a time: there is room for both.
inline constexpr uint64_t memory_room = 256 * 1024;
constexpr uint64_t memory_for(uint64_t memory) {
    return memory < ~uint64_t{0} - memory_room ? memory + memory_room : ~uint64_t{0};
}
static_assert(memory_for(300) == 300 + memory_room && memory_for(~uint64_t{0}) == ~uint64_t{0});

// A cgroup that the caller made for this command, and that keeps some of these: what it is entered
// by, and where a breach shows. Each is a descriptor that comes with the plan, in this order.
enum CgroupFile : uint32_t {
    MemoryProcs,
    MemoryEvents,
    MemoryPeak,
    MemoryBell,
    TasksProcs,
    TasksEvents,
    CgroupKill,  // only of version 2
    CpuProcs,
};
inline constexpr uint32_t cgroup_files = CpuProcs + 1;

inline constexpr uint32_t max_limits = 16;
inline constexpr uint32_t max_plan = 256 * 1024;
inline constexpr uint32_t max_strings = 8192;

// caller -> whichever keeper takes it, one message on the queue, with the descriptors
// {cwd, stdin, record, lifeline, log, [log of stderr], [pidfd of the caller], [files of a cgroup]}.
// Behind it: the program's path, [the working directory], argc arguments, envc variables, [the
// log's last line after an exit, after each signal from 1 to last_signal, and after each limit, in
// the order of LimitLine], each ended by a NUL.
struct Plan {
    uint32_t magic;
    uint32_t version;
    uint32_t flags;
    Leftovers leftovers;
    uint32_t argc;
    uint32_t envc;
    uint32_t umask;
    uint32_t limit_count;
    uint64_t cap;
    uint64_t deadline_ms;     // 0 = none
    uint64_t idle_ms;         // 0 = none
    uint64_t lifetime_ms;     // 0 = none; for what nobody waits for
    uint64_t output_limit;    // 0 = none
    uint32_t stop_signal;     // first rung of the ladder
    uint32_t patience_ms;     // until the last one
    uint32_t cgroup;          // a bit for each CgroupFile that comes along
    uint32_t cgroup_version;  // 0 = there is none
    TreeLimits tree;
    Limit limits[max_limits];  // of each process, by the kernel
};

inline constexpr uint32_t last_signal = 64;
inline constexpr char number_here = 1;  // in a line: the exit code, or the value of the limit

// The lines after a limit. Those before IdleLine are in the order of record::Resource.
enum LimitLine : uint32_t { LifetimeLine = 6, IdleLine = 7, DeadlineLine = 8, LimitLineCount = 9 };

inline constexpr uint32_t plan_descriptors = 5;  // always
inline constexpr uint32_t max_plan_descriptors = 7 + cgroup_files;

// On the lifeline. keeper -> caller:
inline constexpr char said_started = 'S';     // only of a background command: it runs
inline constexpr char said_background = 'B';  // the deadline passed, the command goes on
inline constexpr char said_ended = 'E';       // main has ended, its tree has not
inline constexpr char said_gone = 'G';        // all is over
// caller -> keeper:
inline constexpr char said_detach = 'D';  // I do not wait any more

// Stopping, by anybody who may signal the keeper: SIGTERM with this value (sigqueue).
// A plain SIGTERM means {Killed, SIGTERM, 2 s}. The number is that of the command in its
// session, because a keeper may have gone on to the next one; 0 means whichever it has.
constexpr uint64_t stop_value(uint64_t number, uint32_t reason, uint32_t signal,
                              uint32_t patience_ms) {
    return ((number & 0xffffff) << 40) | (uint64_t{reason & 0xff} << 32) |
           (uint64_t{signal & 0x7f} << 24) | (patience_ms & 0xffffff);
}
constexpr bool stop_is_for(uint64_t value, uint64_t number) {
    return value >> 40 == 0 || value >> 40 == (number & 0xffffff);
}
constexpr uint32_t stop_reason(uint64_t value) { return static_cast<uint32_t>(value >> 32) & 0xff; }
constexpr uint32_t stop_signal(uint64_t value) { return static_cast<uint32_t>(value >> 24) & 0x7f; }
constexpr uint32_t stop_patience(uint64_t value) { return static_cast<uint32_t>(value) & 0xffffff; }

}  // namespace husk::wire
