#include "decide/signs.h"

#include <array>

namespace husk::decide {

std::vector<Finding> signs(const parse::Script& script, const Context& context) {
    static constexpr std::array packs = {&injection_signs, &escalation_signs, &exfiltration_signs};
    return findings(script, packs, context);
}

}  // namespace husk::decide
