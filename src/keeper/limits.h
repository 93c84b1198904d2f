// Watches what a whole tree uses, where the kernel only limits single processes: by looking at
// /proc from time to time, more often the nearer a limit may be.
#pragma once

#include <stdint.h>

#include "clock.h"
#include "record.h"
#include "usage.h"
#include "wire.h"

namespace limits {

struct Use {
    uint64_t cpu_us;
    uint64_t memory;
    uint64_t processes;
    uint64_t written;
};

// What one look sees.
struct Tree {
    Use use;
    uint64_t resident;         // memory with all that is shared, as often as it is
    uint64_t largest_process;  // its own memory
    uint64_t page_tables;      // of large processes
    uint64_t objects;          // memory that no process shows as its own

    uint64_t held() const { return page_tables + objects; }
};

// A command that ends before is never looked at. The peak of its processes is judged at its end.
inline constexpr uint64_t first_look_ms = 100;
// A process shows its peak with the files that it maps, which are no part of the limit. It maps
// this much without being suspected; more where a look has seen more.
inline constexpr uint64_t usual_mapped_files = 32 << 20;
inline constexpr uint64_t near_look_ms = 50;   // above half of a limit
inline constexpr uint64_t close_look_ms = 10;  // while memory is filled at full speed
inline constexpr uint64_t busy_look_ms = 1000;
inline constexpr uint64_t idle_look_ms = 6000;
// Of an idle tree that is close to its limit of CPU, and may use the processors again.
inline constexpr uint64_t burst_look_ms = 500;
// The machine may be short of memory or descriptors for a moment.
inline constexpr uint64_t blind_patience_ms = 1000;
inline constexpr uint64_t fast_growth = 200'000'000;  // bytes between two looks

constexpr uint64_t growth(uint64_t before, uint64_t now) { return now > before ? now - before : 0; }

// Hardly a hundredth of a processor, and nothing new.
constexpr bool is_idle(const Use& before, const Use& now, uint64_t elapsed_ms) {
    constexpr uint64_t some_memory = 1 << 20;
    return growth(before.cpu_us, now.cpu_us) <= elapsed_ms * 10 &&
           growth(before.memory, now.memory) < some_memory && before.processes == now.processes &&
           before.written == now.written;
}

// Half of the time until the limit, should it go on like this.
constexpr uint64_t half_way_ms(uint64_t before, uint64_t now, uint64_t limit, uint64_t elapsed_ms) {
    const uint64_t grown = growth(before, now);
    if (limit == 0 || grown == 0) return idle_look_ms;
    if (now >= limit) return 0;
    const uint64_t left = limit - now;
    // Not left * elapsed: bytes times milliseconds may be too much for 64 bits.
    const uint64_t looks = left / grown;
    return looks > idle_look_ms ? idle_look_ms : (looks + 1) * elapsed_ms / 2;
}

// The time until the limit of CPU if the tree, idle or not, begins to use one whole processor.
// RLIMIT_CPU ends a process two seconds above the limit, and the look has to come before.
constexpr uint64_t one_processor_ms(uint64_t used_us, uint64_t limit_us) {
    if (limit_us == 0) return idle_look_ms;
    const uint64_t left_ms = growth(used_us, limit_us) / usage::us_in_ms;
    return left_ms > burst_look_ms ? left_ms : burst_look_ms;
}

// Enough processes to suspect a bomb.
constexpr bool is_crowd(uint64_t now, uint64_t limit) { return limit != 0 && now > limit / 8; }

constexpr bool is_above_half(uint64_t now, uint64_t limit) { return limit != 0 && now > limit / 2; }

// How long to wait for the next look, when `elapsed_ms` lie between the last two.
constexpr uint64_t next_look_ms(const Use& before, const Use& now,
                                const husk::wire::TreeLimits& most, uint64_t elapsed_ms) {
    if (growth(before.memory, now.memory) > fast_growth) return close_look_ms;
    const bool idle = is_idle(before, now, elapsed_ms);
    const bool near =
        is_above_half(now.memory, most.memory) || is_above_half(now.processes, most.processes);
    if (near && !idle) return near_look_ms;
    uint64_t wait = elapsed_ms * 2;
    const uint64_t soon[] = {
        idle ? idle_look_ms : busy_look_ms,
        half_way_ms(before.cpu_us, now.cpu_us, most.cpu_us, elapsed_ms),
        one_processor_ms(now.cpu_us, most.cpu_us),
        half_way_ms(before.memory, now.memory, most.memory, elapsed_ms),
        half_way_ms(before.processes, now.processes, most.processes, elapsed_ms),
        half_way_ms(before.written, now.written, most.disk, elapsed_ms),
    };
    for (const uint64_t each : soon) wait = each < wait ? each : wait;
    return wait > near_look_ms ? wait : near_look_ms;
}

// A limit that was passed; `limit` is 0 when none was.
struct Breach {
    husk::record::Resource resource;
    uint64_t limit;
    uint64_t reached;
};

class Watch {
public:
    void begin(const husk::wire::TreeLimits& most, uint64_t now);
    void end() { next_ = keeper_clock::never; }
    uint64_t next() const { return next_; }

    // Looks at the tree. A limit that was passed is told once; then, where going on hurts the
    // machine, again when the tree has grown still larger.
    Breach look(uint64_t now, const usage::Meter& reaped);

    // Of a tree of which nothing lives: what it used in all, since the last look too. Costs no
    // look.
    Breach judge_the_dead(const usage::Meter& reaped);
    // Likewise, of the memory that its largest process had.
    Breach judge_the_largest(const usage::Meter& reaped);

    // Another look is needed to tell whether the tree is over its limit of memory.
    bool is_doubtful() const { return doubtful_; }
    // At the last look the tree had more processes than at the one before, and so many that it may
    // soon have too many.
    bool is_filling_up() const { return filling_up_; }

    // Whether nothing could be seen of the tree for too long, so that no limit holds.
    bool has_failed(uint64_t now) const;

    const Use& peak() const { return peak_; }  // of memory and processes

private:
    uint64_t objects_of(const Tree& tree);
    uint64_t without_doubles(const Tree& tree);
    Breach judge(const Tree& tree);
    Breach judge_totals(const Use& now);

    husk::wire::TreeLimits most_{};
    Tree last_{};
    Use peak_{};
    uint64_t began_ = 0;  // seconds since 1970
    uint64_t looked_ = 0;
    uint64_t blind_since_ = keeper_clock::never;
    uint64_t next_ = keeper_clock::never;
    uint64_t mapped_files_ = 0;  // the most that a look has seen
    uint64_t counted_ = 0;       // memory with its doubles, when they were last told apart
    bool doubtful_ = false;      // over the limit of memory, but not yet twice
    bool filling_up_ = false;
    bool was_still_ = false;  // at the last look the tree had not computed since the one before
};

namespace check {

constexpr husk::wire::TreeLimits most{3'600'000'000, 1'000'000'000, 500, 0, 4096};
constexpr Use quiet{0, 10'000'000, 2, 0};
constexpr uint64_t after(const Use& now, uint64_t elapsed_ms) {
    return next_look_ms(quiet, now, most, elapsed_ms);
}
// A tree that sleeps is looked at ever more seldom, a busy one each second.
static_assert(after(quiet, 50) == 100 && after(quiet, 4000) == idle_look_ms);
static_assert(after({900'000, 10'000'000, 2, 0}, 1000) == busy_look_ms);
// Two processes more in 50 ms are 12 seconds until 500; a hundred more are no time at all.
static_assert(after({0, 10'000'000, 4, 0}, 50) == 100);
static_assert(after({0, 10'000'000, 102, 0}, 1000) == busy_look_ms);
static_assert(after({0, 10'000'000, 202, 0}, 200) == 200);
static_assert(after({0, 10'000'000, 300, 0}, 1000) == near_look_ms);
static_assert(after({0, 600'000'000, 2, 0}, 1000) == close_look_ms);
static_assert(next_look_ms({}, {}, {}, 50) == 100);
// A tree that sleeps can use its second of CPU one second from now.
constexpr husk::wire::TreeLimits one_second{1'000'000, 0, 0, 0, 4096};
static_assert(next_look_ms({}, {}, one_second, 4000) == 1000);
static_assert(next_look_ms({990'000, 0, 0, 0}, {990'000, 0, 0, 0}, one_second, 4000) ==
              burst_look_ms);

}  // namespace check

}  // namespace limits
