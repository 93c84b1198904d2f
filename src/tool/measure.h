// What a call costs on this machine, beside the bare thing in the same run.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace husk::tool {

// `bash -c command` by vfork and exec, its output read to the end from a pipe: the least that
// anybody who wants the output of a command has to do.
void run_bare(const char* command);

struct Paired {
    double bare_ms;  // medians
    double other_ms;
    double ratio;  // median of the ratios of neighbours
};

// One after the other in turns, so that whatever else the machine does hits both.
Paired compare(size_t rounds, const std::function<void()>& bare,
               const std::function<void()>& other);

double median(std::vector<double> values);

}  // namespace husk::tool
