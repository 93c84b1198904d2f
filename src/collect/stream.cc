#include "collect/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "os/file.h"

namespace husk::collect {
namespace {

constexpr int tries = 16;

const os::Fd& log_of(const ShellFiles& files, Which which) {
    return which == Which::Output ? files.log : files.error_log;
}

// A keeper may be writing it at this moment: only what reads the same twice belongs together.
// Once the tree is gone nobody writes, and the state is the last thing that was written.
Result<record::Record> whole_record(const ShellFiles& files) {
    record::Record page{};
    std::string last;
    for (int attempt = 0; attempt < tries; ++attempt) {
        std::string bytes = TRY(os::read_at(files.record, 0, sizeof page));
        if (attempt > 0 && bytes == last) break;
        last = std::move(bytes);
        if (last.size() == sizeof page) std::memcpy(&page, last.data(), sizeof page);
        if (page.state == record::State::Gone) break;
    }
    return page;
}

// Where a last line begins that is not output. It is announced before it is written, so this is
// asked after looking at the file.
Result<uint64_t> end_of_output(const ShellFiles& files) {
    uint32_t flags = 0;
    const ssize_t got =
        ::pread(files.record.get(), &flags, sizeof flags, offsetof(record::Record, flags));
    if (got != sizeof flags || (flags & record::EndsWithLine) == 0) return UINT64_MAX;
    return TRY(whole_record(files)).out.stored_end;
}

std::string hint_for_command_line(const ShellFiles& files, Which which, const ByteRange& left_out) {
    std::string text = "husk output " + files.id + " --since " + std::to_string(left_out.first);
    if (which == Which::Errors) text += " --stream stderr";
    return text;
}

Cut cut_of(const ShellFiles& files, Which which, const StreamState& state, uint64_t since) {
    Cut cut;
    cut.asked = {since, state.kept.total};
    if (since == 0) cut.lines = state.lines;
    cut.look = Look::Plain;
    cut.hint = [&files, which](const ByteRange& left_out) {
        return hint_for_command_line(files, which, left_out);
    };
    return cut;
}

bool is_kept(const Kept& kept, const ByteRange& range) {
    if (range.first >= kept.tail_start) return range.second <= kept.stored_end;
    return range.second <= kept.head_end || kept.head_end == kept.tail_start;
}

// Reads ranges of a stream that may drop them meanwhile: looked at again after reading.
Result<std::optional<std::vector<Piece>>> read_ranges(const ShellFiles& files, Which which,
                                                      const std::vector<ByteRange>& ranges) {
    std::vector<Piece> pieces;
    for (const ByteRange& range : ranges) {
        std::string bytes =
            TRY(os::read_at(log_of(files, which), range.first, range.second - range.first));
        pieces.push_back({range.first, std::move(bytes), 0});
    }
    if (ranges.empty()) return pieces;
    const StreamState after = TRY(stream_state(files, which));
    for (const ByteRange& range : ranges)
        if (!is_kept(after.kept, range)) return std::nullopt;
    return pieces;
}

Shown assembled(const std::vector<Piece>& pieces, const Cut& cut) {
    std::vector<Part> parts;
    parts.reserve(pieces.size());
    for (const Piece& piece : pieces) parts.push_back({piece.at, piece.bytes});
    return assemble(parts, cut);
}

// Where the last `count` lines begin, looking no further back than `floor`.
Result<uint64_t> start_of_last_lines(const os::Fd& log, uint64_t count, uint64_t floor,
                                     uint64_t end) {
    constexpr uint64_t step = 64 * 1024;
    uint64_t seen = 0;
    uint64_t at = end;
    while (at > floor) {
        const uint64_t from = at - std::min(step, at - floor);
        const std::string chunk = TRY(os::read_at(log, from, at - from));
        for (size_t i = chunk.size(); i-- > 0;) {
            // The newline that ends the last line does not begin another.
            if (chunk[i] != '\n' || from + i + 1 == end) continue;
            if (++seen == count) return from + i + 1;
        }
        at = from;
    }
    return floor;
}

}  // namespace

Result<StreamState> stream_state(const ShellFiles& files, Which which) {
    const record::Record page = TRY(whole_record(files));
    const record::Stream& counts = which == Which::Output ? page.out : page.err;
    StreamState state;
    state.lines = counts.lines;
    state.counted = counts.bytes;
    state.ends_in_newline = counts.bytes == 0 || counts.last_byte == '\n';
    state.error = static_cast<int>(counts.error);
    // The record of a running command is a little behind its log, and a damaged one may say
    // anything: what is there is what the file has.
    struct stat info{};
    uint64_t stored = 0;
    if (::fstat(log_of(files, which).get(), &info) == 0)
        stored = static_cast<uint64_t>(info.st_size);
    if (counts.error != 0) stored = std::min(stored, counts.stored_end);
    if (which == Which::Output) stored = std::min(stored, TRY(end_of_output(files)));
    const uint64_t head = std::min(2 * record::drop_unit(page.cap), stored);
    state.kept.head_end = head;
    state.kept.tail_start = std::clamp(counts.tail_start, head, stored);
    state.kept.stored_end = stored;
    state.kept.total = counts.error == 0 ? stored : std::max(stored, counts.bytes);
    return state;
}

Result<Piece> read_from(const ShellFiles& files, Which which, uint64_t from, size_t most) {
    for (;;) {
        const StreamState state = TRY(stream_state(files, which));
        Piece piece;
        piece.at = from;
        if (from >= state.kept.head_end && from < state.kept.tail_start) {
            piece.at = state.kept.tail_start;
            piece.dropped_before = piece.at - from;
        }
        const uint64_t end =
            piece.at < state.kept.head_end && state.kept.head_end < state.kept.tail_start
                ? state.kept.head_end
                : state.kept.stored_end;
        if (piece.at >= end) return piece;
        piece.bytes = TRY(
            os::read_at(log_of(files, which), piece.at, std::min<uint64_t>(most, end - piece.at)));
        const StreamState after = TRY(stream_state(files, which));
        if (is_kept(after.kept, {piece.at, piece.end()})) return piece;
    }
}

Result<Shot> show(const ShellFiles& files, Which which, uint64_t since, uint64_t budget,
                  const Hint& hint) {
    for (int attempt = 0;; ++attempt) {
        const StreamState state = TRY(stream_state(files, which));
        std::vector<ByteRange> ranges = plan_excerpt(state.kept, budget, since);
        // A flood drops its tail as fast as it is read; what is at the very end stays longest.
        if (attempt >= tries && ranges.size() > 1) ranges.resize(1);
        const auto pieces = TRY(read_ranges(files, which, ranges));
        if (!pieces) continue;
        Cut cut = cut_of(files, which, state, since);
        if (hint) cut.hint = [&](const ByteRange& left_out) { return hint(which, left_out); };
        return Shot{assembled(*pieces, cut), state};
    }
}

Result<uint64_t> offset_of_last_lines(const ShellFiles& files, Which which, uint64_t count) {
    const StreamState state = TRY(stream_state(files, which));
    const Kept& kept = state.kept;
    if (count == 0) return kept.stored_end;
    const uint64_t floor = kept.head_end < kept.tail_start ? kept.tail_start : uint64_t{0};
    return start_of_last_lines(log_of(files, which), count, floor, kept.stored_end);
}

Result<uint64_t> start_of_line(const ShellFiles& files, Which which, uint64_t offset) {
    const StreamState state = TRY(stream_state(files, which));
    const Kept& kept = state.kept;
    if (offset > kept.stored_end || (offset >= kept.head_end && offset < kept.tail_start))
        return offset;
    constexpr uint64_t furthest = 64 * 1024;
    const uint64_t part = offset >= kept.tail_start && kept.head_end < kept.tail_start
                              ? kept.tail_start
                              : uint64_t{0};
    const uint64_t floor = std::max(part, offset - std::min(furthest, offset));
    const std::string before = TRY(os::read_at(log_of(files, which), floor, offset - floor));
    const size_t newline = before.rfind('\n');
    return newline == std::string::npos ? floor : floor + newline + 1;
}

Result<Shot> show_last_lines(const ShellFiles& files, Which which, uint64_t count,
                             uint64_t budget) {
    for (int attempt = 0;; ++attempt) {
        const StreamState state = TRY(stream_state(files, which));
        const Kept& kept = state.kept;
        if (count == 0) return Shot{{}, state};
        const uint64_t floor = kept.head_end < kept.tail_start ? kept.tail_start : uint64_t{0};
        const uint64_t lowest =
            std::max(floor, kept.stored_end - std::min(budget, kept.stored_end));
        const uint64_t from =
            TRY(start_of_last_lines(log_of(files, which), count, lowest, kept.stored_end));
        const auto pieces = TRY(read_ranges(files, which, {{from, kept.stored_end}}));
        // A flood overtakes every other try; none of so many is a machine that does not come to
        // read.
        constexpr int most = 16 * tries;
        if (!pieces && attempt < most) continue;
        if (!pieces) return failure("output", 0, "it is dropped faster than it can be read");
        return Shot{assembled(*pieces, cut_of(files, which, state, from)), state};
    }
}

}  // namespace husk::collect
