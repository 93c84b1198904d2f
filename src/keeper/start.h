// From a plan to a running command.
#pragma once

#include "ceilings.h"
#include "record.h"
#include "wire.h"

namespace start {

struct Descriptors {
    int input;
    int output;
    int errors;
    int directory;
};

struct Started {
    int pid;                  // > 0, or
    husk::record::Step step;  // where it failed
    uint32_t error;           // and with which errno
    bool below_ceilings;
};

// The plan and its strings are in `message`, which stays untouched until this returns.
// Everything is worked out before the child exists; the child only makes system calls.
// A cgroup that cannot be entered is done without, and Started tells.
Started command(const char* message, long size, const Descriptors& descriptors,
                const ceilings::Files& ceilings);

}  // namespace start
