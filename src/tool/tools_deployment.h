// What a conversation with the tools of the library is given: the contract and the configuration,
// and what its context says.
#pragma once

#include <husk/tools.h>

#include "base/result.h"
#include "tool/deployment.h"

namespace husk::tool {

// Whether tools that were deployed for one of the contexts serve the other. What belongs to a call
// alone makes no difference.
bool same_place(const ToolContext& one, const ToolContext& other);

Result<Deployed> deploy_for(const ToolSettings& settings, const ToolContext& context);

}  // namespace husk::tool
