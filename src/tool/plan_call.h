// From a request to everything that starting it needs. Fails with an explanation, before
// there is a second process.
#pragma once

#include <husk/bash.h>

#include "base/result.h"
#include "tool/started_call.h"

namespace husk::tool {

Result<CallPlan> plan_call(const Request& request, const ToolContext& context,
                           const Settings& settings, unsigned umask);

}  // namespace husk::tool
