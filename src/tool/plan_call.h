// From a request to everything that starting it needs. Fails with an explanation, before
// there is a second process.
#pragma once

#include <husk/bash.h>

#include <filesystem>

#include "base/result.h"
#include "tool/started_call.h"

namespace husk::tool {

// Whether it can be the name of a directory at all.
Result<void> check_working_dir(const std::filesystem::path& asked);
// Where it would run, absolute.
Result<std::filesystem::path> working_dir_of(const Request& request, const ToolContext& context);
// The same as rules see it: without `.`, `..` and a slash at the end; empty if it is not known.
std::string place_of(const Request& request, const ToolContext& context);
// Whether commands of this conversation could be started at all: what a server asks before there is
// one.
Result<void> check_walls(const ToolContext& context, const Settings& settings);

Result<CallPlan> plan_call(const Request& request, const ToolContext& context,
                           const Settings& settings, unsigned umask);

}  // namespace husk::tool
