// What can be seen of a victim, as a text: two that differ mean harm.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace husk::redteam {

// A tree: names, kinds, contents, modes, owners, times, links, attributes, flags, mounts.
std::string tree_snapshot(const std::filesystem::path& root);

// What is protected in a workspace.
std::string protected_snapshot(const std::filesystem::path& workspace);

// A process that waits: alive, its scheduling, its limits, 32 bytes of its memory.
std::string process_snapshot(pid_t pid, unsigned long cell);

}  // namespace husk::redteam
