// Signals that ask husk to end, as the cancellation of what it does.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>

namespace husk::cli {

// The first SIGINT, SIGTERM or SIGHUP is left in `received` and requests the stop. Called once,
// while there is one thread.
std::stop_source cancel_on_signals(std::shared_ptr<std::atomic<int>> received);

}  // namespace husk::cli
