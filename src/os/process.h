// Processes by descriptor, and the two ways in which this library makes one.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/program.h"

namespace husk::os {

// A process that cannot turn into another one while we hold this.
Result<Fd> open_process(pid_t pid);

// A signal with a value (sigqueue), to exactly that process.
Result<void> send_signal(const Fd& process, int signal, uint64_t value);
bool has_ended(const Fd& process);

// The program `image` as a file that can be executed and no longer written.
Result<Fd> program_file(std::string_view image);

// Runs the program with the descriptors 0, 1, 2 = `null` and 3 = `socket` and nothing else,
// as the leader of a session of its own in "/". It is nobody's child when this returns: the
// embedding program sees neither a SIGCHLD nor something to wait for.
Result<void> start_detached(const Fd& program, const char* name, const Fd& null, const Fd& socket);

// A program that only answers a question.
struct Question {
    const Program* program = nullptr;
    std::span<const sock_filter> filter;    // the system calls that it may make
    std::vector<std::string> argv;          // with its name
    std::vector<std::string> env;           // NAME=value, and nothing else
    int input = -1;                         // its standard input
    std::chrono::milliseconds patience{0};  // then it is killed, and that is an error
    size_t most_output = 0;                 // what it writes beyond is dropped
};

struct Answer {
    int status = 0;      // as waitpid has it
    std::string output;  // what it wrote to standard output and error, in order
};

// Runs it in "/", under the filter and without the means to gain privileges, and waits for its end.
// The embedding program sees neither a SIGCHLD nor something to wait for.
Result<Answer> ask_program(const Question& question);

}  // namespace husk::os
