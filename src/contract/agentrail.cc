// The contract `agentrail`: one tool, `Bash`, whose timeout moves a command to the background.
// docs/contracts/agentrail.md.
#include <algorithm>
#include <array>

#include "base/units.h"
#include "base/utf8.h"
#include "contract/contract.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

using schema::Type;

constexpr std::array<std::string_view, 1> packs = {"destroyers"};
constexpr std::array<std::string_view, 1> read_only = {"memo"};
constexpr int64_t default_timeout_ms = 30'000;
constexpr uint64_t most_output = 1'048'576;  // of stdout and stderr together
constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::Meant};

bool is_inside(const Situation& situation) {
    return situation.place == Situation::Place::Container;
}

std::string about_container(const Situation& situation) {
    if (!is_inside(situation)) return "";
    return "\n- Commands run in a container. The working directory must be inside /workspace.";
}

std::string about_memo(const Situation& situation) {
    using enum Situation::ReadOnly;
    if (situation.read_only == SwitchedOff) return "";
    const std::string memo = (situation.working_dir / "memo").string();
    const std::string start = "\n- " + memo + " (session memo files in " + memo +
                              "/session, the user's profile in " + memo + "/user/USER.md) ";
    if (situation.read_only == Held)
        return start +
               "is read-only for commands, which can read it: use the Write or Edit tool to "
               "change it. If a command creates it, it is taken away when the command ends.";
    return start +
           "is not for commands to write, although this machine cannot prevent it: use the Write "
           "or Edit tool to change it.";
}

std::string description_of(const Situation& situation) {
    return "Execute a shell command and return its output. Working directory: " +
           situation.working_dir.string() +
           ".\n\n"
           "- The result has stdout, stderr and the exit code; a non-zero exit code is not an "
           "error of the tool, so always check it.\n"
           "- After timeout milliseconds (30000 by default) the command is not killed: it goes on "
           "in the background, and the result has " +
           (is_inside(situation) ? "" : "its pid and ") +
           "the output so far. Set timeout to 0 "
           "for dev servers, watchers and other processes that do not end.\n"
           "- Output is truncated at 1 MB, stdout and stderr together.\n"
           "- Do not use Bash to read, write or search files: use Read, Write, Edit and Grep if "
           "there are tools of these names." +
           about_container(situation) + about_memo(situation);
}

Json output_schema() {
    const auto text = Json{{"type", "string"}};
    return {{"type", "object"},
            {"properties",
             {{"mode", {{"type", "string"}, {"enum", {"foreground", "background"}}}},
              {"exit_code", {{"type", "integer"}}},
              {"pid", {{"type", "integer"}}},
              {"stdout", text},
              {"stderr", text}}},
            {"required", {"mode", "stdout", "stderr"}},
            {"additionalProperties", false}};
}

std::vector<Tool> tools(const Situation& situation) {
    return {{.name = "Bash",
             .title = "Run a command",
             .description = description_of(situation),
             .takes = {{.name = "command",
                        .description = "The shell command to execute.",
                        .required = true},
                       {.name = "working_directory",
                        .description = "Absolute path to the working directory. Defaults to the "
                                       "agent's current working directory."},
                       {.name = "timeout",
                        .type = Type::Integer,
                        .description = "Milliseconds to wait before moving the process to the "
                                       "background. Defaults to 30000. 0 moves it at once.",
                        .least = 0}},
             .manner = manner,
             .gives = output_schema()}};
}

bool is_in_workspace(const std::filesystem::path& path) {
    const auto below = path.lexically_normal().lexically_relative("/workspace");
    return !below.empty() && *below.begin() != "..";
}

std::expected<Action, Answer> decode(std::string_view, std::string_view text,
                                     const Situation& situation) {
    const std::vector<Tool> all = tools(situation);
    const auto arguments = schema::read_arguments(text, all[0].takes, manner);
    if (!arguments) return std::unexpected(error_answer("Invalid input: " + arguments.error()));
    Run run;
    Request& request = run.request;
    request.command = schema::text_of(*arguments, "command");
    if (arguments->contains("working_directory")) {
        request.working_dir = schema::text_of(*arguments, "working_directory");
        if (!request.working_dir.is_absolute())
            return std::unexpected(
                error_answer("working_directory must be an absolute path, not \"" +
                             request.working_dir.string() + "\""));
        if (is_inside(situation) && !is_in_workspace(request.working_dir))
            return std::unexpected(
                error_answer("working_directory must be inside /workspace, not \"" +
                             request.working_dir.string() + "\""));
    }
    run.kept = is_inside(situation);
    const int64_t timeout = schema::integer_of(*arguments, "timeout").value_or(default_timeout_ms);
    request.background = timeout == 0;
    request.on_timeout = OnTimeout::Background;
    if (timeout > 0) request.timeout = std::min(milliseconds(timeout), text::longest_duration);
    request.streams = Streams::Split;
    run.portion = {.whole = most_output, .head = most_output};
    return run;
}

// What is kept of a stream, as text.
struct Stream {
    std::string text;
    bool is_whole;

    explicit Stream(const Bytes& bytes)
        : text(text::to_utf8(joined(bytes, ""))), is_whole(bytes.whole()) {}

    std::string at_most(uint64_t size) const {
        const std::string_view kept = text::whole_prefix(text, size);
        const bool is_cut = !is_whole || kept.size() < text.size();
        return std::string(kept) + (is_cut ? "\n[output truncated]" : "");
    }
};

// Both together have at most `most_output` bytes. A stream that needs less than half leaves the
// rest to the other: a flood on one does not hide the last words on the other.
Json streams_of(const Bytes& out, const Bytes& err) {
    const Stream out_stream(out);
    const Stream err_stream(err);
    const auto room_beside = [](const Stream& other) {
        return most_output - std::min<uint64_t>(other.text.size(), most_output / 2);
    };
    return {{"stdout", out_stream.at_most(room_beside(err_stream))},
            {"stderr", err_stream.at_most(room_beside(out_stream))}};
}

// stdout, stderr behind its heading, or that there was neither.
std::string output_text(const Json& streams) {
    const auto& out = streams["stdout"].get_ref<const std::string&>();
    const auto& err = streams["stderr"].get_ref<const std::string&>();
    if (out.empty() && err.empty()) return "(no output)";
    if (err.empty()) return out;
    return (out.empty() ? "" : out + "\n") + "[stderr]\n" + err;
}

std::string refusal_of(const Report& report) {
    const auto& denied = std::get<Denied>(report.ending);
    const bool dangerous = report.verdict && report.verdict->where == "built in: destroyers";
    if (dangerous) return report.verdict->reason;
    return "Permission denied: " + denied.reason;
}

// As a shell would have it. What was stopped for another reason was killed.
int code_of(const Ending& ending) {
    constexpr int killed = 128 + 9;
    return exit_code(ending).value_or(killed);
}

std::string why_stopped(const Ending& ending) {
    if (std::holds_alternative<Cancelled>(ending)) return "\n[cancelled]";
    if (const auto* limit = std::get_if<LimitExceeded>(&ending))
        return "\n[stopped at the " + limit->name + " limit]";
    if (const auto* lost = std::get_if<Lost>(&ending)) return "\n[lost: " + lost->why + "]";
    return "";
}

// The command saw its own writes succeed, so the model has to hear that the files are gone.
std::string taken_away(const Report& report) {
    std::string text;
    for (const std::string& path : report.reverted)
        text += "\n[" + path +
                " was taken away: it is read-only for commands, use the Write or Edit tool]";
    for (const std::string& sentence : refused_settings(report))
        text += "\n[" + text::to_utf8(sentence) + "]";
    return text;
}

Json meta_of(const Report& report) {
    Json meta = display_meta(report);
    const auto& missing = report.confinement.missing;
    if (std::ranges::find(missing, "protected-paths") != missing.end())
        meta["husk/notes"].push_back(
            "files below memo could be written: this machine has no mount namespace to make them "
            "read-only; husk doctor tells more");
    return meta;
}

// A process in a container has a number there that helps nobody.
std::string in_background(const Report& report, bool inside) {
    const std::string text = "Process is running in background";
    return inside ? text : text + " (pid: " + std::to_string(report.pid.value_or(0)) + ")";
}

Answer run_answer(const Told& told, const Run& run) {
    const bool inside = run.kept == true;
    // It went to the background however it has ended since.
    const bool at_once = run.request.background;
    const Report& report = told.report;
    Answer answer{.meta = meta_of(report)};
    Json streams = streams_of(told.out, told.err);
    if (std::holds_alternative<Running>(report.ending) || at_once) {
        answer.text =
            in_background(report, inside) + "\n" + output_text(streams) + taken_away(report);
        answer.structured = Json{{"mode", "background"}};
        if (!inside) (*answer.structured)["pid"] = report.pid.value_or(0);
    } else {
        const int code = code_of(report.ending);
        answer.text = output_text(streams) + "\n" + why_stopped(report.ending) +
                      taken_away(report) + "\n[exit code: " + std::to_string(code) + "]";
        answer.structured = Json{{"mode", "foreground"}, {"exit_code", code}};
    }
    answer.structured->update(streams);
    return answer;
}

Answer render(const Action& action, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    if (told == nullptr) return error_answer("The command could not be run");
    const Report& report = told->report;
    Answer answer{.is_error = true, .meta = meta_of(report)};
    if (std::holds_alternative<Denied>(report.ending)) {
        answer.text = refusal_of(report);
        return answer;
    }
    if (const auto* failed = std::get_if<NotStarted>(&report.ending)) {
        answer.text = "Failed to start command: " + failed->cause.text();
        return answer;
    }
    return run_answer(*told, std::get<Run>(action));
}

}  // namespace

constinit const Contract agentrail_contract = {
    .name = "agentrail",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::BashSaysIt,
                 .refuses_what_it_does_not_understand = false,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .in_container = true,
                 .packs_in_container = {},
                 .read_only = read_only,
                 .agents_file = "agentrail.yaml",
                 .timeouts = {.usual = milliseconds(default_timeout_ms),
                              .whose = Timeouts::Whose::Contracts}},
    .tools = tools,
    .decode = decode,
    .render = render,
};

}  // namespace husk::contract
