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

// A build has some processes for each of them.
uint64_t processors() {
    static const auto count = static_cast<uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    return count;
}

}  // namespace

Limits default_limits() {
    constexpr uint64_t fewest_processes = 512;
    constexpr uint64_t processes_of_one = 64;
    return {.cpu = std::chrono::hours(1) * static_cast<int64_t>(processors()),
            .memory = most_memory(),
            .processes = std::max(fewest_processes, processes_of_one * processors()),
            .open_files = 4096,
            .file_size = 4ULL << 30};
}

}  // namespace husk
