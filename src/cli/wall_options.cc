#include "cli/wall_options.h"

#include <map>

namespace husk::cli {
namespace {

namespace fs = std::filesystem;

Network network_of(const std::string& text) {
    if (text.empty() || text == "none") return {};
    if (text == "open") return {Network::Kind::Open, {}};
    Network network{Network::Kind::Hosts, {}};
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        if (end > at) network.hosts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return network;
}

Result<void> add_paths(const char* option, const std::vector<std::string>& texts,
                       std::vector<fs::path>& paths) {
    for (const std::string& text : texts) {
        std::error_code failed;
        const fs::path path = fs::absolute(text, failed);
        if (text.empty() || failed) return failure(option, failed.value(), "\"" + text + "\"");
        paths.push_back(path);
    }
    return {};
}

}  // namespace

void add_wall_options(CLI::App& app, WallOptions& options) {
    app.add_option("--mode", options.mode,
                   "What the command may touch: read-only, workspace (default), open")
        ->check(CLI::IsMember({"read-only", "workspace", "open"}));
    app.add_option(
        "--network", options.network,
        "In a closed mode: none (default), open, or hosts such as example.org,*.x.org:443");
    app.add_option("--write", options.write,
                   "One more directory that may be written; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--read", options.read,
                   "A secret that may be read all the same; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--denials", options.denials,
                   "Whether to note what the walls stop: on (default), off")
        ->check(CLI::IsMember({"on", "off"}));
    app.add_option("--protect", options.protect, "Stays read-only in every mode; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--accept", options.accept,
                   "A hole that may stay open where this machine cannot close it: signals, "
                   "metadata, protected-paths")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_flag("--force", options.force, "A workspace that holds / or a home is meant");
}

Result<void> apply(const WallOptions& options, const fs::path& working_dir, ToolContext& context) {
    static const std::map<std::string, Mode> modes = {
        {"read-only", Mode::ReadOnly}, {"workspace", Mode::Workspace}, {"open", Mode::Open}};
    context.mode = modes.at(options.mode);
    context.watch_denials = options.denials != "off";
    context.network = network_of(options.network);
    if (context.network.kind == Network::Kind::Hosts && context.network.hosts.empty())
        return failure("--network", 0, "\"" + options.network + "\" names no host");
    CHECK(add_paths("--write", options.write, context.writable));
    CHECK(add_paths("--read", options.read, context.readable));
    CHECK(add_paths("--protect", options.protect, context.protect));
    context.accept = options.accept;
    context.wide_workspace = options.force;
    if (!working_dir.empty()) {
        std::error_code failed;
        context.workspace = fs::absolute(working_dir, failed);
        if (failed) return failure("--cwd", failed.value(), working_dir.string());
    }
    return {};
}

}  // namespace husk::cli
