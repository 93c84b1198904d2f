// Modes and networks in the words of arguments and descriptions.
#pragma once

#include <husk/request.h>

#include <optional>
#include <string>
#include <string_view>

namespace husk::contract {

const char* word(Mode mode);  // "read-only" "workspace" "open"
std::optional<Mode> mode_named(std::string_view name);

// "none", "open", or hosts with commas between them.
Network network_named(std::string_view text);

// Nothing of it goes beyond the other.
bool is_within(const Network& narrower, const Network& wider);

// "There is no network." and the like.
std::string sentence(const Network& network);

}  // namespace husk::contract
