// Shell ids in the form of a UUID, for contracts that promise one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace husk::contract {

// Holds the whole id of the shell, so that no table of names is needed that a process could lose.
// Always the same for the same shell. An id that is no shell's has none.
std::string uuid_of(std::string_view shell_id);

// Nothing for a text that uuid_of has not made.
std::optional<std::string> shell_id_of(std::string_view uuid);

}  // namespace husk::contract
