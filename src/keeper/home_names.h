// Which names in HOME are copy-on-write behind walls: those that begin with a dot, and the usual
// directories of tools. Everything else there is read-only.
#pragma once

namespace husk::wire {

inline constexpr const char* tool_directories[] = {"go",         "R",         "perl5",
                                                   "miniconda3", "anaconda3", "miniforge3",
                                                   "mambaforge", "snap",      "node_modules"};

// Compares without the C library, which the keeper program does not have.
constexpr bool is_copied_in_home(const char* name) {
    if (name[0] == '.') return true;
    for (const char* directory : tool_directories) {
        unsigned i = 0;
        while (directory[i] != 0 && directory[i] == name[i]) ++i;
        if (directory[i] == 0 && name[i] == 0) return true;
    }
    return false;
}

static_assert(is_copied_in_home(".npm") && is_copied_in_home("go"));
static_assert(!is_copied_in_home("goods") && !is_copied_in_home("notes"));

}  // namespace husk::wire
