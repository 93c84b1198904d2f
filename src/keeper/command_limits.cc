// What a command may use, and what follows when it has used more.
#include <linux/resource.h>
#include <linux/signal.h>

#include "command.h"
#include "proc.h"
#include "scratch.h"
#include "sys.h"

namespace keeper {

using husk::record::Reason;
using husk::record::Resource;
using husk::wire::Leftovers;
using keeper_clock::is_over;
using keeper_clock::millisecond;
using keeper_clock::never;

namespace {

// Of siginfo_t: how a child has ended.
constexpr int cld_exited = 1;
constexpr int cld_killed = 2;
constexpr int cld_dumped = 3;

}  // namespace

// Whether main ended with a limit of the plan's passed, and not one that it gave itself.
limits::Breach Command::kernel_breach(const sys::ChildInfo& main) {
    const limits::Breach breach = ceilings_.look();
    return breach.limit != 0 ? breach : breach_by_signal(main);
}

// Whether a process that is not reaped yet died of a signal that the kernel sends at a limit of the
// plan's.
limits::Breach Command::breach_by_signal(const sys::ChildInfo& dead) const {
    constexpr uint64_t ms_in_second = 1000;
    if (dead.code != cld_killed && dead.code != cld_dumped) return {};
    const auto has = [&dead](unsigned resource, uint64_t soft, uint64_t hard) {
        sys::ResourceLimit limit{};
        return sys::prlimit64(dead.pid, resource, nullptr, &limit) == 0 && limit.soft == soft &&
               limit.hard == hard;
    };
    const husk::wire::Limit& size = file_size_;
    if (dead.status == SIGXFSZ && size.soft != 0 && has(RLIMIT_FSIZE, size.soft, size.hard))
        return {Resource::FileSize, size.soft, size.soft + 1};  // the byte that was refused
    // The kernel raises the soft limit with each signal. A command can raise the limit and send the
    // signal itself. It cannot pretend to have used the time; what /proc tells of it is inexact.
    constexpr uint64_t ticks_in_second = 100;
    proc::Stat stat{};
    const husk::wire::Limit& cpu = cpu_;
    if (dead.status == SIGXCPU && cpu.soft != 0 && has(RLIMIT_CPU, cpu.soft + 1, cpu.hard) &&
        proc::read_stat(dead.pid, stat) && stat.own_ticks * 2 >= cpu.soft * ticks_in_second)
        return {Resource::Cpu, cpu_ms_, cpu.soft * ms_in_second + 1};  // by the kernel's own count
    return {};
}

// A process that main has left behind is dead. If the kernel ended it at a limit, the record says
// so. CPU is the limit of the tree, so the rest goes; a file is the affair of the process that
// wrote it, so the rest goes on.
void Command::on_dead_leftover(const sys::ChildInfo& dead, const limits::Breach& breach) {
    constexpr int as_a_shell_has_it = 128;
    if (ladder_ != ladder::State::Standing) return;
    if (breach.limit != 0 && breach.resource == Resource::Cpu) return exceed(breach);
    const bool is_said_by_a_shell =
        dead.code == cld_exited && dead.status == as_a_shell_has_it + SIGXFSZ;
    if (breach.limit != 0) {
        note_breach(breach);
        page_->set(husk::record::LeftoversOverLimit);
    } else if (is_said_by_a_shell && file_size_.soft != 0) {
        page_->set(husk::record::LeftoverMetFileSize);
    } else {
        return;
    }
    if (published_) save_ending();
}

limits::Breach Command::output_breach() {
    const uint64_t bytes = out_->bytes() + err_->bytes();
    if (output_limit_ == 0 || bytes <= output_limit_) return {};
    const limits::Breach breach{Resource::Output, output_limit_, bytes};
    output_limit_ = 0;
    return breach;
}

// The last look, before the answer: a command can pass a limit and end before anybody looks again.
void Command::judge_the_end() {
    if ((*page_)->reason != Reason::Itself) return;
    limits::Breach breach = output_breach();
    if (breach.limit == 0) breach = ceilings_.look();
    if (breach.limit == 0 && tree_empty_) breach = watch_.judge_the_dead(*meter_);
    // The kernel of a cgroup misses nothing, and knows which pages are of files.
    const bool by_cgroup = ((*page_)->flags & husk::record::MemoryByCgroup) != 0;
    if (breach.limit == 0 && tree_empty_ && !by_cgroup) breach = watch_.judge_the_largest(*meter_);
    if (breach.limit != 0) exceed(breach);
}

void Command::look_at_the_tree() {
    if (scratch::is_full()) page_->set(husk::record::ScratchFull);
    on_breach(ceilings_.look());
    on_breach(watch_.look(now_, *meter_));
    if (watch_.has_failed(now_)) lose();
}

void Command::on_breach(const limits::Breach& breach) {
    if (breach.limit == 0) return;
    if (ladder_ == ladder::State::Standing) return exceed(breach);
    // Asked to end, it takes ever more of what the machine has: that is the end of patience.
    climb(ladder::Event::StopHard);
}

// Main has ended, and nobody waits for the rest.
bool Command::is_left_behind() const { return main_ended_ && leftovers_ != Leftovers::Wait; }

void Command::note_breach(const limits::Breach& breach) {
    (*page_)->resource = breach.resource;
    (*page_)->limit = breach.limit;
    (*page_)->peak = breach.reached;
}

// The first limit that is passed; nothing has been asked to end yet.
void Command::exceed(const limits::Breach& breach) {
    note_breach(breach);
    // Before the answer, what main has left behind counts as the command, however main has ended.
    if (!published_) (*page_)->reason = Reason::Limit;
    if (tree_empty_) return;
    if (is_left_behind()) page_->set(husk::record::LeftoversOverLimit);
    if (published_) save_ending();  // for readers that come before all of it is gone
    stop(Reason::Limit, stop_signal_, plan_patience_ms_);
}

// The time that is told is the one at which this was found, without the patience that follows.
void Command::exceed_time(Reason reason, uint64_t limit_ms, uint64_t began) {
    if (ladder_ == ladder::State::Standing) {
        (*page_)->limit = limit_ms;
        (*page_)->peak = (now_ - began) / millisecond + 1;
        if (is_left_behind()) {
            (*page_)->resource = Resource::Lifetime;
            page_->set(husk::record::LeftoversOverLimit);
            if (published_) save_ending();
        }
    }
    stop(reason, stop_signal_, plan_patience_ms_);
}

void Command::on_deadline() {
    deadline_ = never;
    if (!background_at_deadline_)
        return exceed_time(Reason::Deadline, (*page_)->deadline_ms, (*page_)->started_mono);
    if (!foreground_) return;
    page_->set(husk::record::InBackground);
    page_->save_counts();
    tell(handles_->lifeline, husk::wire::said_background);
    detach();
}

void Command::on_limits() {
    if (is_over(deadline_, now_)) on_deadline();
    if (is_over(idle_at_, now_)) {
        const uint64_t began = idle_at_ - idle_ms_ * millisecond;
        idle_at_ = never;
        exceed_time(Reason::Idle, idle_ms_, began);
    }
    if (is_over(lifetime_at_, now_)) {
        const uint64_t began = lifetime_at_ - lifetime_ms_ * millisecond;
        lifetime_at_ = never;
        exceed_time(Reason::Lifetime, lifetime_ms_, began);
    }
    const limits::Breach output = output_breach();
    if (output.limit != 0 && ladder_ == ladder::State::Standing) exceed(output);
    if (is_over(watch_.next(), now_)) look_at_the_tree();
}

}  // namespace keeper
