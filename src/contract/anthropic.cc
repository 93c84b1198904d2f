// The contract `anthropic`: the tool `bash` of the type bash_20250124, one bash for a whole
// conversation. docs/contracts/anthropic.md.
#include <algorithm>
#include <array>

#include "base/terminal_text.h"
#include "base/units.h"
#include "contract/contract.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

using schema::Type;

constexpr std::array<std::string_view, 1> packs = {"destroyers"};
constexpr milliseconds usual_timeout(120'000);
constexpr uint64_t longest_output = 30'000;
constexpr uint64_t first_shown = 6'000;
constexpr uint64_t last_shown = 24'000;
constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::NotGiven};
constexpr const char* how_to_go_on = "call this tool with restart: true for a new bash";

std::string description_of(const Situation& situation) {
    return "Run commands in a bash that stays from call to call: its directory (at first " +
           situation.working_dir.string() +
           "), variables and functions are kept. There is no terminal, and standard input is "
           "empty. Start what does not end with '&'. A command that has not returned after two "
           "minutes is not killed, but nothing else can be run until it has, or until bash is "
           "restarted.";
}

std::vector<Tool> tools(const Situation& situation) {
    return {{.name = "bash",
             .title = "Run a command in the bash of this conversation",
             .description = description_of(situation),
             .takes = {{.name = "command",
                        .description = "The bash command to run. Required unless the tool is "
                                       "being restarted."},
                       {.name = "restart",
                        .type = Type::Flag,
                        .description = "True to end this bash with all that it has started, and to "
                                       "start a new one."}},
             .manner = manner}};
}

std::expected<Action, Answer> decode(std::string_view, std::string_view text,
                                     const Situation& situation) {
    const std::vector<Tool> all = tools(situation);
    const auto arguments = schema::read_arguments(text, all[0].takes, manner);
    if (!arguments) return std::unexpected(error_answer("Invalid input: " + arguments.error()));
    Talk talk{.command = schema::text_of(*arguments, "command"),
              .restart = schema::flag_of(*arguments, "restart"),
              .timeout = situation.default_timeout.value_or(usual_timeout),
              .portion = {.whole = longest_output, .head = first_shown, .tail = last_shown}};
    if (talk.command.empty() && !talk.restart)
        return std::unexpected(error_answer("no command provided."));
    // It is handed to bash between NULs.
    if (talk.command.find('\0') != std::string::npos)
        return std::unexpected(error_answer("Invalid input: `command` contains a NUL byte"));
    if (situation.answer_within) talk.timeout = std::min(talk.timeout, *situation.answer_within);
    return talk;
}

std::string output_of(const Told& told) {
    const uint64_t missing = told.out.total - std::min(told.out.total, first_shown + last_shown);
    return text::plain(joined(told.out, "\n[... " + std::to_string(missing) +
                                            " bytes left out; all of it is in " +
                                            told.report.excerpt.log.string() + "]\n"));
}

// How the bash itself has ended.
std::string ending_of(const Report& report) {
    const Ending& ending = report.ending;
    if (const auto* exited = std::get_if<Exited>(&ending))
        return "exited with code " + std::to_string(exited->code);
    if (const auto* signaled = std::get_if<Signaled>(&ending))
        return "was killed by signal " + std::to_string(signaled->signal);
    if (const auto* limit = std::get_if<LimitExceeded>(&ending))
        return "was stopped at its " + limit->name + " limit";
    if (const auto* cancelled = std::get_if<Cancelled>(&ending))
        return "was ended: " + cancelled->why;
    if (const auto* lost = std::get_if<Lost>(&ending)) return "is lost: " + lost->why;
    return "has ended";
}

// A line behind the output; empty when there is nothing to say.
std::string remark_of(const Talk& talk, const Told& told) {
    using enum Told::Came;
    const std::string go_on = std::string("; ") + how_to_go_on;
    switch (told.came) {
        case Returned: {
            const int code = exit_code(told.report.ending).value_or(0);
            return code == 0 ? "" : "exit code " + std::to_string(code);
        }
        case TimedOut:
            return "timed out: bash has not returned in " + text::format_duration(talk.timeout) +
                   " and is still at it; wait for it, or " + how_to_go_on;
        case StillBusy:
            return "bash is still busy with an earlier command, so this one was not run; wait for "
                   "it, or " +
                   std::string(how_to_go_on);
        case BashEnded: return "bash " + ending_of(told.report) + go_on;
        case BashHadEnded:
            return "bash " + ending_of(told.report) + " before, so this was not run" + go_on;
        case Restarted: return "";
    }
    return "";
}

Answer render(const Action& action, const Outcome& outcome) {
    if (const auto* failed = std::get_if<Failed>(&outcome))
        return error_answer("Error: " + failed->cause.text());
    const auto* told = std::get_if<Told>(&outcome);
    const auto* talk = std::get_if<Talk>(&action);
    if (told == nullptr || talk == nullptr) return error_answer("Error: there is no such bash");
    const Ending& ending = told->report.ending;
    if (const auto* denied = std::get_if<Denied>(&ending))
        return error_answer("Error: " + denied->reason);
    if (const auto* not_started = std::get_if<NotStarted>(&ending))
        return error_answer("Error: " + why_not_started(not_started->cause));
    const auto* cancelled = std::get_if<Cancelled>(&ending);
    if (cancelled != nullptr && told->came == Told::Came::Returned)
        return error_answer("Error: " + cancelled->why);
    if (told->came == Told::Came::Restarted) return {.text = "Bash session restarted"};
    Answer answer{.text = output_of(*told)};
    add_what_became_of_it(answer.text, told->report);
    const std::string remark = remark_of(*talk, *told);
    if (remark.empty()) return answer;
    end_line(answer.text);
    answer.text += "[" + remark + "]";
    answer.is_error = true;
    return answer;
}

}  // namespace

constinit const Contract anthropic_contract = {
    .name = "anthropic",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::BashSaysIt,
                 .refuses_what_it_does_not_understand = false,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .timeouts = {.usual = usual_timeout}},
    .tools = tools,
    .decode = decode,
    .render = render,
};

}  // namespace husk::contract
