// Waiting for something that a shell does: its end, a line, silence, a port, a file.
#pragma once

#include <husk/shells.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "collect/shell_files.h"

namespace husk::tool {

struct Met {
    std::string what;  // as in Waited
    std::string line;
};

// Lines count from where the shell's readers were last told.
Result<Met> wait_until(const collect::ShellFiles& files, const Until& until,
                       std::optional<std::chrono::milliseconds> timeout,
                       const std::stop_token& cancel);

// Until nothing of it lives, or its keeper has given up on the rest.
Result<void> wait_until_stopped(const collect::ShellFiles& files,
                                std::chrono::milliseconds patience);

}  // namespace husk::tool
