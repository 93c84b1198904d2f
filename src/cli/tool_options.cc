#include "cli/tool_options.h"

#include <unistd.h>

#include <chrono>

#include "base/terminal_text.h"
#include "cli/consent.h"
#include "cli/limit_option.h"
#include "cli/setting_option.h"
#include "cli/terminal.h"
#include "cli/wall_options.h"
#include "serve/configuration_news.h"
#include "tool/live_configuration.h"

namespace husk::cli {

void add_contract_options(CLI::App& app, config::Settings& flags, std::string& config) {
    add_setting(app, "--contract", flags, "contract",
                "Which tools to offer: husk (default), phoenix, codegen, docware, agentrail, yoi, "
                "claude-code, anthropic");
    add_wall_options(app, flags);
    add_place_option(app, flags);
    add_limit_option(app, flags);
    add_working_directory(app, flags);
    add_setting(app, "--state", flags, "state", state_description);
    add_config(app, config);
}

void add_tool_options(CLI::App& app, ToolOptions& options) {
    add_contract_options(app, options.flags, options.config);
    app.add_flag("--force", options.wide_workspace,
                 "Allow a workspace that contains / or a home directory");
    app.add_option("--session", options.session, "Use the session of this name");
    add_setting(app, "--output-dir", options.flags, "yoi.output_dir",
                "Where the contract yoi saves output that is too long for an answer");
    app.add_flag("--all-arguments", options.all_arguments,
                 "Schemas show every argument, also those that are seldom needed");
    app.add_flag("--may-preserve-environment", options.may_preserve_environment,
                 "Calls of the contract docware may ask for this program's environment");
}

std::expected<tool::Deployment, std::vector<Complaint>> deployment_of(const ToolOptions& options) {
    tool::Deployed deployed = TRY(tool::deploy_live(options));
    for (const std::string& warning : deployed.warnings) fail(warning);
    return std::move(deployed.deployment);
}

void warn_of_missing_walls(const tool::Deployment& deployment) {
    const std::string missing = tool::missing_walls(deployment);
    if (!missing.empty()) fail("warning: " + missing);
}

// A client that does not read standard error must not keep calls waiting.
tool::Toolbox::Listening tell_of_configuration(const tool::Toolbox& toolbox) {
    return toolbox.on_configuration([](const tool::Toolbox::Reconfigured& news) {
        constexpr std::chrono::milliseconds patience(100);
        const auto until = std::chrono::steady_clock::now() + patience;
        const auto enough = [until] { return std::chrono::steady_clock::now() >= until; };
        std::string said;
        for (const std::string& line : serve::lines_about(news.change))
            said += "husk: " + text::one_line(line) + "\n";
        write_until(STDERR_FILENO, said, enough);
    });
}

Result<void> check_before_serving(const tool::Deployment& deployment) {
    warn_of_missing_walls(deployment);
    return tool::check_deployment(deployment);
}

}  // namespace husk::cli
