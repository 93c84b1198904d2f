#include "nursery.h"

#include <asm/errno.h>
#include <asm/socket.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/signal.h>
#include <linux/signalfd.h>
#include <linux/wait.h>

#include "birth.h"
#include "cgroup.h"
#include "clock.h"
#include "keeper.h"
#include "last_words.h"
#include "message.h"
#include "pool.h"
#include "proc.h"
#include "record.h"
#include "sockets.h"
#include "standstill.h"
#include "sys.h"
#include "tree.h"
#include "walls.h"
#include "wire.h"

namespace nursery {
namespace {

using husk::record::Reason;
using keeper_clock::never;
using pool::Seat;

constexpr unsigned max_clients = 512;
constexpr int af_unix = 1;
constexpr int sock_seqpacket = 5;
constexpr int sock_cloexec = O_CLOEXEC;
constexpr int cld_stopped = 5;  // CLD_STOPPED
constexpr uint64_t spare_patience_s = 30;
constexpr uint64_t orphan_round_ms = 2;
constexpr uint64_t late_orphan_round_ms = 1000;
constexpr uint64_t orphan_patience_ms = 2000;
constexpr uint32_t burst = 8;

husk::wire::Birth birth_message;
int listener = -1;
int cgroup_parent = -1;
int cgroup_session = -1;
// Given to every client: the proxy may have to be started again.
int ways_out[walls::max_ways_out];
unsigned way_count = 0;
int mason = -1;      // given to every client of a session with walls, which ends with it
int queue_in = -1;   // given to every client
int queue_out = -1;  // read by keepers
int registry_in = -1;
int registry_out = -1;
int signals = -1;
pool::Seats* seats = nullptr;

int clients[max_clients];
unsigned client_count = 0;
int records[pool::max_keepers];    // what a busy keeper registered, or -1
Reason causes[pool::max_keepers];  // why a keeper was killed by us

bool orphans = false;            // a keeper died, its tree may be ours now
uint64_t orphans_since = never;  // so that what cannot be killed is not tried all the time
uint64_t orphan_round_at = never;
uint32_t last_asker = pool::max_keepers;  // whose tree was the end of the session
uint64_t unused_since = never;
uint64_t ends_at = never;

bool is_keeper(int pid) {
    for (uint32_t i = 0; i < seats->used; ++i)
        if (seats->places[i].pid == pid) return true;
    return false;
}

uint32_t place_of(int pid) {
    for (uint32_t i = 0; i < seats->used; ++i)
        if (seats->places[i].pid == pid) return i;
    return pool::max_keepers;
}

void fork_keeper() {
    uint32_t free = 0;
    while (free < seats->used && seats->places[free].pid != 0) ++free;
    if (free >= pool::max_keepers) return;
    if (free == seats->used) ++seats->used;
    pool::sit(seats->places[free], Seat::Idle);
    const bool is_init = sys::getpid() == 1;
    const int leaf = cgroup::make_leaf(cgroup_session, free);
    long pid = leaf < 0 ? -1 : sys::fork_into(leaf);
    const bool in_leaf = pid >= 0;
    if (!in_leaf) pid = sys::fork();  // its loss costs only the single stroke
    if (pid == 0) {
        // What belongs to the nursery alone would keep clients and sockets alive.
        for (unsigned i = 0; i < client_count; ++i) sys::close(clients[i]);
        for (uint32_t i = 0; i < seats->used; ++i)
            if (records[i] >= 0) sys::close(records[i]);
        sys::close_once(listener);
        sys::close(queue_in);
        sys::close(registry_out);
        sys::close(signals);
        sys::close(husk::wire::birth_fd);  // the session's lock
        sys::close_once(cgroup_parent);
        sys::close_once(mason);
        for (unsigned i = 0; i < way_count; ++i) sys::close(ways_out[i]);
        if (leaf >= 0) sys::close(leaf);
        keeper::live({queue_out, registry_in, in_leaf ? cgroup_session : -1, seats, free, is_init});
    }
    if (leaf >= 0) sys::close(leaf);
    if (pid < 0) pool::sit(seats->places[free], Seat::Empty);
    seats->places[free].pid = pid < 0 ? 0 : static_cast<int32_t>(pid);
    causes[free] = Reason::KeeperKilled;
}

// Refilled when work has used up the spares, never while one is left: a fork beside a call
// makes the call slower.
void keep_spares() {
    if (pool::is_closing(*seats)) return;
    const uint32_t idle = pool::count(*seats, Seat::Idle);
    const uint32_t busy = pool::count(*seats, Seat::Busy);
    uint32_t wanted = 0;
    if (busy == 0 && idle < pool::spares) wanted = pool::spares - idle;
    if (busy > 0 && idle == 0) wanted = busy < burst ? busy : burst;
    for (uint32_t i = 0; i < wanted; ++i) fork_keeper();
}

void greet(int client, int error, uint32_t wall_step = 0) {
    const husk::wire::Hello hello{
        husk::wire::magic, husk::wire::version,           error,
        wall_step,         birth_message.mount_namespace, birth_message.network_namespace};
    int gifts[2 + walls::max_ways_out] = {queue_in, mason};
    for (unsigned i = 0; i < way_count; ++i) gifts[2 + i] = ways_out[i];
    const unsigned count = error != 0 ? 0 : mason < 0 ? 1 : 2 + way_count;
    message::send(client, &hello, sizeof hello, gifts, count);
}

void admit(int client) {
    // A program that dropped its privileges must not get commands that still have them.
    sys::PeerCredentials peer{};
    unsigned size = sizeof peer;
    const bool known = sys::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    const bool same = known && peer.uid == static_cast<uint32_t>(sys::geteuid()) &&
                      peer.gid == static_cast<uint32_t>(sys::getegid());
    const bool welcome = same && !pool::is_closing(*seats) && client_count < max_clients;
    greet(client, welcome ? 0 : (!same ? EPERM : EBUSY));
    if (!welcome) {
        sys::close(client);
        return;
    }
    clients[client_count++] = client;
}

// A keeper has asked for this. It reaps the dead itself, because they are its descendants.
void end_tree_of(uint32_t place) {
    if (sys::getpid() != 1 || place >= seats->used || seats->places[place].pid <= 0) return;
    standstill::end_below(seats->places[place].pid, tree::spare_none);
}

// No process can be born faster than this. The keepers go too, so that is the end of the session.
void end_everything(uint32_t asked_by) {
    if (sys::getpid() != 1) return;
    pool::close(*seats);
    last_asker = asked_by;
    for (uint32_t i = 0; i < seats->used; ++i)
        if (i != asked_by && seats->places[i].pid != -1) causes[i] = Reason::TreeOfAnother;
    sys::kill(-1, SIGKILL);
}

void on_registration() {
    for (;;) {
        pool::Registration registration{};
        constexpr int msg_dontwait = 0x40;
        const message::Received got =
            message::receive(registry_out, &registration, sizeof registration, msg_dontwait);
        if (got.size <= 0) return;
        if (registration.plea == pool::Plea::EndTree) end_tree_of(registration.place);
        if (registration.plea == pool::Plea::EndSession) end_everything(registration.place);
        if (got.fd_count != 1 || registration.place >= pool::max_keepers) continue;
        int& held = records[registration.place];
        sys::close_once(held);
        held = got.fds[0];
    }
}

// The keeper is dead; what it knew and had not published is lost.
void write_off(uint32_t place) {
    const int fd = records[place];
    if (fd >= 0) last_words::write(fd, causes[place], place == last_asker);
}

void free_place(uint32_t place) {
    sys::close_once(records[place]);
    seats->places[place].pid = 0;
    pool::sit(seats->places[place], Seat::Empty);
}

// Some at a time: a tree that lost its keeper may fork and exit faster than its dead are reaped.
// While it lives it is looked at again and again.
void on_children() {
    constexpr int most_reaped = 1024;
    for (int reaped = 0; reaped < most_reaped; ++reaped) {
        sys::ChildInfo info{};
        const long result = sys::waitid_any(&info, WEXITED | WSTOPPED | WNOHANG | __WALL);
        if (result < 0 || info.pid == 0) return;
        if (seats->socket_asker == info.pid) seats->socket_asker = 0;
        const uint32_t place = place_of(info.pid);
        if (place == pool::max_keepers) continue;  // an orphan of a dead keeper
        if (info.code == cld_stopped) {
            // A stopped keeper keeps nothing: no deadline, no ending, no output.
            causes[place] = Reason::KeeperStopped;
            sys::kill(info.pid, SIGKILL);
            continue;
        }
        on_registration();  // its last word may still be in the socket
        const uint32_t seat = pool::seat_of(seats->places[place]);
        if (seat != Seat::Busy && seat != Seat::Minding) {
            free_place(place);
            continue;
        }
        orphans = true;
        orphans_since = orphan_round_at = never;
        pool::sit(seats->places[place], Seat::Leaving);
        seats->places[place].pid = -1;  // free when its tree is dead and its record written off
    }
}

void write_off_the_dead() {
    for (uint32_t i = 0; i < seats->used; ++i) {
        if (seats->places[i].pid != -1) continue;
        write_off(i);
        free_place(i);
    }
}

// Rounds of SIGKILL were not enough. Pid 1 stops the session and kills the orphans. If some survive
// that too, the session ends.
void end_orphans() {
    if (sys::getpid() == 1) standstill::end_below(1, is_keeper);
    on_children();
    orphans = tree::any_child(is_keeper) || proc::is_blind();
    if (orphans) end_everything(pool::max_keepers);
}

// Rounds, as a keeper would do. The records are written when nothing is left, or when what is
// left is clearly not to be had.
void kill_orphans() {
    if (!orphans) return;
    const uint64_t now = keeper_clock::monotonic();
    if (orphans_since == never) orphans_since = now;
    if (orphan_round_at != never && now < orphan_round_at) return;
    for (uint32_t i = 0; i < seats->used && cgroup_session >= 0; ++i)
        if (seats->places[i].pid == -1) cgroup::kill_leaf(cgroup_session, i);
    tree::signal_all(SIGKILL, is_keeper);
    on_children();
    proc::see_again();
    orphans = tree::any_child(is_keeper) || proc::is_blind();
    const bool late = now - orphans_since >= orphan_patience_ms * keeper_clock::millisecond;
    if (orphans && late && !pool::is_closing(*seats)) end_orphans();
    if (!orphans || late) write_off_the_dead();
    if (!orphans) orphans_since = never;
    orphan_round_at =
        orphans ? keeper_clock::after(now, late ? late_orphan_round_ms : orphan_round_ms) : never;
}

// Every command of the session is told to end; keepers without one just go.
void close_session(uint32_t signal) {
    constexpr uint32_t patience_ms = 2000;
    pool::close(*seats);
    for (uint32_t i = 0; i < seats->used; ++i) {
        pool::Place& place = seats->places[i];
        if (place.pid <= 0) continue;
        if (pool::change(place, Seat::Idle, Seat::Leaving)) {
            sys::kill(place.pid, SIGKILL);
            continue;
        }
        siginfo_t info{};
        info.si_code = SI_QUEUE;
        info.si_ptr = reinterpret_cast<void*>(husk::wire::stop_value(
            0, static_cast<uint32_t>(Reason::SessionEnded), signal, patience_ms));
        sys::rt_sigqueueinfo(place.pid, SIGTERM, &info);
    }
}

// A nursery that cannot wait hears of nothing. As pid 1 it takes everything along; elsewhere its
// guard kills what is left, or, in mode open, the keepers do, which are told to.
[[noreturn]] void give_up() {
    close_session(SIGKILL);
    sys::exit_group(1);
}

void on_signals() {
    signalfd_siginfo info{};
    while (sys::read(signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGTERM) close_session(SIGTERM);
    on_children();
}

void drop_client(unsigned index) {
    sys::close(clients[index]);
    clients[index] = clients[--client_count];
}

// What to wait for, and how long at most.
void wait_for_events() {
    static pollfd fds[max_clients + 4];
    fds[0] = {signals, POLLIN, 0};
    fds[1] = {registry_out, POLLIN, 0};
    fds[2] = {listener, POLLIN, 0};
    // Clients say nothing; only their going is news.
    for (unsigned i = 0; i < client_count; ++i) fds[4 + i] = {clients[i], POLLRDHUP, 0};
    fds[3] = {pool::is_closing(*seats) ? -1 : mason, POLLRDHUP, 0};
    const uint64_t now = keeper_clock::monotonic();
    uint64_t next = ends_at;
    if (orphans) next = keeper_clock::earlier(next, orphan_round_at);
    const uint64_t left = next <= now ? 0 : next - now;
    const sys::Time timeout{static_cast<int64_t>(left / 1'000'000'000),
                            static_cast<int64_t>(left % 1'000'000'000)};
    const unsigned polled = client_count;
    const long waited = sys::ppoll(fds, 4 + polled, next == never ? nullptr : &timeout);
    if (waited < 0 && waited != -EINTR) give_up();

    if (fds[1].revents != 0) on_registration();
    if (fds[0].revents != 0) on_signals();
    for (unsigned i = polled; i-- > 0;)
        if (fds[4 + i].revents != 0) drop_client(i);
    // Nobody renews the walls or watches what is planted: no command may go on.
    if (fds[3].revents != 0) close_session(SIGKILL);
    if (fds[2].revents != 0) {
        const long client = sys::accept4(listener, sock_cloexec);
        if (client >= 0) admit(static_cast<int>(client));
    }
}

// Somebody is there, or a command is that was asked for. What commands have left behind stays for
// as long as the session lingers, and is no reason for it to do so for longer.
bool is_needed() {
    pool::await(*seats, client_count == 0 || pool::is_closing(*seats));
    const bool working = pool::count(*seats, Seat::Busy) > 0 || orphans;
    const bool minding = pool::count(*seats, Seat::Minding) > 0;
    if (working || (client_count > 0 && !pool::is_closing(*seats))) {
        unused_since = ends_at = never;
        return true;
    }
    if (pool::is_closing(*seats)) return minding;
    const uint64_t now = keeper_clock::monotonic();
    if (unused_since == never) unused_since = now;
    const uint64_t linger = minding ? birth_message.leftovers_linger_ms : birth_message.linger_ms;
    ends_at = unused_since + linger * keeper_clock::millisecond;
    if (now < ends_at) return true;
    if (minding) close_session(SIGTERM);
    ends_at = never;
    return minding;
}

// No wall fails open: with one of them missing there is no session.
bool go_behind_walls(const birth::Gifts& gifts) {
    const walls::Built built =
        walls::build(gifts.walls, {gifts.denials, gifts.settled, seats, gifts.listener});
    way_count = built.count;
    for (unsigned i = 0; i < way_count; ++i) ways_out[i] = built.ways_out[i];
    mason = built.mason;
    if (built.step == 0) return true;
    greet(gifts.client, built.error, built.step);
    return false;
}

// The socket the nursery was born with brings the rest; the first client is behind it.
bool be_born() {
    const birth::Gifts gifts = birth::receive(birth_message);
    if (gifts.client < 0) return false;
    listener = gifts.listener;
    cgroup_parent = gifts.cgroup;
    if (gifts.walls >= 0 && !go_behind_walls(gifts)) return false;
    sys::prctl(PR_SET_DUMPABLE, 0, 0);
    sys::FileLock lock{};
    lock.type = F_WRLCK;
    const long locked = sys::fcntl_lock(husk::wire::birth_fd, F_SETLK, &lock);
    if (locked < 0 || !tree::readable()) {
        greet(gifts.client, locked < 0 ? EAGAIN : ENOSYS);
        return false;
    }
    cgroup_session = cgroup::make_session(cgroup_parent, birth_message.cgroup);
    clients[client_count++] = gifts.client;
    return true;
}

bool set_up() {
    for (int signal = 1; signal <= 64; ++signal) sys::rt_sigaction_default(signal);
    const uint64_t all = ~uint64_t{0};
    sys::rt_sigprocmask(SIG_SETMASK, &all);
    const uint64_t wanted = (uint64_t{1} << (SIGCHLD - 1)) | (uint64_t{1} << (SIGTERM - 1));
    signals = static_cast<int>(sys::signalfd4(-1, &wanted, O_NONBLOCK | O_CLOEXEC));

    // One descriptor for each live command, and the limit of the caller is not ours.
    constexpr unsigned rlimit_nofile = 7;
    sys::ResourceLimit files{};
    sys::prlimit64(0, rlimit_nofile, nullptr, &files);
    files.soft = files.hard;
    sys::prlimit64(0, rlimit_nofile, &files, nullptr);

    int plans[2];
    int words[2];
    if (sys::socketpair(af_unix, sock_seqpacket | sock_cloexec, 0, plans) != 0) return false;
    if (sys::socketpair(af_unix, sock_seqpacket | sock_cloexec, 0, words) != 0) return false;
    queue_in = plans[0];
    queue_out = plans[1];
    registry_in = words[0];
    registry_out = words[1];
    const unsigned room = 2 * husk::wire::max_plan;
    sys::setsockopt(queue_in, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    const sys::Time patience{static_cast<int64_t>(spare_patience_s), 0};
    sys::setsockopt(queue_out, SOL_SOCKET, SO_RCVTIMEO_OLD, &patience, sizeof patience);

    const long shared = sys::mmap(nullptr, sizeof(pool::Seats), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared < 0 && shared > -4096) return false;
    seats = reinterpret_cast<pool::Seats*>(shared);
    for (int& record : records) record = -1;
    sockets::open();
    return true;
}

// Idle keepers go first, so that their cgroups can.
[[noreturn]] void leave() {
    for (uint32_t i = 0; i < seats->used; ++i) {
        pool::Place& place = seats->places[i];
        if (place.pid <= 0 || !pool::change(place, Seat::Idle, Seat::Leaving)) continue;
        sys::kill(place.pid, SIGKILL);
        int status = 0;
        sys::wait4(place.pid, &status, 0, nullptr);
    }
    cgroup::remove_session(cgroup_parent, birth_message.cgroup, cgroup_session, seats->used);
    sys::exit_group(0);
}

}  // namespace

void live() {
    sys::prctl(PR_SET_NAME, reinterpret_cast<unsigned long>("husk-nursery"), 0);
    sys::prctl(PR_SET_CHILD_SUBREAPER, 1, 0);
    if (!set_up() || !be_born()) sys::exit_group(1);
    keep_spares();
    greet(clients[0], 0);
    while (is_needed()) {
        wait_for_events();
        kill_orphans();
        keep_spares();
    }
    leave();
}

}  // namespace nursery
