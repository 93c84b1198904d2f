#include "collect/excerpt.h"

#include <algorithm>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace husk::collect {
namespace {

uint64_t size_of(const ByteRange& range) { return range.second - range.first; }

// Whatever the numbers are: a reader can come between two of the writer's updates.
std::vector<ByteRange> readable(const Kept& kept, uint64_t since) {
    const uint64_t head_end = std::min(kept.head_end, kept.total);
    const uint64_t stored_end = std::min(kept.stored_end, kept.total);
    const uint64_t tail_start = std::max(kept.tail_start, head_end);
    std::vector<ByteRange> ranges = {{since, head_end}, {std::max(tail_start, since), stored_end}};
    std::erase_if(ranges, [](const ByteRange& range) { return range.first >= range.second; });
    if (ranges.size() == 2 && ranges[0].second == ranges[1].first)
        ranges = {{ranges[0].first, ranges[1].second}};
    return ranges;
}

uint64_t end_of(const Part& part) { return part.at + part.bytes.size(); }

void trim_start(Part& part) {
    const size_t reach = part.bytes.size() / 4;
    const size_t newline = part.bytes.substr(0, reach).find('\n');
    const std::string_view kept = newline == std::string_view::npos
                                      ? text::without_torn_start(part.bytes)
                                      : part.bytes.substr(newline + 1);
    part.at += part.bytes.size() - kept.size();
    part.bytes = kept;
}

void trim_end(Part& part) {
    const size_t reach = part.bytes.size() / 4;
    const size_t newline = part.bytes.rfind('\n');
    const bool near = newline != std::string_view::npos && part.bytes.size() - newline - 1 <= reach;
    part.bytes = near ? part.bytes.substr(0, newline + 1) : text::without_torn_end(part.bytes);
}

// The parts without what a gap has torn.
std::vector<Part> trimmed(std::span<const Part> parts, const ByteRange& asked) {
    std::vector<Part> result(parts.begin(), parts.end());
    for (size_t i = 0; i < result.size(); ++i) {
        const uint64_t before = i == 0 ? asked.first : end_of(parts[i - 1]);
        const uint64_t after = i + 1 == parts.size() ? asked.second : parts[i + 1].at;
        if (before < parts[i].at) trim_start(result[i]);
        if (end_of(parts[i]) < after) trim_end(result[i]);
    }
    std::erase_if(result, [](const Part& part) { return part.bytes.empty(); });
    return result;
}

std::vector<ByteRange> ranges_of(std::span<const Part> parts) {
    std::vector<ByteRange> ranges;
    for (const Part& part : parts) {
        if (!ranges.empty() && ranges.back().second == part.at)
            ranges.back().second = end_of(part);
        else
            ranges.emplace_back(part.at, end_of(part));
    }
    return ranges;
}

std::vector<ByteRange> gaps_between(std::span<const ByteRange> shown, const ByteRange& asked) {
    std::vector<ByteRange> gaps;
    uint64_t at = asked.first;
    for (const ByteRange& range : shown) {
        if (at < range.first) gaps.emplace_back(at, range.first);
        at = range.second;
    }
    if (at < asked.second) gaps.emplace_back(at, asked.second);
    return gaps;
}

uint64_t newlines_in(std::span<const Part> parts) {
    uint64_t newlines = 0;
    for (const Part& part : parts)
        newlines += static_cast<uint64_t>(std::ranges::count(part.bytes, '\n'));
    return newlines;
}

std::string counted(uint64_t count, std::string_view thing) {
    return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

void append_gap(std::string& text, const ByteRange& gap, uint64_t lines, const Cut& cut) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += "[... " + counted(size_of(gap), "byte");
    if (lines > 0) text += ", " + counted(lines, "line");
    text += " left out";
    const std::string hint = cut.hint ? cut.hint(gap) : "";
    if (!hint.empty()) text += "; " + hint;
    text += "]\n";
}

}  // namespace

std::vector<ByteRange> plan_excerpt(const Kept& kept, uint64_t budget, uint64_t since) {
    std::vector<ByteRange> ranges = readable(kept, since);
    uint64_t kept_bytes = 0;
    for (const ByteRange& range : ranges) kept_bytes += size_of(range);
    if (kept_bytes <= budget) return ranges;

    // One range is both: it is longer than the budget, so its beginning and its end are apart.
    const ByteRange first = ranges.front();
    const ByteRange last = ranges.back();
    const uint64_t tail = std::min(size_of(last), budget - std::min(size_of(first), budget / 5));
    const uint64_t head = std::min(size_of(first), budget - tail);
    ranges = {{first.first, first.first + head}, {last.second - tail, last.second}};
    std::erase_if(ranges, [](const ByteRange& range) { return size_of(range) == 0; });
    return ranges;
}

Shown assemble(std::span<const Part> parts, const Cut& cut) {
    const std::vector<Part> kept = trimmed(parts, cut.asked);
    Shown shown{.text = "", .ranges = ranges_of(kept)};
    const std::vector<ByteRange> gaps = gaps_between(shown.ranges, cut.asked);
    // Lines are counted for the whole stream: among several gaps nobody knows which has which.
    const uint64_t in_sight = newlines_in(kept);
    const uint64_t all = gaps.size() == 1 ? cut.lines.value_or(0) : 0;
    const uint64_t lines = all > in_sight ? all - in_sight : 0;

    auto gap = gaps.begin();
    for (const Part& part : kept) {
        if (gap != gaps.end() && gap->second == part.at) append_gap(shown.text, *gap++, lines, cut);
        if (cut.look == Look::Plain)
            shown.text += text::plain(part.bytes);
        else
            shown.text += part.bytes;
    }
    if (gap != gaps.end()) append_gap(shown.text, *gap, lines, cut);
    return shown;
}

}  // namespace husk::collect
