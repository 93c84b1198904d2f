// $'text', whose escapes are those of C.
#pragma once

#include <string>
#include <string_view>

namespace husk::parse {

// What it means, given what stands between its quotes. A NUL ends it, as in bash.
std::string decode_ansi(std::string_view text);

}  // namespace husk::parse
