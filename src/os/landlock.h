// Landlock: which rights on files this kernel knows.
#pragma once

#include <cstdint>

namespace husk::os::landlock {

// 0 when there is none. HUSK_PRETEND may lower it, never raise it.
int abi();

// The first one (Linux 5.13) is enough for the closed modes.
inline constexpr int least_abi = 1;
// Before this one, no file can be renamed or linked into another directory (EXDEV): `mv` copies.
inline constexpr int abi_of_moves = 2;
// From this one on it also keeps files from being truncated; before, read-only mounts alone do.
inline constexpr int abi_of_truncation = 3;
// From this one on it keeps signals and abstract sockets in.
inline constexpr int abi_of_scopes = 6;

// Every right on files that this ABI handles.
uint64_t all_rights(int abi);

// To read and execute.
uint64_t reading();
// To see what a directory holds.
uint64_t listing();
// Everything but making device nodes, below a directory or on a file.
uint64_t writing(int abi);
// What makes sense on something that is no directory.
uint64_t on_files(uint64_t rights);

// Scopes for signals and abstract sockets, from ABI 6; else 0.
uint64_t scopes(int abi);

}  // namespace husk::os::landlock
