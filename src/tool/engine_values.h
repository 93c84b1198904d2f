// From what is in force to what the engine takes.
#pragma once

#include <husk/bash.h>

#include "contract/docware_settings.h"
#include "place/container.h"
#include "tool/configuration.h"

namespace husk::tool {

// How long a call of this timeout is waited for: no longer than the maximum, unless the user
// gave it as a flag.
std::optional<std::chrono::milliseconds> timeout_of(const config::Settings& settings);

struct EngineValues {
    Settings settings = {};
    Request request = {};
    ToolContext context = {};
    std::optional<place::Wanted> container = {};  // commands run there, and not on this host
};

// Limits, variables, and what is kept: what the call itself says of variables stays.
void apply_limits(const config::Settings& settings, Request& request);

// The section `docware`; limits and the timeout count there too, where they are given.
contract::DocwareSettings docware_settings(const Configuration& configuration);

// What no setting speaks of, such as the command, stays as it is in `values`.
EngineValues engine_values(const Configuration& configuration, EngineValues values = {});

}  // namespace husk::tool
