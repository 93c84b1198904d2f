// Reading a stream line by line: by number, and by regular expression.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/terminal_text.h"
#include "collect/stream.h"
#include "os/file.h"

namespace husk::collect {
namespace {

// Lines of a range, one at a time; of a very long one its beginning.
class Lines {
public:
    Lines(const os::Fd& log, ByteRange range) : log_(&log), at_(range.first), end_(range.second) {}

    Result<std::optional<std::string>> next() {
        for (;;) {
            const size_t newline = buffer_.find('\n', searched_);
            if (newline != std::string::npos && std::exchange(skipping_, false)) {
                drop(newline + 1);
                continue;
            }
            if (newline != std::string::npos) return take(newline, newline + 1);
            searched_ = buffer_.size();
            if (skipping_) drop(buffer_.size());
            if (buffer_.size() >= longest_line) {
                skipping_ = true;  // the rest of it
                return take(buffer_.size(), buffer_.size());
            }
            if (at_ >= end_) {
                if (buffer_.empty()) return std::nullopt;
                return take(buffer_.size(), buffer_.size());
            }
            const std::string more = TRY(os::read_at(*log_, at_, std::min(chunk, end_ - at_)));
            if (more.empty()) end_ = at_;
            at_ += more.size();
            buffer_ += more;
        }
    }

private:
    static constexpr uint64_t chunk = 256 * 1024;
    static constexpr size_t longest_line = 1024 * 1024;

    void drop(size_t length) {
        buffer_.erase(0, length);
        searched_ = 0;
    }
    std::optional<std::string> take(size_t length, size_t with_end) {
        std::string line = buffer_.substr(0, length);
        drop(with_end);
        return line;
    }

    const os::Fd* log_;
    uint64_t at_;
    uint64_t end_;
    std::string buffer_;
    size_t searched_ = 0;
    bool skipping_ = false;
};

Result<uint64_t> count_lines(const os::Fd& log, ByteRange range) {
    constexpr uint64_t chunk = 1 << 20;
    uint64_t lines = 0;
    for (uint64_t at = range.first; at < range.second;) {
        const std::string bytes = TRY(os::read_at(log, at, std::min(chunk, range.second - at)));
        if (bytes.empty()) break;
        lines += static_cast<uint64_t>(std::ranges::count(bytes, '\n'));
        at += bytes.size();
    }
    return lines;
}

using EachLine = std::function<bool(uint64_t, const std::string&)>;

// Calls `each(number, line)` for the lines of a range until it says that this is enough: then
// false.
Result<bool> for_lines(const os::Fd& log, const ByteRange& range, uint64_t number,
                       const EachLine& each) {
    Lines lines(log, range);
    for (;;) {
        const std::optional<std::string> line = TRY(lines.next());
        if (!line) return true;
        if (!each(++number, *line)) return false;
    }
}

const os::Fd& log_of(const ShellFiles& files, Which which) {
    return which == Which::Output ? files.log : files.error_log;
}

// The lines behind what was dropped, numbered from the last place whose number is known. None of
// them when the stream drops them as fast as they are read.
Result<std::vector<std::pair<uint64_t, std::string>>> lines_of_tail(const ShellFiles& files,
                                                                    Which which,
                                                                    const EachLine& wanted) {
    constexpr int tries = 8;
    for (int attempt = 0; attempt < tries; ++attempt) {
        const StreamState state = TRY(stream_state(files, which));
        const Kept& kept = state.kept;
        if (kept.head_end == kept.tail_start) return {};
        const os::Fd& log = log_of(files, which);
        const uint64_t counted = TRY(count_lines(log, {kept.tail_start, state.counted}));
        const uint64_t before = state.lines - std::min(state.lines, counted);
        std::vector<std::pair<uint64_t, std::string>> found;
        TRY(for_lines(log, {kept.tail_start, kept.stored_end}, before,
                      [&](uint64_t number, const std::string& line) {
                          if (wanted(number, line)) found.emplace_back(number, line);
                          return true;
                      }));
        const StreamState after = TRY(stream_state(files, which));
        if (after.kept.tail_start == kept.tail_start) return found;
    }
    return {};
}

// All kept lines that are wanted, with their numbers, in order, until `take` has enough.
Result<void> for_each_line(const ShellFiles& files, Which which, const StreamState& state,
                           const EachLine& wanted, const EachLine& take) {
    const Kept& kept = state.kept;
    const bool dropped = kept.head_end < kept.tail_start;
    const auto each = [&](uint64_t number, const std::string& line) {
        return !wanted(number, line) || take(number, line);
    };
    const ByteRange head = {0, dropped ? kept.head_end : kept.stored_end};
    if (!TRY(for_lines(log_of(files, which), head, 0, each)) || !dropped) return {};
    for (const auto& [number, line] : TRY(lines_of_tail(files, which, wanted)))
        if (!take(number, line)) break;
    return {};
}

}  // namespace

Result<Shot> show_lines(const ShellFiles& files, Which which, uint64_t first, uint64_t last,
                        uint64_t budget) {
    Shot shot{{}, TRY(stream_state(files, which))};
    std::string text;
    bool cut = false;
    CHECK(for_each_line(
        files, which, shot.state,
        [&](uint64_t number, const std::string&) { return number >= first; },
        [&](uint64_t number, const std::string& line) {
            if (number > last) return false;
            cut = text.size() + line.size() >= budget;
            if (!cut) text += line + "\n";
            return !cut;
        }));
    shot.shown.text = text::plain(text);
    if (cut) shot.shown.text += "[more lines left out; ask for fewer]\n";
    return shot;
}

Result<Shot> show_matches(const ShellFiles& files, Which which, const Pattern& pattern,
                          uint64_t budget) {
    Shot shot{{}, TRY(stream_state(files, which))};
    std::string text;
    uint64_t left_out = 0;
    CHECK(for_each_line(
        files, which, shot.state,
        [&](uint64_t, const std::string& line) { return pattern.matches(line); },
        [&](uint64_t number, const std::string& line) {
            const std::string found = std::to_string(number) + ":" + line + "\n";
            if (text.size() + found.size() > budget) {
                ++left_out;
            } else {
                text += found;
            }
            return true;
        }));
    shot.shown.text = text::plain(text);
    if (left_out > 0)
        shot.shown.text += "[" + std::to_string(left_out) + " more matching lines left out]\n";
    return shot;
}

}  // namespace husk::collect
