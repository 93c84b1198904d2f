// On other systems than Linux, in the place of run/ask_bash.cc.
#include "run/ask_bash.h"

namespace husk::run {

// Only Linux has the filter that lets bash do nothing but read the script.
Result<std::optional<parse::SyntaxError>> bash_rejects(std::string_view) {
    return failure("bash -n", 0, "Husk asks bash only on Linux");
}

}  // namespace husk::run
