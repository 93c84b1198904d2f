// The contract `phoenix`: one tool, `bash`, with three modes. docs/contracts/phoenix.md.
#include <array>

#include "base/signals.h"
#include "base/utf8.h"
#include "contract/contract.h"
#include "contract/modes.h"
#include "contract/shared.h"
#include "parse/cannot_parse.h"

namespace husk::contract {
namespace {

using schema::text_of;

constexpr std::array<std::string_view, 2> packs = {"git", "rm"};
constexpr milliseconds default_timeout{30'000};
constexpr milliseconds slow_timeout{900'000};
constexpr uint64_t longest_output = 131'072;
constexpr uint64_t kept_of_each_end = 4'096;
constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::Meant};

std::string files_of(const Situation& situation) {
    const std::string errors =
        R"(fails with EROFS ("Read-only file system") or EACCES ("Permission denied").)";
    if (situation.mode == Mode::ReadOnly)
        return "The whole file system is read-only, with /tmp and the home directory: every "
               "write " +
               errors;
    std::string roots = situation.working_dir.string();
    for (const auto& root : situation.writable) roots += ", " + root.string();
    return "Only " + roots + " can be written: every write elsewhere, also in /tmp, " + errors;
}

// Which error it is depends on what the machine has: a private /tmp, or only Landlock.
std::string hidden_files() {
    return "/tmp and /dev/shm are private and begin empty (on a machine without mount namespaces "
           "nothing in them can be opened), apart from directories that this conversation was "
           "given, such as the working directory. A file that was put there outside of this mode "
           "is not lost, but cannot be read. Files with credentials, such as ~/.ssh and "
           "/etc/shadow, cannot be read either. Reading them fails with ENOENT (\"No such file or "
           "directory\") or EACCES.";
}

std::string signals_of(const Situation& situation) {
    if (situation.signals == Situation::Signals::ReachOutside)
        return "This machine cannot keep them in, and the configuration accepts that: they reach "
               "every process of this user, also outside of this conversation. Send signals only "
               "to processes that your own commands started.";
    return "To processes outside of this conversation they fail with ESRCH (\"No such process\") "
           "or EPERM.";
}

std::string network_of(const Network& network) {
    if (network.kind != Network::Kind::None) return sentence(network);
    return "There is no network: a connection to another machine or to a server outside of this "
           "conversation fails with ENETUNREACH (\"Network is unreachable\") or ECONNREFUSED "
           "(\"Connection refused\"), and no host name is resolved. Ports belong to a private "
           "loopback: a server can bind any of them, commands of this "
           "conversation reach it on localhost, and nobody outside can connect to it.";
}

// The errors were measured: tests/scenarios/contracts_phoenix_test.cc holds them to this text.
std::string restrictions_of(const Situation& situation) {
    return "\n\nRESTRICTED MODE. The kernel confines every command (Landlock, namespaces, "
           "seccomp):\n"
           "- Files: " +
           files_of(situation) + "\n- Reading: " + hidden_files() +
           "\n- Network: " + network_of(situation.network) +
           "\n- Sockets: Unix sockets (streams and packets) connect commands of this conversation "
           "with each other. A connection to one of anybody else fails with EACCES (\"Permission "
           "denied\"). Naming a Unix datagram socket and making a raw socket fail with EPERM "
           "(\"Operation not permitted\"). On a machine without network namespaces all other "
           "sockets do, localhost included.\n"
           "- Signals: " +
           signals_of(situation) +
           "\n- Limits: memory, CPU time and the number of processes are limited.\n"
           "Do not retry what fails like this, and do not look for a way around it: say what you "
           "would need.";
}

std::string walls_of(const Situation& situation) {
    if (situation.mode != Mode::Open) return restrictions_of(situation);
    if (situation.closed_modes_missing.empty()) return "";
    return "\n\nRestricted mode is not available on this machine (" +
           situation.closed_modes_missing + "); only the safety checks are on.";
}

std::string description_of(const Situation& situation) {
    return "Executes a shell command via bash -c, without a terminal, and returns stdout and "
           "stderr combined.\n\n"
           "Current working directory: " +
           situation.working_dir.string() +
           "\n\n"
           "Modes:\n"
           "- default: waits for the command, 30 second timeout\n"
           "- slow: the same with a 15 minute timeout, for builds, tests and installs\n"
           "- background: starts the command and returns at once with its process group and the "
           "file that its output goes to, for servers and demos\n\n"
           "A timeout kills the command and everything that it has started. Each call is a new "
           "shell: cd and variables do not carry over. Output over 128 KB is cut in the middle. "
           "There is no terminal, so nothing can ask: avoid pagers, editors and prompts. Stage "
           "files by name (no git add -A), and push without --force." +
           walls_of(situation);
}

std::vector<Tool> tools(const Situation& situation) {
    return {{.name = "bash",
             .title = "Run a shell command",
             .description = description_of(situation),
             .takes = {{.name = "command",
                        .description = "The shell command to execute",
                        .required = true},
                       {.name = "mode",
                        .description = "Execution mode: default (30 s), slow (15 min) or "
                                       "background (returns at once)",
                        .choices = {"default", "slow", "background"}}},
             .manner = manner}};
}

std::expected<Action, Answer> decode(std::string_view, std::string_view text,
                                     const Situation& situation) {
    const std::vector<Tool> all = tools(situation);
    const auto arguments = schema::read_arguments(text, all[0].takes, manner);
    if (!arguments) return std::unexpected(error_answer("Invalid input: " + arguments.error()));
    Run run;
    Request& request = run.request;
    request.command = text_of(*arguments, "command");
    if (request.command.empty()) return std::unexpected(error_answer("Command cannot be empty"));
    const std::string mode = text_of(*arguments, "mode", "default");
    request.background = mode == "background";
    if (!request.background) request.timeout = mode == "slow" ? slow_timeout : default_timeout;
    request.stop.patience = milliseconds(500);
    if (request.background)
        request.last_line = {.exited = "[background process completed with exit code {code}]",
                             .killed = "[background process killed{how}]"};
    run.portion = {.whole = longest_output, .head = kept_of_each_end, .tail = kept_of_each_end};
    return run;
}

std::string output_of(const Bytes& out) {
    if (out.whole()) return out.head;
    return "[output truncated in middle: got " + std::to_string(out.total) + " bytes, max is " +
           std::to_string(longest_output) + " bytes]\n" + joined(out, "\n\n[snip]\n\n");
}

// What stands in front of the output of a command that did not succeed.
struct FirstLine {
    std::string operator()(const Exited& exited) const {
        return "[command failed: exit code " + std::to_string(exited.code) + "]";
    }
    std::string operator()(const Signaled& signaled) const {
        return "[command failed: killed by signal " + std::to_string(signaled.signal) + " (" +
               signal_name(signaled.signal) + ")]";
    }
    std::string operator()(const TimedOut& timed_out) const {
        return "[command timed out after " + std::to_string(timed_out.limit.count() / 1000) + "s]";
    }
    std::string operator()(const Cancelled&) const { return "[command cancelled]"; }
    std::string operator()(const LimitExceeded& limit) const {
        return "[command failed: more " + limit.name + " than the limit of " +
               std::to_string(limit.value) + "]";
    }
    std::string operator()(const Lost& lost) const { return "[command lost: " + lost.why + "]"; }
    std::string operator()(const Running&) const { return "[command is still running]"; }
    // These have no output, and answers of their own.
    std::string operator()(const Denied&) const { return ""; }
    std::string operator()(const NotStarted&) const { return ""; }
};

// The line that the document requires, then bash's own error line.
std::string parse_failure(std::string_view reason) {
    const std::string first = "Failed to parse script\n";
    std::string_view complaint = reason;
    if (complaint.starts_with(parse::cannot_parse))
        complaint.remove_prefix(parse::cannot_parse.size());
    if (!complaint.starts_with("line ")) return first + std::string(reason);
    return first + "bash: " + std::string(complaint);
}

// The lines in front of the output of a failed command.
std::string opening_of(const Report& report) {
    std::string lines = std::visit(FirstLine{}, report.ending) + "\n";
    if (!report.leftovers_ended_by) return lines;
    if (report.leftovers_ended_by->name == "file_size")
        return lines + "[a process that the command had left behind was ended]\n";
    const std::string what = report.leftovers.empty() ? "were ended" : "are being ended";
    return lines + "[the processes that the command had left behind " + what + "]\n";
}

std::string refusal_of(const Report& report, const Denied& denied) {
    const bool unparsable = report.verdict && report.verdict->rule == "syntax";
    return unparsable ? parse_failure(report.verdict->reason) : reason_of(report, denied);
}

std::string background_text(const Report& report) {
    const std::string group = std::to_string(report.pid.value_or(0));
    return "<pid>" + group + "</pid>\n<output_file>" + report.excerpt.log.string() +
           "</output_file>\n<reminder>To stop: kill -9 -" + group + "</reminder>";
}

Answer render(const Action& action, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    if (told == nullptr) return error_answer("Failed to spawn process");
    const Report& report = told->report;
    Answer answer{.meta = display_meta(report)};
    add_leftovers(answer.meta, report, report.shell_id);
    if (const auto* denied = std::get_if<Denied>(&report.ending)) {
        answer.text = refusal_of(report, *denied);
        answer.is_error = true;
    } else if (const auto* failed = std::get_if<NotStarted>(&report.ending)) {
        answer.text = "Failed to spawn process: " + why_not_started(failed->cause);
        answer.is_error = true;
    } else if (std::get<Run>(action).request.background) {
        answer.text = background_text(report);
    } else if (exit_code(report.ending) == 0) {
        answer.text = output_of(told->out);
        add_what_became_of_it(answer.text, report);
    } else {
        answer.text = opening_of(report);
        add_what_became_of_it(answer.text, report);
        answer.text += output_of(told->out);
        answer.is_error = true;
    }
    return answer;
}

}  // namespace

constinit const Contract phoenix_contract = {
    .name = "phoenix",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::Refused,
                 .refuses_what_it_does_not_understand = false,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .scratch = Scratch::None,
                 .timeouts = {default_timeout, slow_timeout, Timeouts::Whose::Contracts}},
    .tools = tools,
    .decode = decode,
    .render = render,
};

}  // namespace husk::contract
