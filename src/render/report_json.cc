#include "render/report_json.h"

#include <cmath>

#include "base/signals.h"
#include "base/utf8.h"
#include "render/text_or_null.h"

namespace husk::render {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json value_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// Microseconds are as fine as anything here is measured.
Json milliseconds_or_null(const std::optional<double>& value) {
    return value ? Json(std::round(*value * 1000) / 1000) : Json(nullptr);
}

Json array_of(const std::vector<std::string>& strings) {
    Json array = Json::array();
    for (const std::string& text : strings) array.push_back(text::to_utf8(text));
    return array;
}

Json excerpt_json(const Excerpt& excerpt) {
    Json shown = Json::array();
    for (const auto& [begin, end] : excerpt.shown) shown.push_back(Json::array({begin, end}));
    return {{"total_bytes", excerpt.total_bytes},
            {"total_lines", excerpt.total_lines},
            {"shown", std::move(shown)},
            {"log", text_or_null(excerpt.log.string())},
            {"complete", excerpt.complete},
            {"dropped_bytes", excerpt.dropped_bytes},
            {"reason", text_or_null(excerpt.dropped_because)}};
}

Json usage_json(const Usage& usage) {
    return {{"user_ms", milliseconds_or_null(usage.user_ms)},
            {"system_ms", milliseconds_or_null(usage.system_ms)},
            {"peak_memory_bytes", value_or_null(usage.peak_memory_bytes)},
            {"peak_memory_of", text_or_null(usage.peak_memory_of)},
            {"read_bytes", value_or_null(usage.read_bytes)},
            {"written_bytes", value_or_null(usage.written_bytes)},
            {"processes", value_or_null(usage.processes)}};
}

Json confinement_json(const Confinement& walls) {
    Json json = {
        {"mode", text::to_utf8(walls.mode)},           {"files", text::to_utf8(walls.files)},
        {"network", text::to_utf8(walls.network)},     {"signals", text::to_utf8(walls.signals)},
        {"processes", text::to_utf8(walls.processes)}, {"limits", text::to_utf8(walls.limits)},
        {"missing", array_of(walls.missing)},          {"unwatched", array_of(walls.unwatched)}};
    if (!walls.published.empty()) json["published"] = array_of(walls.published);
    return json;
}

Json denials_json(const std::vector<Denial>& denials) {
    Json array = Json::array();
    for (const Denial& denial : denials) {
        array.push_back({{"operation", text::to_utf8(denial.operation)},
                         {"target", text::to_utf8(denial.target)},
                         {"pid", value_or_null(denial.pid)},
                         {"process", text_or_null(denial.process)},
                         {"allow_with", text_or_null(denial.allow_with)},
                         {"reason", text_or_null(denial.reason)},
                         {"count", denial.count}});
    }
    return array;
}

Json leftovers_json(const std::vector<Leftover>& leftovers) {
    Json array = Json::array();
    for (const Leftover& leftover : leftovers) {
        Json entry = {{"pid", leftover.pid}, {"name", text::to_utf8(leftover.name)}};
        if (!leftover.reason.empty()) entry["reason"] = text::to_utf8(leftover.reason);
        array.push_back(std::move(entry));
    }
    return array;
}

Json signal_json(const Ending& ending) {
    const auto* signaled = std::get_if<Signaled>(&ending);
    return signaled != nullptr ? Json(signal_name(signaled->signal)) : Json(nullptr);
}

Json limit_json(const Ending& ending) {
    const auto* limit = std::get_if<LimitExceeded>(&ending);
    if (limit == nullptr) return nullptr;
    return {{"name", text::to_utf8(limit->name)}, {"value", limit->value}, {"peak", limit->peak}};
}

Json verdict_json(const Verdict& verdict) {
    return {
        {"decision", text::to_utf8(verdict.decision)}, {"rule", text_or_null(verdict.rule)},
        {"where", text_or_null(verdict.where)},        {"reason", text_or_null(verdict.reason)},
        {"instead", text_or_null(verdict.instead)},    {"allow_with", array_of(verdict.allow_with)},
        {"risk", text::to_utf8(verdict.risk)}};
}

struct WhyNot {
    std::string operator()(const Exited&) const { return ""; }
    std::string operator()(const Signaled&) const { return ""; }
    std::string operator()(const TimedOut&) const { return ""; }
    std::string operator()(const Cancelled& cancelled) const { return cancelled.why; }
    std::string operator()(const LimitExceeded&) const { return ""; }
    std::string operator()(const Denied& denied) const { return denied.reason; }
    std::string operator()(const NotStarted& failed) const { return failed.cause.text(); }
    std::string operator()(const Running&) const { return ""; }
    std::string operator()(const Lost& lost) const { return lost.why; }
};

void add_output(Json& json, const Report& report) {
    const bool split = report.out || report.err;
    json["output"] = split ? Json(nullptr) : Json(text::to_utf8(report.output));
    json["stdout"] = split ? Json(text::to_utf8(report.out.value_or(""))) : Json(nullptr);
    json["stderr"] = split ? Json(text::to_utf8(report.err.value_or(""))) : Json(nullptr);
    json["excerpt"] = excerpt_json(report.excerpt);
    json["error_excerpt"] =
        split && report.error_excerpt ? excerpt_json(*report.error_excerpt) : Json(nullptr);
}

}  // namespace

Json report_json(const Report& report) {
    Json json = {{"status", status_word(report.ending)},
                 {"exit_code", value_or_null(exit_code(report.ending))},
                 {"signal", signal_json(report.ending)},
                 {"shell_id", text_or_null(report.shell_id)},
                 {"session", text_or_null(report.session)},
                 {"command", text::to_utf8(report.command)},
                 {"display", text_or_null(report.display)}};
    add_output(json, report);
    json["cursor"] = report.cursor;
    json["duration_ms"] = milliseconds_or_null(report.duration_ms);
    json["pid"] = value_or_null(report.pid);
    json["background"] = report.in_background;
    json["usage"] = usage_json(report.usage);
    json["verdict"] = report.verdict ? verdict_json(*report.verdict) : Json(nullptr);
    json["limit"] = limit_json(report.ending);
    // No walls stood around what was never started, and nobody watched it.
    const bool started = !report.shell_id.empty();
    json["confinement"] = started ? confinement_json(report.confinement) : Json();
    json["error"] = text_or_null(why_not(report.ending));
    json["denials"] = denials_json(report.denials);
    json["denials_total"] = report.denials_total;
    json["denials_complete"] = started ? Json(report.denials_complete) : Json();
    json["leftovers"] = leftovers_json(report.leftovers);
    json["reverted"] = array_of(report.reverted);
    json["notes"] = array_of(report.notes);
    return json;
}

std::string why_not(const Ending& ending) { return std::visit(WhyNot{}, ending); }

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace husk::render
