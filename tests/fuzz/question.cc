// A question about a name, as a command sends it to the resolver of its session.
#include "keeper/question.h"

#include <cstring>

#include "proxy/target.h"
#include "target.h"

namespace husk::fuzz {
namespace of_question {
namespace {

using ::question::Answer;
using ::question::Code;
using ::question::Question;
using ::question::Reading;

constexpr unsigned char address[4] = {198, 18, 0, 1};

void check_name(const Question& asked) {
    demand(asked.length <= ::question::longest_name, "a name has an end");
    demand(asked.name[asked.length] == 0, "a name ends in a NUL");
    const std::string_view name(asked.name, asked.length);
    // The resolver and the list of hosts must not differ in what they take for a name.
    if (const auto known = proxy::parse_name(name))
        demand(*known == name || name.ends_with('.'), "a name is read as the list reads it");
}

void check_reply(std::string_view message, const Question& asked, const Answer& answer,
                 unsigned end) {
    unsigned char reply[::question::longest_message];
    const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
    const unsigned size = ::question::write(bytes, end, answer, reply);
    demand(size <= sizeof reply, "a reply fits");
    if (size == 0) return;
    demand(std::memcmp(reply, bytes, 2) == 0, "a reply has the number of its question");
    demand((reply[2] & 0x80) != 0, "a reply is none to be answered");
    if (end == 0) return;
    Question again;
    reply[2] &= 0x7f;
    demand(::question::read(reply, size, again) == Reading::Question, "a reply repeats a question");
    demand(std::strcmp(again.name, asked.name) == 0 && again.type == asked.type,
           "a reply repeats its question");
}

}  // namespace
}  // namespace of_question

void question(std::string_view bytes) {
    using namespace of_question;
    const std::string message(bytes.substr(0, ::question::longest_message));
    Question asked;
    const auto* data = reinterpret_cast<const unsigned char*>(message.data());
    const auto reading = ::question::read(data, static_cast<unsigned>(message.size()), asked);
    if (reading == Reading::Nothing) return;
    if (reading == Reading::Malformed)
        return check_reply(message, asked, {Code::Malformed, nullptr, 0, 0}, 0);
    demand(asked.end <= message.size(), "a question ends in its message");
    check_name(asked);
    Answer known{};
    if (::question::knows(asked, "host.example", known))
        check_reply(message, asked, known, asked.end);
    check_reply(message, asked, {Code::NoSuchName, nullptr, 0, 0}, asked.end);
    check_reply(message, asked, {Code::None, address, sizeof address, 1}, asked.end);
}

std::vector<std::string> question_seeds() {
    using namespace std::string_literals;
    const std::string header = "\x12\x34\1\0\0\1\0\0\0\0\0\0"s;
    return {header + "\7example\3org\0\0\1\0\1"s, header + "\4host\7EXAMPLE\0\0\x1c\0\1"s,
            header +
                "\1"
                "1\3"
                "127\7in-addr\4arpa\0\0\x0c\0\1"s,
            header + "\1a\x09localhost\0\0\1\0\1\0\0\x29\x04\xd0\0\0\0\0\0\0"s};
}

}  // namespace husk::fuzz
