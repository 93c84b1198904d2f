#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/utf8.h"

using namespace std::literals;

namespace husk::text {
namespace {

struct Case {
    std::string_view raw;
    std::string_view shown;
};

void expect_all(std::initializer_list<Case> cases) {
    for (const auto& [raw, shown] : cases)
        EXPECT_EQ(plain(raw), shown) << "of " << testing::PrintToString(std::string(raw));
}

TEST(Plain, OrdinaryTextStaysAsItIs) {
    expect_all({{"", ""},
                {"hello\n", "hello\n"},
                {"no newline", "no newline"},
                {"\n\n", "\n\n"},
                {"a\tb", "a\tb"},
                {"é€😀 £\u00a0", "é€😀 £\u00a0"},
                {"trailing  \n", "trailing  \n"}});
}

TEST(Plain, EscapesAreRemoved) {
    expect_all({
        {"\x1b[31mred\x1b[0m", "red"},
        {"\x1b[1;38;5;196mx\x1b[m", "x"},
        {"\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"},
        {"\x1b[2 qx", "x"},  // an intermediate byte
        {"\x1b[!px", "x"},
        {"\x1b]0;title\aafter", "after"},
        {"\x1b]0;title\x1b\\after", "after"},
        {"\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\", "link"},
        {"\x1bPq#0;2;0;0;0\x1b\\after", "after"},
        {"\x1bPa bell \a does not end this\x1b\\after", "after"},
        {"\x1b^private\x1b\\after", "after"},
        {"\x1b_application\x1b\\after", "after"},
        {"\x1bXstart of string\x1b\\after", "after"},
        {"\x1b(Bcharset", "charset"},
        {"\x1b"
         "7saved\x1b"
         "8",
         "saved"},
        {"\x1b=\x1b>keypad", "keypad"},
        {"\x1bMup", "up"},
        {"\x1b]1337;File=:QUJD\nREVG\aafter", "after"},  // lines inside, ended properly
    });
}

TEST(Plain, ControlsAreRemoved) {
    expect_all({
        {"a\0b\a\v\f\x0e\x0f\x7f"
         "c"sv,
         "abc"},
        {"a\xc2\x85"
         "b\xc2\x80\xc2\x9f",
         "ab"},
        // The one-character forms of ESC [ and ESC ].
        {"\xc2\x9b"
         "31mred",
         "red"},
        {"\xc2\x9d"
         "0;title\xc2\x9c"
         "after",
         "after"},
    });
}

TEST(Plain, AnUnfinishedEscapeHidesNothingButItself) {
    expect_all({
        {"a\x1b", "a"},
        {"a\x1b[", "a"},
        {"a\x1b[31", "a"},
        {"a\x1b[31 ", "a"},
        {"a\x1b(", "a"},
        {"a\x1b]0;title", "a"},
        {"a\x1b]0;title\x1b", "a"},
        {"a\xc2\x9b", "a"},
        {"a\x1bPdata", "a"},
        {"a\x1b]0;title\nthe next line\n", "a\nthe next line\n"},
        {"a\x1bPdata\nthe next line\n", "a\nthe next line\n"},
        {"a\x1b]0;title\nnext\x1b[0m", "a\nnext"},
        {"a\x1b]0;title\x1b[31mred", "ared"},
        {"a\x1b]0;title\x18"
         "back",
         "aback"},
        {"a\x1b[31\nb", "a\nb"},
        {"a\x1b[3é", "aé"},
        {"a\x1b\nb", "a\nb"},
        {"a\x1b\x1b[31mb", "ab"},
        {"a\x1bé", "aé"},
    });
}

TEST(Plain, ALineIsShownInItsLastState) {
    expect_all({
        {"100%\r5", "500%"},
        {"10%\r50%\r100%\n", "100%\n"},
        {"long line\rshort\n", "shortline\n"},
        {"one\r\ntwo\r\n", "one\ntwo\n"},
        {"one\r\r\ntwo", "one\ntwo"},
        {"kept\r", "kept"},
        {"kept\r\r\r", "kept"},
        {"\rstart", "start"},
        {"a\n\rb", "a\nb"},
        {"first\nsecond\rS\nthird", "first\nSecond\nthird"},
        {"x\r\x1b[31my\x1b[0m", "y"},
        {"été\rÉ", "Été"},
        {"abc\r€", "€bc"},
        {"😀😀\ra", "a😀"},
        {"ab\rcdef", "cdef"},
    });
}

TEST(Plain, BackspaceMovesLeftAndNeverBeyondTheStart) {
    expect_all({
        {"abc\bX", "abX"},
        {"|\b/\b-\b\\", "\\"},
        {"abc\b", "abc"},
        {"a\b\b\b\bX", "X"},
        {"\bX", "X"},
        {"a\n\bX", "a\nX"},
        {"N\bNA\bAM\bME\bE", "NAME"},  // bold in manual pages
        {"_\bu_\bn", "un"},
        {"é\bx", "x"},
    });
}

TEST(Plain, ErasingIsHonoured) {
    expect_all({
        {"downloading 99%\r\x1b[Kdone\n", "done\n"},
        {"downloading 99%\r\x1b[0Kdone\n", "done\n"},
        {"downloading\r\x1b[2Kdone", "done"},
        {"downloading\x1b[2K\rdone", "done"},
        {"downloading\x1b[1G\x1b[0Jdone", "done"},
        {"before\ngone\r\x1b[K", "before\n"},
        {"abc\x1b[K", "abc"},
        {"abc\b\b\x1b[K", "a"},
        {"abcdef\x1b[3GX", "abXdef"},
        {"abc\x1b[GX", "Xbc"},
        {"abc\x1b[0GX", "Xbc"},
        {"abc\x1b[1K", "abc"},  // not among what is honoured
        {"abc\r\x1b[?K", "abc"},
        {"abc\x1b[2J", "abc"},
        {"\x1b[2K\x1b[1A\x1b[2Kline", "line"},
    });
}

TEST(Plain, InvalidUtf8IsReplaced) {
    expect_all({
        {"a\xff", "a�"},
        {"\xe2\x82", "�"},
        {"\x9b"
         "31m",
         "�31m"},
        {"\xff\xfe\r1", "1�"},
        {"\xc2", "�"},
        {"\xc2\x1b[31mx", "�x"},
    });
}

TEST(Plain, AFewBytesCannotDemandMuchMemory) {
    EXPECT_EQ(plain("a\x1b[999999999Gb"), "ab");
    EXPECT_EQ(plain("a\x1b[99999999999999999999999999999Gb"), "ab");
    EXPECT_EQ(plain("a\x1b[18446744073709551615Gb"), "ab");
    EXPECT_EQ(plain("a\x1b[" + std::string(1'000'000, '9') + "Kb"), "ab");
}

// Each of these takes minutes or hours if a step costs as much as the line is long.
TEST(Plain, TimeIsLinear) {
    const auto repeated = [](size_t times, std::string_view text) {
        std::string all;
        all.reserve(times * text.size());
        for (size_t i = 0; i < times; ++i) all += text;
        return all;
    };
    const size_t many = 1'000'000;
    const std::string line(8'000'000, 'x');
    EXPECT_EQ(plain(line), line);
    EXPECT_TRUE(plain(line + "\ry").starts_with("yxx"));
    EXPECT_EQ(plain(line + std::string(many, '\r')), line);
    EXPECT_EQ(plain(line + repeated(many, "\ry")).size(), line.size());
    EXPECT_EQ(plain(line + repeated(many, "\b\by")).size(), line.size());
    EXPECT_EQ(plain(line + repeated(many, "\r\x1b[2K\b")), "");
    EXPECT_EQ(plain(line + repeated(many, "\b\x1b[K")).size(), line.size() - many);
    EXPECT_EQ(plain(line + repeated(many, "\x1b[9999999G\b-")).size(), line.size());
    EXPECT_EQ(plain(repeated(many, "\x1b]\n")), std::string(many, '\n'));
    EXPECT_EQ(plain(repeated(many, "\xc2\x9d\n")), std::string(many, '\n'));
    EXPECT_EQ(plain(repeated(many, "\x1bP\x18\a")), "");
    EXPECT_EQ(plain(repeated(many, "\x1b[")), "");
}

TEST(Plain, WhateverComesInTextWithoutControlsComesOut) {
    std::mt19937 random(7);
    const std::string_view nasty =
        "ab0;2KGJ[]P^_X\\(\x1b\x1b\x1b\r\b\n\t\a\x18\x7f\xc2\x9b\x9d\x9c\xe2\x82\xac\xff"sv;
    for (int round = 0; round < 50'000; ++round) {
        std::string raw;
        for (size_t left = random() % 24; left > 0; --left) raw += nasty[random() % nasty.size()];
        const std::string shown = plain(raw);
        const auto is_control = [](char byte) {
            return byte == 0x7f || (byte >= 0 && byte < 0x20 && byte != '\n' && byte != '\t');
        };
        ASSERT_TRUE(is_utf8(shown));
        ASSERT_TRUE(std::ranges::none_of(shown, is_control)) << testing::PrintToString(raw);
        ASSERT_LE(shown.size(), 3 * raw.size());
        ASSERT_EQ(plain(shown), shown);
    }
}

TEST(OneLine, HasNoNewlinesAndNoEscapes) {
    EXPECT_EQ(one_line("make\n\tall \x1b[31mred\r\n"), R"(make  all \x1b[31mred\r )");
    EXPECT_EQ(one_line("\n"), " ");
}

// What would make one command look like another.
TEST(Inert, HidesNothing) {
    struct Seen {
        std::string_view raw;
        std::string_view shown;
    };
    const Seen cases[] = {
        {"echo a\n\techo b", "echo a\n\techo b"},
        {"id #\recho hello", R"(id #\recho hello)"},
        {"chmod 777 x '\x1b[2Kchmod 600 y'\b", R"(chmod 777 x '\x1b[2Kchmod 600 y'\x08)"},
        {"a\xc2\x9b"
         "2Kb",
         R"(a\u009b2Kb)"},
        {"rm \xe2\x80\xae"
         "fdp.x",
         R"(rm \u202efdp.x)"},
        {"a\xe2\x80\x8b"
         "b\xef\xbb\xbf",
         R"(a\u200bb\ufeff)"},
        {"\xf3\xa0\x81\x81", R"(\U000e0041)"},
        {"\x7f"
         "caf\xc3\xa9 \xe2\x9c\x93",
         "\\x7f"
         "caf\xc3\xa9 \xe2\x9c\x93"},
        {"torn\xc3", "torn\xef\xbf\xbd"},
        {std::string_view("a\0b", 3), R"(a\x00b)"},
    };
    for (const auto& [raw, shown] : cases) EXPECT_EQ(inert(raw), shown);
}

}  // namespace
}  // namespace husk::text
