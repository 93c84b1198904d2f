// Signals by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace husk {

// "SIGTERM", "SIGRTMIN+3"; "signal 77" for what has no name.
std::string signal_name(int signal);

// "TERM", "SIGTERM", "sigterm", "15", "RTMIN+3", "RTMAX-1".
std::optional<int> signal_number(std::string_view name);

}  // namespace husk
