// What bash runs or reads differently although nobody can see it in the script's commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

bool has_substitution(std::string_view text);

// name[ ... $( ... : evaluated as arithmetic, bash runs what stands in the brackets.
bool is_subscript_with_substitution(std::string_view text);

struct Hidden {
    std::vector<std::string> reasons;
    bool aliases_made = false;
    bool aliases_work = false;

    void note(const Command& command);
};

}  // namespace husk::parse
