#include "confine/machine.h"

#include <linux/capability.h>

#include <algorithm>
#include <utility>

#include "os/capability_set.h"
#include "os/landlock.h"
#include "os/pretend.h"

namespace husk::confine {
namespace {

struct Member {
    const char* name;
    bool Machine::* member;
};

constexpr Member members[] = {
    {mechanism::mount_namespace, &Machine::mount_namespace},
    {mechanism::pid_namespace, &Machine::pid_namespace},
    {mechanism::network_namespace, &Machine::network_namespace},
    {mechanism::overlay, &Machine::overlay},
    {mechanism::listener, &Machine::listener},
};

// What a command could do that the mode forbids, and what keeps it from that.
constexpr const char* holes_without_mounts[] = {"metadata", "protected-paths"};
// A renaming that the kernel refuses although the mode promises it.
constexpr const char* moves = "moves between directories";

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string without_any(const Machine& machine) {
    if (machine.landlock < os::landlock::least_abi)
        return "the closed modes need Landlock (Linux 5.13 or later)";
    if (!machine.seccomp) return "the closed modes need seccomp";
    return "";
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

std::string unknown_word(const std::vector<std::string>& accept) {
    std::vector<std::string> known = {hole_of_signals};
    known.insert(known.end(), std::begin(holes_without_mounts), std::end(holes_without_mounts));
    for (const std::string& word : accept)
        if (!contains(known, word))
            return "accept: \"" + word + "\" is no hole; there are " + list_of(known);
    return "";
}

}  // namespace

Machine Machine::assumed() {
    const os::Pretended& pretended = os::pretended();
    Machine machine;
    machine.landlock = os::landlock::abi();
    machine.seccomp = pretended.seccomp;
    machine.user_namespace = !os::has_capability(CAP_SYS_ADMIN);
    const std::pair<const char*, bool> possible[] = {
        {mechanism::mount_namespace, pretended.mount_namespaces},
        {mechanism::pid_namespace, pretended.pid_namespaces},
        {mechanism::network_namespace, pretended.network_namespaces},
        {mechanism::overlay, pretended.overlay},
        {mechanism::listener, pretended.listener}};
    for (const auto& [name, can] : possible)
        if (!can) machine.take_away(name);
    if (machine.user_namespace && !pretended.user_namespaces)
        machine.take_away(mechanism::user_namespace);
    return machine;
}

bool Machine::take_away(std::string_view name) {
    const Machine before = *this;
    for (const Member& one : members)
        if (one.name == name) this->*one.member = false;
    if (name == mechanism::user_namespace)
        user_namespace = mount_namespace = pid_namespace = network_namespace = false;
    // A fresh /proc is a mount, and so is an overlay.
    if (!mount_namespace) pid_namespace = overlay = false;
    return std::ranges::any_of(
        members, [&](const Member& one) { return before.*one.member != this->*one.member; });
}

std::vector<std::string> Machine::lacks() const {
    std::vector<std::string> names;
    for (const Member& one : members)
        if (!(this->*one.member)) names.emplace_back(one.name);
    return names;
}

Offer offer(const Machine& machine, Mode mode, Network::Kind network,
            const std::vector<std::string>& accept) {
    Offer result;
    result.refusal = unknown_word(accept);
    if (mode == Mode::Open || !result.refusal.empty()) return result;
    result.refusal = without_any(machine);
    if (!result.refusal.empty()) return result;
    if (!machine.network_namespace && network == Network::Kind::Hosts) {
        result.refusal =
            "listed hosts need a network namespace; without one there is none, or open";
        return result;
    }
    std::string why;
    if (!machine.pid_namespace && machine.landlock < os::landlock::abi_of_scopes) {
        why = "signals are kept in by a PID namespace or by Landlock ABI 6 (Linux 6.12)";
        result.holes.emplace_back(hole_of_signals);
    }
    if (!machine.mount_namespace && mode == Mode::Workspace) {
        why += std::string(why.empty() ? "" : "; ") + "mode workspace needs a mount namespace";
        result.holes.insert(result.holes.end(), std::begin(holes_without_mounts),
                            std::end(holes_without_mounts));
    }
    std::vector<std::string> open = result.holes;
    std::erase_if(open, [&](const std::string& hole) { return contains(accept, hole); });
    if (!open.empty()) {
        result.refusal =
            why + "; it runs without only where the user has said: accept: [" + list_of(open) + "]";
    }
    result.missing = machine.lacks();
    if (mode == Mode::Workspace && machine.landlock < os::landlock::abi_of_moves)
        result.missing.emplace_back(moves);
    result.missing.insert(result.missing.end(), result.holes.begin(), result.holes.end());
    return result;
}

}  // namespace husk::confine
