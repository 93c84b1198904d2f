#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "cli/consent.h"
#include "cli/signals.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/tool_options.h"
#include "cli/usage.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

struct CallOptions {
    ToolOptions tools;
    std::string tool;
    std::string arguments;
    bool report = false;
};

int call(CallOptions& options) {
    auto deployment = deployment_of(options.tools);
    if (!deployment) return fail(deployment.error());
    deployment->via = "call";
    deployment->output_until = tool::SpilledOutput::Until::SessionEnds;
    if (options.report) deployment->report = tool::Deployment::Report::InMeta;
    if (options.arguments == "-") options.arguments = read_up_to(STDIN_FILENO, most_json);
    const auto received = std::make_shared<std::atomic<int>>(0);
    const std::stop_source stop = cancel_on_signals(received);
    tool::Toolbox toolbox(*std::move(deployment));
    const auto result = toolbox.call(options.tool, options.arguments, {.cancel = stop.get_token()});
    if (!result) return fail(result.error());
    write_out(STDOUT_FILENO, render::dump(*result) + "\n");
    return 0;
}

}  // namespace

void add_call(CLI::App& app, int& code) {
    auto options = std::make_shared<CallOptions>();
    CLI::App* sub = app.add_subcommand("call", "Call a tool of a contract, as an agent does");
    sub->footer(
        "JSON are the arguments of the tool; - reads them from standard input.\n"
        "Prints an MCP CallToolResult and exits with 0, also when the result is an error; 125\n"
        "when the call could not be made. Calls from one workspace share a session and shells.");
    add_tool_options(*sub, options->tools);
    sub->add_flag("--report", options->report, "Add the whole report to _meta");
    sub->allow_extras();  // an option of CLI11's would take "[1]" for a list
    sub->callback([sub, options, &code] {
        const std::vector<std::string> words = sub->remaining();
        const auto stranger = std::ranges::find_if(
            words, [](const std::string& word) { return word.starts_with("--"); });
        if (stranger != words.end()) {
            code = fail(no_such_option(*sub, *stranger));
            return;
        }
        if (words.size() != 2) {
            code = fail(
                "a call needs the name of a tool and its arguments as JSON; see husk call "
                "--help");
            return;
        }
        options->tool = words[0];
        options->arguments = words[1];
        code = call(*options);
    });
}

}  // namespace husk::cli
