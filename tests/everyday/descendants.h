// Processes that a case starts, and what they leave behind.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace husk::everyday {

struct Finished {
    int status = -1;  // 128+S for a signal; 124 if it was killed because the time was over
    std::string out;
    std::string err;
};

// Runs a program until its main process ends. Whatever else it started may go on, and may hold its
// outputs: they are read as far as they have something.
Finished run_to_its_end(const std::vector<std::string>& words, std::chrono::milliseconds limit);

// Kills every child of this process, until there is none. This process adopts orphans, so no
// descendant is left.
void end_descendants();

}  // namespace husk::everyday
