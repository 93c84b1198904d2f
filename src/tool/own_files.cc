#include "tool/own_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "confine/names.h"
#include "confine/reading.h"
#include "tool/writable_places.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// As the kernel finds it, through all links, also through one that leads to nothing yet.
fs::path found_at(const fs::path& path) {
    std::error_code failed;
    return confine::NameWalk({}).add_links(fs::absolute(path, failed));
}

// The directories that commands may write, without links. None in mode open: without walls,
// protecting one file is pointless.
std::vector<fs::path> writable_directories(const ToolContext& walls) {
    return walls.mode == Mode::Open ? std::vector<fs::path>() : writable_places(walls);
}

bool is_in(const fs::path& exact, const std::vector<fs::path>& roots) {
    return std::ranges::any_of(
        roots, [&](const fs::path& root) { return confine::is_within(exact, root); });
}

// Whether any link on the way to the file, also one that another link leads through, lies where
// commands can replace it.
bool passes_link_in(const fs::path& file, const std::vector<fs::path>& roots) {
    std::error_code failed;
    confine::NameWalk walk(roots);
    walk.add_links(fs::absolute(file, failed));
    return !std::move(walk).take().empty();
}

bool is_users(const SourceFile& source, const Configuration& configuration) {
    return source.kind == SourceFile::Kind::Settings && !is_beside(source.path, configuration);
}

// The directory of a file that does not exist. Read-only walls can hold the directory, but not a
// name that is absent. None if the directory is a root itself, which commands are meant to write.
std::optional<fs::path> directory_to_hold(const fs::path& file, const ToolContext& walls) {
    std::error_code failed;
    if (file.empty() || fs::exists(file, failed)) return std::nullopt;
    fs::path directory = found_at(file).parent_path();
    if (confine::root_above(directory, writable_directories(walls)) == nullptr) return std::nullopt;
    return directory;
}

}  // namespace

bool is_beside(const fs::path& file, const Configuration& configuration) {
    return file == configuration.files.here || file == configuration.files.agents;
}

ToolContext reach_of(ToolContext walls, const config::Settings& settings) {
    if (settings.place.value == "container") walls.mode = Mode::Workspace;
    return walls;
}

std::optional<fs::path> reachable_file(const fs::path& file, const ToolContext& walls) {
    if (file.empty()) return std::nullopt;
    const std::vector<fs::path> roots = writable_directories(walls);
    fs::path name = confine::resolved_up_to_roots(file, roots);
    if (!is_in(name, roots)) return std::nullopt;
    return name;
}

std::vector<fs::path> reachable_files(const Configuration& configuration,
                                      const ToolContext& walls) {
    std::vector<fs::path> reachable;
    for (const SourceFile& source : configuration.sources) {
        if (!is_users(source, configuration)) continue;
        if (auto name = reachable_file(source.path, walls)) reachable.push_back(*std::move(name));
        if (auto directory = directory_to_hold(source.path, walls))
            reachable.push_back(*std::move(directory));
    }
    // The walls withhold the state directory wherever it is, but not the links that lead to it.
    if (passes_link_in(configuration.state, writable_directories(walls)))
        if (auto name = reachable_file(configuration.state, walls))
            reachable.push_back(*std::move(name));
    return reachable;
}

void make_directories_to_hold(const Configuration& configuration, const ToolContext& walls) {
    if (walls.mode != Mode::Workspace) return;
    std::error_code failed;
    for (const SourceFile& source : configuration.sources)
        if (is_users(source, configuration))
            if (const auto directory = directory_to_hold(source.path, walls))
                fs::create_directories(*directory, failed);
}

std::string why_fixed_beside(const fs::path& file, const ToolContext& walls) {
    if (file.empty() || !passes_link_in(file, writable_directories(walls))) return "";
    return "a symbolic link on the way to it lies where commands may write, so a command could "
           "have changed it; the change takes effect after a restart";
}

std::string why_fixed(const fs::path& file, const ToolContext& walls) {
    if (file.empty()) return "";
    if (std::string why = why_fixed_beside(file, walls); !why.empty()) return why;
    if (!is_in(found_at(file), writable_directories(walls))) return "";
    return "it lies where commands may write, and the walls hold only the file of the start, so a "
           "command could have written this one; the change takes effect after a restart";
}

}  // namespace husk::tool
