// What bash runs or reads differently although nobody can see it in the script's commands.
#pragma once

#include <string>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

struct Hidden {
    std::vector<std::string> reasons;
    bool aliases_made = false;
    bool aliases_work = false;

    void note(const Command& command);
};

}  // namespace husk::parse
