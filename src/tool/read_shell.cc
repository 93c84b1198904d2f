#include "tool/read_shell.h"

#include "collect/stream.h"
#include "tool/report_of.h"

namespace husk::tool {
namespace {

using collect::Which;

// Up to where something is missing.
Result<std::string> read_range(const collect::ShellFiles& files, Which which, uint64_t from,
                               uint64_t to) {
    std::string bytes;
    while (from + bytes.size() < to) {
        const uint64_t at = from + bytes.size();
        const collect::Piece piece = TRY(collect::read_from(files, which, at, to - at));
        if (piece.bytes.empty() || piece.dropped_before > 0) break;
        bytes += piece.bytes;
    }
    return bytes;
}

Result<contract::Bytes> bytes_of(const collect::ShellFiles& files, Which which,
                                 const contract::Portion& portion, uint64_t since) {
    contract::Bytes bytes;
    const uint64_t end = TRY(collect::stream_state(files, which)).kept.total;
    bytes.total = end - std::min(end, since);
    const bool whole = bytes.total <= portion.whole;
    bytes.head = TRY(read_range(files, which, since, since + (whole ? bytes.total : portion.head)));
    if (!whole && portion.tail > 0)
        bytes.tail = TRY(read_range(files, which, end - std::min(bytes.total, portion.tail), end));
    return bytes;
}

// In words that a model can use.
collect::Hint hint_for_tools(const collect::ShellFiles& files, contract::Read::Rest rest,
                             const std::filesystem::path& log) {
    if (rest == contract::Read::Rest::InLog)
        return [log](Which, const collect::ByteRange&) { return "see " + log.string(); };
    return [id = files.id](Which, const collect::ByteRange& left_out) {
        return R"(bash_output {"shell_id": ")" + id + R"(", "since": )" +
               std::to_string(left_out.first) + "}";
    };
}

}  // namespace

Result<KnownShell> known(collect::ShellFiles files) {
    KnownShell shell{std::move(files), {}, {}};
    shell.now = TRY(collect::look(shell.files));
    shell.note = call_from_json(shell.now.call);
    return shell;
}

Result<KnownShell> open_known(const Settings& settings, const std::string& id) {
    const run::StateDir state = TRY(run::StateDir::open_for_reading(settings.state));
    return known(TRY(collect::open_shell(state, id)));
}

contract::Told told_of(const KnownShell& shell) {
    using std::chrono::duration_cast;
    using Clock = std::chrono::system_clock;
    contract::Told told{.report = report_of(shell.files, shell.now, shell.note)};
    const std::chrono::nanoseconds created(static_cast<int64_t>(shell.now.record.created));
    told.created = Clock::time_point(duration_cast<Clock::duration>(created));
    return told;
}

Result<void> add_portion(contract::Told& told, const KnownShell& shell,
                         const contract::Portion& portion, uint64_t since) {
    told.out = TRY(bytes_of(shell.files, Which::Output, portion, since));
    if (shell.files.error_log && since == 0)
        told.err = TRY(bytes_of(shell.files, Which::Errors, portion, 0));
    return {};
}

Result<void> add_readable(contract::Told& told, const KnownShell& shell, const Range& range,
                          uint64_t max_bytes, contract::Read::Rest rest) {
    return add_output(told.report, shell.files, range, max_bytes,
                      hint_for_tools(shell.files, rest, told.report.excerpt.log));
}

}  // namespace husk::tool
