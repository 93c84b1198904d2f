// The record of one command: the first 512 bytes of rec/<n>; the call, as JSON, is behind
// them. docs/spool.md is its page.
//
// The caller writes the whole page once, before the command exists; from then on the keeper
// is its only writer (the nursery, when the keeper is dead), but for `told`, which belongs to
// readers. What a reader sees of a running command may be 10 ms old; an ending is exact.
#pragma once

#include <stdint.h>

namespace husk::record {

inline constexpr uint32_t magic = 0x4b535548;  // "HUSK"
inline constexpr uint16_t version = 2;
inline constexpr uint32_t size = 512;

// The order matters: whatever is at or beyond Ended has an ending that will not change.
enum class State : uint32_t {
    Prepared = 1,   // written by the caller, taken by nobody yet
    Running = 2,    // a keeper has it
    Ended = 3,      // main has ended, something of its tree lives on
    Gone = 4,       // nothing of it lives
    Lost = 5,       // the keeper was killed; how main ended is not known
    Abandoned = 6,  // the caller took it back before any keeper had it
};

// Why it ended. Only `Itself` leaves the wait status as the whole story.
enum class Reason : uint32_t {
    Itself = 0,
    NotStarted = 1,     // `step` and `error` say where and why
    Deadline = 2,       // the time of the call was over
    Idle = 3,           // no output for too long
    Limit = 4,          // more than allowed of what `resource` says: of output, if it says nothing
    Lifetime = 5,       // a background shell or a leftover outlived its limit
    Killed = 6,         // somebody asked for it by id
    Cancelled = 7,      // the caller took the call back
    CallerGone = 8,     // the caller of a foreground call died
    SessionEnded = 9,   // the session was ended
    KeeperKilled = 10,  // written by the nursery
    KeeperStopped = 11,
    TreeOfAnother = 12,  // another command of the session could not be killed but with all others
};

// Of what a command used more than it may.
enum class Resource : uint32_t {
    Output = 0,
    Cpu = 1,     // milliseconds
    Memory = 2,  // bytes, as are all that follow but processes
    Processes = 3,
    Disk = 4,      // written to storage
    FileSize = 5,  // of one file
    Lifetime = 6,  // milliseconds that nobody waited for it; only of what main left behind
};

// What the keeper was about to do when it could not start the command.
enum class Step : uint32_t {
    None = 0,
    ReadPlan = 1,
    MakePipe = 2,
    Fork = 3,
    NewSession = 4,
    WireDescriptors = 5,
    EnterDirectory = 6,
    SetLimits = 7,
    Execute = 8,
    OpenInput = 9,
};

enum Flag : uint32_t {
    InBackground = 1,    // nobody waits for it (any more)
    SplitStreams = 2,    // stderr has a log of its own
    LeftTree = 4,        // when main ended, something of its tree lived on
    Survivors = 8,       // the tree could not be killed in full
    IoKnown = 16,        // read_bytes and written_bytes were measured
    TermSent = 32,       // the first rung of the ladder was sent
    KillSent = 64,       // the last one
    InCgroup = 128,      // in one, by which it can be killed at one stroke
    EndsWithLine = 256,  // the log goes on behind stored_end: that is not output
    // It was in a cgroup of its own that keeps these limits.
    MemoryByCgroup = 512,
    ProcessesByCgroup = 1024,
    CgroupOfVersion2 = 2048,
    CpuByCgroup = 4096,
    BehindWalls = 8192,  // commands could look at its log, and may have it open for ever
    Enrolled = 16384,    // the nursery has it, and writes the ending if the keeper is killed
    // A limit ended what main had left behind: `resource`, `limit` and `peak` say which one.
    // Or the kernel ended one process of it, if `resource` is FileSize.
    LeftoversOverLimit = 32768,
    // Something that main had left behind exited as a shell whose child died of SIGXFSZ.
    LeftoverMetFileSize = 65536,
    ScratchFull = 131072,  // there was no room left in the private memory of the session
};

struct Stream {
    uint64_t bytes;       // written by the command so far
    uint64_t lines;       // newlines among them
    uint64_t head_end;    // [0, head_end) is kept
    uint64_t tail_start;  // [tail_start, stored_end) is kept; head_end when nothing was dropped
    uint64_t stored_end;  // beyond it nothing was stored (disk full)
    uint64_t last_write;  // realtime, nanoseconds; 0 = never
    uint32_t error;       // errno that ended the storing, or 0
    uint32_t last_byte;   // of the stream, so that the last line's missing newline is known
};

// What is dropped from a log at a time, given its cap. The head is two of these; the tail is
// the rest of the cap, or one of these less.
constexpr uint64_t drop_unit(uint64_t cap) {
    constexpr uint64_t block = 4096;
    const uint64_t unit = cap / 4 / block * block;
    return unit > 0 ? unit : block;
}

struct Usage {
    uint64_t user_us;
    uint64_t system_us;
    uint64_t peak_process_bytes;  // of the largest process
    uint64_t read_bytes;
    uint64_t written_bytes;
};

// Of the whole tree, as far as it was looked at; all 0 when it never was.
struct Peaks {
    uint64_t memory;  // bytes; shared pages count once
    uint64_t processes;
};

struct Record {
    uint32_t magic;
    uint16_t version;
    uint16_t header_size;  // where the call's JSON starts
    State state;           // written last, after everything it vouches for
    uint32_t flags;

    // From the caller.
    uint64_t cap;          // bytes of output kept, for each stream
    uint64_t created;      // realtime, nanoseconds
    uint64_t deadline_ms;  // 0 = none
    uint64_t number;       // in its session
    uint64_t call_bytes;   // length of that JSON
    uint32_t uid;
    uint32_t creator;  // pid of the caller
    char boot_id[40];
    char shell_id[40];

    // From the keeper, when it takes the plan.
    uint32_t keeper;  // pids as the session sees them
    uint32_t main;
    uint64_t started;       // realtime, nanoseconds
    uint64_t started_mono;  // CLOCK_MONOTONIC, nanoseconds; good within one boot

    Stream out;  // also both, when the streams are merged
    Stream err;

    // The ending; believed only when state >= Ended.
    Reason reason;
    int32_t wait_status;
    Step step;
    uint32_t error;
    uint64_t ended;        // realtime, nanoseconds
    uint64_t duration_ns;  // from the start of main to its end
    uint64_t limit;        // of the reason that has one: its value,
    uint64_t peak;         // and what was reached when that was found; of time, milliseconds
    Usage usage;
    uint32_t killed;    // processes that were sent SIGKILL when leftovers were cleared
    Resource resource;  // that the limit is of
    uint64_t gone;      // realtime, nanoseconds

    // From readers: how far they have been told.
    uint64_t told_out;
    uint64_t told_err;

    // From the keeper again, with the ending.
    Peaks peaks;
    char padding[96];
};

static_assert(sizeof(Record) == size);

}  // namespace husk::record
