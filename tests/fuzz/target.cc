#include "target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace husk::fuzz {

std::span<const Target> targets() {
    static constexpr auto all = std::to_array<Target>({
        {"parse", parse},
        {"git_index", git_index, git_index_seeds},
        {"proxy", proxy},
        {"dns", dns, dns_seeds},
        {"question", question, question_seeds},
        {"wire", wire, wire_seeds},
        {"terminal_text", terminal_text},
#ifndef HUSK_FUZZ_LOW_READERS  // those above run with sanitizers: cmake/SanitizedReaders.cmake
        {"json_rpc", json_rpc},
        {"http", http},
        {"settings", settings},
        {"rules", rules},
        {"spool", spool, spool_seeds},
        {"audit", audit},
#endif
    });
    return all;
}

const Target* find_target(std::string_view name) {
    const auto found = std::ranges::find(targets(), name, &Target::name);
    return found == targets().end() ? nullptr : &*found;
}

void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "this does not hold: %s\n", what);
    std::abort();
}

}  // namespace husk::fuzz
