// The part of Starlark in which rules are written: calls with arguments that stand there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace husk {

struct StarlarkValue {
    enum class Kind { Text, List, Other };  // Other: a number, True, None
    Kind kind = Kind::Other;
    std::string text = {};
    std::vector<StarlarkValue> items = {};
};

struct StarlarkArgument {
    std::string name;  // empty when it has none
    StarlarkValue value;
};

// name(argument, name = argument)
struct StarlarkCall {
    size_t line = 0;          // from 1
    std::string source = {};  // on one line
    std::string name = {};
    std::vector<StarlarkArgument> arguments = {};
    std::string error = {};  // why the statement cannot be read; then only line and source count

    const StarlarkValue* find(std::string_view argument) const;
};

// The statements of a text that stand at its top, in order. Whatever is no such call has an error,
// and reading goes on behind it.
std::vector<StarlarkCall> read_starlark(std::string_view text);

}  // namespace husk
