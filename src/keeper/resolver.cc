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

// Who asked last, as far as that can be known: a question itself does not say.
struct Asker {
    denial_log::Call call;
    uint64_t at = 0;
    char who[256];
    unsigned length = 0;
};
Asker last;
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

uint64_t hash_of(const question::Question& asked, const denial_log::Call& call) {
    uint64_t hash = 0xcbf29ce484222325 ^ call.keeper ^ call.word;
    for (unsigned i = 0; i < asked.length; ++i)
        hash = (hash ^ static_cast<unsigned char>(asked.name[i])) * 0x100000001b3;
    return hash;
}

bool is_noted(uint64_t what, uint64_t now) {
    for (const Noted& one : noted)
        if (one.what == what && now - one.at < one_lookup) return true;
    noted[next_noted++ % most_noted] = {what, now};
    return false;
}

void note(const question::Question& asked) {
    constexpr uint64_t patience = 10 * second;  // of a library with one socket
    const uint64_t now = keeper_clock::realtime();
    const bool is_known = now - last.at < patience && now > others_until;
    // A line without a call is for all that run then, so it must not be counted with older ones.
    const denial_log::Call call = is_known ? last.call : denial_log::Call{0, now / second};
    const uint64_t what = hash_of(asked, call);
    if (is_noted(what, now)) return;
    Line<1024> line;
    line.add(R"({"ns":)");
    line.add(now);
    for (unsigned i = 0; is_known && i < last.length; ++i) line.put(last.who[i]);
    line.add(R"(,"operation":"resolve","address":)");
    line.quote(asked.name);
    denial_log::note(call, now, what, line.text, line.length);
}

}  // namespace

void expect(const denial_log::Call& call, const char* who, unsigned length) {
    const uint64_t now = keeper_clock::realtime();
    const bool is_another = last.call.keeper != call.keeper || last.call.word != call.word;
    if (is_another && last.at != 0 && now - last.at < one_lookup) others_until = now + one_lookup;
    last.call = call;
    last.at = now;
    last.length = length < sizeof last.who ? length : 0;
    for (unsigned i = 0; i < last.length; ++i) last.who[i] = who[i];
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
    if (is_question && !question::knows(asked, machine_, answer)) note(asked);
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
