#include "tool/placed.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

Result<void> check_limits(const Limits& asked, const Limits& standing) {
    const bool same = asked.cpu == standing.cpu && asked.memory == standing.memory &&
                      asked.processes == standing.processes &&
                      asked.open_files == standing.open_files &&
                      asked.file_size == standing.file_size;
    if (!same)
        return failure("limits", 0,
                       "a container has those of its session; a call cannot have others");
    if (asked.disk.value_or(0) > 0)
        return failure("limits", 0, "limits.disk cannot be kept in a container");
    return {};
}

// As the command sees it, whichever way the caller calls it.
fs::path seen_inside(const fs::path& asked, const fs::path& workspace) {
    if (!asked.is_absolute()) return asked;
    const fs::path below = asked.lexically_normal().lexically_relative(workspace);
    const bool is_below = !below.empty() && *below.begin() != "..";
    return is_below ? below : asked;
}

}  // namespace

Result<void> place_call(place::Wanted container, const Settings& settings, Request& request,
                        ToolContext& context) {
    CHECK(check_limits(request.limits, container.limits));
    container.mode = context.mode;
    container.network = context.network;
    container.session = context.session;
    if (!context.session.empty()) container.linger = settings.linger;
    const std::string directory =
        TRY(place::directory_inside(seen_inside(request.working_dir, container.workspace)));
    // This very program. A path could lead to a file that a command has put there since.
    const std::string self = "/proc/" + std::to_string(::getpid()) + "/exe";
    const auto state = TRY(run::StateDir::open_or_make(settings.state));
    const place::Container stands = TRY(place::container_for(container, state));
    request = place::moved(request, stands, directory, self);
    // What stands for the command talks to the engine, which no wall would let it.
    context.mode = Mode::Open;
    context.network = {};
    context.protect.clear();
    context.working_dir = context.workspace = container.workspace;
    return {};
}

void tell_placed(Report& report, const Network& network) {
    report.usage = {};
    report.confinement = {.mode = "container",
                          .files = "container",
                          .network = network.kind == Network::Kind::Open ? "open" : "none",
                          .signals = "container",
                          .processes = "container, with a filter for system calls",
                          .limits = "container",
                          .missing = {},
                          .unwatched = {},
                          .published = {}};
}

}  // namespace husk::tool
