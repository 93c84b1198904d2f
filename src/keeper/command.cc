#include "command.h"

#include <asm/errno.h>
#include <asm/fcntl.h>
#include <linux/resource.h>
#include <linux/signalfd.h>
#include <linux/wait.h>
#include <stddef.h>

#include "last_line.h"
#include "message.h"
#include "pool.h"
#include "proc.h"
#include "scratch.h"
#include "sys.h"
#include "tree.h"

namespace keeper {
namespace {

using husk::record::Reason;
using husk::record::State;
using husk::wire::Leftovers;
using keeper_clock::after;
using keeper_clock::earlier;
using keeper_clock::is_over;
using keeper_clock::millisecond;
using keeper_clock::monotonic;
using keeper_clock::never;
using keeper_clock::realtime;

constexpr uint64_t settling_ms = 20;
constexpr uint64_t longest_settling_ms = 500;  // while something has not been let to run at all
constexpr uint64_t longest_filling_ms = 5000;  // while ever more processes come
constexpr uint64_t rest_after_ms = 1000;
constexpr uint64_t register_after_ms = limits::first_look_ms;  // one waking for both
constexpr uint64_t save_after_ms = 10;
constexpr uint64_t flood_save_ms = 50;
constexpr uint64_t give_up_after_ms = 5000;
constexpr uint64_t ask_init_after_ms = 200;
constexpr uint64_t ask_again_after_ms = 2000;
constexpr uint64_t round_ms = 2;
constexpr int most_reaped = 1024;

// While we reap, what still lives forks on, and has the numbers for it. But the kernel lists
// children in a time that grows with the square of their number, and dead ones are listed too. So
// as much time goes into the one as into the other.
constexpr int worth_reaping(unsigned children) {
    constexpr unsigned fewest = 128;
    constexpr unsigned balance = 2000;
    const unsigned square = children < 32768 ? children * children / balance : children;
    const unsigned most = square < children ? square : children;
    return static_cast<int>(most < fewest ? fewest : most);
}
constexpr int quick_rounds = 32;  // before each round but the first
constexpr uint64_t strike_after_ms = 10;
constexpr uint64_t late_round_ms = 1000;
constexpr uint32_t caller_gone_patience_ms = 300;
constexpr uint32_t default_patience_ms = 2000;
constexpr int msg_dontwait = 0x40;
constexpr int msg_nosignal = 0x4000;

husk::wire::Limit find_limit(const husk::wire::Plan& plan, uint32_t resource) {
    for (uint32_t i = 0; i < plan.limit_count; ++i)
        if (plan.limits[i].resource == resource) return plan.limits[i];
    return {};
}

}  // namespace

void tell(int lifeline, char word) {
    if (lifeline >= 0) sys::send(lifeline, &word, 1, msg_dontwait | msg_nosignal);
}

void Command::refuse(Page& page, const Handles& handles, husk::record::Step step, uint32_t error) {
    page->reason = Reason::NotStarted;
    page->step = step;
    page->error = error;
    page->ended = page->gone = realtime();
    page.save_ending();
    page.save_state(State::Gone);
    tell(handles.lifeline, husk::wire::said_gone);
}

void Command::keep(const husk::wire::Plan& plan, const char* plan_end, Page& page, Handles& handles,
                   input::Feed& in, output::Stream& out, output::Stream& err) {
    page_ = &page;
    handles_ = &handles;
    in_ = &in;
    out_ = &out;
    err_ = &err;
    leftovers_ = plan.leftovers;
    background_at_deadline_ = (plan.flags & husk::wire::BackgroundAtDeadline) != 0;
    stop_signal_ = plan.stop_signal;
    plan_patience_ms_ = plan.patience_ms;
    idle_ms_ = plan.idle_ms;
    output_limit_ = plan.output_limit;
    cpu_ms_ = plan.tree.cpu_us / usage::us_in_ms;
    cpu_ = find_limit(plan, RLIMIT_CPU);
    file_size_ = find_limit(plan, RLIMIT_FSIZE);

    now_ = monotonic();
    deadline_ = after(now_, plan.deadline_ms);
    idle_at_ = after(now_, plan.idle_ms);
    lifetime_ms_ = plan.lifetime_ms;
    rest_at_ = after(now_, rest_after_ms);
    register_at_ = after(now_, register_after_ms);
    watch_.begin(plan.tree, now_);
    foreground_ = (plan.flags & husk::wire::Foreground) != 0;
    if (registry_.at_once || !foreground_) enroll();
    if (!foreground_) {
        lifetime_at_ = after(now_, lifetime_ms_);
        tell(handles_->lifeline, husk::wire::said_started);
    }

    while (!(published_ && tree_empty_)) {
        wait_for_events();
        on_clock();
    }
    finish_output();
    end_log(plan, plan_end);
    publish(State::Gone);
}

// Readers are told where output ends before there is anything behind it.
void Command::end_log(const husk::wire::Plan& plan, const char* plan_end) {
    const last_line::Line line = last_line::of(plan, plan_end, **page_);
    if (line.size == 0) return;
    page_->set(husk::record::EndsWithLine);
    page_->save_counts();
    out_->end_with(line.text, line.size);
}

void Command::finish_output() {
    output::Stream* const streams[] = {out_, err_};
    for (output::Stream* stream : streams) {
        stream->drain();
        stream->flush();
    }
}

uint64_t Command::next_moment() const {
    uint64_t next = earlier(earlier(deadline_, idle_at_), earlier(lifetime_at_, settled_at_));
    next = earlier(next, earlier(earlier(patience_at_, round_at_), give_up_at_));
    next = earlier(next, reap_at_);
    next = earlier(earlier(next, save_at_), earlier(rest_at_, register_at_));
    return earlier(next, watch_.next());
}

void Command::wait_for_events() {
    constexpr unsigned own = 5;
    constexpr unsigned feed = own + ceilings::Watch::poll_count;
    constexpr unsigned all = feed + input::Feed::poll_count;
    pollfd fds[all] = {};
    fds[0] = {signals_, POLLIN, 0};
    fds[1] = {out_->pipe(), POLLIN, 0};  // ppoll passes over a descriptor of -1
    fds[2] = {err_->pipe(), POLLIN, 0};
    fds[3] = {handles_->lifeline, POLLIN, 0};
    fds[4] = {handles_->caller, POLLIN, 0};
    ceilings_.add(fds + own);
    in_->add(fds + feed);
    const uint64_t next = next_moment();
    const uint64_t left = next <= now_ ? 0 : next - now_;
    const sys::Time timeout{static_cast<int64_t>(left / 1'000'000'000),
                            static_cast<int64_t>(left % 1'000'000'000)};
    const long polled = sys::ppoll(fds, all, next == never ? nullptr : &timeout);
    if (polled < 0 && polled != -EINTR) lose();
    now_ = monotonic();

    bool came = false;
    // In this order: what stdout held when a round began is stored before what comes on stderr in
    // it, and a lasting bash (tool/lasting_bash.cc) counts on that.
    if (fds[1].revents != 0) came = out_->pump() || came;
    if (fds[2].revents != 0) came = err_->pump() || came;
    if (came) {
        rest_at_ = after(now_, rest_after_ms);
        if (idle_ms_ != 0) idle_at_ = after(now_, idle_ms_);
        if (save_at_ == never) save_at_ = after(now_, save_after_ms);
    }
    if (fds[0].revents != 0) on_signals();
    if (fds[3].revents != 0 || fds[4].revents != 0) on_caller();
    for (unsigned i = own; i < feed; ++i)
        if (fds[i].revents != 0) on_breach(ceilings_.look());
    in_->pump(fds + feed);
}

// A keeper that cannot wait, or cannot look at its tree, keeps no limit. So the tree goes, and the
// nursery, which sees that this keeper has ended with a command in hand, writes that it is lost.
void Command::lose() {
    tree::signal_all(SIGKILL, tree::spare_none);
    sys::exit_group(1);
}

void Command::on_signals() {
    signalfd_siginfo info{};
    bool child = false;
    while (sys::read(signals_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            child = true;
            continue;
        }
        if (info.ssi_code != SI_QUEUE) {
            stop(Reason::Killed, SIGTERM, default_patience_ms);
            continue;
        }
        const uint64_t value = info.ssi_ptr;
        // Meant for a command that this keeper had before.
        if (!husk::wire::stop_is_for(value, (*page_)->number)) continue;
        const uint32_t reason = husk::wire::stop_reason(value);
        const bool known = reason >= static_cast<uint32_t>(Reason::Killed) &&
                           reason <= static_cast<uint32_t>(Reason::SessionEnded);
        stop(known ? static_cast<Reason>(reason) : Reason::Killed, husk::wire::stop_signal(value),
             husk::wire::stop_patience(value));
    }
    if (child) reap();
}

// Some at a time: a tree that forks and exits all the time makes dead processes as fast as they can
// be reaped.
void Command::reap() { reap_at_most(most_reaped); }

void Command::reap_at_most(int most) {
    reap_at_ = never;
    for (int reaped = 0;; ++reaped) {
        if (reaped == most) {
            reap_at_ = now_;
            break;
        }
        // Looked at before it is reaped: until then a dead process keeps its limits.
        sys::ChildInfo dead{};
        const long found = sys::waitid_any(&dead, WEXITED | WNOHANG | WNOWAIT | __WALL);
        if (found == -ECHILD) tree_empty_ = true;
        if (found < 0 || dead.pid == 0) break;
        const bool is_main = static_cast<uint32_t>(dead.pid) == (*page_)->main && !main_ended_;
        limits::Breach breach{};
        if (is_main) breach = kernel_breach(dead);
        if (main_ended_) breach = breach_by_signal(dead);
        int status = 0;
        rusage used{};
        if (sys::wait4(dead.pid, &status, WNOHANG | __WALL, &used) <= 0) break;
        meter_->add(used);
        const uint64_t cpu_ms = usage::whole_ms(meter_->cpu_us());
        if (breach.resource == husk::record::Resource::Cpu && breach.reached < cpu_ms)
            breach.reached = cpu_ms;
        if (main_ended_) on_dead_leftover(dead, breach);
        if (is_main) on_dead_main(status, breach);
    }
    if (main_ended_ && !published_) on_main_end();
}

void Command::on_dead_main(int status, const limits::Breach& breach) {
    if (!published_) {
        note_end(status);
        // The kernel was faster than we: the rest of the tree goes.
        if (breach.limit != 0 && ladder_ == ladder::State::Standing) exceed(breach);
    }
    main_ended_ = true;
}

void Command::note_end(int status) {
    (*page_)->wait_status = status;
    (*page_)->duration_ns = monotonic() - (*page_)->started_mono;
    (*page_)->ended = realtime();
}

// Main has ended, or something of its tree has, after main.
void Command::on_main_end() {
    if (tree_empty_) return settle();
    if (ladder_ != ladder::State::Standing) return;  // being stopped: the tree goes first
    if (leftovers_ == Leftovers::Wait) return;
    if (settled_at_ != never) return;
    deadline_ = idle_at_ = never;  // they were the command's
    settled_at_ = after(now_, settling_ms);
    settle_until_ = after(now_, longest_settling_ms);
    filled_up_by_ = after(now_, longest_filling_ms);
}

// Main has ended, and what it left behind has had some time. It is looked at before the answer: a
// bomb ends its main process at once.
void Command::on_settled() {
    settled_at_ = never;
    look_at_the_tree();
    if (ladder_ != ladder::State::Standing) return;  // being stopped: the tree goes first
    if (!is_worth_waiting_for()) return settle();
    settled_at_ = after(now_, settling_ms);
}

// What main has left behind may still have something to say, or may be a bomb.
bool Command::is_worth_waiting_for() const {
    if (now_ < settle_until_ && (watch_.is_doubtful() || tree::any_has_hardly_begun())) return true;
    return now_ < filled_up_by_ && watch_.is_filling_up();
}

// All that main could have said is in the pipes now: read exactly that, and answer.
void Command::settle() {
    finish_output();
    judge_the_end();
    const bool standing = ladder_ == ladder::State::Standing;
    if (!tree_empty_ && leftovers_ == Leftovers::Kill && standing)
        return climb(ladder::Event::StopHard);
    if (!tree_empty_ && ladder_ != ladder::State::GaveUp && !standing) return;  // it goes first
    published_ = true;
    if (tree_empty_) return;  // keep() says that it is gone
    page_->set(husk::record::LeftTree);
    publish(State::Ended);
    detach();
    mind_leftovers();
}

// They do not keep the session as a command does, so the nursery has to know.
void Command::mind_leftovers() {
    pool::sit(registry_.seats->places[registry_.place], pool::Seat::Minding);
    const pool::Registration nothing{registry_.place};
    if (pool::is_awaited(*registry_.seats))
        message::send(registry_.socket, &nothing, sizeof nothing, nullptr, 0);
}

// Most commands are never looked at, and pay nothing.
void Command::save_peaks() {
    const husk::record::Peaks peaks{watch_.peak().memory, watch_.peak().processes};
    if (peaks.processes == 0) return;
    (*page_)->peaks = peaks;
    sys::pwrite(handles_->record, &peaks, sizeof peaks, offsetof(husk::record::Record, peaks));
}

void Command::save_ending() {
    if (meter_->read((*page_)->usage)) page_->set(husk::record::IoKnown);
    if (scratch::is_full()) page_->set(husk::record::ScratchFull);
    save_peaks();
    page_->save_ending();
}

void Command::publish(State state) {
    if (state == State::Gone) {
        (*page_)->gone = realtime();
        pool::note_over(registry_.seats->places[registry_.place], true);
    }
    save_ending();
    page_->save_state(state);
    tell(handles_->lifeline, state == State::Gone ? husk::wire::said_gone : husk::wire::said_ended);
}

void Command::on_caller() {
    char word = 0;
    const long got =
        handles_->lifeline < 0 ? 0 : sys::recv(handles_->lifeline, &word, 1, msg_dontwait);
    if (got == 1 && word == husk::wire::said_detach) return detach();
    if (got == 1) return;
    // End of file, or the pidfd says that the caller is dead.
    const bool waited_for = foreground_;
    detach();
    if (waited_for) stop(Reason::CallerGone, SIGTERM, caller_gone_patience_ms);
}

// Nobody waits any more; from here on the command is a background shell.
void Command::detach() {
    foreground_ = false;
    // From here on nobody waits for it, and that must not last for ever.
    if (lifetime_at_ == never) lifetime_at_ = after(now_, lifetime_ms_);
    page_->set(husk::record::InBackground);
    sys::close_once(handles_->lifeline);
    sys::close_once(handles_->caller);
}

void Command::stop(Reason reason, uint32_t signal, uint32_t patience_ms) {
    // Who asked first is the reason, unless the command was already over.
    if (ladder_ == ladder::State::Standing && !is_left_behind()) (*page_)->reason = reason;
    if (signal == SIGKILL) return climb(ladder::Event::StopHard);
    asked_signal_ = signal != 0 ? signal : SIGTERM;
    patience_at_ = earlier(patience_at_, now_ + patience_ms * millisecond);
    climb(ladder::Event::Stop);
}

void Command::climb(ladder::Event event) {
    const ladder::Step step = ladder::advance(ladder_, event);
    ladder_ = step.state;
    if (step.action == ladder::Action::Ask) {
        page_->set(husk::record::TermSent);
        tree::signal_all(static_cast<int>(asked_signal_), tree::spare_none);
    }
    if (step.action == ladder::Action::Kill) {
        page_->set(husk::record::KillSent);
        patience_at_ = never;
        watch_.end();
        strike_at_ = after(now_, strike_after_ms);
        give_up_at_ = after(now_, registry_.has_init ? ask_init_after_ms : give_up_after_ms);
        kill_round();
    }
}

void Command::kill_round() {
    for (int i = 0; i < quick_rounds_ && !tree_empty_; ++i) {
        tree::kill_children(tree::spare_none);
        reap_at_most(worth_reaping(proc::kin_count()));
    }
    quick_rounds_ = quick_rounds;  // almost all trees die in the first round
    const tree::Sent sent = tree::signal_all(SIGKILL, tree::spare_none);
    if ((*page_)->killed < sent.reached) (*page_)->killed = sent.reached;
    reap();
    now_ = monotonic();
    if (!tree_empty_ && (sent.refused > 0 || is_over(strike_at_, now_))) strike();
    const bool late = ladder_ == ladder::State::GaveUp || sent.reached == 0;
    round_at_ = tree_empty_ ? never : after(now_, late ? late_round_ms : round_ms);
    if (sent.reached == 0 && sent.refused > 0) give_up_at_ = earlier(give_up_at_, now_);
}

// What forks faster than rounds go, or has become somebody whom we may not signal. Almost all trees
// die without it, and leaving the leaf is slow.
void Command::strike() {
    if (cgroup_kill_ >= 0) return cgroup::kill_by(cgroup_kill_);
    if (registry_.cgroup < 0) return;
    left_leaf_ = left_leaf_ || cgroup::leave_leaf(registry_.cgroup);
    if (left_leaf_) cgroup::kill_leaf(registry_.cgroup, registry_.place);
}

// Rounds of SIGKILL were not enough. The first request asks pid 1 to stop the session and kill this
// tree. The second asks it to kill everything in its namespace, this keeper included. So the ending
// is saved first, and the nursery marks it as final.
void Command::ask_pid_one() {
    const bool first = plea_ == pool::Plea::Nothing;
    plea_ = first ? pool::Plea::EndTree : pool::Plea::EndSession;
    give_up_at_ = after(now_, first ? ask_again_after_ms : give_up_after_ms);
    if (!first) {
        if (!main_ended_) note_end(-1);
        finish_output();
        save_ending();
    }
    const pool::Registration request{registry_.place, plea_};
    message::send(registry_.socket, &request, sizeof request, nullptr, 0);
}

// Not before a short command has had the time to end: waking the nursery costs it two percent.
// Killed before this, the keeper leaves a record that says running and a log that nobody
// locks, and readers know what that means.
void Command::enroll() {
    register_at_ = never;
    page_->set(husk::record::Enrolled);
    page_->save_counts();
    const pool::Registration registration{registry_.place};
    message::send(registry_.socket, &registration, sizeof registration, &handles_->record, 1);
}

void Command::on_clock() {
    on_limits();
    if (is_over(reap_at_, now_)) reap();
    if (is_over(settled_at_, now_)) on_settled();
    on_ladder();
    if (is_over(register_at_, now_)) enroll();
    if (is_over(save_at_, now_)) {
        const bool flood = out_->flush() | err_->flush();
        save_at_ = flood ? after(now_, flood_save_ms) : never;
        page_->save_counts();
    }
    if (is_over(rest_at_, now_)) {
        rest_at_ = never;
        out_->rest();
        err_->rest();
    }
}

void Command::on_ladder() {
    if (is_over(patience_at_, now_)) {
        patience_at_ = never;
        climb(ladder::Event::PatienceOver);
    }
    if (is_over(round_at_, now_)) kill_round();
    const bool may_ask = registry_.has_init && plea_ != pool::Plea::EndSession;
    if (is_over(give_up_at_, now_) && may_ask) ask_pid_one();
    if (is_over(give_up_at_, now_)) {
        give_up_at_ = never;
        climb(ladder::Event::RoundsOver);
        page_->set(husk::record::Survivors);
        page_->save_counts();
        if (!main_ended_) note_end(-1);  // not ours to kill: nobody knows how it will end
        if (!published_) settle();
    }
}

}  // namespace keeper
