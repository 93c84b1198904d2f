// What to do about a working directory that cannot be entered. A contract whose calls cannot name a
// directory says something else in its place.
#pragma once

#include <string_view>

namespace husk::config {

inline constexpr std::string_view directory_advice =
    "name another one with `working_directory` (--cwd)";

}  // namespace husk::config
