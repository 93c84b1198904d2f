#include "tool/configured_paths.h"

#include <string>
#include <utility>

#include "base/result.h"
#include "confine/globs.h"
#include "confine/reading.h"
#include "confine/replaceable_links.h"
#include "confine/seen_file.h"
#include "tool/writable_places.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<Complaint>;

std::expected<fs::path, Complaints> found(const char* key, const config::Setting<std::string>& path,
                                          const fs::path& base, const confine::Roots& places) {
    auto result = confine::found_without_links_in(places, key, expanded(path.value, base));
    if (!result)
        return std::unexpected(
            Complaints{{{path.origin.name, path.origin.line}, result.error().text()}});
    return *std::move(result);
}

}  // namespace

std::expected<void, Complaints> check_paths(const Configuration& configuration,
                                            const ToolContext& walls) {
    const config::Settings& settings = configuration.settings;
    const fs::path base = base_of(configuration);
    const confine::Roots places = writable_places(walls);
    if (settings.place.value == "container" && !settings.engine_socket.value.empty())
        CHECK(found("container.socket", settings.engine_socket, base, places));
    const fs::path workspace = confine::without_links(base);
    for (const auto& path : settings.protect) {
        // A file may protect a link on purpose, and what it leads to.
        const bool is_typed = path.origin.kind == config::Origin::Kind::Flag;
        if (!is_typed || confine::is_glob(path.value) || fs::path(path.value).is_absolute())
            continue;
        const fs::path target = confine::without_links(expanded(path.value, base));
        if (!confine::is_within(target, workspace)) CHECK(found("protect", path, base, places));
    }
    return {};
}

std::expected<fs::path, Complaints> output_dir_of(const Configuration& configuration,
                                                  const ToolContext& walls) {
    const config::Setting<std::string>& path = configuration.settings.output_dir;
    if (path.value.empty()) return fs::path();
    return found("yoi.output_dir", path, base_of(configuration), writable_places(walls));
}

}  // namespace husk::tool
