#include <unistd.h>

#include <algorithm>

#include "base/units.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "collect/stream.h"
#include "os/events.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

struct OutputOptions {
    Settings settings;
    std::string id;
    std::optional<uint64_t> since;
    std::optional<uint64_t> tail;
    std::string lines;
    std::string grep;
    bool fresh = false;
    bool follow = false;
    bool json = false;
    Escapes escapes = Escapes::Filtered;
    std::string stream = "stdout";
    std::optional<uint64_t> max_bytes;
};

Result<LineRange> parse_lines(const std::string& text) {
    const size_t colon = text.find(':');
    const auto first = text::parse_number(text.substr(0, colon));
    const auto last =
        colon == std::string::npos ? first : text::parse_number(text.substr(colon + 1));
    if (!first || !last || *first == 0 || *last < *first)
        return failure("--lines", 0, "\"" + text + "\" is not a range such as 10:20");
    return LineRange{*first, *last};
}

Result<Range> range_of(const OutputOptions& options) {
    if (options.fresh) return SinceLast{};
    if (options.since) return Since{*options.since};
    if (options.tail) return LastLines{*options.tail};
    if (!options.grep.empty()) return Grep{options.grep};
    if (!options.lines.empty()) return TRY(parse_lines(options.lines));
    return Whole{};
}

void tell_of_gap(uint64_t bytes) {
    if (bytes > 0) fail(std::to_string(bytes) + " bytes before this were not kept");
}

void tell_of_gap_at_end(uint64_t bytes) {
    if (bytes > 0) fail(std::to_string(bytes) + " bytes after this were not kept");
}

// The bytes as they are, to the end; with --follow to the end of the command.
Result<void> copy_raw(const OutputOptions& options) {
    const run::StateDir state = TRY(run::StateDir::open_for_reading(options.settings.state));
    const collect::ShellFiles files = TRY(collect::open_shell(state, options.id));
    const bool errors = options.stream == "stderr";
    if (errors && !files.error_log)
        return failure("--stream stderr", 0, "the streams of this shell are merged");
    const auto which = errors ? collect::Which::Errors : collect::Which::Output;
    const os::FileWatch watch(
        {files.record.get(), errors ? files.error_log.get() : files.log.get()});
    constexpr uint64_t chunk = 256 * 1024;
    uint64_t at = options.since.value_or(0);
    if (options.tail) at = TRY(collect::offset_of_last_lines(files, which, *options.tail));
    uint64_t left = options.max_bytes.value_or(~uint64_t{0});
    OutputFilter filter(STDOUT_FILENO, options.escapes);
    for (;;) {
        // The state first: what was written before the end is read after it.
        const collect::Snapshot now = TRY(collect::look(files));
        for (;;) {
            const collect::Piece piece =
                TRY(collect::read_from(files, which, at, std::min(chunk, left)));
            tell_of_gap(piece.dropped_before);
            at = piece.end();
            left -= piece.bytes.size();
            if (piece.bytes.empty()) break;
            if (!write_bytes(STDOUT_FILENO, filter.pass(piece.bytes))) return {};
        }
        if (left == 0 || !options.follow || !now.tree_lives)
            write_bytes(STDOUT_FILENO, filter.finish());
        if (left == 0) return {};
        if (!options.follow || !now.tree_lives) {
            const collect::StreamState last = TRY(collect::stream_state(files, which));
            tell_of_gap_at_end(last.kept.total - last.kept.stored_end);
            return {};
        }
        os::Deadline again;
        if (watch.interval()) again = os::Clock::now() + *watch.interval();
        pollfd fds[] = {{watch.fd(), POLLIN, 0}};
        CHECK(os::wait_for(fds, again));
        watch.clear();
    }
}

int print(const OutputOptions& options) {
    const auto range = range_of(options);
    if (!range) return fail(range.error());
    const bool raw = !options.json && (std::holds_alternative<Whole>(*range) ||
                                       std::holds_alternative<Since>(*range) || options.follow);
    if (raw) {
        const auto copied = copy_raw(options);
        return copied ? 0 : fail(copied.error());
    }
    constexpr uint64_t plenty = 64 << 20;
    constexpr uint64_t report_bytes = 30'000;
    const uint64_t most = options.max_bytes.value_or(options.json ? report_bytes : plenty);
    const auto answer = Shells(options.settings).output(options.id, *range, most);
    if (const auto* error = std::get_if<Error>(&answer)) return fail(*error);
    const Report& report = std::get<Report>(answer);
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(render::report_json(report)) + "\n");
        return 0;
    }
    const bool errors = options.stream == "stderr" && report.err;
    OutputFilter filter(STDOUT_FILENO, options.escapes);
    const std::string text = filter.pass(errors ? *report.err : report.out.value_or(report.output));
    write_bytes(STDOUT_FILENO, text + filter.finish());
    return 0;
}

}  // namespace

void add_output(CLI::App& app, int& code) {
    auto options = std::make_shared<OutputOptions>();
    CLI::App* sub = app.add_subcommand("output", "Read what a command has written");
    sub->add_option("ID", options->id, "The shell's id")->required();
    add_size(*sub, "--since", options->since, "From this byte offset on");
    add_size(*sub, "--tail", options->tail, "The last so many lines");
    sub->add_option("--lines", options->lines, "Lines by number, for example 10:20");
    sub->add_option("--grep", options->grep, "Lines that match this RE2 expression, with numbers");
    sub->add_flag("--new", options->fresh, "What is new since the last answer about this shell");
    sub->add_flag("--follow", options->follow, "Go on until nothing of the command lives");
    sub->add_option("--stream", options->stream, "stdout or stderr, when they are apart")
        ->check(CLI::IsMember({"stdout", "stderr"}));
    add_size(*sub, "--max-bytes", options->max_bytes, "At most so much");
    sub->add_flag("--json", options->json, "Print the report as JSON");
    add_raw(*sub, options->escapes);
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = print(*options); });
}

}  // namespace husk::cli
