#include "tool/tools_deployment.h"

#include <tuple>
#include <utility>

#include "request/settings_file.h"
#include "request/settings_layers.h"
#include "tool/live_configuration.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// Where a value stands, for messages and `husk config`.
constexpr const char* overrides = "ToolSettings::overrides";
config::Origin in_settings(const char* field) {
    return config::from_flag(std::string("ToolSettings::") + field);
}
config::Origin in_context(const char* field) {
    return config::from_flag(std::string("ToolContext::") + field);
}

std::string from_here(const fs::path& path) {
    std::error_code failed;
    return fs::absolute(path, failed).string();
}

// As it stands in a configuration: relative to the workspace. In a path of a program, `~` is a name
// like any other.
std::string from_workspace(const fs::path& path) {
    return path.native().starts_with('~') ? "./" + path.string() : path.string();
}

void add_paths(config::Texts& texts, const std::vector<fs::path>& paths, const char* field) {
    for (const fs::path& path : paths) texts.push_back({from_workspace(path), in_context(field)});
}

std::expected<config::Settings, std::vector<Complaint>> said_by(const ToolSettings& settings) {
    config::Settings said = TRY(config::read_settings(settings.overrides, overrides));
    if (!settings.contract.empty()) said.contract = {settings.contract, in_settings("contract")};
    if (!settings.state.empty()) said.state = {from_here(settings.state), in_settings("state")};
    return said;
}

// The root that calls cannot leave in a closed mode, and where they start if nothing else is said.
const fs::path& root_of(const ToolContext& context) {
    return context.workspace.empty() ? context.working_dir : context.workspace;
}

// A field that has its default says nothing.
config::Settings said_by(const ToolContext& context) {
    config::Settings said;
    if (const fs::path& root = root_of(context); !root.empty())
        said.working_directory = {from_here(root), in_context("working_dir")};
    if (context.mode != Mode::Open) said.mode = {context.mode, in_context("mode")};
    const bool has_network = context.network.kind != Network::Kind::None;
    // Whatever the configuration gives to wider modes: a read-only one has none.
    if (has_network || context.mode == Mode::ReadOnly)
        said.network = {context.network, in_context("network")};
    add_paths(said.write, context.writable, "writable");
    add_paths(said.read, context.readable, "readable");
    add_paths(said.protect, context.protect, "protect");
    add_paths(said.sockets, context.sockets, "sockets");
    add_paths(said.devices, context.devices, "devices");
    for (const uint16_t port : context.publish)
        said.publish.push_back({std::to_string(port), in_context("publish")});
    if (context.scratch_bytes != ToolContext{}.scratch_bytes)
        said.scratch = {context.scratch_bytes, in_context("scratch_bytes")};
    if (!context.cache.empty()) said.cache = {from_workspace(context.cache), in_context("cache")};
    for (const std::string& hole : context.accept)
        said.accept.push_back({hole, in_context("accept")});
    if (!context.watch_denials) said.denials = {"off", in_context("watch_denials")};
    return said;
}

std::expected<Deployed, std::vector<Complaint>> deployed(const ToolSettings& settings,
                                                         const ToolContext& context) {
    DeploymentRequest request;
    request.flags = config::layered(TRY(said_by(settings)), said_by(context));
    request.config = settings.config;
    request.session = context.session;
    request.caller = context.caller;
    if (!context.workspace.empty() && !context.working_dir.empty())
        request.start_directory = from_here(context.working_dir);
    request.allowed_paths = context.allowed_paths;
    request.scratch = context.scratch;
    request.same_workspace = context.same_workspace;
    request.wide_workspace = context.wide_workspace;
    return deploy_live(request);
}

}  // namespace

bool same_place(const ToolContext& one, const ToolContext& other) {
    const auto all = [](const ToolContext& context) {
        return std::tie(context.working_dir, context.session, context.mode, context.network.kind,
                        context.network.hosts, context.workspace, context.same_workspace,
                        context.writable, context.cache, context.readable, context.protect,
                        context.sockets, context.devices, context.publish, context.scratch_bytes,
                        context.watch_denials, context.scratch, context.caller,
                        context.wide_workspace, context.accept, context.allowed_paths);
    };
    return all(one) == all(other);
}

Result<Deployed> deploy_for(const ToolSettings& settings, const ToolContext& context) {
    auto result = deployed(settings, context);
    if (!result) return failure("tools", 0, to_text(result.error()));
    result->deployment.via = "library";
    if (settings.report_in_meta) result->deployment.report = Deployment::Report::InMeta;
    return *std::move(result);
}

}  // namespace husk::tool
