// What walls can be made of here, and what a mode needs of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <husk/request.h>

namespace husk::confine {

// The names of mechanisms, as `husk doctor` has them.
namespace mechanism {
inline constexpr const char* user_namespace = "user namespace";
inline constexpr const char* mount_namespace = "mount namespace";
inline constexpr const char* pid_namespace = "PID namespace";
inline constexpr const char* network_namespace = "network namespace";
inline constexpr const char* overlay = "overlay";
inline constexpr const char* listener = "seccomp listener";
}  // namespace mechanism

// One of the words for `accept`.
inline constexpr const char* hole_of_signals = "signals";

struct Machine {
    int landlock = 0;  // ABI
    bool seccomp = true;
    bool user_namespace = false;  // the others are had through one
    bool mount_namespace = true;
    bool pid_namespace = true;
    bool network_namespace = true;
    bool overlay = true;
    bool listener = true;  // of a filter; a container may have taken the only one

    // All that nothing speaks against. What this user may not do shows when it is tried.
    static Machine assumed();

    // It turned out that this is not to be had, nor what hangs on it; false if that is no news.
    bool take_away(std::string_view name);
    // The names of what is not there.
    std::vector<std::string> lacks() const;
};

// What a mode makes of such a machine.
struct Offer {
    std::string refusal;               // why it cannot be offered; empty if it can
    std::vector<std::string> holes;    // that are open then: the words for `accept`
    std::vector<std::string> missing;  // mechanisms, and holes that were accepted
};
Offer offer(const Machine& machine, Mode mode, Network::Kind network,
            const std::vector<std::string>& accept);

}  // namespace husk::confine
