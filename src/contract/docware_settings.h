// What whoever offers the contract `docware` decides about its calls: both what they have and what
// they may not exceed. The values are those of its own configuration, unless somebody says
// otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace husk::contract {

struct DocwareSettings {
    std::vector<std::string> command_whitelist = {};        // empty: every command
    std::vector<std::filesystem::path> allowed_paths = {};  // empty: every path
    std::chrono::milliseconds default_timeout{30'000};
    uint64_t max_output_size = 10ULL << 20;
    uint64_t max_memory = 1ULL << 30;
    uint64_t max_cpu_usage = 80;  // percent of all processors
    uint64_t max_processes = 10;
    uint64_t max_file_descriptors = 1000;
    std::optional<uint64_t> max_disk_write = {};  // bytes written to storage; absent: any number
    bool may_preserve_environment = false;
    bool blocks_threats = true;  // else what only a threat rule knows is told, and run
    bool streaming = true;       // a call may ask for it
};

}  // namespace husk::contract
