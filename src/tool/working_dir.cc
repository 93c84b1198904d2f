#include "tool/working_dir.h"

#include <cerrno>
#include <climits>
#include <cstdlib>

namespace husk::tool {

namespace fs = std::filesystem;

Result<void> check_working_dir(const fs::path& asked) {
    const size_t size = asked.native().size();
    if (size < PATH_MAX) return {};
    return failure("working directory", ENAMETOOLONG,
                   "it has " + std::to_string(size) + " bytes, and " +
                       std::to_string(PATH_MAX - 1) + " are the most that a path can have");
}

Result<fs::path> own_working_dir() {
    std::error_code failed;
    const char* logical = std::getenv("PWD");  // NOLINT(concurrency-mt-unsafe)
    if (logical != nullptr && logical[0] == '/' && fs::equivalent(logical, ".", failed))
        return logical;
    fs::path physical = fs::current_path(failed);
    if (failed) return failure("working directory", failed.value(), "this process has none");
    return physical;
}

Result<fs::path> working_dir_of(const Request& request, const ToolContext& context) {
    fs::path dir = context.working_dir;
    if (!request.working_dir.empty())
        dir = dir.empty() ? request.working_dir : dir / request.working_dir;
    if (dir.is_absolute()) return dir;
    const fs::path own = TRY(own_working_dir());
    return dir.empty() ? own : own / dir;
}

std::string place_of(const Request& request, const ToolContext& context) {
    const auto dir = working_dir_of(request, context);
    return dir ? (*dir / "").lexically_normal().parent_path().string() : "";
}

}  // namespace husk::tool
