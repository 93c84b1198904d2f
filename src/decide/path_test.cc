#include "decide/path.h"

#include <gtest/gtest.h>

namespace husk::decide {
namespace {

const Context context = {.working_directory = "/work/app", .home = "/home/user"};

// As a person would write it: * is what is not known.
std::string shown(const Letters& letters) {
    std::string out;
    for (const char16_t letter : letters)
        out += letter >= any_text ? '*' : static_cast<char>(letter);
    return out;
}

parse::Word word(const std::string& text) {
    return parse::parse("x " + text).commands.front().words.at(1);
}

TEST(Path, IsMadeAbsolute) {
    struct Case {
        std::string text;
        std::string path;
    };
    const Case cases[] = {
        {"/", ""},
        {"//a//b/", "/a/b"},
        {"/a/./b/../c", "/a/c"},
        {"/../..", ""},
        {"a", "/work/app/a"},
        {".", "/work/app"},
        {"./a/", "/work/app/a"},
        {"..", "/work"},
        {"../../..", ""},
        {"../b", "/work/b"},
        {"~", "/home/user"},
        {"~/a", "/home/user/a"},
        {"~/..", "/home"},
        {"~/../..", ""},
        {"'~'/a", "/work/app/~/a"},
        {"$HOME/a", "/home/user/a"},
        {"\"${HOME}\"/a", "/home/user/a"},
        {"$PWD/a", "/work/app/a"},
        {"\"$(pwd)/a\"", "/work/app/a"},
        {"~+/a", "/work/app/a"},
        {"~root/a", "*/a"},
        {"$x", "*/*"},
        {"$x/a", "*/*/a"},
        {"/$x/a", "/*/a"},
        {"a$x", "/work/app/a*"},
        {"*.c", "/work/app/*.c"},
        {"'*.c'", "/work/app/*.c"},
        {"\"\"/", ""},
    };
    for (const auto& [text, path] : cases)
        EXPECT_EQ(shown(absolute(path_of(word(text), context), context)), path) << text;
}

TEST(Path, IsKnownOrNot) {
    EXPECT_EQ(known_absolute(path_of(word("../x"), context), context), "/work/x");
    EXPECT_EQ(known_absolute(path_of(word("/tmp/.."), context), context), "/");
    EXPECT_EQ(known_absolute(path_of(word("$x/y"), context), context), "");
    EXPECT_EQ(known_absolute(path_of(word("*.c"), context), context), "");
    EXPECT_EQ(known_absolute(path_of(word("a"), {}), {}), "");
    EXPECT_EQ(known_absolute(path_of(word("~/a"), {}), {}), "~/a");
}

TEST(Path, GlobsThatLeaveNothingOut) {
    for (const char* text : {"*", ".*", "**", "?*", "??*", ".[!.]*", ".??*", "[^x]*"})
        EXPECT_EQ(path_of(word(text), context).segments.back().kind, Segment::Kind::Everything)
            << text;
    for (const char* text : {"*.c", "a*", "[ab]*", ".a*", "?", "[!a]", "*[0-9]"})
        EXPECT_EQ(path_of(word(text), context).segments.back().kind, Segment::Kind::Some) << text;
    EXPECT_EQ(path_of(word("'*'"), context).segments.back().kind, Segment::Kind::Name);
    EXPECT_EQ(path_of(word("a$x"), context).segments.back().kind, Segment::Kind::Unknown);
}

TEST(Path, PatternsForFiles) {
    struct Case {
        std::string_view glob;
        std::string path;
        bool matches;
    };
    const Case cases[] = {
        {"/etc/*", "/etc/a", true},
        {"/etc/*", "/etc/a/b", false},
        {"/etc/*", "/etc", false},
        {"/etc/**", "/etc/a/b", true},
        {"/etc/**", "/etc", true},
        {"/etc/**", "/etcx", false},
        {"~/.ssh/**", "~/.ssh/config", true},
        {"~/.ssh/**", "/home/user/.ssh/config", true},
        {"$HOME/.ssh/**", "~/.ssh/config", true},
        {"${HOME}/.ssh/*", "~/.ssh/config", true},
        {"~", "/home/user", true},
        {"src/**/*.h", "src/a.h", true},
        {"src/**/*.h", "src/a/b/c.h", true},
        {"src/**/*.h", "src/a/b/c.c", false},
        {"src/**/*.h", "lib/a.h", false},
        {"./src/*", "/work/app/src/a", true},
        {"**/.env", "a/b/.env", true},
        {"**/.env", "/.env", true},
        {"**/.env", "a/x.env", false},
        {"a?c", "abc", true},
        {"a?c", "a/c", false},
        {"/a/**/b/**/c", "/a/b/c", true},
        {"/a/**/b/**/c", "/a/x/b/y/z/c", true},
    };
    for (const auto& [glob, path, matches] : cases) {
        bool found = false;
        for (const Letters& pattern : path_patterns(glob, context))
            found = found || covers(pattern, absolute(path_of(word(path), context), context));
        EXPECT_EQ(found, matches) << glob << " and " << path;
    }
}

TEST(Path, ManyStarsMakeFewPatterns) {
    std::string glob;
    for (int i = 0; i < 100; ++i) glob += "/**/a";
    EXPECT_LE(path_patterns(glob, context).size(), 64U);
}

}  // namespace
}  // namespace husk::decide
