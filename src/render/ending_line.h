// How a command ended, in a few words for people.
#pragma once

#include <husk/report.h>

#include <string>

namespace husk::render {

// "the memory limit of 2 GiB (reached 2.1 GiB)".
std::string limit_words(const LimitExceeded& limit);

// For a column: "exited 0", "signaled SIGKILL", "timed out", "exited 0, 2 left", "exited 0,
// leftovers: processes limit".
std::string ending_words(const Report& report);

// The one line a person needs when the exit code does not say it all: "timed out after 30 s",
// "2 processes still running: sleep (pid 123), cat (pid 124); husk kill k3f9-2". Without a
// newline; empty when all is well.
std::string ending_line(const Report& report);

}  // namespace husk::render
