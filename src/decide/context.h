// What a decision depends on beside the script and the rules.
#pragma once

#include <string>

namespace husk::decide {

struct Context {
    std::string working_directory;  // absolute, or empty when it is not known
    std::string home;               // what ~ and $HOME mean; empty when it is not known
};

}  // namespace husk::decide
