#include "serve/http_server.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "contract/modes.h"
#include "serve/configuration_news.h"
#include "serve/http_assets.h"
#include "serve/http_mcp.h"
#include "serve/http_router.h"
#include "serve/http_v1.h"
#include "tool/audit_later.h"

namespace husk::serve::http {
namespace {

constexpr size_t most_connections = 4096;
constexpr std::chrono::seconds farewell(2);

bool begins_with_path(std::string_view path, std::string_view folder) {
    return path == folder ||
           (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

const char* network_word(const ToolContext& walls) {
    if (walls.mode == Mode::Open) return "open";
    switch (walls.network.kind) {
        case Network::Kind::None: return "none";
        case Network::Kind::Hosts: return "hosts";
        case Network::Kind::Open: return "open";
    }
    return "open";
}

// What GET /v1 says of the configuration.
Json about(const tool::Deployment& deployment) {
    return {{"contract", deployment.contract->name},
            {"workspace", deployment.walls.workspace.string()},
            {"mode", contract::word(deployment.walls.mode)},
            {"network", network_word(deployment.walls)}};
}

// For programs, which read JSON; all else is for browsers.
bool is_for_programs(std::string_view path) {
    return begins_with_path(path, "/v1") || path == "/mcp" || path == "/metrics";
}

class Server {
public:
    Server(Loop& loop, tool::Toolbox& toolbox, const run::StateDir& state, ServeOptions& options,
           std::string token)
        : loop_(loop),
          events_(loop),
          board_(loop, events_, toolbox, workers_, options.approvals),
          calls_(loop, toolbox, events_, board_, metrics_),
          journal_(std::make_shared<audit::Journal>(options.settings.state)),
          audit_(options.settings.state,
                 [settings = options.settings](const std::string& shell_id) {
                     return tool::what_became_of(settings, shell_id);
                 }),
          shells_(loop, state, events_,
                  [this](const tool::KnownShell& shell) { record_end(shell); }),
          gate_({.auth = options.auth,
                 .token = std::move(token),
                 .secure = !options.tls_certificate.empty()},
                {.port = 0, .more = options.names}),
          parts_{.loop = loop,
                 .toolbox = toolbox,
                 .state = state,
                 .settings = options.settings,
                 .events = events_,
                 .shells = shells_,
                 .board = board_,
                 .calls = calls_,
                 .gate = gate_,
                 .metrics = metrics_,
                 .audit = audit_,
                 .docware = docware_,
                 .workers = workers_,
                 .about = {{"name", "husk"}, {"version", HUSK_VERSION}},
                 .url = {}},
          mcp_(loop, toolbox, calls_),
          service_{.refuse = [this](const Request& head) { return refuse(head); },
                   .takes_long_body = [](const Request& head) { return head.path == "/mcp"; },
                   .handle = [this](const ExchangePtr& exchange) { handle(exchange); }},
          goodbye_(loop) {
        parts_.about.update(about(*toolbox.deployment()));
        parts_.about["state"] = options.settings.state.string();
        parts_.about["started"] = now_ms();
        parts_.about["configuration"] = nullptr;
        parts_.about["auth"] = options.auth == Auth::Token ? "token" : "none";
        parts_.about["epoch"] = events_.epoch();
        add_metrics();
        configuration_ = toolbox.on_configuration([this](const tool::Toolbox::Reconfigured& news) {
            loop_.post([this, json = configuration_json(news.change)] { tell(json); });
        });
        calls_.before_end([this](const std::string& shell_id) { shells_.catch_up(shell_id); });
    }

    void listen(os::Fd socket, Tls* tls) {
        listeners_.push_back(
            std::make_unique<Listener>(loop_, std::move(socket), tls, service_, most_connections));
    }
    // Who is on this machine may know where the token is; reading it is another matter.
    void tell_token_file(const std::filesystem::path& path) { token_file_ = path; }
    void set_address(std::string url, uint16_t port) {
        parts_.url = std::move(url);
        gate_.set_port(port);
    }
    std::string link() {
        return parts_.url + gate_.make_link(std::chrono::system_clock::now()).path;
    }

    void close() {
        if (std::exchange(closing_, true)) return;
        for (const auto& listener : listeners_) listener->close();
        board_.withdraw_all();
        calls_.cancel_all();
        mcp_.close();
        events_.close();
        calls_.when_none([this] {
            if (connections() == 0) return loop_.stop();
            goodbye_.set(farewell, [this] { loop_.stop(); });
            wait_for_clients();
        });
    }

private:
    std::optional<Response> refuse(const Request& head) {
        if (!requests_.take()) return too_many("rate");
        if (auto refused = gate_.check_names(head)) {
            metrics_.count_refusal("name");
            return std::move(refused->response);
        }
        const bool is_open = head.path == "/healthz" || head.path.starts_with("/open/");
        if (is_open) return std::nullopt;
        auto refused = gate_.check_client(head, std::chrono::system_clock::now());
        if (!refused) return std::nullopt;
        if (!failures_.take()) return too_many("guesses");
        metrics_.count_refusal("client");
        if (refused->response.status == 401 && !is_for_programs(head.path))
            return locked_page(parts_.url, token_file_);
        return std::move(refused->response);
    }

    Response too_many(std::string_view why) {
        metrics_.count_refusal(why);
        Response response = error_response(429, "too_many", "too many requests; wait a second");
        response.headers.emplace_back("Retry-After", "1");
        return response;
    }

    void handle(const ExchangePtr& exchange) {
        const std::string& path = exchange->request.path;
        std::string_view route = "/";
        if (path == "/mcp") {
            route = "/mcp";
        } else if (begins_with_path(path, "/v1")) {
            return handle_v1(exchange);
        } else if (path == "/metrics" || path == "/healthz") {
            route = path;
        } else if (path.starts_with("/open/")) {
            route = "/open/{code}";
        }
        count(exchange, route);
        if (route == "/mcp") return mcp_.handle(exchange);
        if (exchange->request.method != "GET" && exchange->request.method != "HEAD")
            return not_allowed(exchange, "GET");
        if (route == "/healthz")
            return exchange->respond({.type = "text/plain; charset=utf-8", .body = "ok\n"});
        if (route == "/metrics")
            return exchange->respond(
                {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.text()});
        if (route == "/open/{code}")
            return exchange->respond(
                gate_.follow_link(std::string_view(path).substr(std::string_view("/open/").size()),
                                  std::chrono::system_clock::now()));
        exchange->respond(console(path));
    }

    void handle_v1(const ExchangePtr& exchange) {
        const auto found =
            find_route<V1Route>(v1_routes(), exchange->request.method, exchange->request.path);
        if (const auto* route = std::get_if<Found<V1Route>>(&found)) {
            count(exchange, route->route->pattern);
            return route->route->handle(parts_, exchange, route->parts);
        }
        count(exchange, "/v1/?");
        if (const auto* method = std::get_if<NoSuchMethod>(&found))
            return not_allowed(exchange, method->allowed);
        exchange->fail(404, "no_such_path",
                       "there is no such path; GET /v1/openapi.json lists all");
    }

    static void not_allowed(const ExchangePtr& exchange, const std::string& allowed) {
        Response response = error_response(405, "no_such_method", "this path takes " + allowed);
        response.headers.emplace_back("Allow", allowed);
        exchange->respond(response);
    }

    void count(const ExchangePtr& exchange, std::string_view route) {
        exchange->on_status = [this, route = std::string(route)](int status) {
            metrics_.count_request(route, status);
        };
    }

    size_t connections() const {
        size_t all = 0;
        for (const auto& listener : listeners_) all += listener->connections();
        return all;
    }

    void wait_for_clients() {
        constexpr std::chrono::milliseconds again(10);
        wait_.set(again, [this] {
            if (connections() == 0) return loop_.stop();
            wait_for_clients();
        });
    }

    void tell(const Json& configuration) {
        const std::string outcome = configuration["outcome"];
        parts_.about.update(about(*parts_.toolbox.deployment()));
        parts_.about["configuration"] = configuration;
        parts_.about["configuration"]["time"] = now_ms();
        events_.tell("configuration." + outcome, "", configuration);
    }

    // Of a background shell, whoever started it: nobody else may see it.
    void record_end(const tool::KnownShell& shell) {
        // Later: there may be no workers yet.
        loop_.post([this, record = tool::end_record_of(shell)] {
            workers_.post([journal = journal_, record] {
                // Where it cannot be written, whoever asks later finds it in the spool.
                if (!record.empty()) std::ignore = journal->append(record);
            });
        });
    }

    void add_metrics() {
        using enum Metrics::Kind;
        const auto number = [](auto value) {
            return [value] { return static_cast<double>(value()); };
        };
        metrics_.add("husk_http_connections", "Connections of clients.", Gauge,
                     number([this] { return connections(); }));
        metrics_.add("husk_event_streams", "Clients that listen to events.", Gauge,
                     number([this] { return events_.listeners(); }));
        metrics_.add("husk_events_total", "Events that were told.", Counter,
                     number([this] { return events_.told(); }));
        metrics_.add("husk_event_streams_dropped_total", "Clients that were too slow.", Counter,
                     number([this] { return events_.sent_away(); }));
        metrics_.add("husk_shells_live", "Shells of which something lives.", Gauge,
                     number([this] { return shells_.count(); }));
        metrics_.add("husk_calls_running", "Calls of tools that are under way.", Gauge,
                     number([this] { return calls_.under_way(); }));
        metrics_.add("husk_approvals_pending", "Questions that wait for a person.", Gauge,
                     number([this] { return board_.pending(); }));
        metrics_.add("husk_mcp_sessions", "MCP sessions.", Gauge,
                     number([this] { return mcp_.sessions(); }));
        metrics_.add("process_resident_memory_bytes", "Memory of this process.", Gauge,
                     number([] { return resident_bytes(); }));
    }

    Loop& loop_;
    Metrics metrics_;
    Events events_;
    Board board_;
    Calls calls_;
    std::shared_ptr<audit::Journal> journal_;
    audit::Index audit_;
    DocwareRequests docware_;
    LiveShells shells_;
    Gate gate_;
    Parts parts_;
    Mcp mcp_;
    Service service_;
    tool::Toolbox::Listening configuration_;
    Bucket requests_{2000, 4000};
    Bucket failures_{20, 40};
    Timer goodbye_;
    Timer wait_{loop_};
    bool closing_ = false;
    std::string token_file_;  // as browsers are told; empty: they are not
    std::vector<std::unique_ptr<Listener>> listeners_;
    tool::Workers workers_{32};  // the first to go, because they use all others
};

std::string url_of(const Address& address, bool sealed) {
    const bool six = address.host.find(':') != std::string::npos;
    return (sealed ? "https://" : "http://") + (six ? "[" + address.host + "]" : address.host) +
           ":" + std::to_string(address.port);
}

Result<void> check_safety(const ServeOptions& options, const Address& address) {
    if (is_loopback(address.host)) return {};
    if (options.auth == Auth::None)
        return failure("--auth none", 0, "is for loopback only, and " + address.host + " is not");
    if (options.tls_certificate.empty())
        return failure("--listen", 0,
                       address.host +
                           " can be reached by others: it needs --tls-cert and --tls-key, or a "
                           "proxy in front of a server on loopback");
    return {};
}

struct Doors {
    std::vector<os::Fd> sockets;
    std::optional<Address> address;  // the first that is none of a UNIX socket
};

Result<Doors> open_doors(ServeOptions& options) {
    Doors doors;
    doors.sockets = std::move(options.inherited);
    if (options.listen) doors.sockets.push_back(TRY(listen_on(*options.listen)));
    if (!options.socket.empty()) doors.sockets.push_back(TRY(listen_at_path(options.socket)));
    for (const os::Fd& socket : doors.sockets) {
        if (is_unix(socket.get())) continue;
        const Address address = address_of(socket.get());
        CHECK(check_safety(options, address));
        if (!doors.address) doors.address = address;
    }
    return doors;
}

void introduce(const ServeOptions& options, Server& server, const Doors& doors,
               const std::filesystem::path& token_file) {
    if (!options.socket.empty()) options.say("listening at " + options.socket);
    if (!doors.address) return;
    const std::string url = url_of(*doors.address, !options.tls_certificate.empty());
    server.set_address(url, doors.address->port);
    if (is_loopback(doors.address->host)) server.tell_token_file(token_file);
    options.say("listening on " + url);
    if (options.auth == Auth::None)
        return options.say(
            "WARNING: --auth none: every user and program of this machine can run commands here");
    options.say("the token is in " + token_file.string());
    options.say("open the console with " + server.link() + " (good once, for ten minutes)");
}

}  // namespace

Result<void> serve_http(tool::Toolbox& toolbox, ServeOptions options, const std::stop_token& stop) {
    const run::StateDir state = TRY(run::StateDir::open_or_make(options.settings.state));
    const std::filesystem::path token_file = state.path() / "http-token";
    const std::string token =
        options.auth == Auth::Token ? TRY(token_in(token_file)) : std::string();
    std::optional<Tls> tls;
    if (!options.tls_certificate.empty())
        tls = TRY(Tls::load(options.tls_certificate, options.tls_key));
    Doors doors = TRY(open_doors(options));
    Loop loop;
    Server server(loop, toolbox, state, options, token);
    for (os::Fd& socket : doors.sockets) server.listen(std::move(socket), tls ? &*tls : nullptr);
    introduce(options, server, doors, token_file);
    const std::stop_callback ask_to_end(stop, [&] { loop.post([&] { server.close(); }); });
    loop.run();
    if (!options.socket.empty()) ::unlink(options.socket.c_str());
    return {};
}

}  // namespace husk::serve::http
