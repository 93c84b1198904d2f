// One command in a keeper's hands, from the plan to the moment when nothing of it lives.
#pragma once

#include <linux/poll.h>
#include <linux/signal.h>
#include <stdint.h>

#include "ceilings.h"
#include "cgroup.h"
#include "clock.h"
#include "input.h"
#include "ladder.h"
#include "limits.h"
#include "output.h"
#include "page.h"
#include "pool.h"
#include "record.h"
#include "sys.h"
#include "usage.h"
#include "wire.h"

namespace keeper {

// Wakes the listeners; the record has the news.
void tell(int lifeline, char word);

struct Handles {
    int record;
    int lifeline;  // -1 when nobody listens any more
    int caller;    // pidfd, -1 likewise
};

// Where to tell the nursery which record to write off should this keeper be killed.
struct Registry {
    int socket;
    pool::Seats* seats;
    uint32_t place;
    bool at_once;
    bool has_init;
    int cgroup;  // of the session, or -1 if the keeper has no leaf in it
};

class Command {
public:
    Command(const Registry& registry, int signals, int cgroup_kill, const ceilings::Watch& ceilings,
            usage::Meter& meter)
        : registry_(registry),
          signals_(signals),
          cgroup_kill_(cgroup_kill),
          meter_(&meter),
          ceilings_(ceilings) {}

    // Looks after the command that `start` made, until nothing of it lives.
    // Closes the handles that nobody needs any more.
    void keep(const husk::wire::Plan& plan, const char* plan_end, Page& page, Handles& handles,
              input::Feed& in, output::Stream& out, output::Stream& err);

    // The keeper is in its leaf no more, and of no use for another command.
    bool left_leaf() const { return left_leaf_; }

    // Publishes that nothing was started.
    static void refuse(Page& page, const Handles& handles, husk::record::Step step, uint32_t error);

private:
    [[noreturn]] static void lose();
    void wait_for_events();
    void on_signals();
    void on_caller();
    void on_clock();
    void on_limits();
    void on_deadline();
    void on_settled();
    void on_breach(const limits::Breach& breach);
    void on_ladder();
    void enroll();
    void reap();
    void reap_at_most(int most);
    void note_end(int status);
    limits::Breach kernel_breach(const sys::ChildInfo& main);
    limits::Breach breach_by_signal(const sys::ChildInfo& dead) const;
    void on_dead_leftover(const sys::ChildInfo& dead, const limits::Breach& breach);
    void on_dead_main(int status, const limits::Breach& breach);
    limits::Breach output_breach();
    void judge_the_end();
    void look_at_the_tree();
    void on_main_end();

    void note_breach(const limits::Breach& breach);
    void exceed(const limits::Breach& breach);
    void exceed_time(husk::record::Reason reason, uint64_t limit_ms, uint64_t began);
    void stop(husk::record::Reason reason, uint32_t signal, uint32_t patience_ms);
    void climb(ladder::Event event);
    void kill_round();
    void strike();
    void ask_pid_one();
    bool is_worth_waiting_for() const;
    bool is_left_behind() const;
    void mind_leftovers();
    void detach();
    void settle();
    void finish_output();
    void end_log(const husk::wire::Plan& plan, const char* plan_end);
    void save_peaks();
    void save_ending();
    void publish(husk::record::State state);
    uint64_t next_moment() const;

    Registry registry_;
    int signals_;
    int cgroup_kill_;  // of the command's own cgroup, or -1
    usage::Meter* meter_;
    Page* page_ = nullptr;
    Handles* handles_ = nullptr;
    input::Feed* in_ = nullptr;
    output::Stream* out_ = nullptr;
    output::Stream* err_ = nullptr;
    husk::wire::Leftovers leftovers_{};
    bool background_at_deadline_ = false;

    uint64_t now_ = 0;
    bool foreground_ = false;  // somebody waits, and the command ends with them
    bool main_ended_ = false;
    bool tree_empty_ = false;
    bool published_ = false;
    bool left_leaf_ = false;

    ladder::State ladder_ = ladder::State::Standing;
    pool::Plea plea_ = pool::Plea::Nothing;
    uint32_t stop_signal_ = SIGTERM;  // of the plan
    uint32_t plan_patience_ms_ = 0;
    uint32_t asked_signal_ = SIGTERM;

    // Moments, monotonic; `never` when not wanted.
    uint64_t deadline_ = keeper_clock::never;
    uint64_t idle_at_ = keeper_clock::never;
    uint64_t lifetime_at_ = keeper_clock::never;
    uint64_t settled_at_ = keeper_clock::never;
    uint64_t settle_until_ = keeper_clock::never;
    uint64_t filled_up_by_ = keeper_clock::never;
    uint64_t reap_at_ = keeper_clock::never;
    uint64_t patience_at_ = keeper_clock::never;
    uint64_t round_at_ = keeper_clock::never;
    uint64_t give_up_at_ = keeper_clock::never;
    int quick_rounds_ = 0;
    uint64_t strike_at_ = keeper_clock::never;
    uint64_t rest_at_ = keeper_clock::never;
    uint64_t register_at_ = keeper_clock::never;
    uint64_t save_at_ = keeper_clock::never;
    uint64_t idle_ms_ = 0;
    uint64_t lifetime_ms_ = 0;
    uint64_t output_limit_ = 0;
    uint64_t cpu_ms_ = 0;
    husk::wire::Limit cpu_{};  // of each process; all 0 when there is none
    husk::wire::Limit file_size_{};
    limits::Watch watch_;
    ceilings::Watch ceilings_;
};

}  // namespace keeper
