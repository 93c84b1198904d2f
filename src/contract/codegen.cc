// The contract `codegen`: `Bash`, `BashOutput`, `KillShell`. docs/contracts/codegen.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "base/utf8.h"
#include "contract/contract.h"
#include "contract/shared.h"
#include "contract/uuid.h"

namespace husk::contract {
namespace {

constexpr std::array<std::string_view, 1> packs = {"system"};
constexpr int default_seconds = 120;
constexpr int longest_seconds = 600;
constexpr int timed_out_code = 124;
constexpr uint64_t longest_output = 102'400;
constexpr uint64_t kept_of_stream = 1'048'576;
constexpr int sigkill = 9;
constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::Meant};
using schema::Type;

std::string description_of(const Situation& situation) {
    return "Run a command via bash -c from the workspace root (" + situation.working_dir.string() +
           "). Foreground mode blocks until completion or timeout. Background mode returns a "
           "shell_id immediately and the command keeps running until it finishes or is killed; "
           "use BashOutput to poll it and KillShell to terminate it.\n\n"
           "stdin is closed. stdout and stderr are merged and capped at 100 KiB. A trailing "
           "\"exit: N\" line follows a non-zero exit. On timeout the whole process tree is killed, "
           "and \"bash: timed out after Ns\" and \"exit: 124\" follow. sudo, su, shutdown, reboot, "
           "halt, poweroff, chroot, mount, umount and mkfs are rejected.";
}

schema::Field shell_id() {
    return {.name = "shell_id", .description = "The id that Bash returned.", .required = true};
}

std::vector<Tool> tools(const Situation& situation) {
    return {
        {.name = "Bash",
         .title = "Run a command",
         .description = description_of(situation),
         .takes = {{.name = "command", .description = "The command to run.", .required = true},
                   {.name = "description",
                    .description = "5-10 word description of what it does.",
                    .required = true},
                   {.name = "timeout",
                    .type = Type::Number,
                    .description = "Seconds. Default 120, clamped to 600. Ignored in background "
                                   "mode."},
                   {.name = "run_in_background",
                    .type = Type::Flag,
                    .description = "If true, returns a shell_id and runs asynchronously."}},
         .manner = manner},
        {.name = "BashOutput",
         .title = "Poll a background shell",
         .description = "Status, stdout and stderr of a background shell. At most 1 MiB of each "
                        "stream is kept, from its beginning.",
         .takes = {shell_id()},
         .manner = manner,
         .only_reads = true},
        {.name = "KillShell",
         .title = "Terminate a background shell",
         .description = "Kills a background shell with everything it has started, and forgets it.",
         .takes = {shell_id()},
         .manner = manner},
    };
}

// What is no text counts as absent, as in the original.
std::string text_in(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int seconds_in(const Json& object) {
    const auto found = object.find("timeout");
    if (found == object.end() || !found->is_number()) return default_seconds;
    const double seconds = std::trunc(found->get<double>());
    if (!(seconds > 0)) return default_seconds;
    return static_cast<int>(std::min<double>(seconds, longest_seconds));
}

std::expected<Action, Answer> decode_bash(const Json& object) {
    Run run;
    Request& request = run.request;
    request.command = text_in(object, "command");
    request.description = text_in(object, "description");
    if (request.command.empty()) return std::unexpected(error_answer("command is required"));
    if (request.description.empty())
        return std::unexpected(error_answer("description is required"));
    const auto background = object.find("run_in_background");
    request.background = background != object.end() && *background == true;
    request.stop = {sigkill, milliseconds(0)};
    if (request.background) {
        request.streams = Streams::Split;
        return run;
    }
    request.timeout = std::chrono::seconds(seconds_in(object));
    run.portion = {.whole = longest_output, .head = longest_output};
    return run;
}

std::expected<Action, Answer> decode(std::string_view tool, std::string_view text,
                                     const Situation&) {
    const auto object = schema::read_object(text);
    if (!object) return std::unexpected(error_answer("invalid arguments: " + object.error()));
    if (tool == "Bash") return decode_bash(*object);
    const std::string uuid = text_in(*object, "shell_id");
    if (uuid.empty()) return std::unexpected(error_answer("shell_id is required"));
    const auto id = shell_id_of(uuid);
    if (!id) return std::unexpected(error_answer("unknown shell_id: " + uuid));
    if (tool == "KillShell")
        return Kill{
            .shell_id = *id, .ladder = {sigkill, milliseconds(0)}, .then = Kill::Then::Forget};
    return Read{.shell_id = *id, .portion = {.whole = kept_of_stream, .head = kept_of_stream}};
}

std::string body_of(const Bytes& out) {
    if (out.whole()) return out.head;
    const std::string kept(text::without_torn_end(out.head));
    return kept + "\n... (output truncated, " + std::to_string(out.total - kept.size()) +
           " bytes elided)";
}

// Behind the output, each on a line of its own.
struct LastLines {
    std::string operator()(const Exited& exited) const {
        return exited.code == 0 ? "" : "exit: " + std::to_string(exited.code) + "\n";
    }
    std::string operator()(const Signaled& signaled) const {
        return "exit: " + std::to_string(128 + signaled.signal) + "\n";
    }
    std::string operator()(const TimedOut& timed_out) const {
        return "bash: timed out after " + std::to_string(timed_out.limit.count() / 1000) +
               "s\nexit: " + std::to_string(timed_out_code) + "\n";
    }
    std::string operator()(const Cancelled&) const { return killed("cancelled"); }
    std::string operator()(const LimitExceeded& limit) const {
        return killed("more " + limit.name + " than the limit of " + std::to_string(limit.value));
    }
    std::string operator()(const Lost& lost) const { return "bash: lost: " + lost.why + "\n"; }
    std::string operator()(const Running&) const { return "bash: still running\n"; }
    std::string operator()(const Denied&) const { return ""; }
    std::string operator()(const NotStarted&) const { return ""; }

    static std::string killed(const std::string& why) {
        return "bash: killed: " + why + "\nexit: " + std::to_string(128 + sigkill) + "\n";
    }
};

Answer bash_answer(const Run& run, const Told& told) {
    const Report& report = told.report;
    Answer answer{.meta = display_meta(report)};
    add_leftovers(answer.meta, report, uuid_of(report.shell_id));
    if (const auto* denied = std::get_if<Denied>(&report.ending)) {
        answer.text = "command rejected: " + reason_of(report, *denied);
        answer.is_error = true;
    } else if (const auto* failed = std::get_if<NotStarted>(&report.ending)) {
        answer.text = "bash: " + why_not_started(failed->cause);
        answer.is_error = true;
    } else if (run.request.background) {
        answer.text = "shell_id: " + uuid_of(report.shell_id) +
                      "\nstarted in background: " + report.command + "\n";
    } else {
        answer.text = body_of(told.out);
        end_line(answer.text);
        add_what_became_of_it(answer.text, report);
        answer.text += std::visit(LastLines{}, report.ending);
    }
    return answer;
}

struct Status {
    std::string operator()(const Running&) const { return "running"; }
    std::string operator()(const Exited& exited) const {
        return "completed (exit " + std::to_string(exited.code) + ")";
    }
    std::string operator()(const Signaled& signaled) const {
        return "killed (signal " + std::to_string(signaled.signal) + ")";
    }
    std::string operator()(const TimedOut&) const { return "killed (timeout)"; }
    std::string operator()(const Cancelled& cancelled) const {
        return "killed (" + cancelled.why + ")";
    }
    std::string operator()(const LimitExceeded& limit) const {
        return "killed (" + limit.name + " limit)";
    }
    std::string operator()(const Denied&) const { return "rejected"; }
    std::string operator()(const NotStarted&) const { return "not started"; }
    std::string operator()(const Lost& lost) const { return "lost (" + lost.why + ")"; }
};

std::string rfc3339(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32] = {};
    const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text, size};
}

std::string section(const char* name, const Bytes& stream) {
    const std::string kept(stream.whole() ? std::string_view(stream.head)
                                          : text::without_torn_end(stream.head));
    std::string text = "--- " + std::string(name) + " (" + std::to_string(kept.size()) + " bytes)" +
                       (stream.whole() ? "" : " [TRUNCATED]") + " ---\n" + kept;
    end_line(text);
    return text;
}

Answer output_answer(const Told& told) {
    const Report& report = told.report;
    Answer answer{.text = "command: " + report.command +
                          "\nstatus: " + std::visit(Status{}, report.ending) +
                          "\nstarted: " + rfc3339(told.created) + "\n\n" +
                          section("stdout", told.out) + section("stderr", told.err),
                  .meta = display_meta(report)};
    add_leftovers(answer.meta, report, uuid_of(report.shell_id));
    add_what_became_of_it(answer.text, report);
    return answer;
}

Answer render(const Action& action, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    if (const auto* run = std::get_if<Run>(&action); run != nullptr && told != nullptr)
        return bash_answer(*run, *told);
    const auto* kill = std::get_if<Kill>(&action);
    const auto* read = std::get_if<Read>(&action);
    const std::string uuid = uuid_of(kill != nullptr   ? kill->shell_id
                                     : read != nullptr ? read->shell_id
                                                       : "");
    if (const auto* failed = std::get_if<Failed>(&outcome))
        return error_answer("bash: " + failed->cause.text());
    if (told == nullptr) return error_answer("unknown shell_id: " + uuid);
    if (kill != nullptr) return {.text = "killed: " + uuid + "\n"};
    return output_answer(*told);
}

}  // namespace

constinit const Contract codegen_contract = {
    .name = "codegen",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::BashSaysIt,
                 .refuses_what_it_does_not_understand = false,
                 .denylist = decide::Denylist::Literal,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .timeouts = {std::chrono::seconds(default_seconds),
                              std::chrono::seconds(longest_seconds), Timeouts::Whose::Contracts}},
    .tools = tools,
    .decode = decode,
    .render = render,
};

}  // namespace husk::contract
