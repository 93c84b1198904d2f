// From a request to everything that starting it needs. Fails with an explanation, before
// there is a second process.
#pragma once

#include <husk/bash.h>

#include "base/result.h"
#include "tool/started_call.h"
#include "tool/working_dir.h"

namespace husk::tool {

// Why the request could not be run, whatever the rules say: no command, a NUL byte, too many words.
Result<void> check_request(const Request& request);
// Whether commands of this conversation could be started at all: what a server asks before there is
// one.
Result<void> check_walls(const ToolContext& context, const Settings& settings);

Result<CallPlan> plan_call(const Request& request, const ToolContext& context,
                           const Settings& settings, unsigned umask);

}  // namespace husk::tool
