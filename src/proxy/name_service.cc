#include "proxy/name_service.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "keeper/question.h"

namespace husk::proxy {
namespace {

using question::Answer;
using question::Code;

// The proxy may be started again and forget the names below a wildcard: nobody shall remember their
// addresses for longer than a connection takes.
constexpr uint32_t remembered_s = 5;

std::string name_of_machine() {
    char name[65] = {};
    if (::gethostname(name, sizeof name - 1) != 0) return {};
    std::string text = name;
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

NameService::NameService(World& world, os::Fd socket, uint64_t tag)
    : world_(world), machine_(name_of_machine()) {
    socket_.hold(std::move(socket));
    socket_.tag = tag;
    world_.poller.want(socket_, EPOLLIN);
}

void NameService::on_ready() {
    constexpr int at_once = 32;
    for (int i = 0; i < at_once; ++i)
        if (!answer_one()) return;
}

// False if this kind of address belongs to a look-up that has been noted.
bool NameService::is_new(const std::string& name, uint16_t type) {
    constexpr auto one_lookup = std::chrono::seconds(2);
    const auto now = Clock::now();
    const uint64_t bit = type < 64 ? 1ULL << type : 1;
    auto* const known = std::ranges::find(noted_, name, &Noted::name);
    const bool is_same = known != noted_.end() && now - known->at < one_lookup;
    if (is_same && (known->types & bit) == 0) {
        known->types |= bit;
        return false;
    }
    Noted& place = known != noted_.end() ? *known : noted_[next_++ % noted_.size()];
    place = {name, bit, now};
    return true;
}

// `address` is where the answer finds the bytes of a stand-in.
question::Answer NameService::answer_to(const question::Question& asked,
                                        std::array<unsigned char, 4>& address) {
    Answer answer{};
    if (question::knows(asked, machine_.c_str(), answer)) return answer;
    const std::string name(asked.name, asked.length);
    if (!world_.allow.names(name)) {
        if (is_new(name, asked.type)) world_.denials.note_name(name);
        return {Code::NoSuchName, nullptr, 0, 0};
    }
    const uint32_t stand_in = world_.stand_ins.address_of(name);
    if (stand_in == 0) return {Code::Refused, nullptr, 0, 0};
    if (asked.type != question::type_a) return {Code::None, nullptr, 0, 0};
    for (unsigned i = 0; i < address.size(); ++i)
        address[i] = static_cast<unsigned char>(stand_in >> (24 - 8 * i));
    return {Code::None, address.data(), static_cast<unsigned>(address.size()), remembered_s};
}

bool NameService::answer_one() {
    unsigned char message[question::longest_message];
    unsigned char reply[question::longest_message];
    sockaddr_storage from{};
    socklen_t from_size = sizeof from;
    auto* const sender = reinterpret_cast<sockaddr*>(&from);
    const ssize_t got =
        ::recvfrom(socket_.fd.get(), message, sizeof message, MSG_DONTWAIT, sender, &from_size);
    // Another error is about an earlier answer, whose receiver has gone.
    if (got < 0) return errno != EAGAIN;
    question::Question asked;
    std::array<unsigned char, 4> address{};
    Answer answer{Code::Malformed, nullptr, 0, 0};
    const auto reading = question::read(message, static_cast<unsigned>(got), asked);
    if (reading == question::Reading::Nothing) return true;
    const bool is_question = reading == question::Reading::Question;
    if (is_question) answer = answer_to(asked, address);
    const unsigned size = question::write(message, is_question ? asked.end : 0, answer, reply);
    if (size > 0)
        ::sendto(socket_.fd.get(), reply, size, MSG_DONTWAIT | MSG_NOSIGNAL, sender, from_size);
    return true;
}

}  // namespace husk::proxy
