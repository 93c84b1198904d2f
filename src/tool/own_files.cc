#include "tool/own_files.h"

#include <algorithm>
#include <system_error>

#include "confine/reading.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// As the kernel finds it, through all links.
fs::path found_at(const fs::path& path) {
    std::error_code failed;
    fs::path exact = fs::weakly_canonical(path, failed);
    return failed ? fs::absolute(path, failed).lexically_normal() : exact;
}

// The path with its own last name, in a directory without links. Unlike `found_at`, it names a link
// and not the target.
fs::path written_at(const fs::path& path) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path, failed).lexically_normal();
    return found_at(absolute.parent_path()) / absolute.filename();
}

bool is_writable(const fs::path& exact, const ToolContext& walls) {
    if (walls.mode == Mode::Open) return false;  // without walls, protecting one file is pointless
    std::error_code failed;
    const fs::path workspace = walls.workspace.empty() ? fs::current_path(failed) : walls.workspace;
    const auto holds = [&](const fs::path& root) {
        return !root.empty() && confine::is_within(exact, found_at(root));
    };
    return holds(workspace) || holds(walls.cache) || std::ranges::any_of(walls.writable, holds);
}

// Whether a directory on the path, as written, is a link that a command can replace.
bool passes_writable_link(const fs::path& path, const ToolContext& walls) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path, failed).lexically_normal();
    fs::path so_far;
    for (const fs::path& part : absolute) {
        so_far /= part;
        if (fs::is_symlink(fs::symlink_status(so_far, failed)) &&
            is_writable(written_at(so_far), walls))
            return true;
    }
    return false;
}

}  // namespace

bool is_beside(const fs::path& file, const Configuration& configuration) {
    return file == configuration.files.here || file == configuration.files.agents;
}

ToolContext reach_of(ToolContext walls, const config::Settings& settings) {
    if (settings.place.value == "container") walls.mode = Mode::Workspace;
    return walls;
}

std::vector<fs::path> reachable_files(const Configuration& configuration,
                                      const ToolContext& walls) {
    std::vector<fs::path> reachable;
    for (const SourceFile& source : configuration.sources) {
        const bool is_users =
            source.kind == SourceFile::Kind::Settings && !is_beside(source.path, configuration);
        if (!is_users || source.path.empty()) continue;
        fs::path exact = found_at(source.path);
        if (is_writable(exact, walls)) reachable.push_back(std::move(exact));
    }
    return reachable;
}

std::string why_fixed_beside(const fs::path& file, const ToolContext& walls) {
    if (file.empty() || !passes_writable_link(file, walls)) return "";
    return "a symbolic link on the way to it lies where commands may write, so a command could "
           "have "
           "changed it; the change takes effect after a restart";
}

std::string why_fixed(const fs::path& file, const ToolContext& walls) {
    if (file.empty()) return "";
    std::error_code failed;
    if (std::string why = why_fixed_beside(file, walls); !why.empty()) return why;
    const bool is_there = fs::exists(file, failed);
    if (!is_there && is_writable(found_at(file), walls))
        return "commands may write there, so a command could have made it; it takes effect after a "
               "restart";
    return "";
}

}  // namespace husk::tool
