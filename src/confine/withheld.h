// The objects that a closed session may not read, by every name that leads to them.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "confine/mount_names.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// The secrets of the home, of other homes of the same user, and of the places that variables name;
// for root also those of the system and of all other homes; where `--read` does not give them. Each
// by its name, by the target where it is a link, and by the names that bind mounts give to it.
// Names that do not exist are included: they may come.
std::vector<std::filesystem::path> withheld_secrets(const Wanted& wanted,
                                                    const std::vector<MountedTree>& trees);

// Those of them that lie in a root which the session gets as a whole, where no rule of Landlock can
// withhold them. A root that was given although it holds the home is given with its secrets.
std::vector<std::filesystem::path> secrets_in_roots(
    const Wanted& wanted, const std::vector<std::filesystem::path>& secrets);

enum class Covering { First, Renewed };

// Covers those that exist now by something empty.
void cover(const Wanted& wanted, const std::vector<std::filesystem::path>& secrets,
           Covering covering, Steps& steps);

}  // namespace husk::confine
