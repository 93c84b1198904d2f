#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "cli/consent.h"
#include "cli/open_files.h"
#include "cli/signals.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/tool_options.h"
#include "os/fd.h"
#include "serve/stdio.h"

namespace husk::cli {
namespace {

int serve(const ToolOptions& options) {
    auto deployment = deployment_of(options);
    if (!deployment) return fail(deployment.error());
    if (const auto able = check_before_serving(*deployment); !able) return fail(able.error());
    deployment->via = "mcp";
    // Whatever else would be printed there is not protocol, and goes where it does no harm.
    const os::Fd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!out) return fail(Error{"dup", errno, "standard output"});
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    raise_open_files();
    const auto received = std::make_shared<std::atomic<int>>(0);
    const std::stop_source stop = cancel_on_signals(received);
    tool::Toolbox toolbox(*std::move(deployment));
    const auto listening = tell_of_configuration(toolbox);
    serve::Server server(toolbox);
    const auto served = serve::serve_stdio(server, STDIN_FILENO, out.get(), stop.get_token());
    if (!served) return fail(served.error());
    return *received == 0 ? 0 : 128 + *received;
}

}  // namespace

void add_mcp(CLI::App& app, int& code) {
    auto options = std::make_shared<ToolOptions>();
    CLI::App* sub = app.add_subcommand("mcp", "Serve the tools of a contract to an MCP client");
    sub->footer(
        "The client talks on standard input and output. At the end of input commands that\n"
        "somebody waits for are killed; background shells go on. docs/mcp.md has more.");
    add_tool_options(*sub, *options);
    sub->callback([options, &code] { code = serve(*options); });
}

}  // namespace husk::cli
