// Which variables a closed session does without.
#pragma once

#include <string_view>

namespace husk {

// Whether a closed session does without it: its name or its value looks like a secret, or it leads
// to something outside, or changes what bash makes of a text that was judged.
bool is_withheld(std::string_view name, std::string_view value = "");

}  // namespace husk
