#include "cli/consent.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "cli/terminal.h"
#include "render/verdict_text.h"
#include "tool/call_audit.h"
#include "tool/configuration_edit.h"
#include "tool/deployment.h"
#include "tool/judge.h"
#include "tool/plan_call.h"

namespace husk::cli {
namespace {

enum class Answer { Once, Always, No };

// Nothing at the end of input.
std::optional<std::string> read_line() {
    std::string line;
    char c = 0;
    while (true) {
        const ssize_t got = ::read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return std::nullopt;
        if (c == '\n') return line;
        line += c;
    }
}

// Asks until it is answered. The end of input is a no.
Answer read_answer(const std::string& question, bool may_be_always) {
    while (true) {
        write_out(STDERR_FILENO, question);
        const auto line = read_line();
        if (!line) write_out(STDERR_FILENO, "\n");
        if (!line || line == "n" || line == "N" || line == "no") return Answer::No;
        if (line == "y" || line == "Y" || line == "yes") return Answer::Once;
        if (may_be_always && (line == "a" || line == "A" || line == "always"))
            return Answer::Always;
    }
}

bool somebody_is_there() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0; }

// Writes it to the user's file; says what it did, or what to do.
void approve_from_now_on(const std::string& directory, const std::string& command,
                         const std::filesystem::path& file) {
    const std::string entry = tool::approval_text(directory, command);
    const auto written = tool::approve_always(file, directory, command);
    write_out(STDERR_FILENO, written ? "written to " + file.string() + ":\n" + entry
                                     : "it is run once; " + file.string() +
                                           " was not changed: " + written.error() +
                                           "\nto allow it always, write this to it:\n" + entry);
}

audit::Approval ask_person(const tool::Judged& judged, const std::string& directory,
                           const std::filesystem::path& file) {
    if (!somebody_is_there()) return {.answer = "nobody"};
    const render::Look look = {.colours = colours_for(STDERR_FILENO), .width = terminal_width()};
    const std::string& only_once = judged.verdict.only_once;
    write_out(STDERR_FILENO, render::verdict_text(judged.script, judged.verdict, look));
    const Answer answer = read_answer(
        only_once.empty() ? "Run it? y = once, a = always exactly this here, n = no: "
                          : "Run it? y = once, n = no (not always: " + only_once + "): ",
        only_once.empty());
    if (answer == Answer::No) return {.answer = "declined", .by = "terminal"};
    const bool always = answer == Answer::Always;
    if (always) approve_from_now_on(directory, judged.script.source, file);
    return {.answer = "given", .by = "terminal", .scope = always ? "always" : "once"};
}

}  // namespace

std::expected<Consent, std::vector<Complaint>> ask_for_consent(
    const Request& call, const tool::Configuration& configuration) {
    const auto rules = tool::usable_rules(configuration);
    if (!rules) return std::unexpected(rules.error());
    tell_dead_rules(configuration.settings.rules);
    const std::string place = tool::place_of(call, {});
    const tool::Judged judged = tool::judge_call(call, place, *rules);
    const decide::Verdict& verdict = judged.verdict;
    Consent consent{tool::reported(verdict), std::nullopt, tool::notes_on(configuration)};
    consent.programs = tool::programs_of(judged.script);
    if (verdict.decision == decide::Decision::Ask)
        consent.approval = ask_person(judged, place, configuration.files.own());
    const bool allowed = verdict.decision == decide::Decision::Allow ||
                         (consent.approval && consent.approval->answer == "given");
    const bool declined = consent.approval && consent.approval->answer == "declined";
    if (!allowed)
        consent.denied =
            Denied{verdict.rule, declined ? "you were asked and declined: " + verdict.reason
                                          : render::refusal(verdict)};
    return consent;
}

}  // namespace husk::cli
