#include "keeper.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/signal.h>
#include <linux/signalfd.h>

#include "ceilings.h"
#include "clock.h"
#include "command.h"
#include "held.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "path.h"
#include "record.h"
#include "sound.h"
#include "start.h"
#include "sys.h"
#include "usage.h"
#include "wire.h"

namespace keeper {
namespace {

using husk::record::Step;

alignas(4096) char plan_message[husk::wire::max_plan];

struct Pipe {
    int read = -1;
    int write = -1;
};

// Made ahead of need, so that the call does not wait for it.
struct Spare {
    Pipe out;
    int signals = -1;
    usage::Meter meter;
    bool spent = false;  // not to be used again
};

bool make_pipe(Pipe& pipe) {
    int fds[2];
    if (sys::pipe2(fds, O_CLOEXEC) != 0) return false;
    pipe = {fds[0], fds[1]};
    // Only our end: a command that finds its output non-blocking loses some of it.
    sys::fcntl(pipe.read, F_SETFL, O_NONBLOCK);
    return true;
}

void close_pipe(Pipe& pipe) {
    sys::close_once(pipe.read);
    sys::close_once(pipe.write);
}

void prepare(Spare& spare) {
    if (spare.signals < 0) {
        const uint64_t all = ~uint64_t{0};
        sys::rt_sigprocmask(SIG_SETMASK, &all);
        const uint64_t wanted = (uint64_t{1} << (SIGCHLD - 1)) | (uint64_t{1} << (SIGTERM - 1));
        spare.signals = static_cast<int>(sys::signalfd4(-1, &wanted, O_NONBLOCK | O_CLOEXEC));
        spare.meter.open();
    }
    if (spare.out.read < 0) make_pipe(spare.out);
}

static_assert(husk::wire::max_plan_descriptors <= message::max_fds);

// The descriptors of a plan, in the order that wire.h gives; each is closed once.
struct Taken {
    int directory = -1;
    int input = -1;
    int log = -1;
    int error_log = -1;
    Handles handles{-1, -1, -1};
    ceilings::Files ceilings;
};

bool sort_out(const message::Received& received, const husk::wire::Plan& plan, Taken& taken) {
    const bool split = (plan.flags & husk::wire::Split) != 0;
    const bool foreground = (plan.flags & husk::wire::Foreground) != 0;
    if (received.fd_count != husk::wire::descriptors_of(plan)) return false;
    unsigned next = 0;
    taken.directory = received.fds[next++];
    taken.input = received.fds[next++];
    taken.handles.record = received.fds[next++];
    taken.handles.lifeline = received.fds[next++];
    taken.log = received.fds[next++];
    if (split) taken.error_log = received.fds[next++];
    if (foreground) taken.handles.caller = received.fds[next++];
    for (uint32_t file = 0; file < husk::wire::cgroup_files; ++file)
        if (((plan.cgroup >> file) & 1U) != 0) taken.ceilings.fds[file] = received.fds[next++];
    return true;
}

void close_all(Taken& taken) {
    sys::close_once(taken.directory);
    sys::close_once(taken.input);
    sys::close_once(taken.log);
    sys::close_once(taken.error_log);
    sys::close_once(taken.handles.record);
    sys::close_once(taken.handles.lifeline);
    sys::close_once(taken.handles.caller);
    ceilings::close_all(taken.ceilings);
}

void close_all(const message::Received& received) {
    for (unsigned i = 0; i < received.fd_count; ++i) sys::close(received.fds[i]);
}

// The proof of life: whoever can lock this record knows that its keeper is dead. Not the log:
// commands of the session can read that, and whoever can read a file can lock it.
bool lock_record(int record) {
    sys::FileLock lock{};
    lock.type = F_WRLCK;
    return sys::fcntl_lock(record, F_SETLK, &lock) == 0;
}

void note_ceilings(Page& page, const husk::wire::Plan& plan, const ceilings::Files& files) {
    if (files[husk::wire::MemoryProcs] >= 0) page.set(husk::record::MemoryByCgroup);
    if (files[husk::wire::TasksProcs] >= 0) page.set(husk::record::ProcessesByCgroup);
    if (files[husk::wire::CpuProcs] >= 0) page.set(husk::record::CpuByCgroup);
    if (plan.cgroup_version == 2) page.set(husk::record::CgroupOfVersion2);
}

// The witness sees by it that this is another call, and a person which one.
void name_itself(uint64_t number) {
    constexpr int names = 10'000;  // what has room
    Path name;
    name.add("husk-keeper");
    name.add(static_cast<int>(number % names));
    sys::prctl(PR_SET_NAME, reinterpret_cast<unsigned long>(name.text), 0);
}

// What the command gets as its standard input: the descriptor of the plan, a pipe, or the
// session's own /dev/null. A descriptor, or -errno.
long input_of(const husk::wire::Plan& plan, Taken& taken, input::Feed& feed) {
    const int given = taken.input;
    taken.input = -1;
    if ((plan.flags & husk::wire::FeedsInput) != 0) {
        const long end = feed.open(given);
        if (end < 0) sys::close(given);
        return end;
    }
    if ((plan.flags & husk::wire::NullInput) == 0) return given;
    sys::close(given);
    return sys::openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
}

void start_and_keep(const Post& post, Spare& spare, Page& page, Taken& taken, long size) {
    const auto& plan = *reinterpret_cast<const husk::wire::Plan*>(plan_message);
    const bool split = taken.error_log >= 0;
    Pipe errors;
    if ((spare.out.read < 0 && !make_pipe(spare.out)) || (split && !make_pipe(errors)))
        return Command::refuse(page, taken.handles, Step::MakePipe, EMFILE);
    input::Feed feed;
    const long input = input_of(plan, taken, feed);
    if (input < 0) {
        close_pipe(errors);
        return Command::refuse(page, taken.handles, Step::OpenInput, static_cast<uint32_t>(-input));
    }
    taken.input = static_cast<int>(input);

    name_itself(page->number);
    page->keeper = static_cast<uint32_t>(sys::getpid());
    page->started = keeper_clock::realtime();
    page->started_mono = keeper_clock::monotonic();
    page.save_start();
    spare.meter.begin();
    const start::Started started = start::command(
        plan_message, size,
        {taken.input, spare.out.write, split ? errors.write : spare.out.write, taken.directory},
        taken.ceilings);
    if (started.below_ceilings) note_ceilings(page, plan, taken.ceilings);
    if (!started.below_ceilings) ceilings::close_all(taken.ceilings);
    // Of version 2 a process has one cgroup, and that of its own kills as well.
    const int cgroup_kill = taken.ceilings.kill();
    if (post.cgroup >= 0 || cgroup_kill >= 0) page.set(husk::record::InCgroup);
    sys::close_once(spare.out.write);
    sys::close_once(errors.write);
    sys::close_once(taken.input);
    sys::close_once(taken.directory);
    if (started.pid == 0) {
        Command::refuse(page, taken.handles, started.step, started.error);
        close_pipe(spare.out);
        close_pipe(errors);
        feed.close();
        return;
    }
    page->main = static_cast<uint32_t>(started.pid);
    page.save_start();  // again, now that its number is known
    output::Stream out;
    output::Stream err;
    out.open(spare.out.read, taken.log, plan.cap, output::window_of(0), page, page->out);
    if (split)
        err.open(errors.read, taken.error_log, plan.cap, output::window_of(1), page, page->err);
    spare.out = {};
    taken.log = taken.error_log = -1;
    // A nursery without spares must know at once; else it may sleep through a short command.
    const bool last_spare = pool::count(*post.seats, pool::Seat::Idle) == 0;
    Command command({post.registry, post.seats, post.place, last_spare, post.has_init, post.cgroup},
                    spare.signals, cgroup_kill, {taken.ceilings, plan.tree}, spare.meter);
    command.keep(plan, plan_message + size, page, taken.handles, feed, out, err);
    spare.spent = command.left_leaf();
    feed.close();
    out.close();
    err.close();
}

// What came while there was nothing in hand was meant for nothing, or for what is over.
void forget_signals(int signals) {
    signalfd_siginfo info{};
    while (sys::read(signals, &info, sizeof info) == sizeof info) {
    }
}

// Nothing is in hand, so nobody has to clear up after it.
[[noreturn]] void leave(pool::Place& place) {
    pool::sit(place, pool::Seat::Leaving);
    sys::exit_group(0);
}

// One plan, from the message to the last byte.
void serve(const Post& post, Spare& spare, const message::Received& received) {
    const auto& plan = *reinterpret_cast<const husk::wire::Plan*>(plan_message);
    const bool sound = husk::wire::is_plan(plan_message, static_cast<uint64_t>(received.size));
    Taken taken;
    // A caller whose plan cannot be read sees its lifeline close, and the record untouched.
    if (!sound || !sort_out(received, plan, taken)) return close_all(received);
    forget_signals(spare.signals);
    // What was forgotten may have been the end of the session. The caller then sees its lifeline
    // close, and hands the plan to a new session.
    if (pool::is_closing(*post.seats)) {
        close_all(taken);
        leave(post.seats->places[post.place]);
    }
    // The lock is also the claim: a caller that takes its plan back locks the record first,
    // and it is let go with the record, after the ending has been published.
    static Page page;
    if (lock_record(taken.handles.record) && page.load(taken.handles.record))
        start_and_keep(post, spare, page, taken, received.size);
    close_all(taken);
}

void wake(const Post& post) {
    const pool::Registration nothing{post.place};
    message::send(post.registry, &nothing, sizeof nothing, nullptr, 0);
}

}  // namespace

void live(const Post& post) {
    sys::prctl(PR_SET_NAME, reinterpret_cast<unsigned long>("husk-keeper"), 0);
    sys::prctl(PR_SET_CHILD_SUBREAPER, 1, 0);
    static Spare spare;
    prepare(spare);
    held::ask_with(&post.seats->socket_asker);

    pool::Place& place = post.seats->places[post.place];
    for (;;) {
        pool::sit(place, pool::Seat::Idle);
        if (pool::is_awaited(*post.seats)) wake(post);
        const message::Received received =
            message::receive(post.queue, plan_message, sizeof plan_message, 0);
        if (received.size == -EINTR) continue;
        const bool waited_long = received.size == -EAGAIN;
        if (waited_long && pool::count(*post.seats, pool::Seat::Idle) <= pool::spares) continue;
        // Nobody is left to send plans, or there are more spares than are needed.
        if (received.size <= 0) leave(place);
        pool::note_over(place, false);
        if (!pool::change(place, pool::Seat::Idle, pool::Seat::Busy)) sys::exit_group(0);
        serve(post, spare, received);
        if (spare.spent || pool::count(*post.seats, pool::Seat::Idle) >= pool::most_spares)
            leave(place);
        prepare(spare);
    }
}

}  // namespace keeper
