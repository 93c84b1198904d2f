#include "tool/display_of.h"

#include <cstdlib>
#include <system_error>

#include "parse/script.h"
#include "render/display_command.h"
#include "tool/lasting_bash.h"

namespace husk::tool {

std::string display_of(const std::string& command, const std::filesystem::path& working_dir) {
    if (command.starts_with(lasting_mark)) return lasting_display;
    // Every list of shells asks for this, and few commands begin so.
    const size_t first = command.find_first_not_of(" \t\n");
    if (first == std::string::npos || !command.substr(first).starts_with("cd")) return command;
    std::error_code failed;
    const std::filesystem::path resolved = std::filesystem::canonical(working_dir, failed);
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    return render::display_command(parse::parse(command),
                                   {.working = working_dir.string(),
                                    .resolved = failed ? "" : resolved.string(),
                                    .home = home == nullptr ? "" : home});
}

}  // namespace husk::tool
