#include "target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace husk::fuzz {

std::span<const Target> targets() {
    static constexpr std::array<Target, 12> all = {{
        {"parse", parse},
        {"json_rpc", json_rpc},
        {"http", http},
        {"settings", settings},
        {"rules", rules},
        {"git_index", git_index, git_index_seeds},
        {"proxy", proxy},
        {"dns", dns, dns_seeds},
        {"wire", wire, wire_seeds},
        {"spool", spool, spool_seeds},
        {"terminal_text", terminal_text},
        {"audit", audit},
    }};
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
