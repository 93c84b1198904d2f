#include "witness.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/fcntl.h>
#include <linux/seccomp.h>

#include "binding.h"
#include "clock.h"
#include "connects.h"
#include "datagrams.h"
#include "denial_log.h"
#include "foresight.h"
#include "forwarding.h"
#include "git_config.h"
#include "group_bit.h"
#include "internet_address.h"
#include "line.h"
#include "path.h"
#include "proc.h"
#include "process_files.h"
#include "resolver.h"
#include "socket_owner.h"
#include "sys.h"
#include "tracing.h"
#include "usage.h"

namespace witness {
namespace {

using husk::wire::Attempt;
using husk::wire::WatchedCall;
using internet_address::Address;

constexpr int most_ancestors = 64;
constexpr unsigned longest_path = 4096;

// Static: a mason has one thread, and a small stack would have to hold them.
Line<denial_log::longest_line> line;
denial_log::Call whose;  // made the attempt that the line is about
unsigned subject = 0;    // where the line says what was attempted
char status_text[2048];

const char* word(Attempt attempt) {
    switch (attempt) {
        case Attempt::Write: return "write";
        case Attempt::Create: return "create";
        case Attempt::Remove: return "remove";
        case Attempt::Rename: return "rename";
        case Attempt::Link:
        case Attempt::Symlink: return "link";
        case Attempt::Metadata: return "metadata";
        case Attempt::Connect: return "connect";
    }
    return "";
}

void add_hex(unsigned value) {
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
        const unsigned digit = value >> shift & 0xfU;
        begun = begun || digit != 0 || shift == 0;
        if (begun) line.put("0123456789abcdef"[digit]);
    }
}

void add_address(const Address& address) {
    line.put('"');
    if (address.family == 2) {
        for (int i = 0; i < 4; ++i) {
            if (i > 0) line.put('.');
            line.add(uint64_t{address.v4[i]});
        }
    } else {
        line.put('[');
        for (int i = 0; i < 16; i += 2) {
            if (i > 0) line.put(':');
            add_hex(static_cast<unsigned>(address.v6[i]) << 8 | address.v6[i + 1]);
        }
        line.put(']');
    }
    line.put(':');
    line.add(uint64_t{address.port[0]} << 8 | address.port[1]);
    line.put('"');
}

bool read_status(const Places& places, int pid) {
    return proc::read_text_in(places.proc, pid, "/status", status_text, sizeof status_text);
}

// As the session sees it.
uint64_t number_inside() {
    const char* at = usage::line_after(status_text, "NSpid");
    return at == nullptr ? 0 : usage::last_number(at);
}

// FNV-1a: it need not withstand anybody, because what a command pretends to repeat is still
// counted.
uint64_t hash_of(const char* text, unsigned length) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned i = 0; i < length; ++i)
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return hash;
}

// A keeper has another name with each call.
uint64_t word_of_name() {
    const char* at = usage::line_after(status_text, "Name");
    unsigned length = 0;
    while (at != nullptr && at[length] != '\n' && at[length] != 0) ++length;
    return hash_of(at, length);
}

// Who tried it, and for which command: its keeper is the ancestor whose parent is pid 1.
void add_who(const Places& places, int pid) {
    if (!read_status(places, pid)) return;
    line.add(R"(,"pid":)");
    line.add(number_inside());
    line.add(R"(,"name":)");
    char name[64] = {};
    const char* at = usage::line_after(status_text, "Name");
    while (at != nullptr && (*at == '\t' || *at == ' ')) ++at;
    for (unsigned i = 0; at != nullptr && i < sizeof name - 1 && at[i] != '\n' && at[i] != 0; ++i)
        name[i] = at[i];
    line.quote(name);
    for (int i = 0; i < most_ancestors; ++i) {
        uint64_t parent = 0;
        if (!usage::number_after(status_text, "PPid", parent) || parent == 0) return;
        if (parent == static_cast<uint64_t>(places.init)) {
            whose = {number_inside(), word_of_name()};
            line.add(R"(,"keeper":)");
            return line.add(whose.keeper);
        }
        if (!read_status(places, static_cast<int>(parent))) return;
    }
}

void begin_line(const Places& places, int pid) {
    line.length = 0;
    whose = {};
    line.add(R"({"ns":)");
    line.add(keeper_clock::realtime());
    add_who(places, pid);
    subject = line.length;
}

void finish_line() {
    const uint64_t what = hash_of(line.text + subject, line.length - subject);
    denial_log::note(whose, keeper_clock::realtime(), what, line.text, line.length);
}

void note_path(const Places& places, int pid, Attempt attempt, const char* path) {
    begin_line(places, pid);
    line.add(R"(,"operation":)");
    line.quote(word(attempt));
    line.add(R"(,"path":)");
    line.quote(path);
    finish_line();
}

// Whoever talks to the session's resolver is about to ask for a name.
void expect_question(const Places& places, int pid, uint16_t port = 0) {
    line.length = 0;
    whose = {};
    add_who(places, pid);
    resolver::expect(whose, line.text, line.length, port);
}

// No entry of `network` opens a way for datagrams, nor for what is listed and fails all the same.
void note_address(const Places& places, int pid, const Address& address, bool is_datagram) {
    begin_line(places, pid);
    line.add(R"(,"operation":"connect","address":)");
    add_address(address);
    if (is_datagram ||
        forwarding::is_listed(reinterpret_cast<const unsigned char*>(&address), sizeof address))
        line.add(R"(,"allow_with":"network: open")");
    finish_line();
}

// Of a datagram that is sent to an address. Without a way out it never arrives there.
void look_at_address(const Places& places, int pid, const seccomp_data& call,
                     const WatchedCall& watched) {
    Address address{};
    const uint64_t size = call.args[watched.address + 1];
    const uint64_t wanted = size < sizeof address ? size : sizeof address;
    if (call.args[watched.address] == 0 || wanted < 8) return;
    if (!socket_owner::is_own_network()) return;
    if (sys::process_vm_read(pid, call.args[watched.address], &address, wanted) < 8) return;
    if (!internet_address::is_internet(address, wanted) || internet_address::is_group(address))
        return;
    if (internet_address::is_in_reach(address)) {
        if (internet_address::is_resolver(address)) expect_question(places, pid);
        return;
    }
    note_address(places, pid, address, true);
}

// The C library asks these for names of users and hosts before it does so itself, and nobody misses
// them.
bool is_asked_by_habit(const char* path) {
    constexpr const char* places_of_daemons[] = {"/run/nscd/", "/run/systemd/",
                                                 "/run/avahi-daemon/"};
    for (const char* place : places_of_daemons) {
        unsigned i = 0;
        while (place[i] != 0 && place[i] == path[i]) ++i;
        if (place[i] == 0) return true;
    }
    return false;
}

// As the session knows the object, without links.
void find_name(const Places& places, int object, char (&name)[longest_path]) {
    Path link;
    link.add("self/fd/");
    link.add(object);
    const long got = sys::readlinkat(places.proc, link.text, name, sizeof name - 1);
    name[got > 0 ? got : 0] = 0;
}

void expect_question_to(const Places& places, int pid, const connects::Made& made) {
    Address address{};
    const unsigned size = made.address.size < sizeof address ? made.address.size : sizeof address;
    memcpy(&address, made.address.bytes, size);
    if (denial_log::is_open() && internet_address::is_internet(address, size) &&
        internet_address::is_in_reach(address) && internet_address::is_resolver(address))
        expect_question(places, pid, made.port);
}

// Nobody could send to this socket (`name` of it), or this one could not send to that.
void note_datagrams(const Places& places, int pid, const char* name) {
    if (!denial_log::is_open()) return;
    begin_line(places, pid);
    line.add(R"(,"operation":"unix datagram","path":)");
    line.quote(name);
    line.add(R"(,"allow_with":"mode: open")");
    finish_line();
}

void note_connect(const Places& places, int pid, const connects::Made& made) {
    if (!denial_log::is_open()) return;
    if (made.stopped == connects::Stopped::NoWayOut) {
        Address address{};
        const unsigned size =
            made.address.size < sizeof address ? made.address.size : sizeof address;
        memcpy(&address, made.address.bytes, size);
        if (internet_address::is_internet(address, size) && !internet_address::is_in_reach(address))
            note_address(places, pid, address, made.is_datagram);
        return;
    }
    static char name[longest_path];
    if (made.stopped == connects::Stopped::UnixSocket ||
        made.stopped == connects::Stopped::Datagrams) {
        find_name(places, made.object, name);
        if (is_asked_by_habit(name)) return;
        if (made.stopped == connects::Stopped::Datagrams) return note_datagrams(places, pid, name);
        note_path(places, pid, Attempt::Connect, name);
    } else if (made.stopped == connects::Stopped::AbstractSocket) {
        unsigned length = 0;
        for (unsigned at = 2; at < made.address.size; ++at)
            name[length++] = at == 2 ? '@' : static_cast<char>(made.address.bytes[at]);
        name[length] = 0;
        note_path(places, pid, Attempt::Connect, name);
    }
}

// That somebody makes symbolic links, once a second: whoever reports on a call then looks for them.
// What the call says about them would not do, because its text can change before the kernel reads
// it.
void note_symlink(const Places& places) {
    static uint64_t noted_at = 0;
    constexpr uint64_t seldom = 1'000'000'000;
    const uint64_t now = keeper_clock::realtime();
    if (now - noted_at < seldom) return;
    noted_at = now;
    line.length = 0;
    line.add(R"({"ns":)");
    line.add(now);
    line.add(",\"symlink\":true}\n");
    sys::write(places.log, line.text, line.length);
}

// That a part of HOME is written for the first time.
void note_copied(const Places& places, int pid, const char* part) {
    if (!denial_log::is_open()) return;
    begin_line(places, pid);
    line.add(R"(,"copied":)");
    line.quote(part);
    line.add("}\n");
    denial_log::add_line(places.log, line.text, line.length);
}

// The flags of a call that opens a file, or -1: of another call.
long flags_of_open(const seccomp_data& call, const WatchedCall& watched) {
#if !defined(__aarch64__)
    constexpr int creat = 85;
    if (call.nr == creat) return O_WRONLY;
#endif
    return watched.flags >= 0 ? static_cast<long>(call.args[watched.flags] & 0xffffffff) : -1;
}

const WatchedCall* find_watched(int number) {
    for (const WatchedCall& call : husk::wire::watched_calls)
        if (husk::wire::native_number(call) == number) return &call;
    return nullptr;
}

void note_refused(const Places& places, int pid, const seccomp_data& call) {
    if (!denial_log::is_open()) return;
    begin_line(places, pid);
    line.add(R"(,"operation":"call","call":)");
    line.add(static_cast<uint64_t>(call.nr));
    line.add(R"(,"first":)");
    line.add(call.args[0] & 0xffffffff);
    finish_line();
}

void note_settings(const Places& places, int pid, const git_config::Answer& given) {
    if (!denial_log::is_open() || given.refusal == git_config::Refusal::None) return;
    begin_line(places, pid);
    line.add(R"(,"operation":"git config","setting":)");
    line.quote(given.setting);
    line.add(R"(,"why":)");
    line.quote(git_config::word(given.refusal));
    line.add(R"(,"path":)");
    line.quote(given.file);
    finish_line();
}

// Whether nobody but us wants a processor now: "0.52 0.41 0.30 1/95 4321".
bool is_alone(int load) {
    char text[64];
    const long got = load < 0 ? -1 : sys::pread(load, text, sizeof text - 1, 0);
    if (got <= 0) return false;
    text[got] = 0;
    const char* at = text;
    for (int field = 0; field < 3; ++field) {
        while (*at != 0 && *at != ' ') ++at;
        while (*at == ' ') ++at;
    }
    return at[0] == '1' && at[1] == '/';
}

constexpr Decision goes_on{0, true};

}  // namespace

void Witness::begin(int listener, const husk::wire::RefusedRow* rows, uint32_t count) {
    sys::close_once(listener_);
    listener_ = listener;
    connects::begin(places_.proc);
    denial_log::open(places_.log, places_.proc);
    refused_count_ = count < husk::wire::max_refused ? count : husk::wire::max_refused;
    for (uint32_t i = 0; i < refused_count_; ++i) refused_[i] = rows[i];
    if (load_ < 0)
        load_ = static_cast<int>(sys::openat(places_.proc, "loadavg", O_RDONLY | O_CLOEXEC));
    together_ = false;
}

// Who asks and who answers take turns, so they may as well share a processor, which makes an answer
// cheaper by half. But they would wait there for all others who want that processor while another
// one has nothing to do: a parallel build took a quarter longer. Linux 6.6.
void Witness::stay_together(bool wanted) {
    if (wanted == together_) return;
    together_ = wanted;
    constexpr unsigned long set_flags = 0x40082104;  // SECCOMP_IOCTL_NOTIF_SET_FLAGS
    constexpr unsigned long same_processor = 1;      // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
    sys::ioctl(listener_, set_flags, reinterpret_cast<void*>(wanted ? same_processor : 0));
}

// Who waits is answered later.
void Witness::connect(const seccomp_notif& asked) {
    connects::Made made = connects::make(places_.proc, listener_, asked);
    if (made.result == 0) expect_question_to(places_, static_cast<int>(asked.pid), made);
    if (made.waits) return;
    if (made.stopped != connects::Stopped::No)
        note_connect(places_, static_cast<int>(asked.pid), made);
    sys::close_once(made.object);
    reply(asked.id, {made.result});
}

void Witness::reply(uint64_t id, const Decision& decision) {
    seccomp_notif_resp answer{};
    answer.id = id;
    if (decision.goes_on) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    answer.error = decision.result < 0 ? static_cast<int>(decision.result) : 0;
    answer.val = decision.result < 0 ? 0 : decision.result;
    stay_together(is_alone(load_));
    sys::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void Witness::go_on() const { connects::go_on(places_.proc, listener_); }

// The witness gives the error of a wall itself: the kernel may see another tree a moment later, and
// a call that is noted as stopped must not succeed.
Decision Witness::look_at(const seccomp_notif& asked, const WatchedCall& watched) {
    const int pid = static_cast<int>(asked.pid);
    if (watched.attempt == Attempt::Symlink) note_symlink(places_);
    if (watched.attempt == Attempt::Connect) {
        look_at_address(places_, pid, asked.data, watched);
        return goes_on;
    }
    const foresight::Refusal refusal =
        foresight::refusal_of({places_.proc, pid}, asked.data, watched);
    if (refusal.copied != nullptr) note_copied(places_, pid, refusal.copied);
    if (refusal.error == 0) return goes_on;
    const long flags = flags_of_open(asked.data, watched);
    if (flags >= 0 && process_files::is_one(refusal.path)) {
        const long opened = process_files::give({places_.proc, listener_}, asked, refusal.path,
                                                static_cast<unsigned long>(flags));
        if (opened != -EROFS) return {opened};
    }
    note_path(places_, pid, watched.attempt, refusal.path);
    return {-static_cast<long>(refusal.error)};
}

// A socket with a path is a new file, but nobody takes it for saved.
Decision Witness::name_socket(const seccomp_notif& asked, const binding::Name& name) {
    if (name.is_of_datagrams) {
        note_datagrams(places_, static_cast<int>(asked.pid), name.text);
        return {-EPERM};
    }
    if (!name.is_path) return goes_on;
    constexpr uint64_t path_at = 2;
    constexpr WatchedCall making{49, 200, Attempt::Create, {husk::wire::none, 1}};
    seccomp_data with_path = asked.data;
    with_path.args[1] += path_at;
    const int pid = static_cast<int>(asked.pid);
    const foresight::Refusal refusal =
        foresight::refusal_of({places_.proc, pid}, with_path, making);
    if (refusal.error == 0 || refusal.would_seem_saved) return goes_on;
    note_path(places_, pid, Attempt::Create, refusal.path);
    return {-static_cast<long>(refusal.error)};
}

Decision Witness::refuse(const seccomp_notif& asked, int error) {
    note_refused(places_, static_cast<int>(asked.pid), asked.data);
    return {-static_cast<long>(error)};
}

Decision Witness::decide(const seccomp_notif& asked) {
    const int pid = static_cast<int>(asked.pid);
    const WatchedCall* watched = find_watched(asked.data.nr);
    if (datagrams::is_asked_for(asked.data)) return {datagrams::give(listener_, asked)};
    if (const binding::Name name = binding::read(asked); name.text != nullptr)
        return name_socket(asked, name);
    if (group_bit::is_asked_for(asked.data)) {
        const Decision seen = watched == nullptr ? goes_on : look_at(asked, *watched);
        return seen.goes_on ? Decision{group_bit::give(places_.proc, listener_, asked)} : seen;
    }
    if (tracing::is_asked_for(asked.data)) {
        const long judged = tracing::judge(places_.proc, asked);
        return {judged, judged == 0};
    }
    if (watched != nullptr && watched->attempt == Attempt::Rename) {
        const git_config::Answer given =
            git_config::rename({places_.proc, listener_}, asked, *watched);
        note_settings(places_, pid, given);
        if (given.is_given) return {given.error};
    }
    for (uint32_t i = 0; i < refused_count_; ++i)
        if (refused_[i].number == static_cast<uint32_t>(asked.data.nr))
            return refuse(asked, refused_[i].error);
    return watched == nullptr ? refuse(asked, EPERM) : look_at(asked, *watched);
}

void Witness::answer(bool ended) {
    if (ended) {
        connects::forget();
        sys::close_once(listener_);
        return;
    }
    seccomp_notif asked{};
    if (sys::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0) return;
    if (connects::is_asked_for(asked.data)) return connect(asked);
    reply(asked.id, decide(asked));
}

}  // namespace witness
