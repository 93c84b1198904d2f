// The session's log of what its walls stopped: lines of JSON that reports are made from. No command
// can push the denials of another call, or its own first ones, out of it by making many more: each
// call has room for a number of different denials. Repetitions and all others are counted.
#pragma once

#include <stdint.h>

namespace denial_log {

inline constexpr unsigned most_lines = 32;  // of one call; a report lists fewer
inline constexpr unsigned most_bytes = 1 << 16;
inline constexpr unsigned most_calls = 64;         // that are told apart
inline constexpr unsigned longest_line = 1 << 16;  // more than any path needs
inline constexpr long longest = 1 << 20;           // bytes of the file, if these are denials
inline constexpr long longest_with_others = 4 * longest;

// Who was stopped: the keeper of the call, as the session sees it, and a word that differs from the
// one of the keeper's last call. Both are 0 where that is not known.
struct Call {
    uint64_t keeper;
    uint64_t word;
};

// `fd` appends; -1: nothing is noted. `proc` is where this process finds /proc.
void open(int fd, int proc);
bool is_open();

// Adds a line, which is an object of JSON without its last brace. `what` is the same for
// repetitions.
void note(const Call& call, uint64_t now, uint64_t what, const char* line, unsigned length);

// Appends a whole line about something else, which denials leave room for.
void add_line(int fd, const char* line, unsigned length);

}  // namespace denial_log
