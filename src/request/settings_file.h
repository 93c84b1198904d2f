// husk.yaml: from its text to settings. docs/configuration.md is its page.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"

namespace husk::config {

// What the file does not speak of is as it is built in, and has that origin. Of rules only the
// form is looked at: names of modes, verdicts and packs are for decide::compile. All complaints
// come at once, in the order of their lines, unless the text is no YAML.
std::expected<Settings, std::vector<Complaint>> read_settings(std::string_view text,
                                                              const std::string& file_name);

// The same for a file that belongs to an agent: only its section `permissions` counts, and other
// keys are ignored.
std::expected<Settings, std::vector<Complaint>> read_agents_file(std::string_view text,
                                                                 const std::string& file_name);

}  // namespace husk::config
