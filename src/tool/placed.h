// Calls whose commands run in a container: what stands for them on this host.
#pragma once

#include <husk/bash.h>

#include "base/result.h"
#include "place/container.h"

namespace husk::tool {

// The call as one on this host; the container stands when this returns. What of `container` depends
// on the call is taken from its context. May take as long as the engine takes to make one.
Result<void> place_call(place::Wanted container, const Settings& settings, Request& request,
                        ToolContext& context);

// What was measured on this host says nothing about a command that ran elsewhere.
void tell_placed(Report& report, const Network& network);

}  // namespace husk::tool
