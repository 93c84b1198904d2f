// What bash itself says about a script, without running any of it.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "parse/script.h"

namespace husk::run {

// Why bash would not parse the text; nothing when it would. An error when bash could not be
// asked, or had no answer.
Result<std::optional<parse::SyntaxError>> bash_rejects(std::string_view text);

}  // namespace husk::run
