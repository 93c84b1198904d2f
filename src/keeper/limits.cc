#include "limits.h"

#include "held.h"
#include "proc.h"
#include "sys.h"

namespace {

using husk::record::Resource;
using husk::wire::TreeLimits;

constexpr uint64_t tick_us = 10'000;  // /proc counts in hundredths of a second
constexpr uint64_t some_memory = 1 << 20;

void raise(uint64_t& peak, uint64_t value) {
    if (value > peak) peak = value;
}

// This process's part of the tree's memory: a page of many processes is split between them.
uint64_t share_of_memory(int pid, uint64_t page_size) {
    constexpr uint64_t kilobyte = 1024;
    char text[4096];
    uint64_t anonymous = 0, shared = 0;
    if (proc::read_text(pid, "/smaps_rollup", text, sizeof text) &&
        usage::number_after(text, "Pss_Anon", anonymous) &&
        usage::number_after(text, "Pss_Shmem", shared))
        return (anonymous + shared) * kilobyte;
    // It belongs to somebody else, or the kernel is old: what can be had without permission.
    if (proc::read_text(pid, "/status", text, sizeof text) &&
        usage::number_after(text, "RssAnon", anonymous) &&
        usage::number_after(text, "RssShmem", shared))
        return (anonymous + shared) * kilobyte;
    return proc::own_pages(pid) * page_size;
}

uint64_t written_by(int pid) {
    const int fd = proc::open(pid, "/io");
    if (fd < 0) return 0;
    uint64_t read = 0, written = 0;
    const bool known = usage::read_io(fd, read, written);
    sys::close(fd);
    return known ? written : 0;
}

// Parents come before their children, so that the time of a child that is reaped meanwhile may
// be missed and is never counted twice.
limits::Tree measure(const TreeLimits& most) {
    limits::Tree tree{};
    proc::forget_kin();
    proc::add_children(static_cast<int>(sys::getpid()), 1);
    for (unsigned next = 0; next < proc::kin_count(); ++next) {
        // A bomb: all that matters is known, and time is short.
        if (most.processes != 0 && proc::kin_count() > most.processes) break;
        const int pid = proc::kin(next).pid;
        proc::Stat stat{};
        if (!proc::read_stat(pid, stat)) continue;
        tree.use.cpu_us += stat.all_ticks * tick_us;
        if (stat.state == 'Z' && stat.threads > 1) {
            const int thread = proc::living_thread(pid);
            proc::look_through(next, thread);
            proc::Stat of_thread{};
            if (proc::read_stat(thread, of_thread)) {
                stat.resident = of_thread.resident;
                stat.mapped = of_thread.mapped;
            }
        }
        tree.resident += stat.resident * most.page_size;
        if (most.memory != 0 && stat.mapped > held::large_process)
            tree.page_tables += held::page_tables_of(proc::kin(next).thread);
        if (most.disk != 0) tree.use.written += written_by(pid);
        proc::add_children(pid, stat.threads);
    }
    tree.use.processes = proc::kin_count();
    return tree;
}

void measure_memory(limits::Tree& tree, uint64_t page_size) {
    tree.use.memory = tree.held();
    for (unsigned i = 0; i < proc::kin_count(); ++i) {
        const uint64_t own = proc::own_pages(proc::kin(i).thread) * page_size;
        tree.use.memory += own;
        raise(tree.largest_process, own);
    }
}

// Of those that were measured. A file that is held and mapped is in both sums.
uint64_t memory_counted_once(const limits::Tree& tree, uint64_t page_size) {
    uint64_t sum = tree.held(), twice = 0;
    for (unsigned i = 0; i < proc::kin_count(); ++i) {
        sum += share_of_memory(proc::kin(i).thread, page_size);
        if (tree.objects != 0) twice += held::mapped_by(proc::kin(i).thread);
    }
    return sum - (twice < tree.objects ? twice : tree.objects);
}

constexpr int clock_of_own_time = 2;  // CLOCK_PROCESS_CPUTIME_ID

uint64_t own_time() { return keeper_clock::read(clock_of_own_time); }

// `next` is what the limit is from here on.
limits::Breach pass(Resource resource, uint64_t& limit, uint64_t reached, uint64_t next) {
    const limits::Breach breach{resource, limit, reached};
    limit = next;
    return breach;
}

}  // namespace

namespace limits {

void Watch::begin(const TreeLimits& most, uint64_t now) {
    *this = {};
    most_ = most;
    began_ = keeper_clock::realtime() / 1'000'000'000;
    looked_ = now;
    next_ = keeper_clock::after(now, first_look_ms);
}

Breach Watch::look(uint64_t now, const usage::Meter& reaped) {
    const uint64_t begun = own_time();
    proc::see_again();
    Tree tree = measure(most_);
    tree.use.cpu_us += reaped.cpu_us();
    if (most_.disk != 0) tree.use.written += reaped.written_bytes();
    const bool bomb = most_.processes != 0 && tree.use.processes > most_.processes;
    if (most_.memory != 0 && !bomb) tree.objects = objects_of(tree);
    tree.resident += tree.held();
    const bool over = most_.memory != 0 && tree.resident > most_.memory;
    const bool same_memory =
        !over && tree.resident == last_.resident && tree.use.processes == last_.use.processes;
    if (same_memory) {
        tree.use.memory = last_.use.memory;
        tree.largest_process = last_.largest_process;
    } else if (!bomb) {
        measure_memory(tree, most_.page_size);
        tree.use.memory = without_doubles(tree);
    }
    raise(peak_.memory, tree.use.memory);
    raise(peak_.processes, tree.use.processes);
    raise(mapped_files_, growth(tree.use.memory, tree.resident));

    if (!proc::is_blind()) blind_since_ = keeper_clock::never;
    if (proc::is_blind() && blind_since_ == keeper_clock::never) blind_since_ = now;

    const uint64_t elapsed_ms = (now - looked_) / keeper_clock::millisecond + 1;
    uint64_t wait = next_look_ms(last_.use, tree.use, most_, elapsed_ms);
    const Breach breach = judge(tree);
    filling_up_ =
        is_crowd(tree.use.processes, most_.processes) && tree.use.processes > last_.use.processes;
    // Looking takes an eighth of a processor at most, however large the tree is.
    const uint64_t cost_ms = (own_time() - begun) * 8 / keeper_clock::millisecond;
    if (wait < cost_ms) wait = cost_ms < busy_look_ms ? cost_ms : busy_look_ms;
    if (breach.limit != 0 || doubtful_) wait = close_look_ms;
    if (proc::is_blind()) wait = near_look_ms;
    last_ = tree;
    looked_ = now;
    next_ = keeper_clock::after(now, wait);
    return breach;
}

bool Watch::has_failed(uint64_t now) const {
    return blind_since_ != keeper_clock::never &&
           now - blind_since_ >= blind_patience_ms * keeper_clock::millisecond;
}

// A tree that has not computed since the last look holds what it held. /proc counts in hundredths
// of a second, in which a process can take megabytes: so that has to be seen twice in a row.
uint64_t Watch::objects_of(const Tree& tree) {
    const bool is_still = tree.use.cpu_us == last_.use.cpu_us &&
                          tree.use.processes == last_.use.processes && peak_.processes != 0;
    const bool is_idle = is_still && was_still_;
    was_still_ = is_still;
    return is_idle ? last_.objects : held::measure(began_);
}

// Processes that forked share pages, and each of them shows all as its own. To tell them apart
// the kernel goes through every page: not without need.
uint64_t Watch::without_doubles(const Tree& tree) {
    const Use& use = tree.use;
    const bool over = most_.memory != 0 && tree.resident > most_.memory;
    const bool one_is_too_large = most_.memory != 0 && tree.largest_process > most_.memory;
    if (one_is_too_large) return use.memory;
    if (use.memory < counted_) counted_ = use.memory;
    const bool may_be_new_peak = use.processes > 1 && use.memory > peak_.memory;
    const bool grown = use.memory > counted_ + counted_ / 64 + some_memory;
    if (over || (may_be_new_peak && grown)) {
        counted_ = use.memory;
        return memory_counted_once(tree, most_.page_size);
    }
    // Hardly more than when it was counted, and as much of it is shared.
    return may_be_new_peak && counted_ != 0 ? peak_.memory : use.memory;
}

Breach Watch::judge(const Tree& tree) {
    const Use& now = tree.use;
    if (most_.processes != 0 && now.processes > most_.processes)
        return pass(Resource::Processes, most_.processes, now.processes, now.processes);
    // A process between vfork and exec shows its parent's memory as its own: seen once is not
    // enough, unless one process has it all, or none has.
    const bool over = most_.memory != 0 && now.memory > most_.memory;
    const bool certain =
        over && (doubtful_ || tree.largest_process > most_.memory || tree.held() > most_.memory);
    doubtful_ = over && !certain;
    if (certain) return pass(Resource::Memory, most_.memory, now.memory, now.memory);
    return judge_totals(now);
}

Breach Watch::judge_the_largest(const usage::Meter& reaped) {
    const uint64_t files = mapped_files_ > usual_mapped_files ? mapped_files_ : usual_mapped_files;
    const uint64_t peak = reaped.peak_process_bytes();
    if (most_.memory == 0 || growth(files, peak) <= most_.memory) return {};
    return pass(Resource::Memory, most_.memory, peak, 0);
}

Breach Watch::judge_the_dead(const usage::Meter& reaped) {
    return judge_totals({reaped.cpu_us(), 0, 0, reaped.written_bytes()});
}

// Of what only grows. Who has used exactly what it may has passed no limit.
Breach Watch::judge_totals(const Use& now) {
    if (most_.disk != 0 && now.written > most_.disk)
        return pass(Resource::Disk, most_.disk, now.written, 0);
    if (most_.cpu_us == 0 || now.cpu_us <= most_.cpu_us) return {};
    const Breach breach = pass(Resource::Cpu, most_.cpu_us, now.cpu_us, 0);
    return {breach.resource, breach.limit / usage::us_in_ms, usage::whole_ms(breach.reached)};
}

}  // namespace limits
