// Machines that have run out of something, or whose clock jumps. Each is put under strain for a
// while, again and again, and is well in between.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "callers.h"

namespace husk::test {

class Strain {
public:
    virtual ~Strain() = default;
    // Once, before anything of Husk runs on this state directory. False: not on this machine.
    virtual bool prepare(const Husk& husk) = 0;
    virtual void begin(Random& random, const std::vector<pid_t>& servers) = 0;
    virtual void end() = 0;
    // In a child that is about to become a caller.
    virtual void limit_caller() const {}
    // Whether commands can still print what they mean to.
    virtual bool spares_commands() const { return true; }
};

std::unique_ptr<Strain> full_disk();
std::unique_ptr<Strain> read_only_state();
std::unique_ptr<Strain> full_process_table();
std::unique_ptr<Strain> no_descriptors();
std::unique_ptr<Strain> jumping_clock();

// The address sanitizer refuses to start a program with a preloaded library, unless it is told not
// to look.
void allow_preloading();

}  // namespace husk::test
