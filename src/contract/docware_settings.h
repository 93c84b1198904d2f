// What whoever offers the contract `docware` decides about its calls: both what they have and what
// they may not exceed. The values are those of its own configuration, unless somebody says
// otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace husk::contract {

// Which findings of the layers 2 and 4 refuse a command: all; those that are high or critical;
// critical ones; none. The others are told. Lists, limits, rules and walls do not depend on it.
enum class SecurityLevel : uint8_t { None, Low, Medium, High };

struct DocwareSettings {
    // Absent: every command, every path. An empty list allows none.
    std::optional<std::vector<std::string>> command_whitelist = {};
    std::optional<std::vector<std::string>> allowed_paths = {};  // absolute
    std::chrono::milliseconds default_timeout{30'000};
    uint64_t max_output_size = 10ULL << 20;
    uint64_t max_memory = 1ULL << 30;
    uint64_t max_cpu_usage = 80;  // percent of all processors
    uint64_t max_processes = 10;
    uint64_t max_file_descriptors = 1000;
    std::optional<uint64_t> max_disk_write = {};  // bytes written to storage; absent: any number
    bool may_preserve_environment = false;
    bool preserves_environment = false;  // where a call says nothing about it
    SecurityLevel security_level = SecurityLevel::High;
    std::string log_level = "off";  // from which on a client of MCP hears of it without asking
    bool blocks_threats = true;     // else what only a threat rule knows is told, and run
    bool streaming = true;          // a call may ask for it
};

}  // namespace husk::contract
