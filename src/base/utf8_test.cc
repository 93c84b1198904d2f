#include "base/utf8.h"

#include <gtest/gtest.h>

#include <random>

using namespace std::literals;

namespace husk::text {
namespace {

TEST(Utf8, InvalidBytesBecomeOneReplacementForEachMaximalSubpart) {
    struct Case {
        std::string_view raw;
        std::string_view valid;
    };
    const Case cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"a\0b"sv, "a\0b"sv},
        {"é€😀", "é€😀"},
        {"\x7f", "\x7f"},
        // Alone and out of place.
        {"\x80", "�"},
        {"\xbf\xbf", "��"},
        {"\xff", "�"},
        {"a\xfe"
         "b",
         "a�b"},
        // Cut short, at the end and in the middle: one replacement for the whole beginning.
        {"\xc3", "�"},
        {"\xe2\x82", "�"},
        {"\xf0\x9f\x98", "�"},
        {"\xe2\x82z", "�z"},
        {"\xf0\x9f\x98\xc3\xa9", "�é"},
        {"\xe2\x82\xe2\x82\xac", "�€"},
        // Overlong forms, surrogates and what is beyond Unicode have no valid beginning.
        {"\xc0\xaf", "��"},
        {"\xc1\x81", "��"},
        {"\xe0\x80\xaf", "���"},
        {"\xf0\x80\x80\xaf", "����"},
        {"\xed\xa0\x80", "���"},
        {"\xf4\x90\x80\x80", "����"},
        {"\xf5\x80\x80\x80", "����"},
        {"\xf8\x88\x80\x80\x80", "�����"},
        // The limits that are valid.
        {"\xed\x9f\xbf", "\ud7ff"},
        {"\xee\x80\x80", "\ue000"},
        {"\xf4\x8f\xbf\xbf", "\U0010ffff"},
        {"\xc2\x80", "\xc2\x80"},
        {"\xf0\x90\x80\x80", "\U00010000"},
    };
    for (const auto& [raw, valid] : cases) {
        EXPECT_EQ(to_utf8(raw), valid);
        EXPECT_EQ(is_utf8(raw), raw == valid) << valid;
    }
}

TEST(Utf8, WhateverComesInValidTextComesOut) {
    std::mt19937 random(1);
    const std::string_view nasty =
        "\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9\xed\xa0\x80\xc0\xf4\x90z\n";
    for (int round = 0; round < 20'000; ++round) {
        std::string raw;
        for (size_t left = random() % 12; left > 0; --left) raw += nasty[random() % nasty.size()];
        const std::string valid = to_utf8(raw);
        ASSERT_TRUE(is_utf8(valid)) << testing::PrintToString(raw);
        ASSERT_EQ(to_utf8(valid), valid);
    }
}

TEST(Utf8, EncodesWhatItDecodes) {
    for (char32_t code = 0; code <= 0x10FFFF; ++code) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        std::string bytes;
        append_utf8(bytes, code);
        const Rune rune = first_rune(bytes);
        ASSERT_EQ(rune.code, code);
        ASSERT_EQ(rune.bytes, bytes.size());
        ASSERT_TRUE(rune.form == Rune::Form::Whole);
    }
}

TEST(Utf8, CutsBetweenCharacters) {
    struct Case {
        std::string_view text;
        size_t max;
        std::string_view prefix;
        std::string_view suffix;
    };
    const Case cases[] = {
        {"", 0, "", ""},
        {"", 9, "", ""},
        {"abc", 0, "", ""},
        {"abc", 2, "ab", "bc"},
        {"abc", 3, "abc", "abc"},
        {"abc", 4, "abc", "abc"},
        {"aé", 2, "a", "é"},
        {"aéb", 2, "a", "b"},
        {"éé", 3, "é", "é"},
        {"😀😀", 7, "😀", "😀"},
        {"😀😀", 4, "😀", "😀"},
        {"😀😀", 3, "", ""},
        {"😀", 1, "", ""},
        // Invalid bytes are characters of their own: nothing is dropped for them.
        {"\x80\x80\x80\x80\x80\x80", 3, "\x80\x80\x80", "\x80\x80\x80"},
        {"a\xf0\x9f\x98", 3, "a\xf0\x9f", "\xf0\x9f\x98"},
        {"\xe2\x82\xe2\x82\xac", 4, "\xe2\x82", "\x82\xe2\x82\xac"},
        {"é\xa9\xa9", 3, "é\xa9", "\xa9\xa9"},
    };
    for (const auto& [text, max, prefix, suffix] : cases) {
        EXPECT_EQ(whole_prefix(text, max), prefix) << text << " " << max;
        EXPECT_EQ(whole_suffix(text, max), suffix) << text << " " << max;
    }
}

TEST(Utf8, ACutCostsAtMostThreeBytesAndKeepsValidTextValid) {
    const std::string text = to_utf8("né \xff €uro 😀😁 z\0"sv);
    for (size_t max = 0; max <= text.size() + 1; ++max) {
        for (const std::string_view cut : {whole_prefix(text, max), whole_suffix(text, max)}) {
            EXPECT_TRUE(is_utf8(cut));
            EXPECT_LE(cut.size(), max);
            EXPECT_GE(cut.size() + 3, std::min(max, text.size()));
        }
    }
}

TEST(Utf8, RemovesTheCharacterThatACutWentThrough) {
    EXPECT_EQ(without_torn_end("a\xf0\x9f\x98"), "a");
    EXPECT_EQ(without_torn_end("a\xe2"), "a");
    EXPECT_EQ(without_torn_end("€"), "€");
    EXPECT_EQ(without_torn_end("a\xff"), "a\xff");
    EXPECT_EQ(without_torn_end("a\x80\x80"), "a\x80\x80");
    EXPECT_EQ(without_torn_end(""), "");
    EXPECT_EQ(without_torn_start("\x9f\x98\x80z"), "z");
    EXPECT_EQ(without_torn_start("\x80"), "");
    EXPECT_EQ(without_torn_start("€"), "€");
    EXPECT_EQ(without_torn_start("\x80\x80\x80\x80"), "\x80");
    EXPECT_EQ(without_torn_start(""), "");
}

}  // namespace
}  // namespace husk::text
