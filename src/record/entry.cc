#include "record/entry.h"

#include <unistd.h>

#include "base/signals.h"
#include "record/json_line.h"
#include "render/report_json.h"

namespace husk::audit {
namespace {

constexpr int64_t version = 1;
constexpr size_t longest_command = 128 * 1024;
// Of what is in a list of up to twenty.
constexpr size_t longest_detail = 512;

JsonLine line_of(const char* what, const std::string& id) {
    JsonLine line;
    line.whole("v", version).word("what", what).word("id", id).whole("time", now_ms());
    return line;
}

std::string verdict_json(const Verdict& verdict) {
    JsonLine line;
    line.word("decision", verdict.decision)
        .text("rule", verdict.rule)
        .text("where", verdict.where)
        .text("reason", verdict.reason)
        .word("risk", verdict.risk);
    return line.done();
}

std::string approval_json(const Approval& approval) {
    JsonLine line;
    line.word("answer", approval.answer)
        .word("by", approval.by)
        .word("scope", approval.scope)
        .text("reason", approval.reason);
    return line.done();
}

void add(JsonLine& line, const Asked& asked) {
    line.word("via", asked.via)
        .word("contract", asked.contract)
        .word("tool", asked.tool)
        .word("action", asked.action)
        .whole("uid", static_cast<int64_t>(::geteuid()))
        .text("caller", asked.caller)
        .text("session", asked.session)
        .text("workspace", asked.workspace)
        .text("cwd", asked.cwd)
        .text("command", asked.command, longest_command);
    if (line.has_cut("command")) line.count("command_bytes", asked.command.size());
    line.text("description", asked.description)
        .texts("programs", asked.programs)
        .texts("threats", asked.threats)
        .word("mode", asked.mode)
        .flag("background", asked.background)
        .json("verdict", asked.verdict ? verdict_json(*asked.verdict) : "null")
        .json("approval", asked.approval ? approval_json(*asked.approval) : "null");
}

std::string signal_of(const Ending& ending) {
    const auto* signaled = std::get_if<Signaled>(&ending);
    return signaled == nullptr ? "" : signal_name(signaled->signal);
}

std::string limit_json(const Ending& ending) {
    const auto* limit = std::get_if<LimitExceeded>(&ending);
    if (limit == nullptr) return "null";
    JsonLine line;
    line.word("name", limit->name).count("value", limit->value).count("peak", limit->peak);
    return line.done();
}

std::string usage_json(const Usage& usage) {
    JsonLine line;
    line.milliseconds("user_ms", usage.user_ms)
        .milliseconds("system_ms", usage.system_ms)
        .count("peak_memory_bytes", usage.peak_memory_bytes)
        .word("peak_memory_of", usage.peak_memory_of)
        .count("read_bytes", usage.read_bytes)
        .count("written_bytes", usage.written_bytes)
        .count("processes", usage.processes);
    return line.done();
}

std::string startup_json(const Startup& startup) {
    JsonLine line;
    line.milliseconds("session_ms", startup.session_ms).milliseconds("call_ms", startup.call_ms);
    return line.done();
}

std::string confinement_json(const Confinement& walls) {
    JsonLine line;
    line.word("mode", walls.mode)
        .word("files", walls.files)
        .word("network", walls.network)
        .word("signals", walls.signals)
        .word("processes", walls.processes)
        .word("limits", walls.limits)
        .texts("missing", walls.missing)
        .texts("unwatched", walls.unwatched);
    return line.done();
}

std::string denials_json(const std::vector<Denial>& denials) {
    std::vector<std::string> all;
    for (const Denial& denial : denials) {
        if (all.size() >= most_listed) break;
        JsonLine line;
        line.word("operation", denial.operation)
            .text("target", denial.target, longest_detail)
            .word("process", denial.process)
            .text("allow_with", denial.allow_with, longest_detail)
            .count("count", denial.count);
        all.push_back(line.done());
    }
    return json_array(all);
}

std::string leftovers_json(const std::vector<Leftover>& leftovers) {
    std::vector<std::string> all;
    for (const Leftover& leftover : leftovers) {
        if (all.size() >= most_listed) break;
        JsonLine line;
        line.whole("pid", leftover.pid).word("name", leftover.name);
        if (!leftover.reason.empty()) line.word("reason", leftover.reason);
        all.push_back(line.done());
    }
    return json_array(all);
}

std::string stream_json(const Excerpt& excerpt) {
    JsonLine line;
    line.count("bytes", excerpt.total_bytes)
        .count("lines", excerpt.total_lines)
        .count("dropped_bytes", excerpt.dropped_bytes);
    return line.done();
}

// A command that was never started has used, written and left nothing: all that is null.
void add(JsonLine& line, const Ended& ended) {
    const Report& report = ended.report;
    const bool ran = report.pid.has_value();
    line.text("status", status_word(report.ending))
        .whole("exit_code", exit_code(report.ending))
        .text("signal", signal_of(report.ending))
        .text("error", render::why_not(report.ending))
        .json("limit", limit_json(report.ending))
        .whole("ended", ended.when)
        .milliseconds("duration_ms", report.duration_ms)
        .milliseconds("call_ms", ended.call_ms)
        .json("usage", ran ? usage_json(report.usage) : "null")
        .json("startup", ran ? startup_json(report.startup) : "null")
        .json("confinement", ran ? confinement_json(report.confinement) : "null")
        .json("denials", ran ? denials_json(report.denials) : "null")
        .count("denials_total", ran ? std::optional(report.denials_total) : std::nullopt)
        .json("denials_complete", !ran                      ? "null"
                                  : report.denials_complete ? "true"
                                                            : "false")
        .json("leftovers", ran ? leftovers_json(report.leftovers) : "null")
        .texts("reverted", report.reverted)
        .json("output", ran ? stream_json(report.excerpt) : "null")
        .json("errors", ran && report.error_excerpt ? stream_json(*report.error_excerpt) : "null");
}

}  // namespace

int64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string begin_record(const std::string& id, const Asked& asked) {
    JsonLine line = line_of("begin", id);
    line.word("shell_id", id);
    add(line, asked);
    return line.done();
}

std::string end_record(const std::string& id, const Ended& ended) {
    JsonLine line = line_of("end", id);
    // That of a call without a name for it is known only now.
    if (!ended.report.session.empty()) line.text("session", ended.report.session);
    add(line, ended);
    return line.done();
}

std::string call_record(const std::string& id, const Asked& asked, const Ended& ended) {
    JsonLine line = line_of("call", id);
    line.word("shell_id", ended.report.shell_id);
    add(line, asked);
    add(line, ended);
    return line.done();
}

std::string call_record(const std::string& id, const Asked& asked, const std::string& shell_id,
                        const std::string& error, std::optional<double> call_ms) {
    JsonLine line = line_of("call", id);
    line.word("shell_id", shell_id);
    add(line, asked);
    line.text("status", "").text("error", error).milliseconds("call_ms", call_ms);
    return line.done();
}

}  // namespace husk::audit
