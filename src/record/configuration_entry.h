// What the audit says about a configuration that changed while a server ran.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace husk::audit {

struct ConfigurationChange {
    enum class Outcome {
        Applied,  // it counts from the next call on
        Refused,  // the configuration from before still counts
    };
    struct File {
        std::filesystem::path path;
        std::string digest;  // SHA-256 of what was read; empty: there is nothing to read
    };
    Outcome outcome = Outcome::Applied;
    std::vector<File> files = {};                 // that changed
    std::vector<std::string> changed = {};        // "limits.memory: 1G, was 2G"
    std::vector<std::string> after_restart = {};  // likewise; a running server cannot change these
    std::vector<std::string> warnings = {};       // about rules that can never apply
    std::string why = {};                         // the reason for a refusal
};

// "applied", "refused"
std::string_view word(ConfigurationChange::Outcome outcome);

// Who noticed the change.
struct Server {
    std::string via;  // mcp, serve
    std::string contract;
    std::string workspace;
};

// A JSON object on one line.
std::string configuration_record(const std::string& id, const Server& server,
                                 const ConfigurationChange& change);

}  // namespace husk::audit
