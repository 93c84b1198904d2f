// probe VERB ARGUMENTS...: one attack. What it needs to know comes by the environment: MARK, a word
// to leave where it does harm, and ENVELOPE, a file whose text it shows once the kernel has said
// yes to something that leaves no other trace.
#pragma once

#include <array>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace probe {

inline constexpr int done = 0;
inline constexpr int refused_code = 1;
inline constexpr int absent_code = 3;  // this kernel has no such thing

using Arguments = std::span<const std::string>;

struct Verb {
    std::string_view name;
    int (*run)(Arguments);
};

// Says what was refused and why; as the ending of a verb.
int refused(const std::string& what);
int absent(const std::string& what);
// By errno: no such system call, family or protocol.
int refused_or_absent(const std::string& what);
// Shows the envelope when a call worked, or failed with an error that comes after the question of
// rights.
int past_gate(long result, const std::string& what, std::initializer_list<int> harmless = {});
// Shows the envelope's text; refused when it cannot be read.
int reveal();

std::string from_environment(const char* name);
inline std::string mark() { return from_environment("MARK"); }
int number(const std::string& text);

std::span<const Verb> file_verbs();
std::span<const Verb> metadata_verbs();
std::span<const Verb> process_verbs();
std::span<const Verb> signal_verbs();
std::span<const Verb> socket_verbs();
std::span<const Verb> unix_verbs();
std::span<const Verb> unix_race_verbs();
std::span<const Verb> link_verbs();
std::span<const Verb> kernel_verbs();
std::span<const Verb> page_cache_verbs();
std::span<const Verb> namespace_verbs();
std::span<const Verb> ipc_verbs();
std::span<const Verb> foreign_verbs();
std::span<const Verb> bomb_verbs();
std::span<const Verb> terminal_verbs();
std::span<const Verb> survivor_verbs();

}  // namespace probe
