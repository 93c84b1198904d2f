#include "base/signals.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"

namespace husk {
namespace {

struct Signal {
    int number;
    std::string_view name;
};

// Those of POSIX, and those that only some systems have. The first name of a number is its usual
// one.
constexpr auto signals = std::to_array<Signal>({
    {SIGHUP, "HUP"},       {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},
    {SIGTRAP, "TRAP"},     {SIGABRT, "ABRT"}, {SIGABRT, "IOT"},  {SIGBUS, "BUS"},
    {SIGFPE, "FPE"},       {SIGKILL, "KILL"}, {SIGUSR1, "USR1"}, {SIGSEGV, "SEGV"},
    {SIGUSR2, "USR2"},     {SIGPIPE, "PIPE"}, {SIGALRM, "ALRM"}, {SIGTERM, "TERM"},
    {SIGCHLD, "CHLD"},     {SIGCONT, "CONT"}, {SIGSTOP, "STOP"}, {SIGTSTP, "TSTP"},
    {SIGTTIN, "TTIN"},     {SIGTTOU, "TTOU"}, {SIGURG, "URG"},   {SIGXCPU, "XCPU"},
    {SIGXFSZ, "XFSZ"},     {SIGPROF, "PROF"}, {SIGSYS, "SYS"},   {SIGWINCH, "WINCH"},
    {SIGVTALRM, "VTALRM"},
#ifdef SIGPOLL
    {SIGPOLL, "POLL"},
#endif
#ifdef SIGIO
    {SIGIO, "IO"},
#endif
#ifdef SIGSTKFLT
    {SIGSTKFLT, "STKFLT"},
#endif
#ifdef SIGPWR
    {SIGPWR, "PWR"},
#endif
});

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
    const auto* known = std::ranges::find(signals, signal, &Signal::number);
    if (known != signals.end()) return "SIG" + std::string(known->name);
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
    const auto* known = std::ranges::find(signals, bare, &Signal::name);
    if (known != signals.end()) return known->number;
    return real_time_number(bare);
}

}  // namespace husk
