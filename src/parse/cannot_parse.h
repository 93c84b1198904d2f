// The start of a refusal's reason if bash would not parse the script. Bash's own message follows:
// "line 3: syntax error near unexpected token `fi'".
#pragma once

#include <string_view>

namespace husk::parse {

inline constexpr std::string_view cannot_parse = "bash cannot parse it: ";

}  // namespace husk::parse
