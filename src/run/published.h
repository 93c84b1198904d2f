// Ports of a session that the loopback of the machine shows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "confine/wanted.h"
#include "os/fd.h"

namespace husk::run {

// Whether somebody has to serve them: with the network of the machine they are there already.
bool publishes(const confine::Wanted& wanted);

// A listening socket for each of them on 127.0.0.1. An error says which port is taken.
Result<std::vector<os::Fd>> listen_for(const confine::Wanted& wanted);

}  // namespace husk::run
