// What object files define, and what they take from elsewhere.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace architecture {

using Names = std::set<std::string>;

struct Symbols {
    Names defined;
    Names undefined;
};

// The paths in a text that has a colon between them.
std::vector<std::string> paths_in(const std::string& joined);

// The names without C++ that these objects take from elsewhere.
Names undefined_c_names(const std::vector<std::string>& objects);

// C++ names without their parameters, which differ from one machine to another: "sys::read".
Symbols symbols_of(const std::string& object);

Names without(const Names& names, const Names& taken);

// What a command of the shell prints on standard output.
std::string output_of(const std::string& command);

}  // namespace architecture
