// The contract `yoi`: one tool, `Bash`, that answers with a summary and the end of the output.
// docs/contracts/yoi.md.
#include <algorithm>

#include "base/utf8.h"
#include "contract/contract.h"
#include "contract/shared.h"

namespace husk::contract {
namespace {

using schema::Type;

constexpr int64_t default_seconds = 120;
constexpr int64_t longest_seconds = 600;
constexpr size_t most_lines = 80;
constexpr uint64_t most_bytes = 12'288;
constexpr uint64_t large_output = 262'144;
constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::Meant};

constexpr const char* description =
    "Execute a shell command via bash. Supports the full shell: pipes, redirects, command "
    "substitution, `&&`/`||`. Each call runs in a fresh shell rooted at the workspace; chain "
    "`cd <dir> && cmd` when you need to operate elsewhere. stdout and stderr are merged. Default "
    "timeout 120s, max 600s.\n\n"
    "Output handling: when the command produces more than 80 lines (or ~12 KiB), the full output "
    "is saved to a file and only the LAST 80 lines are returned, prefixed with the saved path. The "
    "path is readable by Read; you can also inspect it from a follow-up Bash call (`grep ... "
    "<path>`, etc.).\n\n"
    "Background children are waited for; on timeout the whole tree is killed.\n\n"
    "Prefer dedicated tools when one fits: Read instead of `cat`/`head`/`tail` on workspace files, "
    "Edit instead of `sed`/`awk` rewrites, Glob instead of `find <dir>`, Grep instead of "
    "`grep`/`rg`. Reach for Bash when the task is shell-shaped: building, testing, version "
    "control, "
    "package management.";

std::vector<Tool> tools(const Situation&) {
    return {{.name = "Bash",
             .title = "Run a command",
             .description = description,
             .takes = {{.name = "command",
                        .description = "Shell command to execute. Passed verbatim to `bash -c`.",
                        .required = true},
                       {.name = "timeout",
                        .type = Type::Integer,
                        .description = "Timeout in seconds. Defaults to 120, capped at 600.",
                        .least = 0}},
             .manner = manner}};
}

std::expected<Action, Answer> decode(std::string_view, std::string_view text,
                                     const Situation& situation) {
    const std::vector<Tool> all = tools(situation);
    const auto arguments = schema::read_arguments(text, all[0].takes, manner);
    if (!arguments)
        return std::unexpected(error_answer("invalid Bash input: " + arguments.error()));
    Run run;
    run.request.command = schema::text_of(*arguments, "command");
    run.request.leftovers = Leftovers::Wait;
    run.request.stop.patience = milliseconds(500);
    const int64_t seconds = schema::integer_of(*arguments, "timeout").value_or(default_seconds);
    run.request.timeout = std::chrono::seconds(std::clamp<int64_t>(seconds, 1, longest_seconds));
    // One byte more than is shown tells whether a line begins right there.
    run.portion = {.whole = most_bytes, .tail = most_bytes + 1};
    return run;
}

std::string first_line(const std::string& command) {
    constexpr size_t longest = 80;
    constexpr size_t kept = 77;
    std::string_view line = std::string_view(command).substr(0, command.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    size_t characters = 0;
    size_t end_of_kept = 0;
    for (size_t at = 0; at < line.size(); at += text::first_rune(line.substr(at)).bytes) {
        if (characters == kept) end_of_kept = at;
        if (++characters > longest) return std::string(line.substr(0, end_of_kept)) + "...";
    }
    return std::string(line);
}

// Behind the command in the summary.
struct Ended {
    std::string operator()(const Exited& exited) const {
        return exited.code == 0 ? "" : " (exit " + std::to_string(exited.code) + ")";
    }
    std::string operator()(const Signaled&) const { return " (terminated by signal)"; }
    std::string operator()(const TimedOut& timed_out) const {
        return " (timed out after " + std::to_string(timed_out.limit.count() / 1000) + "s)";
    }
    std::string operator()(const Cancelled&) const { return " (cancelled)"; }
    std::string operator()(const LimitExceeded& limit) const {
        return " (stopped at the " + limit.name + " limit)";
    }
    std::string operator()(const Lost& lost) const { return " (lost: " + lost.why + ")"; }
    std::string operator()(const Running&) const { return " (still running)"; }
    std::string operator()(const Denied&) const { return ""; }
    std::string operator()(const NotStarted&) const { return ""; }
};

// The last lines of a text; of a text that is itself the end of a longer one only if they begin
// in it.
std::optional<std::string_view> last_lines(std::string_view text, bool is_all) {
    size_t at = text.size() - (text.ends_with('\n') ? 1 : 0);
    for (size_t lines = 1;; ++lines) {
        const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
        if (newline == std::string_view::npos) break;
        if (lines == most_lines) return text.substr(newline + 1);
        at = newline;
    }
    return is_all ? std::optional(text) : std::nullopt;
}

struct End {
    std::string_view text;
    bool by_lines;  // else it is the last bytes
};

End end_of(const Bytes& out) {
    const bool all = out.whole();
    const std::string_view kept = all ? out.head : out.tail;
    const auto lines = last_lines(kept, all);
    if (lines && lines->size() <= most_bytes) return {*lines, true};
    const size_t over = kept.size() - std::min<size_t>(kept.size(), most_bytes);
    return {text::without_torn_start(kept.substr(over)), false};
}

// How much of the output the file has: "full", or "all but 16777216 bytes".
std::string kept_part(const Excerpt& excerpt) {
    if (excerpt.complete) return "full";
    return "all but " + std::to_string(excerpt.dropped_bytes) + " bytes";
}

std::string header_of(const Report& report, uint64_t total, bool by_lines) {
    const std::string lines = std::to_string(report.excerpt.total_lines);
    const std::string kept = " \xe2\x80\x94 " + kept_part(report.excerpt);
    const std::string place = " at " + report.excerpt.log.string() + "]\n";
    const std::string bytes = std::to_string(total);
    const std::string of_output = std::string(report.excerpt.complete ? "" : " of the") +
                                  " output (" + bytes + " bytes)" + place;
    if (std::holds_alternative<TimedOut>(report.ending))
        return "[partial output before timeout" + kept + place;
    if (!by_lines)
        return "[showing last " + std::to_string(most_bytes) + " bytes of " + lines + " lines" +
               kept + of_output;
    const std::string start = "[showing last " + std::to_string(most_lines);
    if (total > large_output)
        return start + " lines (tail of " + bytes + "-byte output)" + kept + place;
    return start + " of " + lines + " lines" + kept + of_output;
}

bool points_to_file(const Told& told) {
    const Report& report = told.report;
    if (told.out.total == 0) return false;
    const bool fits = told.out.whole() && report.excerpt.total_lines <= most_lines;
    return !fits || std::holds_alternative<TimedOut>(report.ending);
}

std::string content_of(const Told& told) {
    const Report& report = told.report;
    const Bytes& out = told.out;
    if (!points_to_file(told)) return out.head;
    const End end = end_of(out);
    return header_of(report, out.total, end.by_lines) + std::string(end.text);
}

Answer render(const Action&, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    if (told == nullptr) return error_answer("bash failed");
    const Report& report = told->report;
    Answer answer{.meta = display_meta(report)};
    if (const auto* denied = std::get_if<Denied>(&report.ending)) {
        answer.text = denied->reason;
        answer.is_error = true;
        return answer;
    }
    if (const auto* failed = std::get_if<NotStarted>(&report.ending)) {
        answer.text = "spawn bash: " + why_not_started(failed->cause);
        answer.is_error = true;
        return answer;
    }
    const std::string summary =
        "$ " + first_line(report.command) + std::visit(Ended{}, report.ending);
    std::string content = content_of(*told);
    add_what_became_of_it(content, report);
    answer.text = content.empty() ? summary : summary + "\n" + content;
    // The two parts, for hosts that treat them differently: the text is both.
    answer.meta["husk/output"] = {
        {"summary", text::to_utf8(summary)},
        {"content", content.empty() ? Json(nullptr) : Json(text::to_utf8(content))}};
    return answer;
}

}  // namespace

constinit const Contract yoi_contract = {
    .name = "yoi",
    .defaults = {.packs = {},
                 .unparsable = Unparsable::BashSaysIt,
                 .refuses_what_it_does_not_understand = false,
                 .leftovers = Leftovers::Wait,
                 .environment = Environment::Inherited,
                 .mode = Mode::Open,
                 .logs_end_with_session = true,
                 .timeouts = {std::chrono::seconds(default_seconds),
                              std::chrono::seconds(longest_seconds), Timeouts::Whose::Contracts}},
    .tools = tools,
    .decode = decode,
    .render = render,
    .points_to_file = points_to_file,
};

}  // namespace husk::contract
