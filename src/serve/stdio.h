// MCP on standard input and output: one message on each line.
#pragma once

#include <stop_token>

#include "base/result.h"
#include "serve/connection.h"

namespace husk::serve {

// Serves until the input is at its end, nobody reads the output any more, or `stop` is requested;
// then cancels what is under way and waits for it. `in` and `out` stay the caller's.
Result<void> serve_stdio(Server& server, int in, int out, const std::stop_token& stop);

}  // namespace husk::serve
