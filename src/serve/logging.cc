#include "serve/logging.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace husk::serve {
namespace {

constexpr std::array<std::string_view, 8> names = {"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};
constexpr size_t most_denials = 5;
constexpr size_t most_notes = 5;

// How much it matters that a command ended so.
struct Weight {
    Level operator()(const Exited&) const { return Level::Info; }
    Level operator()(const Signaled&) const { return Level::Info; }
    Level operator()(const Running&) const { return Level::Info; }
    Level operator()(const TimedOut&) const { return Level::Notice; }
    Level operator()(const Cancelled&) const { return Level::Notice; }
    Level operator()(const Denied&) const { return Level::Info; }  // the verdict has said it
    Level operator()(const LimitExceeded&) const { return Level::Warning; }
    Level operator()(const NotStarted&) const { return Level::Error; }
    Level operator()(const Lost&) const { return Level::Error; }
};

std::string why(const Ending& ending) {
    if (const auto* cancelled = std::get_if<Cancelled>(&ending)) return cancelled->why;
    if (const auto* lost = std::get_if<Lost>(&ending)) return lost->why;
    if (const auto* limit = std::get_if<LimitExceeded>(&ending)) return limit->name;
    if (const auto* failed = std::get_if<NotStarted>(&ending)) return failed->cause.text();
    return "";
}

LogEntry entry_about_ending(const char* logger, const Report& report) {
    Json data = {{"status", status_word(report.ending)}};
    if (!report.shell_id.empty()) data["shell_id"] = report.shell_id;
    if (const auto code = exit_code(report.ending)) data["exit_code"] = *code;
    if (report.duration_ms) data["duration_ms"] = *report.duration_ms;
    if (const std::string reason = why(report.ending); !reason.empty())
        data["why"] = text::to_utf8(reason);
    return {std::visit(Weight(), report.ending), logger, std::move(data)};
}

LogEntry entry_about(const Verdict& verdict) {
    const Level level = verdict.decision == "deny"  ? Level::Warning
                        : verdict.decision == "ask" ? Level::Notice
                                                    : Level::Debug;
    Json data = {{"decision", verdict.decision}};
    if (!verdict.rule.empty()) data["rule"] = text::to_utf8(verdict.rule);
    if (!verdict.where.empty()) data["where"] = text::to_utf8(verdict.where);
    if (!verdict.reason.empty()) data["reason"] = text::to_utf8(verdict.reason);
    return {level, "verdict", std::move(data)};
}

LogEntry entry_about(const Denial& denial) {
    Json data = {{"operation", text::to_utf8(denial.operation)},
                 {"target", text::to_utf8(denial.target)}};
    if (!denial.process.empty()) data["process"] = text::to_utf8(denial.process);
    if (!denial.allow_with.empty()) data["allow_with"] = text::to_utf8(denial.allow_with);
    if (denial.count > 1) data["count"] = denial.count;
    return {Level::Warning, "walls", std::move(data)};
}

}  // namespace

std::string_view word(Level level) { return names.at(static_cast<size_t>(level)); }

std::optional<Level> level_named(const Json& name) {
    if (!name.is_string()) return std::nullopt;
    const auto* found = std::ranges::find(names, name.get<std::string>());
    if (found == names.end()) return std::nullopt;
    return static_cast<Level>(found - names.begin());
}

Json log_message(const LogEntry& entry) {
    return notification_message(
        "notifications/message",
        {{"level", word(entry.level)}, {"logger", entry.logger}, {"data", entry.data}});
}

LogEntry entry_about_start(const std::string& shell_id) {
    return {Level::Debug, "call", {{"status", "running"}, {"shell_id", shell_id}}};
}

std::vector<LogEntry> entries_about(const Report& report) {
    std::vector<LogEntry> entries;
    if (report.verdict) entries.push_back(entry_about(*report.verdict));
    for (size_t i = 0; i < std::min(report.denials.size(), most_denials); ++i)
        entries.push_back(entry_about(report.denials[i]));
    for (size_t i = 0; i < std::min(report.notes.size(), most_notes); ++i)
        entries.push_back({Level::Notice, "call", {{"note", text::to_utf8(report.notes[i])}}});
    entries.push_back(entry_about_ending("call", report));
    return entries;
}

LogEntry entry_about_end(const Report& report) { return entry_about_ending("shell", report); }

}  // namespace husk::serve
