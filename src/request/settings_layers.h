// Settings on top of settings. Built in, the user's file, the workspace's, variables, flags: each
// may say something else than those before it. What comes from elsewhere may only narrow.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"

namespace husk::config {

// What `over` says counts. Its lists come behind those that are there.
Settings layered(Settings under, const Settings& over);

struct Narrowed {
    Settings settings;
    std::vector<Complaint> ignored;  // what would have widened something
};

// The same for a file that may have come from anybody: the workspace's own.
Narrowed narrowed_by(Settings users, const Settings& workspace);

// What one call asks for. Of numbers 0 is "as much as it likes".
struct Asked {
    std::optional<Mode> mode = {};
    std::optional<Network> network = {};
    Limits limits = {};
    std::optional<std::chrono::milliseconds> idle = {};
    std::optional<uint64_t> output = {};
    std::optional<std::chrono::milliseconds> timeout = {};
};

// The settings of that call; or, because it asks for more than it may, a sentence that says so
// and that only the user can change it.
std::expected<Settings, std::string> narrowed(const Settings& settings, const Asked& asked);

// Why the network that somebody asked for cannot be kept in the mode that there is, with where both
// were said; empty when it can. A container keeps it whatever the mode is, unless that has none.
std::string network_refusal(const Settings& settings);

// What a command can reach by the network: all, where the mode is open and nothing else is said.
Network reachable(const Settings& settings);

}  // namespace husk::config
