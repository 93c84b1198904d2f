#include "render/ending_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/signals.h"
#include "base/terminal_text.h"
#include "base/units.h"

namespace husk::render {
namespace {

constexpr size_t most_leftovers = 5;

struct Words {
    std::string operator()(const Exited& exited) const {
        return "exited " + std::to_string(exited.code);
    }
    std::string operator()(const Signaled& signaled) const {
        return "signaled " + signal_name(signaled.signal);
    }
    std::string operator()(const TimedOut&) const { return "timed out"; }
    std::string operator()(const Cancelled&) const { return "cancelled"; }
    std::string operator()(const LimitExceeded& limit) const { return limit.name + " limit"; }
    std::string operator()(const Denied&) const { return "denied"; }
    std::string operator()(const NotStarted&) const { return "not started"; }
    std::string operator()(const Running&) const { return "running"; }
    std::string operator()(const Lost&) const { return "lost"; }
};

// In the unit of the limit. Those that count things have none.
std::string amount_of(std::string_view limit, uint64_t amount) {
    static constexpr std::array<std::string_view, 4> sizes = {"disk", "file_size", "memory",
                                                              "output"};
    static constexpr std::array<std::string_view, 5> times = {"cpu", "execution_time", "idle",
                                                              "lifetime", "wall"};
    if (std::ranges::count(sizes, limit) > 0) return text::format_size(amount);
    if (std::ranges::count(times, limit) > 0) {
        const auto longest = static_cast<uint64_t>(text::longest_duration.count());
        return text::format_duration(std::chrono::milliseconds(std::min(amount, longest)));
    }
    return std::to_string(amount);
}

std::string with_reason(const char* what, const std::string& why) {
    return why.empty() ? what : std::string(what) + ": " + why;
}

struct Trouble {
    const std::string& shell_id;

    std::string operator()(const Exited&) const { return ""; }
    std::string operator()(const Signaled& signaled) const {
        return "killed by " + signal_name(signaled.signal);
    }
    std::string operator()(const TimedOut& timed_out) const {
        return "timed out after " + text::format_duration(timed_out.limit);
    }
    std::string operator()(const Cancelled& cancelled) const {
        return with_reason("cancelled", cancelled.why);
    }
    std::string operator()(const LimitExceeded& limit) const {
        return "stopped at " + limit_words(limit);
    }
    std::string operator()(const Denied& denied) const {
        return with_reason("denied", denied.reason) +
               (denied.rule.empty() ? "" : " (rule " + denied.rule + ")");
    }
    std::string operator()(const NotStarted& failed) const {
        return with_reason("not started", failed.cause.text());
    }
    std::string operator()(const Running&) const {
        if (shell_id.empty()) return "still running";
        return "still running as " + shell_id + "; husk wait " + shell_id;
    }
    std::string operator()(const Lost& lost) const { return with_reason("lost", lost.why); }
};

std::string leftovers_line(const Report& report) {
    const size_t count = report.leftovers.size();
    if (count == 0) return "";
    std::string line = std::to_string(count) + (count == 1 ? " process" : " processes");
    line += " still running: ";
    for (size_t i = 0; i < std::min(count, most_leftovers); ++i) {
        const Leftover& leftover = report.leftovers[i];
        if (i > 0) line += ", ";
        line += leftover.name + " (pid " + std::to_string(leftover.pid);
        if (!leftover.reason.empty()) line += ", " + leftover.reason;
        line += ")";
    }
    if (count > most_leftovers) line += " and " + std::to_string(count - most_leftovers) + " more";
    if (!report.shell_id.empty()) line += "; husk kill " + report.shell_id;
    return line;
}

std::string denials_line(const Report& report) {
    constexpr size_t most_denials = 3;
    std::string line;
    uint64_t told = 0;
    for (size_t i = 0; i < std::min(report.denials.size(), most_denials); ++i) {
        const Denial& denial = report.denials[i];
        told += denial.count;
        line += (i == 0 ? "stopped by the walls: " : ", ") + denial.operation + " " + denial.target;
        const std::string& more = denial.allow_with.empty() ? denial.reason : denial.allow_with;
        if (!more.empty()) line += " (" + more + ")";
    }
    if (report.denials_total > told)
        line += " and " + std::to_string(report.denials_total - told) + " more";
    return line;
}

}  // namespace

std::string limit_words(const LimitExceeded& limit) {
    const std::string value = amount_of(limit.name, limit.value);
    const std::string peak = amount_of(limit.name, limit.peak);
    return "the " + limit.name + " limit of " + value +
           (peak == value ? "" : " (reached " + peak + ")");
}

std::string ending_words(const Report& report) {
    std::string words = std::visit(Words{}, report.ending);
    if (report.ended() && !report.leftovers.empty())
        words += ", " + std::to_string(report.leftovers.size()) + " left";
    // A command that a limit ended together with its leftovers has the name of the limit already.
    if (report.leftovers_ended_by && !std::holds_alternative<LimitExceeded>(report.ending))
        words += ", leftovers: " + report.leftovers_ended_by->name + " limit";
    return words;
}

std::string ending_line(const Report& report) {
    std::string line = std::visit(Trouble{report.shell_id}, report.ending);
    const bool failed = report.ended() && exit_code(report.ending) != 0;
    for (const std::string& more :
         {report.ended() ? leftovers_line(report) : "", failed ? denials_line(report) : ""}) {
        if (!line.empty() && !more.empty()) line += "; ";
        line += more;
    }
    // Names of processes and reasons come from outside.
    return text::one_line(line);
}

}  // namespace husk::render
