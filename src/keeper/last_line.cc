#include "last_line.h"

namespace {

char line[512];

const char* skip_strings(const char* at, const char* end, uint64_t count) {
    for (; count > 0 && at < end; ++at)
        if (*at == 0) --count;
    return at;
}

// The digits of 0..255, and how many they are.
unsigned put_number(char* to, unsigned number) {
    unsigned size = 0;
    for (unsigned unit = 100; unit > 0; unit /= 10)
        if (number >= unit || unit == 1 || size > 0) {
            to[size++] = static_cast<char>('0' + number / unit);
            number %= unit;
        }
    return size;
}

}  // namespace

namespace last_line {

Line of(const husk::wire::Plan& plan, const char* end, int wait_status) {
    if ((plan.flags & husk::wire::EndsWithLine) == 0) return {line, 0};
    const auto status = static_cast<unsigned>(wait_status);
    const unsigned signal = status & 0x7f;
    if (signal > husk::wire::last_signal) return {line, 0};  // nobody knows how it ended
    const unsigned before = (plan.flags & husk::wire::DirectoryByName) != 0 ? 2 : 1;
    const char* at = skip_strings(reinterpret_cast<const char*>(&plan + 1), end,
                                  uint64_t{before} + plan.argc + plan.envc + signal);
    unsigned size = 0;
    constexpr unsigned room = sizeof line - 4;  // a number and a newline
    for (; at < end && *at != 0 && size < room; ++at) {
        if (*at == husk::wire::exit_code_here)
            size += put_number(line + size, status >> 8 & 0xff);
        else
            line[size++] = *at;
    }
    if (size > 0) line[size++] = '\n';
    return {line, size};
}

}  // namespace last_line
