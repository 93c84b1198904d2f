// Tables of names that can be read at a glance: "git npm cargo".
#pragma once

#include <string_view>

namespace husk::decide {

// `names` are separated by single spaces.
constexpr bool is_one_of(std::string_view name, std::string_view names) {
    if (name.empty()) return false;
    for (size_t at = names.find(name); at != std::string_view::npos;
         at = names.find(name, at + 1)) {
        const size_t end = at + name.size();
        if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' '))
            return true;
    }
    return false;
}

static_assert(is_one_of("npm", "git npm cargo"));
static_assert(!is_one_of("pm", "git npm cargo"));
static_assert(!is_one_of("", "git"));

}  // namespace husk::decide
