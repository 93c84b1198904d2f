#include "base/pattern.h"

#include <gtest/gtest.h>

#include <utility>

using namespace std::literals;

namespace husk {
namespace {

TEST(Pattern, MatchesAnywhereInALine) {
    struct Case {
        std::string_view expression;
        std::string_view line;
        bool matches;
    };
    const Case cases[] = {
        {"error", "an error here", true},
        {"error", "all fine", false},
        {"^error", "an error", false},
        {"error$", "an error", true},
        {"(?i)ERROR", "an error", true},
        {"", "anything", true},
        {"", "", true},
        {"^$", "x", false},
        {R"(port \d+)", "listening on port 8080", true},
        // Characters, not bytes.
        {"^.$", "é", true},
        {"^[éà]$", "é", true},
        {"(?i)É", "é", true},
        {R"(\p{Greek})", "λ", true},
        {"😀", "a 😀 b", true},
        // What is not valid UTF-8 is matched as it is shown.
        {"a.b",
         "a\xff"
         "b",
         true},
        {"^a[^x]+b$",
         "a\x80\x81"
         "b",
         true},
        {"error", "\xff\xfe error \xc3", true},
        {"^�$", "\xff", true},
        {R"(\xff)", "\xff", false},  // U+00FF is another character
        {R"(\xff)", "ÿ", true},
        {"a.b", "a\0b"sv, true},
        {"a\0b"sv, "xa\0bx"sv, true},
    };
    for (const auto& [expression, line, matches] : cases) {
        const auto pattern = Pattern::compile(expression);
        ASSERT_TRUE(pattern) << pattern.error();
        EXPECT_EQ(pattern->matches(line), matches) << expression << " in " << line;
    }
}

TEST(Pattern, SaysInPlainWordsWhatIsWrong) {
    struct Case {
        std::string_view expression;
        std::string_view why;
    };
    const Case cases[] = {
        {"a(b", "a \"(\" has no \")\""},
        {"a)b", "a \")\" has no \"(\""},
        {"[a", R"(a "[" has no "]")"},
        {"*a", "nothing stands before \"*\""},
        {"[z-a]", "\"z-a\" is no range of characters"},
        {"[[:nothing:]]", "\"[:nothing:]\" is no range of characters"},
        {"a\\", R"(it ends with a single "\")"},
        {"(a)\\1", R"("\1" is an escape that does not exist (nor do backreferences))"},
        {"a(?=b)", "\"(?=\" does not exist here (nor does any look-around)"},
        {"a{2000}", "\"{2000}\" repeats too often"},
        {"a**", "\"**\" repeats a repetition"},
        {"(?P<a-b>c)", "\"(?P<a-b>\" is no name of a group"},
    };
    for (const auto& [expression, why] : cases) {
        const auto pattern = Pattern::compile(expression);
        ASSERT_FALSE(pattern) << expression;
        EXPECT_EQ(pattern.error(), "the expression \"" + std::string(expression) +
                                       "\" cannot be used: " + std::string(why));
    }
}

TEST(Pattern, TheErrorIsOneLineOfValidText) {
    EXPECT_EQ(Pattern::compile("a\xff").error(),
              "the expression \"a�\" cannot be used: it is not valid UTF-8");
    EXPECT_EQ(Pattern::compile("(\x1b[31m\n").error(),
              "the expression \"(\\x1b[31m \" cannot be used: a \"[\" has no \"]\"");
}

TEST(Pattern, AHugeExpressionIsRefusedInAShortSentence) {
    const auto pattern = Pattern::compile(std::string(1'000'000, '('));
    ASSERT_FALSE(pattern);
    EXPECT_LT(pattern.error().size(), 400U);
}

TEST(Pattern, NeitherExpressionNorLineCanTakeMuchTimeOrSayAnything) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(Pattern::compile("((a{100}){100}){100}"));
    EXPECT_FALSE(Pattern::compile("(" + std::string(3, '(') + "\\pL{1000}){1000}"));
    const auto bomb = Pattern::compile("(x+x+)+y");
    ASSERT_TRUE(bomb);
    EXPECT_FALSE(bomb->matches(std::string(1'000'000, 'x')));
    const auto hungry = Pattern::compile("a[ab]{200}c");  // its automaton has 2^200 states
    ASSERT_TRUE(hungry);
    std::string line;
    for (size_t i = 0; i < 200'000; ++i) line += (i * i / 7) % 3 == 0 ? 'a' : 'b';
    EXPECT_FALSE(hungry->matches(line));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Pattern, CanBeMoved) {
    auto first = Pattern::compile("a");
    ASSERT_TRUE(first);
    Pattern second = *std::move(first);
    EXPECT_TRUE(second.matches("cat"));
    second = *Pattern::compile("b");
    EXPECT_FALSE(second.matches("cat"));
}

}  // namespace
}  // namespace husk
