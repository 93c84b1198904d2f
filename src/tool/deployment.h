// From the configuration to the tools of a contract, for every program that offers them.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"
#include "tool/configuration.h"
#include "tool/toolbox.h"

namespace husk::tool {

struct DeploymentRequest {
    config::Settings flags;    // these count more than any file
    std::string config = {};   // the only file that is read; empty: those of user and workspace
    std::string session = {};  // empty: the session of workspace, mode and caller
    std::string caller = {};   // the owner of the shells; empty: the user
    std::filesystem::path start_directory = {};  // of calls, absolute; empty: the workspace
    // All that commands may open, as ToolContext says. Relative paths count from the workspace.
    std::optional<std::vector<std::filesystem::path>> allowed_paths = {};
    Scratch scratch = Scratch::Private;
    bool same_workspace = false;  // a session that was made with another one is not joined
    bool all_arguments = false;
    bool may_preserve_environment = false;
    bool wide_workspace = false;  // a workspace that contains / or a home directory is allowed
};

struct Deployed {
    Deployment deployment;
    // About rules that can never apply, and entries that do not count.
    std::vector<std::string> warnings;
    std::vector<SourceFile> sources;  // the files that the deployment was made of
};

// Reads the configuration once. The complaints are about the request or about a file.
std::expected<Deployed, std::vector<Complaint>> deploy(const DeploymentRequest& request);

// Returns why no call could ever run, so that a server fails when it starts.
Result<void> check_deployment(const Deployment& deployment);

// A warning about walls that this machine cannot build for the tools; empty if none is missing.
std::string missing_walls(const Deployment& deployment);

// One note for each file beside the work with entries that do not count, because it may only
// narrow.
std::vector<std::string> notes_on(const Configuration& configuration);

}  // namespace husk::tool
