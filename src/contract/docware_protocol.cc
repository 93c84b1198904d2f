#include "contract/docware_protocol.h"

#include <algorithm>
#include <array>

namespace husk::contract {
namespace {

using schema::member;

bool is_object_or_null(const Json& json) { return json.is_object() || json.is_null(); }

bool are_texts(const Json& json) {
    return json.is_array() &&
           std::ranges::all_of(json, [](const Json& one) { return one.is_string(); });
}

// The names of a list in the options and in the security context. The security context always has
// both lists, so an empty list there means no list. In the options, an empty list allows nothing.
constexpr auto lists = std::to_array<std::pair<const char*, const char*>>(
    {{"allowed_commands", "allowedCommands"}, {"allowed_paths", "allowedPaths"}});

constexpr auto switches = std::to_array<const char*>(
    {"enableResourceMonitoring", "enableOutputCapture", "enableSecurityLogging"});

bool is_list(const Json& json) { return json.is_array() && !json.empty(); }

std::string complaint_about(const Json& body) {
    const Json& id = member(body, "requestId");
    if (!id.is_string() || id.get_ref<const std::string&>().empty())
        return "`requestId` is a text that is not empty";
    if (id.get_ref<const std::string&>().size() > 200) return "`requestId` is too long";
    if (!member(body, "command").is_string()) return "`command` is a text";
    if (!member(body, "args").is_null() && !are_texts(member(body, "args")))
        return "`args` is a list of texts";
    for (const char* name : {"options", "context", "securityContext", "monitoring"})
        if (!is_object_or_null(member(body, name)))
            return std::string("`") + name + "` is an object";
    for (const auto& [ours, theirs] : lists) {
        const Json& list = member(member(body, "securityContext"), theirs);
        if (!list.is_null() && !are_texts(list))
            return std::string("`securityContext.") + theirs + "` is a list of texts";
    }
    for (const auto& [ours, theirs] : lists) {
        const Json& own = member(member(body, "options"), ours);
        const Json& more = member(member(body, "securityContext"), theirs);
        if (own.is_array() && is_list(more) && own != more)
            return std::string("`options.") + ours + "` and `securityContext." + theirs +
                   "` are not the same; give one of them";
    }
    for (const char* name : switches) {
        const Json& value = member(member(body, "monitoring"), name);
        if (!value.is_null() && !value.is_boolean())
            return std::string("`monitoring.") + name + "` is true or false";
    }
    if (member(member(body, "monitoring"), "enableSecurityLogging") == false)
        return "`monitoring.enableSecurityLogging: false` is refused: the audit has every call, "
               "and "
               "no client can switch it off; set it to true, or leave it out";
    const Json& session = member(member(body, "context"), "sessionId");
    if (!session.is_string() && !session.is_null()) return "`context.sessionId` is a text";
    if (!is_object_or_null(member(member(body, "context"), "environmentVariables")))
        return "`context.environmentVariables` is an object";
    return "";
}

// The errors of a command that was run, and ended by somebody else than itself.
constexpr auto endings = std::to_array<std::string_view>(
    {"process_terminated", "execution_timeout", "resource_limit_exceeded"});

const char* status_of(const DocwareState& state) {
    if (!state.ended) return "running";
    const Json& type = member(member(state.output, "error"), "type");
    if (state.is_cancelled) return "terminated";
    if (!type.is_string()) return state.output.is_object() ? "completed" : "failed";
    const bool terminated =
        std::ranges::find(endings, type.get_ref<const std::string&>()) != endings.end();
    return terminated ? "terminated" : "failed";
}

Json usage_of(const DocwareState& state) {
    const Json& measured = member(state.output, "resource_usage");
    const bool told = state.figures == UsageFigures::Told;
    if (told && measured.is_object()) return measured;
    if (told && !state.ended && state.usage.is_object()) return state.usage;
    Json unknown = Json::object();
    for (const char* name : {"max_memory_used", "cpu_time", "wall_time", "disk_io_read",
                             "disk_io_write", "file_operations"})
        unknown[name] = nullptr;
    return unknown;
}

// Checks that refused, threats that were found, walls that stopped something.
Json events_of(const DocwareState& state) {
    Json events = Json::array();
    const Json& info = member(state.output, "security_info");
    for (const Json& blocked : member(info, "blocked_operations"))
        events.push_back({{"type", "blocked_operation"}, {"details", blocked}});
    for (const Json& threat : member(member(info, "threat_analysis"), "threats"))
        events.push_back({{"type", "threat_detected"}, {"details", threat}});
    for (const Json& denial : state.denials)
        events.push_back({{"type", "access_denied"}, {"details", denial}});
    return events;
}

}  // namespace

std::expected<DocwareRequest, std::string> docware_request(const Json& body) {
    if (std::string wrong = complaint_about(body); !wrong.empty())
        return std::unexpected(std::move(wrong));
    const Json& context = member(body, "context");
    DocwareRequest request{
        .id = body["requestId"].get<std::string>(),
        .session = {},
        .arguments = member(body, "options").is_object() ? body["options"] : Json::object()};
    if (const Json& session = member(context, "sessionId"); session.is_string())
        request.session = session.get<std::string>();
    Json& arguments = request.arguments;
    arguments["command"] = body["command"];
    if (const Json& args = member(body, "args"); args.is_array()) arguments["args"] = args;
    if (const Json& cwd = member(context, "workingDirectory");
        cwd.is_string() && !arguments.contains("cwd"))
        arguments["cwd"] = cwd;
    if (const Json& variables = member(context, "environmentVariables"); variables.is_object()) {
        Json env = variables;
        if (const Json& own = member(arguments, "env"); own.is_object()) env.update(own);
        arguments["env"] = std::move(env);
    }
    for (const auto& [ours, theirs] : lists)
        if (const Json& list = member(member(body, "securityContext"), theirs); is_list(list))
            arguments[ours] = list;
    if (member(member(body, "monitoring"), "enableOutputCapture") == false)
        arguments["capture_output"] = false;
    if (member(member(body, "monitoring"), "enableResourceMonitoring") == false)
        request.figures = UsageFigures::Withheld;
    return request;
}

Json docware_response(const DocwareState& state) {
    Json response = {
        {"requestId", state.request_id}, {"timestamp", state.now}, {"status", status_of(state)}};
    if (state.ended && state.output.is_object()) response["data"] = state.output;
    if (const Json& error = member(state.output, "error"); error.is_object())
        response["error"] = error;
    response["statistics"] = {{"startTime", state.started},
                              {"endTime", state.ended ? Json(*state.ended) : Json(nullptr)},
                              {"resourceUsage", usage_of(state)},
                              {"securityEvents", events_of(state)}};
    return response;
}

Json docware_usage(const Sample& sample) {
    const auto figure = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    const Usage& used = sample.so_far;
    std::optional<double> cpu;
    if (used.user_ms && used.system_ms) cpu = *used.user_ms + *used.system_ms;
    return {{"max_memory_used", figure(used.peak_memory_bytes)},
            {"cpu_time", figure(cpu)},
            {"wall_time", figure(sample.wall_ms)},
            {"disk_io_read", figure(used.read_bytes)},
            {"disk_io_write", figure(used.written_bytes)},
            {"file_operations", nullptr},
            {"cpuUsage", figure(sample.cpu_percent)},
            {"memoryUsage", figure(sample.memory_bytes)}};
}

Json docware_stream_data(const Json& record) {
    const Json& type = member(record, "type");
    const bool is_output = type == "stdout" || type == "stderr";
    return {{"type", is_output            ? type
                     : type == "resource" ? Json("resource_update")
                                          : Json("status_change")},
            {"content", member(record, "content")},
            {"timestamp", member(record, "timestamp")}};
}

}  // namespace husk::contract
