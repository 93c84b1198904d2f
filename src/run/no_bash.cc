// Replaces run/ask_bash.cc in a build without the engine.
#include "run/ask_bash.h"

namespace husk::run {

// Only Linux has the filter that keeps bash from doing more than reading the script.
Result<std::optional<parse::SyntaxError>> bash_rejects(std::string_view) {
    return failure("bash -n", 0, "Husk asks bash only on Linux");
}

}  // namespace husk::run
