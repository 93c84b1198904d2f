// Husk's own contract: from what happened to what a model is told. It is in its context on every
// call, so it says only what is worth saying.
#include <algorithm>
#include <cmath>

#include "base/signals.h"
#include "base/terminal_text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "contract/husk.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

constexpr double worth_telling = 10;  // seconds
constexpr size_t most_denials = 5;

template <class T>
bool is(const Report& report) {
    return std::holds_alternative<T>(report.ending);
}

double seconds_of(const Report& report) {
    constexpr double tenths = 10;
    return std::round(report.duration_ms.value_or(0) / 1000 * tenths) / tenths;
}

// Of what was asked for, bytes that the text does not show.
uint64_t left_out(const Excerpt& excerpt) {
    if (excerpt.shown.empty()) return 0;
    uint64_t missing =
        excerpt.total_bytes - std::min(excerpt.total_bytes, excerpt.shown.back().second);
    for (size_t i = 1; i < excerpt.shown.size(); ++i)
        missing += excerpt.shown[i].first - excerpt.shown[i - 1].second;
    return missing;
}

bool reads_on(const Action& action) {
    const auto* read = std::get_if<Read>(&action);
    return read == nullptr || std::holds_alternative<SinceLast>(read->range) ||
           std::holds_alternative<Since>(read->range);
}

// Why there is no ordinary ending, in words.
std::string why(const Report& report) {
    if (const auto* lost = std::get_if<Lost>(&report.ending)) return lost->why;
    if (const auto* cancelled = std::get_if<Cancelled>(&report.ending)) return cancelled->why;
    return "";
}

std::string error_of(const Report& report) {
    if (const auto* denied = std::get_if<Denied>(&report.ending)) return denied->reason;
    if (const auto* failed = std::get_if<NotStarted>(&report.ending)) return failed->cause.text();
    return "";
}

std::vector<std::string> taken_away(const Report& report) {
    std::vector<std::string> sentences;
    for (const std::string& path : report.reverted)
        sentences.push_back(text::one_line(path) + " is protected, and was taken away again");
    return sentences;
}

std::vector<std::string> notes_of(const Action& action, const Report& report) {
    std::vector<std::string> notes;
    if (const auto* run = std::get_if<Run>(&action)) notes = run->notes;
    if (const std::string reason = why(report); !reason.empty() && reason != "cancelled")
        notes.push_back(reason);
    for (std::string& one : taken_away(report)) notes.push_back(std::move(one));
    if (!report.excerpt.complete)
        notes.push_back(std::to_string(report.excerpt.dropped_bytes) +
                        " bytes of output were not kept: " + report.excerpt.dropped_because);
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    for (std::string& note : notes) note = text::one_line(note);
    return notes;
}

Json denial_json(const Denial& denial) {
    Json json = {{"operation", text::to_utf8(denial.operation)},
                 {"target", text::to_utf8(denial.target)}};
    if (!denial.process.empty()) json["process"] = text::to_utf8(denial.process);
    if (!denial.allow_with.empty()) json["allow_with"] = text::to_utf8(denial.allow_with);
    if (!denial.reason.empty()) json["reason"] = text::to_utf8(denial.reason);
    return json;
}

void add_denials(Json& json, const Report& report) {
    if (report.denials.empty()) return;
    const size_t shown = std::min(report.denials.size(), most_denials);
    for (size_t i = 0; i < shown; ++i) json["denials"].push_back(denial_json(report.denials[i]));
    if (report.denials_total > shown) json["denials_total"] = report.denials_total;
}

Json verdict_json(const Verdict& verdict) {
    Json json = {{"rule", verdict.rule}, {"reason", text::to_utf8(verdict.reason)}};
    if (!verdict.instead.empty()) json["instead"] = text::to_utf8(verdict.instead);
    if (!verdict.allow_with.empty()) json["allow_with"] = verdict.allow_with;
    return json;
}

void add_ending(Json& json, const Report& report) {
    if (!is<Exited>(report)) json["status"] = status_word(report.ending);
    if (const auto* signaled = std::get_if<Signaled>(&report.ending))
        json["signal"] = signal_name(signaled->signal);
    if (const auto* limit = std::get_if<LimitExceeded>(&report.ending))
        json["limit"] = {{"name", limit->name}, {"value", limit->value}, {"peak", limit->peak}};
}

Json structured(const Action& action, const Told& told) {
    const Report& report = told.report;
    const bool runs = std::holds_alternative<Run>(action);
    const uint64_t missing = reads_on(action) ? left_out(report.excerpt) : 0;
    const bool background = is<Running>(report) || (runs && report.in_background);
    Json json;
    const auto code = exit_code(report.ending);
    json["exit_code"] = code ? Json(*code) : Json(nullptr);
    json["output"] = text::to_utf8(report.out ? *report.out : report.output);
    if (report.err) json["stderr"] = text::to_utf8(*report.err);
    add_ending(json, report);
    if (!report.shell_id.empty() &&
        (background || missing > 0 || !report.leftovers.empty() || !report.excerpt.complete))
        json["shell_id"] = report.shell_id;
    if (is<Running>(report) || !runs) json["cursor"] = report.cursor;
    if (missing > 0)
        json["cut"] = {{"bytes", report.excerpt.total_bytes},
                       {"lines", report.excerpt.total_lines},
                       {"left_out", missing}};
    if (seconds_of(report) >= worth_telling) json["seconds"] = seconds_of(report);
    add_denials(json, report);
    if (!report.leftovers.empty()) json["leftovers"] = leftovers_json(report.leftovers);
    if (!told.met.empty()) json["met"] = told.met;
    if (!told.line.empty()) json["line"] = text::plain(told.line);
    if (const auto notes = notes_of(action, report); !notes.empty()) json["notes"] = notes;
    if (const std::string error = error_of(report); !error.empty())
        json["error"] = text::to_utf8(error);
    if (is<Denied>(report) && report.verdict) json["verdict"] = verdict_json(*report.verdict);
    return json;
}

// One line in brackets for the ending, where it is worth one.
struct EndingLine {
    const Report& report;

    std::string operator()(const Exited& exited) const {
        return exited.code == 0 ? "" : "exit " + std::to_string(exited.code);
    }
    std::string operator()(const Signaled& signaled) const {
        return "killed by " + signal_name(signaled.signal);
    }
    std::string operator()(const TimedOut& timed_out) const {
        return "timed out after " + text::format_duration(timed_out.limit) + ", and killed";
    }
    std::string operator()(const Cancelled&) const { return "cancelled"; }
    std::string operator()(const LimitExceeded& limit) const {
        return "stopped: more " + limit.name + " than " + std::to_string(limit.value) +
               " (reached " + std::to_string(limit.peak) + ")";
    }
    std::string operator()(const Denied& denied) const { return "denied: " + denied.reason; }
    std::string operator()(const NotStarted& failed) const {
        return "not started: " + failed.cause.text();
    }
    std::string operator()(const Running&) const {
        return "still running as " + report.shell_id + ": bash_wait";
    }
    std::string operator()(const Lost&) const { return "lost"; }
};

std::vector<std::string> lines_of(const Action& action, const Told& told, const Json& answer) {
    const Report& report = told.report;
    std::vector<std::string> lines;
    if (!told.met.empty() && told.met != "exit")
        lines.push_back("met: " + told.met + (told.line.empty() ? "" : ": " + told.line));
    // Before the exit code, which would mislead: what the command made is not there any more.
    for (std::string& one : taken_away(report)) lines.push_back(std::move(one));
    lines.push_back(std::visit(EndingLine{report}, report.ending));
    if (answer.contains("seconds")) lines.push_back("took " + answer["seconds"].dump() + " s");
    if (answer.contains("cut"))
        lines.push_back(answer["cut"]["left_out"].dump() + " of " + answer["cut"]["bytes"].dump() +
                        " bytes left out: bash_output " + report.shell_id);
    if (!report.leftovers.empty()) {
        std::string left = "still running:";
        for (const Json& leftover : answer["leftovers"])
            left +=
                " " + leftover["name"].get<std::string>() + " (pid " + leftover["pid"].dump() + ")";
        lines.push_back(left + ": bash_kill " + report.shell_id);
    }
    for (size_t i = 0; i < std::min(report.denials.size(), most_denials); ++i) {
        const Denial& denial = report.denials[i];
        std::string line = "the walls stopped: " + denial.operation + " " + denial.target;
        if (!denial.allow_with.empty()) line += "; the user can allow it with " + denial.allow_with;
        if (!denial.reason.empty()) line += " (" + denial.reason + ")";
        lines.push_back(std::move(line));
    }
    for (std::string& note : notes_of(action, report))
        if (std::ranges::find(lines, note) == lines.end()) lines.push_back(std::move(note));
    std::erase(lines, "");
    return lines;
}

Answer told_answer(const Action& action, const Told& told) {
    const Report& report = told.report;
    Answer answer;
    answer.structured = structured(action, told);
    answer.is_error = is<Denied>(report) || is<NotStarted>(report);
    answer.text = answer.structured->at("output").get<std::string>();
    if (report.err && !report.err->empty()) {
        end_line(answer.text);
        answer.text += "[stderr]\n" + text::to_utf8(*report.err);
    }
    for (const std::string& line : lines_of(action, told, *answer.structured)) {
        end_line(answer.text);
        answer.text += "[" + text::one_line(line) + "]\n";
    }
    if (std::holds_alternative<Run>(action)) answer.meta = display_meta(report);
    return answer;
}

Json shell_json(const Report& report) {
    const auto code = exit_code(report.ending);
    Json json = {{"shell_id", report.shell_id},
                 {"status", status_word(report.ending)},
                 {"exit_code", code ? Json(*code) : Json(nullptr)},
                 {"command", text::to_utf8(report.display)},
                 {"seconds", seconds_of(report)}};
    if (!report.leftovers.empty()) json["leftovers"] = report.leftovers.size();
    return json;
}

Answer list_answer(const Listed& listed) {
    Json shells = Json::array();
    std::string text;
    for (const Report& report : listed.shells) {
        shells.push_back(shell_json(report));
        text += report.shell_id + "  " + status_word(report.ending);
        if (const auto code = exit_code(report.ending)) text += " " + std::to_string(*code);
        text += "  " + text::one_line(report.display) + "\n";
    }
    Json json = {{"shells", std::move(shells)}};
    if (listed.total > listed.shells.size()) {
        json["total"] = listed.total;
        text += "[" + std::to_string(listed.total - listed.shells.size()) + " more]\n";
    }
    return {.text = text.empty() ? "[no shells]\n" : text, .structured = std::move(json)};
}

}  // namespace

Answer husk_error(const std::string& sentence) {
    const std::string said = text::to_utf8(sentence);
    return {.text = said + "\n",
            .structured = Json{{"exit_code", nullptr}, {"output", ""}, {"error", said}},
            .is_error = true};
}

Answer husk_answer(const Action& action, const Outcome& outcome) {
    if (const auto* listed = std::get_if<Listed>(&outcome)) return list_answer(*listed);
    if (const auto* told = std::get_if<Told>(&outcome)) return told_answer(action, *told);
    if (const auto* missing = std::get_if<NoSuchShell>(&outcome))
        return husk_error("there is no shell \"" + missing->id +
                          "\"; bash_list lists those that there are");
    const std::string cause = std::get<Failed>(outcome).cause.text();
    Answer answer = husk_error(cause);
    if (std::holds_alternative<List>(action))
        answer.structured = Json{{"shells", Json::array()}, {"error", text::to_utf8(cause)}};
    return answer;
}

}  // namespace husk::contract
