// How the reason of a refusal begins when bash would not parse the script. Behind it stands what
// bash says: "line 3: syntax error near unexpected token `fi'".
#pragma once

#include <string_view>

namespace husk::parse {

inline constexpr std::string_view cannot_parse = "bash cannot parse it: ";

}  // namespace husk::parse
