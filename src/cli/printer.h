// What `husk run` prints while a command runs, and at its end.
#pragma once

#include <husk/request.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/terminal.h"

namespace husk::cli {

// Standard output and error as the command writes them, or events; and how both end. When
// nobody reads any more the command ends, as in a pipe. Whoever cancels it is not kept waiting by
// a reader that sleeps.
class Printer {
public:
    Printer(std::stop_source stop, std::shared_ptr<std::atomic<int>> received, Escapes escapes)
        : stop_(std::move(stop)),
          received_(std::move(received)),
          filters_{OutputFilter(STDOUT_FILENO, escapes), OutputFilter(STDERR_FILENO, escapes)} {}

    void print(int fd, const std::string& text);
    // After the last piece of output.
    void end_output();
    // As an event; a character that has come only in part waits for the rest of it.
    void print_event(OutputPiece piece, bool split);
    // What never became whole is told as it is.
    void print_held(bool split);
    // The last word, which is worth a little patience even after a cancellation.
    void finish(const std::string& line) const;

private:
    std::stop_source stop_;
    std::shared_ptr<std::atomic<int>> received_;
    void write(int fd, const std::string& bytes);

    std::array<OutputFilter, 2> filters_;  // of standard output and error
    bool torn_ = false;
    std::array<OutputPiece, 2> held_;
};

}  // namespace husk::cli
