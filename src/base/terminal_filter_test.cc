#include "base/terminal_filter.h"

#include <gtest/gtest.h>

#include <random>

using namespace std::literals;

namespace husk::text {
namespace {

struct Filtered {
    std::string_view raw;
    std::string_view shown;
};

void expect_filtered(std::initializer_list<Filtered> cases) {
    for (const auto& [raw, shown] : cases)
        EXPECT_EQ(for_terminal(raw), shown) << "of " << testing::PrintToString(std::string(raw));
}

TEST(TerminalFilter, TextPasses) {
    expect_filtered(
        {{"", ""}, {"hello\n", "hello\n"}, {"a\tb\r\nc\bd", "a\tb\r\nc\bd"}, {"é€😀", "é€😀"}});
}

TEST(TerminalFilter, ColoursAndMovementPass) {
    expect_filtered({{"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
                     {"\x1b[38;2;1;2;3mx\x1b[m", "\x1b[38;2;1;2;3mx\x1b[m"},
                     {"\x1b[4:3mcurly\x1b[0m", "\x1b[4:3mcurly\x1b[0m"},
                     {"50%\r\x1b[K100%", "50%\r\x1b[K100%"},
                     {"\x1b[2A\x1b[1G\x1b[2K\x1b[H\x1b[2J", "\x1b[2A\x1b[1G\x1b[2K\x1b[H\x1b[2J"},
                     {"\x1b"
                      "7x\x1b"
                      "8",
                      "\x1b"
                      "7x\x1b"
                      "8"}});
}

TEST(TerminalFilter, ColoursEndWithTheText) {
    expect_filtered({{"\x1b[31mred", "\x1b[31mred\x1b[0m"}, {"\x1b[0mplain", "\x1b[0mplain"}});
}

TEST(TerminalFilter, StringsAreTakenOut) {
    expect_filtered({
        {"\x1b]52;c;aGVsbG8=\aafter", "after"},  // the clipboard
        {"\x1b]52;c;?\x1b\\after", "after"},     // and what is in it
        {"\x1b]0;title\aafter", "after"},
        {"\x1bk title\x1b\\after", "after"},
        {"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
        {"\x1bP$qm\x1b\\after", "after"},
        {"\x1bP+q544e\x1b\\after", "after"},
        {"\x1b_Gi=1;AAAA\x1b\\after", "after"},
        {"\x1b^private\x1b\\after", "after"},
        {"\x1bXstring\x1b\\after", "after"},
        {"\x1b]unfinished", ""},
        {"\x1b]0;never ended\nthe next line", "\nthe next line"},
        {"\x1b]0;cancelled\x18"
         "after",
         "after"},
    });
}

TEST(TerminalFilter, QueriesAndModesAreTakenOut) {
    expect_filtered({
        {"\x1b[c\x1b[>c\x1b[=c\x1b[0c", ""},         // what are you?
        {"\x1b[6n\x1b[5n\x1b[?6n", ""},              // where is the cursor?
        {"\x1b[21t\x1b[18t\x1b[22;0t\x1b[23t", ""},  // title and size
        {"\x1b[x\x1b[1$w\x1b[?25$p\x1b[*y", ""},
        {"\x1bZ\x05", ""},
        {"\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?2004h\x1b[4h\x1b[20h", ""},
        {"\x1b[>4;1m\x1b[?4m", ""},  // keyboard, not colours
        {"\x1b[=1u\x1b[>1u\x1b[?u", ""},
        {"\x1b[5;10r\x1b[5i\x1b[3g\x1b[!p\x1b[2 q\x1b[999999999b", ""},
        {"\x1b(0\x1b)0\x1b*0\x0e\x0f\x1bn\x1b=\x1b>\x1b"
         "c\x1b#8",
         ""},
        {"\x1b[3J", ""},  // earlier output
    });
}

TEST(TerminalFilter, EightBitControlsAreTakenOut) {
    expect_filtered({
        {"\xc2\x9b"
         "6n",
         "6n"},
        {"\xc2\x9d"
         "52;c;AAAA\xc2\x9c",
         "52;c;AAAA"},
        {"\x9b"
         "6n",
         "\xef\xbf\xbd"
         "6n"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"a\x7f\0b"sv, "ab"},
        {"\xe2\x82", "\xef\xbf\xbd"},
        {"\xe0\x80\x9b", "\xef\xbf\xbd"},
    });
}

TEST(TerminalFilter, SequencesMayBeCutAnywhere) {
    const std::string whole =
        "a\x1b[31mred\x1b[0m \x1b]52;c;AAAA\a \x1b[6n\x1bPq\x1b\\ € \xc2\x9b"
        "1c 😀\n\x1b[?25l";
    const std::string expected = for_terminal(whole);
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
        TerminalFilter filter;
        std::string shown = filter.pass(whole.substr(0, cut));
        shown += filter.pass(whole.substr(cut));
        EXPECT_EQ(shown + filter.finish(), expected) << cut;
    }
}

// Whatever comes in: each escape that comes out is one of the harmless ones.
TEST(TerminalFilter, NothingElseEverPasses) {
    std::mt19937 random(11);
    const std::string_view nasty =
        "ab0;2?>cnmthl[]P^_X\\(\x1b\x1b\x1b\r\n\a\x18\xc2\x9b\x9d\xe2\x82\xac\xff"sv;
    for (int round = 0; round < 20'000; ++round) {
        std::string raw;
        for (size_t left = random() % 24; left > 0; --left) raw += nasty[random() % nasty.size()];
        const std::string shown = for_terminal(raw);
        ASSERT_EQ(for_terminal(shown), shown) << testing::PrintToString(raw);
        for (size_t at = shown.find('\x1b'); at != shown.npos; at = shown.find('\x1b', at + 1)) {
            const size_t end = shown.find_first_not_of("0123456789;:", at + 2);
            ASSERT_EQ(shown[at + 1], '[') << testing::PrintToString(raw);
            ASSERT_TRUE("ABCDEFGHJKLMPSX@`adefsum"sv.contains(shown[end]));
        }
        ASSERT_EQ(shown.find("\xc2\x9b"), shown.npos);
    }
}

}  // namespace
}  // namespace husk::text
