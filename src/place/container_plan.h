// What an engine is told to make. Nothing here asks anybody.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "place/container.h"
#include "place/engine.h"
#include "place/mounts.h"

namespace husk::place {

// As whom the engine runs.
enum class Kind {
    Rootful,   // users inside are users outside
    Rootless,  // root inside is the user outside
};

struct Plan {
    std::string image;
    std::filesystem::path warden;  // the program
    std::vector<Mount> mounts;
    std::string boot_id;  // of this kernel
    Network network;
    Limits limits;                // complete
    uint64_t user_processes = 0;  // that the caller may have; 0: any number
    Kind engine = Kind::Rootful;
    // The filter for system calls: the file, or, for Docker, the text of the profile itself.
    std::string seccomp;
    uint32_t user = 0;
    uint32_t group = 0;
    uint64_t linger_seconds = 0;
    std::string session;
    std::string state;

    // Two calls with the same text of it may share a container.
    std::string fingerprint() const;
};

inline constexpr const char* label_session = "husk.session";
inline constexpr const char* label_state = "husk.state";
inline constexpr const char* label_fingerprint = "husk.fingerprint";

// The body of POST /containers/create.
Json create_body(const Plan& plan);

}  // namespace husk::place
