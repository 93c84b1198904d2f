#include "request/default_limits.h"

#include <unistd.h>

#include <algorithm>

namespace husk {
namespace {

// Three quarters of the machine.
uint64_t most_memory() {
    static const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    static const auto page_size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    return pages * page_size / 4 * 3;
}

}  // namespace

Limits default_limits() {
    return {.cpu = std::chrono::hours(1),
            .memory = most_memory(),
            .processes = 512,
            .open_files = 4096,
            .file_size = 4ULL << 30};
}

}  // namespace husk
