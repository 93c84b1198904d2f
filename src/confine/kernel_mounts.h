// Mounts through which a command would reach the kernel or the machine where nothing withholds
// them: file systems of the kernel outside of their usual places, and other names of /proc, /sys,
// /dev and /run. Somebody who builds a chroot makes all of these. File systems for debugging the
// kernel are withheld in their usual places too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/mount_names.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

struct KernelMount {
    std::filesystem::path path;
    std::string device;            // "0:22"
    std::filesystem::path object;  // the same object in its usual place; empty: there is none
    bool is_mount;                 // else a directory in a mount
};

// All of them on this machine.
std::vector<KernelMount> kernel_mounts(const std::vector<MountedTree>& trees);

// Without those that `--read` gives.
std::vector<KernelMount> withheld_mounts(const Wanted& wanted,
                                         const std::vector<MountedTree>& trees);

// Refuses a root that lies in one of them, or that holds one which cannot be covered.
Result<void> check_mounts(const Wanted& wanted, const std::vector<KernelMount>& mounts);

// Covers them by something empty. To be done before mounts are copied: the copies have the covers
// then, and later nobody can find these mounts by a name that a command has changed.
void cover_mounts(const Wanted& wanted, const std::vector<KernelMount>& mounts, Steps& steps);

}  // namespace husk::confine
