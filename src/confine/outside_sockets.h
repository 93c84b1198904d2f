// Unix sockets outside of the session that its commands may connect to.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// Why these sockets cannot be given, if they cannot.
Result<void> check_sockets(const Wanted& wanted);
// Before there are namespaces: opens their directories for the mason.
void hold_sockets(const Wanted& wanted, Steps& steps);
// Those that exist, and that something private of the session hides: they need a place in it.
std::vector<std::filesystem::path> hidden_sockets(
    const Wanted& wanted, const std::vector<std::filesystem::path>& secrets);

}  // namespace husk::confine
