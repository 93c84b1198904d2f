// Tables of names that can be read at a glance: "git npm cargo".
#pragma once

#include <string_view>

namespace husk {

// `names` are separated by single spaces, so no name that contains a space is one of them.
constexpr bool is_one_of(std::string_view name, std::string_view names) {
    if (name.empty() || name.contains(' ')) return false;
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
static_assert(!is_one_of("git npm", "git npm cargo"));

}  // namespace husk
