// Paths of the configuration that commands could lead elsewhere, by a link in a directory that they
// can write. The walls check `write` and `read` themselves, for each session.
#pragma once

#include <husk/request.h>

#include <expected>
#include <filesystem>
#include <vector>

#include "tool/configuration.h"

namespace husk::tool {

// Complains if `container.socket` leads through such a link, or if `--protect` leads out of the
// workspace through one.
std::expected<void, std::vector<Complaint>> check_paths(const Configuration& configuration,
                                                        const ToolContext& walls);

// The directory of `yoi.output_dir`, absolute and without links; empty if there is none.
std::expected<std::filesystem::path, std::vector<Complaint>> output_dir_of(
    const Configuration& configuration, const ToolContext& walls);

}  // namespace husk::tool
