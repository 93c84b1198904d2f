// Whether git would run a program in a checkout because of what it finds there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "confine/git_checkouts.h"

namespace husk::confine {

// Returns how git would come to run something in the checkout. Settings and hooks in `trusted`
// directories were protected all the time, so they are the user's own.
std::optional<std::string> risk_of(const Checkout& one,
                                   const std::vector<std::filesystem::path>& trusted);

}  // namespace husk::confine
