#include "decide/glob.h"

#include <gtest/gtest.h>

namespace husk::decide {
namespace {

// ? is any text, _ a space and any text or nothing; in patterns * is any text too.
Letters made(std::string_view text) {
    Letters out;
    for (const char16_t letter : starred(text)) {
        if (letter == u'_')
            out += {maybe_space, any_text};
        else
            out += letter == u'?' ? any_text : letter;
    }
    return out;
}

TEST(Glob, CoversWhatItMatchesForSureAndMeetsWhatItMayMatch) {
    struct Case {
        std::string_view pattern;
        std::string_view text;
        bool covers;
        bool meets;
    };
    const Case cases[] = {
        {"", "", true, true},
        {"", "a", false, false},
        {"a", "", false, false},
        {"abc", "abc", true, true},
        {"abc", "abd", false, false},
        {"a*c", "ac", true, true},
        {"a*c", "abbc", true, true},
        {"a*c", "abcd", false, false},
        {"*", "", true, true},
        {"**", "x", true, true},
        {"*b*", "abc", true, true},
        {"a*b*c*d", "aXbYcZ", false, false},
        // Unknown text.
        {"abc", "?", false, true},
        {"*", "?", true, true},
        {"a*", "a?", true, true},
        {"a*", "?", false, true},
        {"abc", "a?c", false, true},
        {"abc", "a?d", false, false},
        {"abc", "?c", false, true},
        {"a*c", "a?c", true, true},
        {"a*c", "a?", false, true},
        {"*x*", "?y?", false, true},
        {"*y*", "?y?", true, true},
        // Words that may be there or not.
        {"a_", "a", true, true},
        {"a_", "a b c", true, true},
        {"a_", "ab", false, false},
        {"a_", "a_", true, true},
        {"a b", "a_", false, true},
        {"a *", "a_", false, true},
        {"ab", "a_", false, false},
        {"a b c", "a_ c", false, true},
        {"a c", "a_ c", false, true},
        {"a* c", "a_ c", true, true},
        {"a_", "a_ c_", true, true},
        {"a b_", "a b_ c_", true, true},
        {"a", "a_", false, true},
    };
    for (const auto& [pattern, text, covered, met] : cases) {
        EXPECT_EQ(covers(made(pattern), made(text)), covered) << pattern << " covers " << text;
        EXPECT_EQ(meets(made(pattern), made(text)), met) << pattern << " meets " << text;
    }
}

TEST(Glob, WhatIsCoveredIsMet) {
    // All texts and patterns of up to four letters.
    const std::string_view alphabet = "a ?_";
    std::vector<std::string> all = {""};
    for (size_t i = 0; i < all.size() && all[i].size() < 4; ++i) {
        for (const char letter : alphabet) all.push_back(all[i] + letter);
    }
    for (const std::string& pattern : all) {
        for (const std::string& text : all) {
            if (covers(made(pattern), made(text))) {
                EXPECT_TRUE(meets(made(pattern), made(text))) << pattern << " and " << text;
            }
        }
    }
}

TEST(Glob, MeetingIsMutual) {
    const std::string_view alphabet = "ab?";
    std::vector<std::string> all = {""};
    for (size_t i = 0; i < all.size() && all[i].size() < 4; ++i) {
        for (const char letter : alphabet) all.push_back(all[i] + letter);
    }
    for (const std::string& one : all) {
        for (const std::string& other : all)
            EXPECT_EQ(meets(made(one), made(other)), meets(made(other), made(one)))
                << one << " and " << other;
    }
}

TEST(Glob, ManyUnknownWordsCostLittle) {
    Letters pattern = made("x *a*b*a*b*c");
    Letters text = letters("x");
    for (int i = 0; i < 20'000; ++i) text += Letters{maybe_space, any_text, u' ', u'a'};
    EXPECT_FALSE(covers(pattern, text));
    EXPECT_FALSE(meets(made("y*"), text));
    EXPECT_TRUE(meets(made("x*a"), text));
}

TEST(Glob, SegmentsEndAtSlashes) {
    const Letters segment = {u'/', any_segment, u'.', u'c'};
    EXPECT_TRUE(covers(segment, letters("/a.c")));
    EXPECT_TRUE(covers(segment, letters("/.c")));
    EXPECT_FALSE(covers(segment, letters("/a/b.c")));
    const Letters one = {u'a', any_letter, u'c'};
    EXPECT_TRUE(covers(one, letters("abc")));
    EXPECT_FALSE(covers(one, letters("a/c")));
    EXPECT_FALSE(covers(one, letters("ac")));
    EXPECT_TRUE(meets(one, made("a?")));
}

// Of a text with many words that may be there or not, only so many ways are followed: beyond that
// a pattern does not surely match, however long the text is.
TEST(Glob, FollowsNoMoreThanAFewThousandWays) {
    std::string text = "a";
    for (int i = 0; i < 20'000; ++i) text += "_ b";
    EXPECT_FALSE(covers(made("a* b b b b b b b b b b b b c"), made(text)));
    EXPECT_FALSE(meets(made("a* b b b b b b b b b b b b c"), made(text)));
    EXPECT_TRUE(covers(made("a*"), made(text)));
}

TEST(Glob, LongPatternsAreFollowedOverManyWords) {
    std::string pattern = "?";
    std::string text;
    for (int i = 0; i < 100; ++i) pattern += "xy*";
    for (int i = 0; i < 100; ++i) text += "xyz?";
    EXPECT_TRUE(covers(made(pattern), made(text)));
    EXPECT_TRUE(meets(made(pattern + "!"), made(text)));
    EXPECT_FALSE(covers(made(pattern + "!"), made(text)));
    EXPECT_FALSE(meets(made("?!" + pattern + "!."), made(text + "x")));
}

}  // namespace
}  // namespace husk::decide
