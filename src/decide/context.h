// What a decision depends on beside the script and the rules.
#pragma once

#include <string>
#include <vector>

namespace husk::decide {

struct Context {
    std::string working_directory;            // absolute, or empty when it is not known
    std::string home;                         // what ~ and $HOME mean; empty when it is not known
    std::vector<std::string> variables = {};  // that the call sets before the script
    // Something else than its text and its directory decides what the script does: variables of
    // the call, its standard input, what a shell that goes on was told before.
    bool has_more_than_text = false;
};

}  // namespace husk::decide
