// The contract `claude-code`: `Bash`, `BashOutput`, `KillShell` as Claude Code has them, so that
// Husk can stand in for them. docs/contracts/claude-code.md.
#include <algorithm>
#include <array>

#include "base/pattern.h"
#include "base/terminal_text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "contract/contract.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

using schema::Type;

constexpr std::array<std::string_view, 1> packs = {"destroyers"};
constexpr milliseconds usual_timeout(120'000);
constexpr milliseconds longest_timeout(600'000);
constexpr uint64_t longest_output = 30'000;
constexpr uint64_t first_shown = 2'048;
constexpr uint64_t last_shown = 8'192;
// Lines are filtered before they are cut.
constexpr uint64_t filtered_output = 4ULL << 20;
constexpr int killed_code = 128 + 9;
constexpr schema::Manner manner = {schema::Unknown::Refused, schema::Blank::NotGiven};

std::string description_of(const Situation& situation) {
    return "Runs a bash command and returns its output, stdout and stderr in the order in which "
           "they came.\n\n"
           "- Every command starts in " +
           situation.working_dir.string() +
           " in a shell of its own: variables and cd do not carry over to the next command, files "
           "and processes do. There is no terminal, and standard input is empty.\n"
           "- A command that takes longer than its timeout (120000 ms, at most 600000) is not "
           "killed: it goes on in the background, and the answer has its ID.\n"
           "- Use run_in_background for servers and watchers, BashOutput to read what they print, "
           "KillShell to stop them. Do not add '&'.\n"
           "- Output of more than 30000 characters is saved to a file, and its beginning and its "
           "end are shown.\n"
           "- Use the tools for reading, editing and searching files instead of cat, sed, find "
           "and grep.";
}

std::vector<schema::Field> bash_fields(Situation::Arguments arguments) {
    return {{.name = "command", .description = "The command to execute.", .required = true},
            {.name = "timeout",
             .type = Type::Number,
             .description = "Timeout in milliseconds, at most 600000. Default 120000."},
            {.name = "description",
             .description = "What this command does, in five to ten words, in the active voice."},
            {.name = "run_in_background",
             .type = Type::Flag,
             .description = "Set to true to run the command in the background. Read its output "
                            "later with BashOutput."},
            // So it is not offered, and not refused either.
            {.name = "dangerouslyDisableSandbox",
             .type = Type::Flag,
             .description = "Has no effect: only the user can take walls away.",
             .shown = arguments == Situation::Arguments::All}};
}

std::vector<Tool> tools(const Situation& situation) {
    return {{.name = "Bash",
             .title = "Run a command",
             .description = description_of(situation),
             .takes = bash_fields(situation.arguments),
             .manner = manner},
            {.name = "BashOutput",
             .title = "Read what a background shell has printed",
             .description = "Returns the status of a background shell, and what it has printed "
                            "since the last time it was asked.",
             .takes = {{.name = "bash_id",
                        .description = "The ID of the background shell.",
                        .required = true},
                       {.name = "filter",
                        .description = "A regular expression: only lines that match it are "
                                       "returned. The others are not returned later either."}},
             .manner = manner,
             .only_reads = true},
            {.name = "KillShell",
             .title = "Stop a background shell",
             .description = "Kills a background shell with everything that it has started.",
             .takes = {{.name = "shell_id",
                        .description = "The ID of the background shell to kill.",
                        .required = true}},
             .manner = manner}};
}

// ---- what is asked

milliseconds timeout_of(const Json& arguments, const Situation& situation) {
    const milliseconds longest = situation.longest_timeout.value_or(longest_timeout);
    milliseconds timeout = situation.default_timeout.value_or(usual_timeout);
    if (const auto given = arguments.find("timeout"); given != arguments.end()) {
        const double asked = given->get<double>();
        const auto most = static_cast<double>(longest.count());
        if (asked >= 1) timeout = milliseconds(static_cast<int64_t>(std::min(asked, most)));
    }
    timeout = std::min(timeout, longest);
    return situation.answer_within ? std::min(timeout, *situation.answer_within) : timeout;
}

Action run_asked(const Json& arguments, const Situation& situation) {
    Run run;
    Request& request = run.request;
    request.command = schema::text_of(arguments, "command");
    request.description = schema::text_of(arguments, "description");
    request.background = schema::flag_of(arguments, "run_in_background");
    request.on_timeout = OnTimeout::Background;
    if (!request.background) request.timeout = timeout_of(arguments, situation);
    run.portion = {.whole = longest_output, .head = first_shown, .tail = last_shown};
    return run;
}

std::expected<Action, Answer> read_asked(const Json& arguments) {
    Read read{.shell_id = schema::text_of(arguments, "bash_id"),
              .max_bytes = longest_output,
              .filter = schema::text_of(arguments, "filter"),
              .rest = Read::Rest::InLog};
    if (read.filter.empty()) return read;
    read.max_bytes = filtered_output;
    if (const auto pattern = Pattern::compile(read.filter); !pattern)
        return std::unexpected(error_answer("InputValidationError: `filter`: " + pattern.error()));
    return read;
}

std::expected<Action, Answer> decode(std::string_view tool, std::string_view text,
                                     const Situation& situation) {
    const std::vector<Tool> all = tools(situation);
    const auto chosen = std::ranges::find(all, tool, &Tool::name);
    const auto arguments = schema::read_arguments(text, chosen->takes, manner);
    if (!arguments)
        return std::unexpected(error_answer("InputValidationError: " + arguments.error()));
    if (tool == "Bash") return run_asked(*arguments, situation);
    if (tool == "BashOutput") return read_asked(*arguments);
    return Kill{.shell_id = schema::text_of(*arguments, "shell_id")};
}

// ---- what is said of a run

// Without the newlines behind it.
std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

std::string output_of(const Told& told) {
    const Bytes& out = told.out;
    if (out.whole()) return trimmed(text::plain(out.head));
    const std::string head = text::plain(text::without_torn_end(out.head));
    const std::string tail = text::plain(text::without_torn_start(out.tail));
    return "<persisted-output>\nOutput too large (" + text::format_size(out.total) +
           "). Full output saved to: " + told.report.excerpt.log.string() +
           "\n\nPreview (first 2KB):\n" + trimmed(head) + "\n...\n\nEnd (last 8KB):\n" +
           trimmed(tail) + "\n</persisted-output>";
}

// A line behind the output, about an end that the code alone does not explain.
struct Explained {
    std::string operator()(const Exited&) const { return ""; }
    std::string operator()(const Signaled&) const { return ""; }
    std::string operator()(const Denied&) const { return ""; }
    std::string operator()(const NotStarted&) const { return ""; }
    std::string operator()(const Running&) const { return ""; }
    std::string operator()(const TimedOut& timed_out) const {
        return "Command timed out after " + text::format_duration(timed_out.limit);
    }
    std::string operator()(const Cancelled& cancelled) const {
        return "[Request interrupted: " + cancelled.why + "]";
    }
    std::string operator()(const LimitExceeded& limit) const {
        return "[Stopped at the " + limit.name + " limit of " + std::to_string(limit.value) + "]";
    }
    std::string operator()(const Lost& lost) const { return "[Lost: " + lost.why + "]"; }
};

int code_of(const Ending& ending) { return exit_code(ending).value_or(killed_code); }

void add_line(std::string& text, const std::string& line) {
    if (!text.empty() && !line.empty()) text += "\n";
    text += line;
}

std::string seconds_text(milliseconds time) {
    const auto count = time.count();
    return count % 1000 == 0 ? std::to_string(count / 1000) + "s" : std::to_string(count) + "ms";
}

std::string where_it_goes(const Report& report) {
    return " Output is being written to: " + report.excerpt.log.string() +
           ". To check on it, use BashOutput with this ID; to stop it, use KillShell.";
}

Answer run_answer(const Run& run, const Told& told) {
    const Report& report = told.report;
    Answer answer{.meta = display_meta(report)};
    if (const auto* denied = std::get_if<Denied>(&report.ending)) {
        answer.text = "Permission to use Bash with this command has been denied: " + denied->reason;
        answer.is_error = true;
    } else if (const auto* failed = std::get_if<NotStarted>(&report.ending)) {
        answer.text = "The command could not be started: " + why_not_started(failed->cause);
        answer.is_error = true;
    } else if (run.request.background) {
        answer.text = "Command running in background with ID: " + report.shell_id + "." +
                      where_it_goes(report);
    } else if (std::holds_alternative<Running>(report.ending)) {
        const milliseconds timeout = run.request.timeout.value_or(usual_timeout);
        answer.text = "Command did not complete within its " + seconds_text(timeout) +
                      " timeout and was moved to the background (ID: " + report.shell_id + ")." +
                      where_it_goes(report);
    } else {
        const int code = code_of(report.ending);
        answer.is_error = code != 0;
        if (answer.is_error) answer.text = "Exit code " + std::to_string(code);
        add_line(answer.text, output_of(told));
        add_line(answer.text, std::visit(Explained{}, report.ending));
        add_what_became_of_it(answer.text, report);
        answer.text = trimmed(std::move(answer.text));
        if (answer.text.empty()) answer.text = "(Bash completed with no output)";
    }
    return answer;
}

// ---- what is said of a background shell

struct Status {
    const char* operator()(const Running&) const { return "running"; }
    const char* operator()(const Exited& exited) const {
        return exited.code == 0 ? "completed" : "failed";
    }
    const char* operator()(const Signaled&) const { return "killed"; }
    const char* operator()(const Cancelled&) const { return "killed"; }
    const char* operator()(const auto&) const { return "failed"; }
};

std::string matching_lines(std::string_view text, const std::string& filter) {
    const auto pattern = Pattern::compile(filter);
    if (!pattern) return std::string(text);
    std::string found;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (pattern->matches(line)) found += std::string(line) + "\n";
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return found;
}

std::string new_output(const Read& read, const Report& report) {
    if (read.filter.empty()) return trimmed(report.output);
    const std::string found = trimmed(matching_lines(report.output, read.filter));
    if (found.size() <= longest_output) return found;
    return "[... the beginning is left out; see " + report.excerpt.log.string() + "]\n" +
           std::string(text::whole_suffix(found, longest_output));
}

std::string tagged(const std::string& tag, const std::string& text) {
    return "<" + tag + ">" + text + "</" + tag + ">";
}

Answer read_answer(const Read& read, const Told& told) {
    const Report& report = told.report;
    std::string text = tagged("status", std::visit(Status{}, report.ending));
    if (report.ended())
        text += "\n\n" + tagged("exit_code", std::to_string(code_of(report.ending)));
    if (const std::string why = std::visit(Explained{}, report.ending); !why.empty())
        text += "\n\n" + tagged("error", why);
    if (const std::string output = new_output(read, report); !output.empty())
        text += "\n\n" + tagged("stdout", "\n" + output + "\n");
    std::string more;
    add_what_became_of_it(more, report);
    if (!more.empty()) text += "\n\n" + trimmed(more);
    return {.text = std::move(text)};
}

Answer kill_answer(const Kill& kill, const Told& told) {
    const Report& report = told.report;
    if (told.had_ended)
        return error_answer("Shell " + kill.shell_id +
                            " is not running, so cannot be killed (status: " +
                            std::visit(Status{}, report.ending) + ")");
    const Json said = {{"message", "Successfully killed shell: " + kill.shell_id + " (" +
                                       text::to_utf8(report.command) + ")"},
                       {"shell_id", kill.shell_id}};
    return {.text = said.dump()};
}

Answer render(const Action& action, const Outcome& outcome) {
    if (const auto* failed = std::get_if<Failed>(&outcome))
        return error_answer(failed->cause.text());
    if (const auto* missing = std::get_if<NoSuchShell>(&outcome))
        return error_answer("No shell found with ID: " + missing->id);
    const Told& told = std::get<Told>(outcome);
    if (const auto* run = std::get_if<Run>(&action)) return run_answer(*run, told);
    if (const auto* read = std::get_if<Read>(&action)) return read_answer(*read, told);
    return kill_answer(std::get<Kill>(action), told);
}

}  // namespace

constinit const Contract claude_code_contract = {
    .name = "claude-code",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::BashSaysIt,
                 .refuses_what_it_does_not_understand = false,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .timeouts = {usual_timeout, longest_timeout}},
    .tools = tools,
    .decode = decode,
    .render = render,
};

}  // namespace husk::contract
