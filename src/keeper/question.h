// A question about a name, as it comes in a datagram (RFC 1035), and the answer to it. Nothing here
// makes a system call, so the fuzzer compiles the same text as the keeper program.
#pragma once

#include <stdint.h>

namespace question {

inline constexpr unsigned longest_name = 253;
inline constexpr unsigned longest_label = 63;
inline constexpr unsigned longest_message = 512;
inline constexpr unsigned header_size = 12;
inline constexpr uint16_t type_a = 1;
inline constexpr uint16_t type_aaaa = 28;

struct Question {
    char name[longest_name + 1];  // in lower case, without a dot at its end
    unsigned length;              // of the name
    uint16_t type;
    unsigned end;      // where it ends in the message
    bool is_ordinary;  // a host could have this name: letters, digits, "-", "_" and dots
};

enum class Reading : uint8_t {
    Question,
    Malformed,  // to be answered with an error
    Nothing,    // to be dropped: an answer, or too short
};

enum class Code : uint8_t { None = 0, Malformed = 1, NoSuchName = 3, Refused = 5 };

struct Answer {
    Code code;
    const unsigned char* address;  // what the name stands for; null: nothing
    unsigned size;                 // of the address
    uint32_t seconds;              // for which it may be remembered
};

namespace detail {

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
inline bool is_of_a_host(char letter) {
    return (letter >= 'a' && letter <= 'z') || is_digit(letter) || letter == '-' || letter == '_';
}

// Appends a label. False if the name becomes too long.
inline bool add_label(const unsigned char* label, unsigned size, Question& into) {
    if (into.length + size + (into.length > 0 ? 1 : 0) > longest_name) return false;
    if (into.length > 0) into.name[into.length++] = '.';
    for (unsigned i = 0; i < size; ++i) {
        char letter = static_cast<char>(label[i]);
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 32);
        into.is_ordinary = into.is_ordinary && is_of_a_host(letter);
        into.name[into.length++] = letter;
    }
    return true;
}

// Many programs read a name whose last label is a number as an address.
inline bool ends_in_number(const Question& asked) {
    unsigned at = asked.length;
    while (at > 0 && asked.name[at - 1] != '.') --at;
    if (at == asked.length) return false;
    for (; at < asked.length; ++at)
        if (!is_digit(asked.name[at])) return false;
    return true;
}

inline void put(unsigned char* to, unsigned value) {
    to[0] = static_cast<unsigned char>(value >> 8);
    to[1] = static_cast<unsigned char>(value);
}

}  // namespace detail

// One question, not compressed, and it is about the internet. What stands behind it is left alone.
inline Reading read(const unsigned char* message, unsigned size, Question& into) {
    into = {};
    into.is_ordinary = true;
    if (size < header_size || (message[2] & 0x80) != 0) return Reading::Nothing;
    const bool is_query = (message[2] & 0x78) == 0;
    if (!is_query || message[4] != 0 || message[5] != 1) return Reading::Malformed;
    unsigned at = header_size;
    while (at < size && message[at] != 0) {
        const unsigned label = message[at++];
        if (label > longest_label || label > size - at) return Reading::Malformed;
        if (!detail::add_label(message + at, label, into)) return Reading::Malformed;
        at += label;
    }
    constexpr unsigned behind = 5;  // the end of the name, the type and the class
    if (at >= size || size - at < behind) return Reading::Malformed;
    into.type = static_cast<uint16_t>(message[at + 1] << 8 | message[at + 2]);
    if (message[at + 3] != 0 || message[at + 4] != 1) return Reading::Malformed;
    into.end = at + behind;
    into.is_ordinary = into.is_ordinary && into.length > 0 && !detail::ends_in_number(into);
    return Reading::Question;
}

// Puts the answer to `message` into `reply`, which has room for longest_message bytes. Returns its
// size. `end` is where the question ends; 0: the reply repeats none.
inline unsigned write(const unsigned char* message, unsigned end, const Answer& answer,
                      unsigned char* reply) {
    constexpr unsigned record_size = 12;
    const unsigned begin = end < header_size ? header_size : end;
    if (begin + record_size + answer.size > longest_message) return 0;
    for (unsigned i = 0; i < begin; ++i) reply[i] = message[i];
    for (unsigned i = 4; i < header_size; ++i) reply[i] = 0;
    reply[2] = static_cast<unsigned char>(0x80 | (message[2] & 0x79));  // recursion: as asked
    reply[3] = static_cast<unsigned char>(0x80 | static_cast<unsigned>(answer.code));
    reply[5] = end < header_size ? 0 : 1;
    if (answer.address == nullptr || end < header_size) return begin;
    reply[7] = 1;
    unsigned char* record = reply + begin;
    detail::put(record, 0xc00c);  // the name in the question
    detail::put(record + 2, answer.size == 4 ? type_a : type_aaaa);
    detail::put(record + 4, 1);
    detail::put(record + 6, answer.seconds >> 16);
    detail::put(record + 8, answer.seconds & 0xffff);
    detail::put(record + 10, answer.size);
    for (unsigned i = 0; i < answer.size; ++i) record[record_size + i] = answer.address[i];
    return begin + record_size + answer.size;
}

// Whether the name is `last`, or ends in a dot and it.
inline bool is_below(const Question& asked, const char* last) {
    unsigned size = 0;
    while (last[size] != 0) ++size;
    if (asked.length < size) return false;
    const unsigned begin = asked.length - size;
    for (unsigned i = 0; i < size; ++i)
        if (asked.name[begin + i] != last[i]) return false;
    return begin == 0 || asked.name[begin - 1] == '.';
}

// By RFC 6761 these are never looked up: reversed addresses, and names that are to be in nobody's
// tables.
inline bool is_never_there(const Question& asked) {
    return is_below(asked, "arpa") || is_below(asked, "invalid");
}

// What every session knows by itself: the loopback, by its own name and by that of the machine, and
// names that lead nowhere. False if the answer depends on what the session may reach.
inline bool knows(const Question& asked, const char* machine, Answer& answer) {
    static constexpr unsigned char v4[4] = {127, 0, 0, 1};
    static constexpr unsigned char v6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    unsigned same = 0;
    while (same < asked.length && machine[same] != 0 && machine[same] == asked.name[same]) ++same;
    const bool is_machine = asked.length > 0 && same == asked.length && machine[same] == 0;
    if (is_machine || is_below(asked, "localhost")) {
        answer = {Code::None, nullptr, 0, 0};
        if (asked.type == type_a) answer = {Code::None, v4, sizeof v4, 0};
        // Of these two, /etc/hosts says whether they have such an address.
        const bool is_in_hosts = is_machine || asked.length == sizeof "localhost" - 1;
        if (asked.type == type_aaaa && !is_in_hosts) answer = {Code::None, v6, sizeof v6, 0};
        return true;
    }
    answer = {Code::NoSuchName, nullptr, 0, 0};
    return is_never_there(asked) || !asked.is_ordinary;
}

}  // namespace question
