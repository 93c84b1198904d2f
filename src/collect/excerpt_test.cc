#include "collect/excerpt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace husk::collect {
namespace {

using Ranges = std::vector<ByteRange>;

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

constexpr Kept whole(uint64_t total) { return {total, total, total, total}; }

TEST(PlanExcerpt, ShowsAllOrTheBeginningAndTheEnd) {
    struct Case {
        const char* name;
        Kept kept;
        uint64_t budget;
        uint64_t since;
        Ranges plan;
    };
    const Case cases[] = {
        {"nothing was written", whole(0), 100, 0, {}},
        {"it fits", whole(99), 100, 0, {{0, 99}}},
        {"it just fits", whole(100), 100, 0, {{0, 100}}},
        {"it does not fit", whole(101), 100, 0, {{0, 20}, {21, 101}}},
        {"it is long", whole(1000), 100, 0, {{0, 20}, {920, 1000}}},
        {"kept whole, in two pieces", {50, 50, 1000, 1000}, 100, 0, {{0, 20}, {920, 1000}}},
        {"pieces that overlap", {600, 500, 1000, 1000}, 100, 0, {{0, 20}, {920, 1000}}},
        {"no budget", whole(10), 0, 0, {}},
        {"a budget too small to share", whole(10), 4, 0, {{6, 10}}},
        {"the middle was dropped", {300, 700, 1000, 1000}, 100, 0, {{0, 20}, {920, 1000}}},
        {"all that is kept fits", {30, 950, 1000, 1000}, 100, 0, {{0, 30}, {950, 1000}}},
        {"a short head leaves more for the tail",
         {5, 500, 1000, 1000},
         100,
         0,
         {{0, 5}, {905, 1000}}},
        {"a short tail leaves more for the head",
         {500, 990, 1000, 1000},
         100,
         0,
         {{0, 90}, {990, 1000}}},
        {"no head", {0, 500, 1000, 1000}, 100, 0, {{500, 520}, {920, 1000}}},
        {"the end was not stored", {200, 200, 800, 1000}, 100, 0, {{0, 20}, {720, 800}}},
        {"the end was not stored, the rest fits", {50, 50, 80, 1000}, 100, 0, {{0, 80}}},
        {"nothing was stored", {0, 0, 0, 1000}, 100, 0, {}},
        {"since somewhere", whole(1000), 100, 950, {{950, 1000}}},
        {"since somewhere, too long", whole(1000), 100, 500, {{500, 520}, {920, 1000}}},
        {"since inside the dropped middle", {300, 700, 800, 800}, 500, 400, {{700, 800}}},
        {"since inside the head", {300, 700, 800, 800}, 150, 290, {{290, 300}, {700, 800}}},
        {"since the end", whole(1000), 100, 1000, {}},
        {"since beyond the end", whole(1000), 100, 5000, {}},
        {"stored more than counted so far", {120, 120, 150, 100}, 100, 0, {{0, 100}}},
        {"numbers of a broken record", {most, most, most, 10}, 100, 0, {{0, 10}}},
        {"all of them", {most, 0, most, most}, most, 0, {{0, most}}},
    };
    for (const auto& [name, kept, budget, since, plan] : cases)
        EXPECT_EQ(plan_excerpt(kept, budget, since), plan) << name;
}

TEST(PlanExcerpt, NeverTouchesWhatIsNotKeptAndNeverSpendsMoreThanTheBudget) {
    std::mt19937 random(3);
    for (int round = 0; round < 100'000; ++round) {
        const auto number = [&] { return static_cast<uint64_t>(random() % 40); };
        const Kept kept{number(), number(), number(), number()};
        const uint64_t budget = number();
        const uint64_t since = number();
        uint64_t at = since;
        uint64_t spent = 0;
        for (const auto& [begin, end] : plan_excerpt(kept, budget, since)) {
            ASSERT_LE(at, begin);
            ASSERT_LT(begin, end);
            ASSERT_LE(end, kept.total);
            for (uint64_t byte = begin; byte < end; ++byte)
                ASSERT_TRUE(byte < kept.head_end ||
                            (byte >= kept.tail_start && byte < kept.stored_end));
            spent += end - begin;
            at = end;
        }
        ASSERT_LE(spent, budget);
    }
}

// The excerpt of a stream that is kept whole.
Shown shorten(std::string_view stream, uint64_t budget, Look look = Look::Raw) {
    std::vector<Part> parts;
    for (const auto& [begin, end] : plan_excerpt(whole(stream.size()), budget))
        parts.push_back({.at = begin, .bytes = stream.substr(begin, end - begin)});
    const auto lines = static_cast<uint64_t>(std::ranges::count(stream, '\n'));
    return assemble(
        parts, {.asked = {0, stream.size()},
                .lines = lines,
                .look = look,
                .hint = [](const ByteRange& gap) { return "since " + std::to_string(gap.first); }});
}

std::string numbered_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "line " + std::to_string(1000 + i) + "\n";
    return text;
}

TEST(Assemble, WhatFitsIsShownAsItIs) {
    const Shown shown = shorten("one\ntwo", 100);
    EXPECT_EQ(shown.text, "one\ntwo");
    EXPECT_EQ(shown.ranges, Ranges({{0, 7}}));
    EXPECT_EQ(shorten("", 100).text, "");
    EXPECT_EQ(shorten("", 100).ranges, Ranges());
}

TEST(Assemble, CutsAtLinesAndSaysWhatIsMissing) {
    // 100 lines of 10 bytes. The budget of 125 gives 25 to the head and 100 to the tail.
    const Shown shown = shorten(numbered_lines(100), 125);
    EXPECT_EQ(shown.text.substr(0, 67),
              "line 1000\nline 1001\n[... 890 bytes, 89 lines left out; since 20]\nli");
    EXPECT_TRUE(shown.text.ends_with("line 1099\n"));
    // The first line of the tail was whole, but nobody who has read only the tail can know.
    EXPECT_EQ(shown.ranges, Ranges({{0, 20}, {910, 1000}}));
}

TEST(Assemble, CutsALongLineBetweenCharacters) {
    std::string stream;
    for (int i = 0; i < 100; ++i) stream += "€";
    const Shown shown = shorten(stream, 50);
    EXPECT_EQ(shown.text, "€€€\n[... 252 bytes left out; since 9]\n€€€€€€€€€€€€€");
    EXPECT_EQ(shown.ranges, Ranges({{0, 9}, {261, 300}}));
}

TEST(Assemble, ALineEndTooFarAwayIsNotWorthIt) {
    const std::string stream = "ab\n" + std::string(200, 'x') + "\ncd";
    const Shown shown = shorten(stream, 50);
    EXPECT_EQ(shown.text,
              "ab\nxxxxxxx\n[... 156 bytes left out; since 10]\n" + std::string(37, 'x') + "\ncd");
    EXPECT_EQ(shown.ranges, Ranges({{0, 10}, {166, 206}}));
}

TEST(Assemble, PartsAreMadePlainOneByOne) {
    // The head ends within an escape; in the tail there is something that would end it.
    const std::string stream = "ok\x1b]0;ti" + std::string(100, '-') + "tle\aafter\rA" +
                               std::string(20, '.') + "\x1b[31mred";
    const Shown shown = shorten(stream, 44, Look::Plain);
    EXPECT_EQ(shown.text, "ok\n[... 103 bytes left out; since 8]\nA....................red");
    EXPECT_EQ(shown.ranges, Ranges({{0, 8}, {111, stream.size()}}));
}

TEST(Assemble, EveryGapHasItsLine) {
    const std::string head = "head\n";
    const std::string tail = "x\ntail 1\ntail 2\ntail 3";
    const std::vector<Part> parts = {{.at = 100, .bytes = head}, {.at = 200, .bytes = tail}};
    const auto hint = [](const ByteRange& gap) {
        return std::to_string(gap.first) + "-" + std::to_string(gap.second) + " were not kept";
    };
    const Shown shown =
        assemble(parts, {.asked = {90, 1000}, .lines = 50, .look = Look::Raw, .hint = hint});
    EXPECT_EQ(shown.text,
              "[... 10 bytes left out; 90-100 were not kept]\n"
              "head\n"
              "[... 97 bytes left out; 105-202 were not kept]\n"
              "tail 1\ntail 2\ntail 3\n"
              "[... 778 bytes left out; 222-1000 were not kept]\n");
    EXPECT_EQ(shown.ranges, Ranges({{100, 105}, {202, 222}}));
}

TEST(Assemble, WithoutPartsThereIsOnlyTheLine) {
    const Cut cut{.asked = {0, 1}, .lines = 1, .look = Look::Raw, .hint = nullptr};
    EXPECT_EQ(assemble({}, cut).text, "[... 1 byte, 1 line left out]\n");
    EXPECT_EQ(assemble({}, cut).ranges, Ranges());
}

TEST(Assemble, LinesAreOnlyCountedWhenTheyAreKnown) {
    const std::vector<Part> parts = {{.at = 0, .bytes = "a\n"}};
    const auto text_with = [&](std::optional<uint64_t> lines) {
        return assemble(parts, {{0, 10}, lines, Look::Raw, nullptr}).text;
    };
    EXPECT_EQ(text_with(std::nullopt), "a\n[... 8 bytes left out]\n");
    EXPECT_EQ(text_with(0), "a\n[... 8 bytes left out]\n");
    EXPECT_EQ(text_with(1), "a\n[... 8 bytes left out]\n");
    EXPECT_EQ(text_with(2), "a\n[... 8 bytes, 1 line left out]\n");
}

TEST(Assemble, TheRangesAreExactlyWhatTheTextHolds) {
    std::mt19937 random(5);
    const std::vector<std::string> pieces = {"\n", "a", "€", "😀", "\xff", "word "};
    for (int round = 0; round < 5'000; ++round) {
        std::string stream;
        for (size_t left = random() % 60; left > 0; --left)
            stream += pieces[random() % pieces.size()];
        const uint64_t budget = random() % 80;
        const Shown shown = shorten(stream, budget);
        std::string rest = shown.text;
        uint64_t bytes = 0;
        for (const auto& [begin, end] : shown.ranges) {
            const std::string piece = stream.substr(begin, end - begin);
            const size_t at = rest.find(piece);
            ASSERT_NE(at, std::string::npos) << testing::PrintToString(stream) << budget;
            rest.erase(0, at + piece.size());
            bytes += end - begin;
        }
        ASSERT_LE(bytes, budget);
        ASSERT_EQ(shown.text.find("left out") == std::string::npos, bytes == stream.size());
    }
}

}  // namespace
}  // namespace husk::collect
