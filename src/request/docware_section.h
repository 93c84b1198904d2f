// The section `docware` of husk.yaml: what a file says of that contract alone.
#pragma once

#include <expected>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"

namespace husk::config {

// Puts what the section says in the place of what the same file says of all contracts: its
// `max_memory_usage` in that of `limits.memory`. Complains if the two contradict each other.
std::expected<void, std::vector<Complaint>> apply_docware_section(Settings& file);

// Once all layers are together: the section says what is in force, wherever that was written.
void complete_docware_section(Settings& settings);

}  // namespace husk::config
