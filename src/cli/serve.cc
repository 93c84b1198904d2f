#include <unistd.h>

#include <atomic>
#include <memory>

#include "cli/consent.h"
#include "cli/open_files.h"
#include "cli/signals.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/tool_options.h"
#include "serve/http_server.h"

namespace husk::cli {
namespace {

namespace http = serve::http;

struct ServeOptions {
    ToolOptions tools;
    std::string listen;
    std::string socket;
    std::string auth = "token";
    std::string tls_certificate;
    std::string tls_key;
    std::vector<std::string> names;
    std::optional<std::chrono::milliseconds> approval_timeout;
};

constexpr const char* usual_address = "127.0.0.1:4875";

// What is wrong with the options, or empty.
std::string complaint(const ServeOptions& options) {
    if (options.tls_certificate.empty() != options.tls_key.empty())
        return "--tls-cert and --tls-key go together";
    if (!options.listen.empty() && !http::read_address(options.listen))
        return "--listen: \"" + options.listen + "\" is not an address such as " + usual_address;
    return "";
}

http::ServeOptions serve_options(const ServeOptions& options, const tool::Deployment& deployment) {
    http::ServeOptions serving;
    serving.inherited = http::inherited_sockets();
    serving.socket = options.socket;
    const bool has_place = !serving.inherited.empty() || !options.socket.empty();
    if (!options.listen.empty() || !has_place)
        serving.listen =
            http::read_address(options.listen.empty() ? usual_address : options.listen);
    serving.auth = options.auth == "none" ? http::Auth::None : http::Auth::Token;
    serving.tls_certificate = options.tls_certificate;
    serving.tls_key = options.tls_key;
    serving.names = options.names;
    serving.settings = deployment.settings;
    if (options.approval_timeout) serving.approvals.timeout = *options.approval_timeout;
    serving.say = [](const std::string& line) { write_out(STDOUT_FILENO, "husk: " + line + "\n"); };
    return serving;
}

int serve(const ServeOptions& options) {
    if (const std::string wrong = complaint(options); !wrong.empty()) return fail(wrong);
    auto deployment = deployment_of(options.tools);
    if (!deployment) return fail(deployment.error());
    if (const auto able = check_before_serving(*deployment); !able) return fail(able.error());
    deployment->via = "serve";
    raise_open_files();
    const auto received = std::make_shared<std::atomic<int>>(0);
    const std::stop_source stop = cancel_on_signals(received);
    http::ServeOptions serving = serve_options(options, *deployment);
    tool::Toolbox toolbox(*std::move(deployment));
    const auto listening = tell_of_configuration(toolbox);
    const auto served = http::serve_http(toolbox, std::move(serving), stop.get_token());
    return served ? 0 : fail(served.error());
}

}  // namespace

void add_serve(CLI::App& app, int& code) {
    auto options = std::make_shared<ServeOptions>();
    CLI::App* sub =
        app.add_subcommand("serve", "Serve MCP, an API with events, and the console over HTTP");
    sub->footer(
        "SIGTERM ends it: commands that somebody waits for are killed, background shells go on.\n"
        "docs/http.md has more.");
    sub->add_option("--listen", options->listen,
                    "Address and port (default 127.0.0.1:4875, unless there is a socket)");
    sub->add_option("--socket", options->socket, "Listen at this path, for this user only");
    sub->add_option("--auth", options->auth, "token (default), or none: on loopback only")
        ->check(CLI::IsMember({"token", "none"}));
    sub->add_option("--tls-cert", options->tls_certificate, "Certificate chain, as PEM");
    sub->add_option("--tls-key", options->tls_key, "Its key, as PEM");
    sub->add_option("--name", options->names, "A name by which clients may call this server");
    add_duration(*sub, "--approval-timeout", options->approval_timeout,
                 "How long a question waits for a person (default 5m); then it is a no");
    add_tool_options(*sub, options->tools);
    sub->callback([options, &code] { code = serve(*options); });
}

}  // namespace husk::cli
