// From what happened to the result of the contract `docware`. A figure that nobody has measured is
// null.
#include <algorithm>
#include <set>
#include <utility>

#include "base/signals.h"
#include "base/utf8.h"
#include "contract/docware.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

using enum BashErrorType;

template <class Number>
Json or_null(const std::optional<Number>& value) {
    return value ? Json(*value) : Json(nullptr);
}

int64_t timestamp(std::chrono::system_clock::time_point when) {
    return std::chrono::duration_cast<milliseconds>(when.time_since_epoch()).count();
}

// ---- errors

std::string limit_message(const std::string& resource, uint64_t current, uint64_t limit) {
    return "Resource limit exceeded: " + resource + " (" + std::to_string(current) + " > " +
           std::to_string(limit) + ")";
}

BashError limit_error(const std::string& name, uint64_t current, uint64_t limit) {
    const bool output = name == "output";
    const std::string kind = name == "cpu_usage"        ? "cpu_limit"
                             : name == "execution_time" ? "time_limit"
                                                        : name + "_limit";
    return {ResourceLimitExceeded,
            output ? "Output size limit exceeded: " + std::to_string(current) + " > " +
                         std::to_string(limit)
                   : limit_message(name, current, limit),
            {{"resource", name},
             {"current", current},
             {"limit", limit},
             {"violationType", kind},
             {"action", "terminate"}}};
}

BashErrorType type_of_refusal(const Verdict& verdict) {
    if (verdict.rule == "whitelist_check") return CommandNotAllowed;
    if (verdict.where == "built in: docware")
        return verdict.decision == "ask" ? PermissionDenied : SecurityValidationFailed;
    if (verdict.rule == "syntax" || verdict.where == "built in") return SecurityValidationFailed;
    return CommandNotAllowed;  // by a rule of the user's, or a pack that was switched on
}

// "low" is the risk of a command that passed.
std::string risk_of_refusal(const Verdict& verdict) {
    return verdict.risk.empty() || verdict.risk == "low" ? "high" : verdict.risk;
}

struct ErrorOf {
    const Told& told;
    const Json& kept;

    std::optional<BashError> operator()(const Exited&) const { return std::nullopt; }
    std::optional<BashError> operator()(const Signaled& signaled) const {
        const std::string name = signal_name(signaled.signal);
        return BashError{
            ProcessTerminated, "Process terminated by signal " + name, {{"signal", name}}};
    }
    std::optional<BashError> operator()(const TimedOut& timed_out) const {
        const auto limit = static_cast<uint64_t>(timed_out.limit.count());
        return BashError{ExecutionTimeout,
                         "Command execution timed out after " + std::to_string(limit) + "ms",
                         {{"timeout", limit}}};
    }
    std::optional<BashError> operator()(const Cancelled& cancelled) const {
        return BashError{ProcessTerminated, "Process terminated: " + cancelled.why};
    }
    std::optional<BashError> operator()(const LimitExceeded& limit) const {
        return limit_error(limit.name, limit.peak, limit.value);
    }
    std::optional<BashError> operator()(const Denied& denied) const {
        const Verdict verdict = told.report.verdict.value_or(Verdict{});
        const BashErrorType type = type_of_refusal(verdict);
        std::string message = verdict.reason.empty() ? denied.reason : verdict.reason;
        if (verdict.rule == "syntax") message = "Invalid command: " + message;
        if (type == PermissionDenied) {
            if (message.ends_with('.')) message.pop_back();
            message += "; it needs a confirmation, and nobody has given it";
        }
        return BashError{type,
                         message,
                         {{"command", kept["command"]},
                          {"blockedBy", verdict.rule},
                          {"riskLevel", risk_of_refusal(verdict)},
                          {"reason", text::to_utf8(verdict.reason)}}};
    }
    std::optional<BashError> operator()(const NotStarted& failed) const {
        const BashErrorType type = type_of(failed.cause);
        const std::string command = kept["command"].get<std::string>();
        const std::string message =
            type == CommandNotFound ? "Command not found: '" + command + "'"
                                    : why_not_started(failed.cause, "name another one with `cwd`");
        return BashError{
            type,
            message,
            {{"command", command}, {"step", failed.cause.step}, {"errno", failed.cause.code}}};
    }
    std::optional<BashError> operator()(const Running&) const { return std::nullopt; }
    std::optional<BashError> operator()(const Lost& lost) const {
        return BashError{ProcessTerminated, "Process lost: " + lost.why};
    }
};

// Output within its limit of which a part is not there: without an error, the caller would take the
// rest for all of it.
std::optional<BashError> incomplete_output(const Told& told, const Json& kept) {
    if (!std::holds_alternative<Exited>(told.report.ending) || !kept.value("capture", true))
        return std::nullopt;
    for (const auto& [name, bytes] :
         {std::pair("stdout", &told.out), std::pair("stderr", &told.err)})
        if (!bytes->whole())
            return BashError{InsufficientResources,
                             "Output incomplete: only the first " +
                                 std::to_string(bytes->head.size()) + " of " +
                                 std::to_string(bytes->total) + " bytes of " + name +
                                 " are in the result, because there was no room to keep the rest",
                             {{"resource", "output_space"},
                              {"stream", name},
                              {"kept", bytes->head.size()},
                              {"written", bytes->total}}};
    return std::nullopt;
}

std::optional<BashError> error_of(const Told& told, const Json& kept) {
    if (auto error = std::visit(ErrorOf{told, kept}, told.report.ending)) return error;
    return incomplete_output(told, kept);
}

// ---- the parts of a result

Json execution_info(const Json& kept, const Report& report) {
    Json variables = Json::object();
    for (const std::string& name : report.environment)
        variables[text::to_utf8(name)] = "[REDACTED]";
    return {{"command", kept["command"]},
            {"args", kept["args"]},
            {"execution_time", or_null(report.duration_ms)},
            {"working_directory", kept["working_directory"]},
            {"environment_variables", std::move(variables)}};
}

Json resource_usage(const Report& report) {
    const Usage& usage = report.usage;
    std::optional<double> cpu;
    if (usage.user_ms && usage.system_ms) cpu = *usage.user_ms + *usage.system_ms;
    return {{"max_memory_used", or_null(usage.peak_memory_bytes)},
            {"cpu_time", or_null(cpu)},
            {"wall_time", or_null(report.duration_ms)},
            {"disk_io_read", or_null(usage.read_bytes)},
            {"disk_io_write", or_null(usage.written_bytes)},
            {"file_operations", nullptr}};
}

// Rules of the user's that have found something are threat rules like the built-in ones.
void add_own_rule(Json& threats, const Verdict& verdict) {
    if (verdict.rule.empty() || verdict.decision == "allow" ||
        verdict.where.starts_with("built in") || verdict.where == "bash")
        return;
    threats["threats"].push_back({{"ruleId", text::to_utf8(verdict.rule)},
                                  {"threatType", "rule"},
                                  {"severity", verdict.risk},
                                  {"confidence", nullptr},
                                  {"description", text::to_utf8(verdict.reason)},
                                  {"evidence", {{"where", text::to_utf8(verdict.where)}}},
                                  {"mitigationSuggestions", Json::array()}});
    threats["threatsDetected"] = true;
    if (!verdict.instead.empty())
        threats["threats"].back()["mitigationSuggestions"].push_back(
            text::to_utf8(verdict.instead));
}

Json security_info(const Json& kept, const Report& report) {
    const bool denied = std::holds_alternative<Denied>(report.ending);
    Json blocked = kept["blocked"];
    Json threats = kept["threats"];
    const std::string risk = kept["risk"].get<std::string>();
    const bool by_others = denied && blocked.empty() && report.verdict;
    if (by_others) blocked.push_back(text::to_utf8(report.verdict->rule));
    if (report.verdict) add_own_rule(threats, *report.verdict);
    const std::string told = by_others ? risk_of_refusal(*report.verdict) : risk;
    agree_with(threats, told, denied);
    Json info = {{"validation_passed", !denied}, {"risk_level", told}};
    if (denied) info["blocked_operations"] = std::move(blocked);
    // The checks were against it, and somebody was for it.
    if (!denied && !kept["blocked"].empty()) info["confirmed"] = true;
    info["sandbox_used"] = report.pid && report.confinement.mode != "open";
    info["threat_analysis"] = std::move(threats);
    return info;
}

// A command that Husk has stopped has a main process with an ending of its own.
const Ending& end_of_main(const Told& told) {
    return told.main_process ? *told.main_process : told.report.ending;
}

Json process_info(const Told& told) {
    const Report& report = told.report;
    Json info = {{"pid", or_null(report.pid)}, {"parent_pid", or_null(told.parent_pid)}};
    std::set<int> children;
    bool looked = false;
    for (const Event& event : told.events) {
        const auto* sample = std::get_if<Sample>(&event.what);
        if (sample == nullptr) continue;
        looked = true;
        children.insert(sample->pids.begin(), sample->pids.end());
    }
    if (report.pid) children.erase(*report.pid);
    if (looked) info["child_processes"] = children;
    if (const auto* signaled = std::get_if<Signaled>(&end_of_main(told)))
        info["signal"] = signal_name(signaled->signal);
    return info;
}

struct TimelineEntry {
    Json operator()(const Began&) const { return {{"event", "started"}}; }
    Json operator()(const OutputPiece& piece) const {
        return {{"event", "output"},
                {"stream", piece.errors ? "stderr" : "stdout"},
                {"bytes", piece.bytes.size()}};
    }
    Json operator()(const Sample& sample) const {
        return {{"event", "resource_update"},
                {"data",
                 {{"cpuUsage", or_null(sample.cpu_percent)},
                  {"memoryUsage", or_null(sample.memory_bytes)},
                  {"diskIO", nullptr},
                  {"networkIO", nullptr}}}};
    }
    Json operator()(const Over& over) const {
        return {{"event", "ended"}, {"status", status_word(over.ending)}};
    }
};

// A figure above the limit looks like a breach that was missed.
std::optional<std::string> note_on_memory(const Run& run, const Report& report) {
    const uint64_t limit = run.request.limits.memory.value_or(0);
    const bool is_above = limit != 0 && report.usage.peak_memory_bytes.value_or(0) > limit;
    if (!is_above || std::holds_alternative<LimitExceeded>(report.ending)) return std::nullopt;
    return "max_memory_used is above max_memory, and no breach was found: it counts the files that "
           "a program maps, and max_memory does not. A process that lives for a few milliseconds "
           "can pass max_memory without being seen";
}

// The last of them: who has to know each one asks for the stream.
Json timeline_of(const std::vector<Event>& events) {
    constexpr size_t most = 64;
    Json timeline = Json::array();
    const size_t from = events.size() - std::min(events.size(), most);
    for (const Event& event : std::span(events).subspan(from)) {
        Json entry = std::visit(TimelineEntry{}, event.what);
        entry["timestamp"] = timestamp(event.when);
        timeline.push_back(std::move(entry));
    }
    return timeline;
}

// The limit counts both streams together. If there is more, each keeps its beginning: half of the
// limit, and what the other one leaves of its half.
std::pair<Bytes, Bytes> within_limit(uint64_t limit, Bytes out, Bytes err) {
    if (out.head.size() + err.head.size() <= limit) return {std::move(out), std::move(err)};
    const uint64_t left = limit - std::min<uint64_t>(limit, out.head.size());
    const uint64_t errors = std::min<uint64_t>(err.head.size(), std::max(limit / 2, left));
    err.head.resize(errors);
    out.head.resize(limit - errors);
    return {std::move(out), std::move(err)};
}

std::string stream_text(const Json& kept, const Bytes& bytes) {
    if (!kept.value("capture", true)) return "";
    return text::to_utf8(joined(bytes, ""));
}

// Of this call; null where there was no sandbox, or none was built for it.
Json sandbox_stats(const Report& report) {
    const bool is_closed = report.pid && report.confinement.mode != "open";
    const Startup startup = is_closed ? report.startup : Startup{};
    return {{"sandboxCreationTime", or_null(startup.session_ms)},
            {"sandboxOverhead", or_null(startup.call_ms)},
            {"isolationEffectiveness", nullptr}};
}

Json file_state(const std::vector<FileState>& files) {
    Json states = Json::array();
    for (const FileState& one : files)
        states.push_back({{"path", text::to_utf8(one.file.path)},
                          {"operation", one.file.operation},
                          {"state", one.state}});
    return states;
}

Json structured(const Run* run, const Told& told, const Json& kept) {
    const Report& report = told.report;
    const auto code = exit_code(end_of_main(told));
    const auto [out, err] = run == nullptr ? std::pair(told.out, told.err)
                                           : within_limit(run->portion.whole, told.out, told.err);
    const auto error = error_of(told, kept);
    Json json = {{"success", !error && std::holds_alternative<Exited>(report.ending)},
                 {"exit_code", or_null(code)},
                 {"stdout", stream_text(kept, out)},
                 {"stderr", stream_text(kept, err)},
                 {"execution_info", execution_info(kept, report)},
                 {"resource_usage", resource_usage(report)},
                 {"security_info", security_info(kept, report)},
                 {"process_info", process_info(told)}};
    if (error) json["error"] = error_json(*error);
    if (run == nullptr) return json;
    json["debug_info"] = {{"command_parsing", kept["parsing"]},
                          {"security_checks", kept["checks"]},
                          {"execution_timeline", timeline_of(told.events)},
                          {"sandboxStats", sandbox_stats(report)},
                          {"file_state", file_state(told.files)}};
    std::vector<std::string> notes = run->notes;
    for (const std::string& path : report.reverted)
        notes.push_back(path + " is protected, and was taken away again");
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    if (auto note = note_on_memory(*run, report)) notes.push_back(*std::move(note));
    for (std::string& note : notes) note = text::to_utf8(note);
    if (!notes.empty()) json["notes"] = notes;
    return json;
}

Answer answer_of(Json json) {
    Answer answer;
    answer.text = json.dump();
    answer.is_error = !json["success"].get<bool>();
    answer.structured = std::move(json);
    return answer;
}

}  // namespace

Answer docware_failure(const BashError& error) {
    const Json kept = {{"command", ""},           {"args", Json::array()},
                       {"working_directory", ""}, {"blocked", Json::array()},
                       {"risk", "low"},           {"threats", threat_analysis({}, {})}};
    Json json = structured(nullptr, {.report = {}}, kept);
    json["security_info"]["validation_passed"] = false;
    json["error"] = error_json(error);
    return answer_of(std::move(json));
}

Answer docware_answer(const Action& action, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    const Run& run = std::get<Run>(action);
    if (told == nullptr) return docware_failure({SystemError, "The command could not be run"});
    Answer answer = answer_of(structured(&run, *told, run.kept));
    answer.meta = display_meta(told->report);
    if (!run.watch || !run.watch->output) return answer;
    const Stream stream = docware_stream();
    Json records = Json::array();
    for (const Event& event : told->events)
        for (Json& record : stream(event)) records.push_back(std::move(record));
    answer.meta["docware/stream"] = std::move(records);
    return answer;
}

}  // namespace husk::contract
