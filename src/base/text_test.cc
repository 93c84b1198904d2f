#include "base/text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

namespace husk::text {
namespace {

using Lines = std::vector<std::string_view>;

TEST(Text, JoinsWithASeparatorBetween) {
    const std::vector<std::string> words = {"a", "", "c"};
    EXPECT_EQ(join(words, ", "), "a, , c");
    EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, SplitsIntoLines) {
    EXPECT_EQ(split_lines(""), Lines());
    EXPECT_EQ(split_lines("a"), Lines({"a"}));
    EXPECT_EQ(split_lines("a\n"), Lines({"a"}));
    EXPECT_EQ(split_lines("\n"), Lines({""}));
    EXPECT_EQ(split_lines("a\n\nb"), Lines({"a", "", "b"}));
    EXPECT_EQ(split_lines("a\r\nb\n"), Lines({"a\r", "b"}));
}

TEST(Quote, OnlyWhatNeedsIt) {
    struct Case {
        std::string_view word;
        std::string_view quoted;
    };
    const Case cases[] = {
        {"ls", "ls"},
        {"--color=always", "--color=always"},
        {"/usr/bin/env", "/usr/bin/env"},
        {"user@host:dir", "user@host:dir"},
        {"50%", "50%"},
        {"", "''"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"'", "''\\'''"},
        {"$HOME", "'$HOME'"},
        {"~", "'~'"},
        {"*.cc", "'*.cc'"},
        {"a;b", "'a;b'"},
        {"é", "'é'"},
        {"!", "'!'"},
        {"#no-comment", "'#no-comment'"},
        {"{a,b}", "'{a,b}'"},
        // These are literal only as arguments, and a word does not know where it will stand.
        {"NAME=value", "'NAME=value'"},
        {"NAME+=value", "'NAME+=value'"},
        {"if", "'if'"},
        {"while", "'while'"},
        {"case", "'case'"},
        {"1=2", "1=2"},
        {"=x", "=x"},
    };
    for (const auto& [word, quoted] : cases) EXPECT_EQ(quote(word), quoted);
}

// What bash makes of a script.
std::string bash_says(const std::string& script) {
    const std::string path = testing::TempDir() + "/husk_quote_test_" + std::to_string(getpid());
    std::ofstream(path) << script;
    FILE* pipe = popen(("bash " + quote(path)).c_str(), "r");
    std::string said;
    std::array<char, 4096> buffer{};
    while (const size_t got = fread(buffer.data(), 1, buffer.size(), pipe))
        said.append(buffer.data(), got);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(std::remove(path.c_str()), 0);
    return said;
}

TEST(Quote, BashReadsEveryWordBack) {
    std::vector<std::string> words = {"",    "'",     "''",  "\\",     "\\'",  "$(exit 3)", "`x`",
                                      "a\n", "\n",    "-n",  "!!",     "a b",  "\"q\"",     "\t",
                                      "é",   "\xff'", "~/x", "{1..3}", "[a]*", "X=1",       "if",
                                      "&&",  "|",     ">f",  "$'\\n'", "#",    "%s",        "*"};
    for (int byte = 1; byte < 256; ++byte) {
        words.emplace_back(1, static_cast<char>(byte));
        words.push_back(std::string("a") + static_cast<char>(byte) + "b");
    }
    std::string expected;
    for (const std::string& word : words) expected += word + '\0';
    EXPECT_EQ(bash_says("printf '%s\\0' " + quote_words(words)), expected);
}

TEST(Quote, BashRunsAWordThatLooksLikeSyntax) {
    for (const char* word : {"if", "coproc", "X=1", "function", "a+=2"}) {
        const std::string script = "command_not_found_handle() { printf %s \"$1\"; }\n";
        EXPECT_EQ(bash_says(script + quote(word)), word);
    }
}

TEST(Closest, FindsWhatWasProbablyMeant) {
    constexpr std::array<std::string_view, 7> known = {"command", "timeout_ms", "run", "output",
                                                       "kill",    "session",    "mode"};
    struct Case {
        std::string_view word;
        std::string_view meant;
    };
    const Case cases[] = {
        {"comand", "command"},
        {"Command", "command"},
        {"timeout", "timeout_ms"},
        {"timeoutMs", "timeout_ms"},
        {"rnu", "run"},
        {"otuput", "output"},
        {"seesion", "session"},
        {"kil", "kill"},
        {"run", "run"},
        {"x", ""},
        {"", ""},
        {"banana", ""},
        {"rm", ""},
    };
    for (const auto& [word, meant] : cases) EXPECT_EQ(closest(word, known), meant) << word;
    EXPECT_EQ(closest("run", {}), "");
    EXPECT_EQ(closest(std::string(8'000'000, 'x'), known), "");
}

TEST(Closest, PrefersTheNearerAndThenTheFirst) {
    constexpr std::array<std::string_view, 3> known = {"shared", "shells", "shelf"};
    EXPECT_EQ(closest("shell", known), "shells");
    EXPECT_EQ(closest("shelfs", known), "shells");
    EXPECT_EQ(closest("shelff", known), "shelf");
}

}  // namespace
}  // namespace husk::text
