// The section `docware` of husk.yaml: settings for that contract alone.
#pragma once

#include <expected>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"

namespace husk::config {

// Replaces the general settings of a file by those of its section: `limits.memory` by
// `max_memory_usage`. Complains if `enable_sandbox` contradicts `mode`.
std::expected<void, std::vector<Complaint>> apply_docware_section(Settings& file);

// Fills the section with the values in force, once all layers are together.
void complete_docware_section(Settings& settings);

}  // namespace husk::config
