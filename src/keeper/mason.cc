#include "mason.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/signal.h>

#include "clock.h"
#include "connects.h"
#include "foresight.h"
#include "forwarding.h"
#include "inside_socket.h"
#include "inside_sockets.h"
#include "message.h"
#include "process_files.h"
#include "resolver.h"
#include "sys.h"
#include "walls.h"
#include "walls_wire.h"
#include "watched_calls.h"

namespace mason {
namespace {

husk::wire::MasonAnswer carry_out(char order, int file, sentry::Sentry& sentry) {
    if (order == '!') {
        const long failed = sentry.obey(file);
        sys::close(file);
        return {0, static_cast<int>(-failed)};
    }
    sentry.look();
    foresight::forget_mounts();
    const walls::Built built = walls::build(file, {});
    return {built.step, built.error};
}

// Who answers for whom, in the mason; a guard has none of them.
struct Officers {
    witness::Witness* witness;
    resolver::Resolver* resolver;
    inside_sockets::InsideSockets* inside;
};

// What comes with one descriptor.
void take_office(const Officers& officers, const husk::wire::RefusedRow* rows, long size, int fd) {
    const char order = size == 1 ? *reinterpret_cast<const char*>(rows) : 0;
    if (order == 'n') return officers.resolver->begin(fd);
    if (order == 'f') return process_files::begin(fd);
    if (order == husk::wire::inside_order) return officers.inside->begin(fd);
    officers.witness->begin(fd, rows, static_cast<uint32_t>(size) / sizeof(husk::wire::RefusedRow));
}

// One message; false when neither the nursery nor a client is left who could ask.
bool take_order(int socket, const Officers& officers, sentry::Sentry& sentry) {
    husk::wire::RefusedRow rows[husk::wire::max_refused];
    const message::Received got = message::receive(socket, rows, sizeof rows, 0);
    if (got.size == -EINTR) return true;
    if (got.size <= 0) return false;
    if (got.fd_count == 1 && officers.witness != nullptr) {
        take_office(officers, rows, got.size, got.fds[0]);
    } else if (got.fd_count == 0 && got.size == sizeof(forwarding::Ways)) {
        forwarding::Ways ways;
        memcpy(&ways, rows, sizeof ways);
        forwarding::set(ways);
    } else if (got.fd_count == 2) {
        const char order = *reinterpret_cast<const char*>(rows);
        const husk::wire::MasonAnswer answer = carry_out(order, got.fds[0], sentry);
        sys::write(got.fds[1], &answer, sizeof answer);
        sys::close(got.fds[1]);
    } else {
        for (unsigned i = 0; i < got.fd_count; ++i) sys::close(got.fds[i]);
    }
    return true;
}

}  // namespace

bool lay_bricks(int socket) {
    sentry::Sentry sentry({});
    return take_order(socket, {}, sentry);
}

[[noreturn]] void live(int socket, const witness::Places& places, const sentry::Sources& sources) {
    sys::prctl(PR_SET_NAME, reinterpret_cast<unsigned long>("husk-mason"), 0);
    sys::prctl(PR_SET_DUMPABLE, 0, 0);
    // Commands wait for the witness. On a busy machine, it would wait for all other processes.
    constexpr uint64_t time_slice_ns = 100'000;
    sys::set_time_slice(time_slice_ns);
    witness::Witness witness(places);
    resolver::Resolver resolver(places.proc);
    inside_sockets::InsideSockets inside;
    sentry::Sentry sentry(sources);
    bool has_ended = false;
    for (;;) {
        constexpr unsigned own = 4;
        pollfd fds[own + connects::most_waiting] = {{socket, POLLIN, 0},
                                                    {witness.listener(), POLLIN, 0},
                                                    {resolver.socket(), POLLIN, 0},
                                                    {inside.asked(), POLLIN, 0}};
        const unsigned polled_count = own + connects::waiting(fds + own);
        const uint64_t next = keeper_clock::earlier(sentry.next(), connects::next());
        const bool timed = next != keeper_clock::never;
        const uint64_t now = timed ? keeper_clock::monotonic() : 0;
        const uint64_t left = timed && next > now ? next - now : 0;
        constexpr uint64_t second = 1000 * keeper_clock::millisecond;
        const sys::Time timeout{static_cast<int64_t>(left / second),
                                static_cast<int64_t>(left % second)};
        const long polled = sys::ppoll(fds, polled_count, timed ? &timeout : nullptr);
        if (polled < 0 && polled != -EINTR) break;  // the nursery ends the session then
        if (fds[1].revents != 0) {
            sentry.before_call();
            witness.answer((fds[1].revents & POLLIN) == 0);
            sentry.after_call();
        }
        witness.go_on();
        if (fds[2].revents != 0) resolver.answer();
        if (fds[3].revents != 0) inside.answer();
        if (keeper_clock::monotonic() >= sentry.next()) sentry.look();
        if (sentry.insists() && !has_ended) {
            has_ended = true;
            sys::kill(places.init, SIGTERM);
        }
        if (fds[0].revents != 0 && !take_order(socket, {&witness, &resolver, &inside}, sentry))
            break;
    }
    sentry.look();
    sys::exit_group(0);
}

}  // namespace mason
