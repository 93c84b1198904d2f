#include <unistd.h>

#include <memory>

#include "cli/consent.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/tool_options.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

int list(const ToolOptions& options) {
    auto deployment = deployment_of(options);
    if (!deployment) return fail(deployment.error());
    warn_of_missing_walls(*deployment);
    write_out(STDOUT_FILENO, render::dump(tool::Toolbox(*std::move(deployment)).tools()) + "\n");
    return 0;
}

}  // namespace

void add_tools(CLI::App& app, int& code) {
    auto options = std::make_shared<ToolOptions>();
    CLI::App* sub =
        app.add_subcommand("tools", "Print the tools of a contract, as MCP's tools/list does");
    add_tool_options(*sub, *options);
    sub->callback([options, &code] { code = list(*options); });
}

}  // namespace husk::cli
