#include "serve/connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "serve/connection_parts.h"
#include "serve/tasks.h"

namespace husk::serve {
namespace {

constexpr std::array<std::string_view, 4> versions_with_connections = {"2024-11-05", "2025-03-26",
                                                                       "2025-06-18", "2025-11-25"};
constexpr std::string_view version_with_batches = "2025-03-26";

// Answers to several requests that came together go together, when the last of them is dropped.
class Batch {
public:
    explicit Batch(Send send) : send_(std::move(send)) {}
    ~Batch() {
        if (!messages_.empty()) send_(messages_);
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    void add(const Json& message) {
        const std::lock_guard lock(guard_);
        messages_.push_back(message);
    }

private:
    Send send_;
    std::mutex guard_;
    Json messages_ = Json::array();
};

Fault no_such_level() { return {Code::BadParameters, "a level is debug, info, ... emergency"}; }

bool is_initialize(const Json& message) { return member(message, "method") == "initialize"; }

}  // namespace

Server::Server(tool::Toolbox& tools)
    : Server(tools, [&tools](std::string tool, std::string arguments, tool::CallContext context,
                             tool::Toolbox::Done done) {
          tools.call(std::move(tool), std::move(arguments), std::move(context), std::move(done));
      }) {}

Connection::Connection(Server& server, Send send, std::string apart)
    : server_(server),
      send_(std::move(send)),
      apart_(std::move(apart)),
      subscriptions_(server.toolbox, server.shells, send_) {}

Connection::~Connection() { close(); }

void Connection::receive(std::string_view text, const Ways& ways) {
    const auto refuse_it = [&](const Fault& fault) { ways.answer(error_message(nullptr, fault)); };
    const auto json = parse_message(text);
    if (!json) return refuse_it(json.error());
    const auto take = [this](const Json& message, const Ways& these) {
        std::visit([&](const auto& one) { handle(one, these); }, read_message(message));
    };
    if (!json->is_array()) return take(*json, ways);
    if (version_ != version_with_batches)
        return refuse_it({Code::NotARequest, "only the version 2025-03-26 has batches"});
    if (json->empty() || std::ranges::any_of(*json, is_initialize))
        return refuse_it({Code::NotARequest, "a batch is not empty and has no `initialize`"});
    const auto batch = std::make_shared<Batch>(ways.answer);
    for (const Json& message : *json)
        take(message, {[batch](const Json& answer) { batch->add(answer); }, ways.aside});
}

// Who has a version in the request itself needs no connection to have said it before.
std::expected<Connection::Speaker, Fault> Connection::speaker_of(const Request& request) const {
    const Json& meta = member(request.params, "_meta");
    const Json& version = member(meta, "io.modelcontextprotocol/protocolVersion");
    if (version.is_null() && request.method != "server/discover")
        return Speaker{Era::Connections, client_capabilities_, version_,
                       level_ ? level_ : level_named(server_.toolbox.usual_log_level())};
    if (!version.is_string())
        return std::unexpected(
            Fault{Code::BadParameters, "`_meta` needs io.modelcontextprotocol/protocolVersion"});
    if (version != version_without)
        return std::unexpected(
            Fault{Code::UnsupportedVersion,
                  "this version is not supported in `_meta`",
                  {{"supported", Json::array({version_without})}, {"requested", version}}});
    const Json& declared = member(meta, "io.modelcontextprotocol/clientCapabilities");
    if (!declared.is_object())
        return std::unexpected(
            Fault{Code::BadParameters, "`_meta` needs io.modelcontextprotocol/clientCapabilities"});
    const Json& level = member(meta, "io.modelcontextprotocol/logLevel");
    if (!level.is_null() && !level_named(level)) return std::unexpected(no_such_level());
    return Speaker{Era::Without, declared, std::string(version_without), level_named(level)};
}

void Connection::handle(const Request& request, const Ways& ways) {
    const Send& reply = ways.answer;
    const auto speaker = speaker_of(request);
    if (!speaker) return reply(error_message(request.id, speaker.error()));
    if (request.method == "tools/call") return call_tool(request, *speaker, ways);
    if (request.method == "subscriptions/listen" && speaker->era == Era::Without) {
        const bool tasks = has_tasks(*speaker) && knows_tasks(speaker->capabilities);
        if (const auto open = subscriptions_.listen(request, tasks, ways); !open)
            reply(error_message(request.id, open.error()));
        return;
    }
    if (handle_task(request, *speaker, ways)) return;
    Answer result = answer_to(request, *speaker);
    if (!result) return reply(error_message(request.id, result.error()));
    reply(result_message(request.id, dressed(*std::move(result), speaker->era)));
}

// What has to be remembered is remembered here.
Answer Connection::answer_to(const Request& request, const Speaker& speaker) {
    const Json& params = request.params;
    if (speaker.era == Era::Connections) {
        if (request.method == "initialize") return initialize(params);
        if (request.method == "logging/setLevel") return set_level(params);
        if (request.method == "resources/subscribe") return subscriptions_.subscribe(params);
        if (request.method == "resources/unsubscribe") return subscriptions_.unsubscribe(params);
        if (request.method == "resources/list") subscriptions_.follow_list();
    }
    // Where others wait for this thread, the watch has looked within the last second.
    if (request.method == "tools/list" && server_.reads_alone)
        server_.toolbox.look_at_configuration();
    Answer result = answer(request.method, {server_.toolbox, params, speaker.era});
    if (result && request.method == "tools/list" && speaker.version == version_with_tasks)
        for (Json& tool : (*result)["tools"])
            if (server_.toolbox.can_be_task(tool["name"].get<std::string>()))
                tool["execution"] = {{"taskSupport", "optional"}};
    return result;
}

void Connection::handle(const Notification& notification, const Ways&) {
    if (notification.method != "notifications/cancelled") return;
    const Json& id = member(notification.params, "requestId");
    subscriptions_.cancel(id);
    cancel(id);
}

void Connection::handle(const Malformed& malformed, const Ways& ways) {
    ways.answer(error_message(malformed.id, malformed.fault));
}

Answer Connection::initialize(const Json& params) {
    const Json& version = member(params, "protocolVersion");
    if (!version.is_string())
        return std::unexpected(Fault{Code::BadParameters, "`protocolVersion` must be a text"});
    const Json& declared = member(params, "capabilities");
    client_capabilities_ = declared.is_object() ? declared : Json::object();
    const bool known = std::ranges::find(versions_with_connections, version.get<std::string>()) !=
                       versions_with_connections.end();
    version_ = known ? version.get<std::string>() : std::string(versions_with_connections.back());
    tell_of_configuration();
    Json able = capabilities();
    if (version_ == version_with_tasks && server_.toolbox.has_tasks())
        able["tasks"] = {{"list", Json::object()},
                         {"cancel", Json::object()},
                         {"requests", {{"tools", {{"call", Json::object()}}}}}};
    return Json{
        {"protocolVersion", version_}, {"capabilities", able}, {"serverInfo", server_info()}};
}

Answer Connection::set_level(const Json& params) {
    const auto level = level_named(member(params, "level"));
    if (!level) return std::unexpected(no_such_level());
    level_ = level;
    *least_ = *level;
    endings_ = server_.shells.list([&toolbox = server_.toolbox, send = send_,
                                    level = *level](const std::vector<ShellWatch::Passed>& passed) {
        for (const ShellWatch::Passed& one : passed) {
            const auto shell = toolbox.own_shell(one.id);
            if (one.lives || !shell) continue;
            const Report report = tool::told_of(*shell).report;
            const LogEntry entry = entry_about_end(report);
            if (report.in_background && entry.level >= level) send(log_message(entry));
        }
    });
    return Json::object();
}

void Connection::tell_of_configuration() {
    configuration_ = server_.toolbox.on_configuration(
        [send = send_, least = least_](const tool::Toolbox::Reconfigured& news) {
            const LogEntry entry = entry_about(news.change);
            if (entry.level >= *least) send(log_message(entry));
            if (news.tools_changed)
                send(notification_message("notifications/tools/list_changed", Json::object()));
        });
}

}  // namespace husk::serve
