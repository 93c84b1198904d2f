// Mode -> walls: what a nursery has to do, and what then stands.
#pragma once

#include <string>
#include <vector>

#include <husk/report.h>

#include "base/result.h"
#include "confine/protected.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

struct Walls {
    Steps steps;                                 // in mode open only to protect paths
    Confinement standing;                        // once all steps are taken
    Protected protection;                        // as it was when this was planned
    std::vector<std::filesystem::path> secrets;  // those that lie in its roots

    // What failed, in words: "walls: mount proc on /proc: Operation not permitted".
    Error explain(uint32_t step, int error) const;
    // What is not to be had when this step fails; empty if that says nothing.
    std::string mechanism_of(uint32_t step) const;
};

// What such walls are called in a report, with what the machine lacks.
Confinement standing(const Wanted& wanted);

// Whether somebody notes what they stop: the parent of the session's pid 1, by its mounts.
bool has_witness(const Wanted& wanted);

// An error when these walls cannot be had here, or make no sense.
Result<Walls> plan_walls(const Wanted& wanted);

}  // namespace husk::confine
