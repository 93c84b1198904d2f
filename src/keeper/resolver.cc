#include "resolver.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "clock.h"
#include "line.h"
#include "question.h"
#include "sys.h"

namespace resolver {
namespace {

constexpr int msg_dontwait = 0x40;
constexpr int msg_nosignal = 0x4000;
constexpr uint64_t second = 1'000'000'000;

struct Asker {
    denial_log::Call call;
    uint64_t at = 0;
    uint16_t port = 0;
    char who[256];
    unsigned length = 0;
};
constexpr unsigned most_askers = 32;
Asker askers[most_askers];  // whose sockets are connected: a port says who asks
unsigned next_asker = 0;
Asker last;                 // for others this is a guess
uint64_t others_until = 0;  // until then, the next question may be that of another call

// A look-up is several questions: for each kind of address, and again where a library tries again.
struct Noted {
    uint64_t what;
    uint64_t at;
};
constexpr unsigned most_noted = 32;
constexpr uint64_t one_lookup = 2 * second;
Noted noted[most_noted];
unsigned next_noted = 0;

uint64_t add_to_hash(uint64_t hash, const char* text, unsigned length) {
    for (unsigned i = 0; i < length; ++i)
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return hash;
}

bool is_noted(uint64_t what, uint64_t now) {
    for (const Noted& one : noted)
        if (one.what == what && now - one.at < one_lookup) return true;
    noted[next_noted++ % most_noted] = {what, now};
    return false;
}

constexpr uint64_t patience = 10 * second;  // of a library with one socket

// Who asked from the port; null if nobody knows.
const Asker* find_asker(uint16_t port, uint64_t now) {
    const Asker* newest = nullptr;
    for (const Asker& one : askers)
        if (one.at != 0 && one.port == port && now - one.at < patience &&
            (newest == nullptr || one.at > newest->at))
            newest = &one;
    if (newest != nullptr) return newest;
    return now - last.at < patience && now > others_until ? &last : nullptr;
}

void note(const question::Question& asked, uint16_t port) {
    // The name of a service (SRV). Programs look up the host as well.
    if (asked.name[0] == '_') return;
    const uint64_t now = keeper_clock::realtime();
    const Asker* asker = find_asker(port, now);
    // A line without a call is for all that run then, so it must not be counted with older ones.
    const denial_log::Call call =
        asker != nullptr ? asker->call : denial_log::Call{0, now / second};
    const uint64_t what = add_to_hash(0xcbf29ce484222325 ^ call.keeper ^ call.word, asked.name,
                                      static_cast<unsigned>(asked.length));
    const bool is_sure = asker != nullptr && asker != &last;
    if (is_noted(is_sure ? add_to_hash(what, asker->who, asker->length) : what, now)) return;
    Line<1024> line;
    line.add(R"({"ns":)");
    line.add(now);
    for (unsigned i = 0; asker != nullptr && i < asker->length; ++i) line.put(asker->who[i]);
    line.add(R"(,"operation":"resolve","address":)");
    line.quote(asked.name);
    denial_log::note(call, now, what, line.text, line.length);
}

void keep(Asker& asker, const denial_log::Call& call, uint64_t now, const char* who,
          unsigned length) {
    asker.call = call;
    asker.at = now;
    asker.length = length < sizeof asker.who ? length : 0;
    for (unsigned i = 0; i < asker.length; ++i) asker.who[i] = who[i];
}

}  // namespace

void expect(const denial_log::Call& call, const char* who, unsigned length, uint16_t port) {
    const uint64_t now = keeper_clock::realtime();
    if (port != 0) {
        Asker& asker = askers[next_asker++ % most_askers];
        keep(asker, call, now, who, length);
        asker.port = port;
        return;
    }
    const bool is_another = last.call.keeper != call.keeper || last.call.word != call.word;
    if (is_another && last.at != 0 && now - last.at < one_lookup) others_until = now + one_lookup;
    keep(last, call, now, who, length);
}

void Resolver::begin(int socket) {
    sys::close_once(socket_);
    socket_ = socket;
    const long fd = sys::openat(proc_, "sys/kernel/hostname", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const long got = sys::read(static_cast<int>(fd), machine_, sizeof machine_ - 1);
    sys::close(static_cast<int>(fd));
    for (long i = 0; i < got; ++i) {
        if (machine_[i] == '\n') machine_[i] = 0;
        if (machine_[i] >= 'A' && machine_[i] <= 'Z') machine_[i] += 32;
    }
}

// False when there is no more.
bool Resolver::answer_one() {
    unsigned char message[question::longest_message];
    unsigned char reply[question::longest_message];
    char from[28];  // as large as any address of the internet
    sys::IoVec part{message, sizeof message};
    sys::MsgHdr header{};
    header.name = from;
    header.name_size = sizeof from;
    header.parts = &part;
    header.part_count = 1;
    const long got = sys::recvmsg(socket_, &header, msg_dontwait);
    // An error is about an earlier answer, whose receiver has gone.
    if (got < 0) return got != -EAGAIN;
    question::Question asked;
    question::Answer answer{question::Code::Malformed, nullptr, 0, 0};
    const auto reading = question::read(message, static_cast<unsigned>(got), asked);
    if (reading == question::Reading::Nothing) return true;
    const bool is_question = reading == question::Reading::Question;
    const auto* port = reinterpret_cast<const unsigned char*>(from) + 2;
    if (is_question && !question::knows(asked, machine_, answer))
        note(asked, static_cast<uint16_t>(port[0] << 8 | port[1]));
    part.base = reply;
    part.size = question::write(message, is_question ? asked.end : 0, answer, reply);
    if (part.size > 0) sys::sendmsg(socket_, &header, msg_dontwait | msg_nosignal);
    return true;
}

// Commands that wait for the witness come first again after these.
void Resolver::answer() {
    constexpr int at_once = 8;
    for (int i = 0; i < at_once; ++i)
        if (!answer_one()) return;
}

}  // namespace resolver
