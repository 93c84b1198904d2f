// Where the state directory is. docs/spool.md is its page.
#pragma once

#include <filesystem>

namespace husk::run {

// $HUSK_STATE, else $XDG_STATE_HOME/husk, else ~/.local/state/husk.
std::filesystem::path default_state_path();

}  // namespace husk::run
