// One stream of a shell, read from its log while it grows or afterwards.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/pattern.h"
#include "base/result.h"
#include "collect/excerpt.h"
#include "collect/shell_files.h"

namespace husk::collect {

enum class Which { Output, Errors };

// What is there at this moment.
struct StreamState {
    Kept kept;
    uint64_t lines = 0;    // newlines in [0, counted)
    uint64_t counted = 0;  // of a running command a little behind what is stored
    bool ends_in_newline = true;
    int error = 0;  // that ended the storing
    uint64_t dropped() const {
        return (kept.tail_start - kept.head_end) + (kept.total - kept.stored_end);
    }
};
Result<StreamState> stream_state(const ShellFiles& files, Which which);

// A piece of the stream as it is.
struct Piece {
    uint64_t at = 0;
    std::string bytes;
    uint64_t dropped_before = 0;  // bytes that are not kept, between the wanted place and `at`
    uint64_t end() const { return at + bytes.size(); }
};

// Up to `most` bytes from `from` on; empty when there is nothing new.
Result<Piece> read_from(const ShellFiles& files, Which which, uint64_t from, size_t most);

// How a reader gets what was left out, in words.
using Hint = std::function<std::string(Which which, const ByteRange& left_out)>;

// The beginning and the end of what comes after `since`, within the budget. Without a hint it is
// for the command line.
struct Shot {
    Shown shown;
    StreamState state;
};
Result<Shot> show(const ShellFiles& files, Which which, uint64_t since, uint64_t budget,
                  const Hint& hint = {});

// Where the last `count` lines begin.
Result<uint64_t> offset_of_last_lines(const ShellFiles& files, Which which, uint64_t count);
// Where the line begins that `offset` is in, if that is not too far.
Result<uint64_t> start_of_line(const ShellFiles& files, Which which, uint64_t offset);

// The last `count` lines, within the budget.
Result<Shot> show_last_lines(const ShellFiles& files, Which which, uint64_t count, uint64_t budget);

// Lines by number, counted from 1.
Result<Shot> show_lines(const ShellFiles& files, Which which, uint64_t first, uint64_t last,
                        uint64_t budget);

// Every line that matches, as "number:line", within the budget.
Result<Shot> show_matches(const ShellFiles& files, Which which, const Pattern& pattern,
                          uint64_t budget);

}  // namespace husk::collect
