// What tables of cases are made of: a call without an engine. Arguments are decoded, the test says
// what came of the action, and that is rendered.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "contract/contract.h"

namespace husk::contract {

inline Situation in_work(Mode mode = Mode::Open) { return {.working_dir = "/work", .mode = mode}; }

inline std::expected<Action, Answer> decoded(const Contract& contract, std::string_view tool,
                                             std::string_view arguments,
                                             const Situation& situation = in_work()) {
    return contract.decode(tool, arguments, situation);
}

// The text of an error that needs no engine; "" when the arguments were taken.
inline std::string error_text(const Contract& contract, std::string_view tool,
                              std::string_view arguments, const Situation& situation = in_work()) {
    const auto action = decoded(contract, tool, arguments, situation);
    if (action) return "";
    if (!action.error().is_error) throw std::logic_error("not told as an error");
    return action.error().text;
}

// The action; it is thrown why there is none.
template <class Kind>
Kind action_of(const Contract& contract, std::string_view tool, std::string_view arguments,
               const Situation& situation = in_work()) {
    const auto action = decoded(contract, tool, arguments, situation);
    if (!action) throw std::logic_error(action.error().text);
    return std::get<Kind>(*action);
}

// In the body of a test the name of the action is that of a function of the test's.
inline Run run_of(const Contract& contract, std::string_view tool, std::string_view arguments,
                  const Situation& situation = in_work()) {
    return action_of<Run>(contract, tool, arguments, situation);
}

inline Verdict verdict_of(std::string rule, std::string where, std::string reason) {
    Verdict verdict;
    verdict.decision = "deny";
    verdict.rule = std::move(rule);
    verdict.where = std::move(where);
    verdict.reason = std::move(reason);
    return verdict;
}

// As the engine would hand it over.
inline Bytes portion_of(const std::string& output, const Portion& portion) {
    Bytes bytes{.total = output.size()};
    if (output.size() <= portion.whole) {
        bytes.head = output;
        return bytes;
    }
    bytes.head = output.substr(0, portion.head);
    bytes.tail = output.substr(output.size() - std::min<size_t>(output.size(), portion.tail));
    return bytes;
}

inline uint64_t lines_in(const std::string& output) {
    const auto newlines = static_cast<uint64_t>(std::ranges::count(output, '\n'));
    return newlines + (output.empty() || output.ends_with('\n') ? 0 : 1);
}

struct Happened {
    Ending ending = Exited{0};
    std::string out = {};
    std::string err = {};
};

inline Told told_of(const Run& run, const Happened& happened) {
    Told told;
    Report& report = told.report;
    report.ending = happened.ending;
    report.command = report.display = run.request.command;
    report.shell_id = "abcdef-7";
    report.pid = 4711;
    report.in_background = run.request.background;
    report.excerpt.log = "/state/7.log";
    report.excerpt.total_bytes = happened.out.size();
    report.excerpt.total_lines = lines_in(happened.out);
    report.cursor = happened.out.size();
    if (!happened.out.empty()) report.excerpt.shown = {{0, happened.out.size()}};
    report.output = happened.out;
    told.out = portion_of(happened.out, run.portion);
    told.err = portion_of(happened.err, run.portion);
    return told;
}

// What a run of the tool answers when this happened.
inline Answer answer_to(const Contract& contract, std::string_view tool, std::string_view arguments,
                        const Happened& happened) {
    const Run run = action_of<Run>(contract, tool, arguments);
    return contract.render(run, told_of(run, happened));
}

inline Answer answer_to_denied(const Contract& contract, std::string_view tool,
                               std::string_view arguments, const Verdict& verdict) {
    const Run run = action_of<Run>(contract, tool, arguments);
    Told told = told_of(run, {.ending = Denied{verdict.rule, "refused: " + verdict.reason}});
    told.report.verdict = verdict;
    told.report.shell_id.clear();
    return contract.render(run, told);
}

// Every text begins and ends with whole characters, wherever a cut falls.
inline std::string cut_anywhere(size_t size, const std::string& character) {
    std::string text;
    while (text.size() < size) text += character;
    return text;
}

}  // namespace husk::contract
