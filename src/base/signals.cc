#include "base/signals.h"

#include <signal.h>
#include <string.h>

#include <cstdint>

#include "base/units.h"

namespace husk {
namespace {

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    return result;
}

std::optional<int> beside(int signal, int direction, std::string_view distance) {
    const auto steps = text::parse_number(distance);
    if (!steps || *steps > static_cast<uint64_t>(SIGRTMAX - SIGRTMIN)) return std::nullopt;
    return signal + direction * static_cast<int>(*steps);
}

// "RTMIN", "RTMIN+3", "RTMAX-1".
std::optional<int> real_time_number(std::string_view name) {
    if (name == "RTMIN") return SIGRTMIN;
    if (name == "RTMAX") return SIGRTMAX;
    constexpr size_t prefix = std::string_view("RTMIN+").size();
    if (name.starts_with("RTMIN+")) return beside(SIGRTMIN, 1, name.substr(prefix));
    if (name.starts_with("RTMAX-")) return beside(SIGRTMAX, -1, name.substr(prefix));
    return std::nullopt;
}

}  // namespace

std::string signal_name(int signal) {
    if (const char* name = sigabbrev_np(signal)) return std::string("SIG") + name;
    if (signal == SIGRTMIN) return "SIGRTMIN";
    if (signal > SIGRTMIN && signal <= SIGRTMAX)
        return "SIGRTMIN+" + std::to_string(signal - SIGRTMIN);
    return "signal " + std::to_string(signal);
}

std::optional<int> signal_number(std::string_view name) {
    if (const auto number = text::parse_number(name)) {
        const bool exists = *number >= 1 && *number <= static_cast<uint64_t>(SIGRTMAX);
        return exists ? std::optional(static_cast<int>(*number)) : std::nullopt;
    }
    const std::string wanted = upper(name);
    std::string_view bare = wanted;
    if (bare.starts_with("SIG")) bare.remove_prefix(3);
    if (bare == "IO") return SIGIO;  // the usual names of what glibc calls POLL and ABRT
    if (bare == "IOT") return SIGIOT;
    for (int signal = 1; signal < SIGRTMIN; ++signal) {
        const char* known = sigabbrev_np(signal);
        if (known != nullptr && bare == known) return signal;
    }
    return real_time_number(bare);
}

}  // namespace husk
