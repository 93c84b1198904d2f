// Programs in awk, sed, perl, ruby and php that stand in an argument, and the commands that they
// start by their own syntax. A case of doubt counts as a command.
#pragma once

#include <string_view>

namespace husk::decide {

// "id" | getline, print | "sh"
bool pipes_in_awk(std::string_view code);

// 1e id, s/x/id/e
bool runs_from_sed(std::string_view script);

// `id`, in perl also qx(id), in ruby also %x(id)
bool runs_in_backticks(std::string_view program, std::string_view code);

}  // namespace husk::decide
