// The deployment for one conversation of the library: from the settings, the configuration and the
// conversation's context.
#pragma once

#include <husk/tools.h>

#include "base/result.h"
#include "tool/deployment.h"

namespace husk::tool {

// Whether tools that were deployed for one context serve the other. Fields that belong to a single
// call are ignored.
bool same_place(const ToolContext& one, const ToolContext& other);

Result<Deployed> deploy_for(const ToolSettings& settings, const ToolContext& context);

}  // namespace husk::tool
