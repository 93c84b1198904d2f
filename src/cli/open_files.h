#pragma once

namespace husk::cli {

// As many open files as this process may have: each call holds a few descriptors. Commands have a
// limit of their own.
void raise_open_files();

}  // namespace husk::cli
