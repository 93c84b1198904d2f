#include "render/display_command.h"

#include <gtest/gtest.h>

namespace husk::render {
namespace {

std::string shown(std::string_view command, const Directories& directories) {
    return display_command(parse::parse(command), directories);
}

TEST(DisplayCommand, IsWithoutACdThatLeadsNowhere) {
    struct Case {
        const char* command;
        const char* working;
        const char* display;  // null: as it was
    };
    const Case cases[] = {
        {"cd /foo && cargo test", "/foo", "cargo test"},
        {"cd /foo && cargo test", "/bar", nullptr},
        {"cd /foo; npm build", "/foo", "npm build"},
        {"cd /a; cd /b && cargo test", "/b", "cd /a; cargo test"},
        {"cd /foo", "/foo", nullptr},
        {"cat f || echo \"not found\"", "/foo", nullptr},
        {"cd /app && cat file || echo \"not found\"", "/app", "cat file || echo \"not found\""},
        {"cd /foo || exit", "/foo", nullptr},
        {"cd /foo/ && x", "/foo", "x"},
        {"cd \"/foo\" && x", "/foo", "x"},
        {"cat file.txt | grep pattern", "/foo", nullptr},

        // Other ways to write the same directory.
        {"cd '/foo' && x", "/foo", "x"},
        {"cd /f\"o\"o && x", "/foo", "x"},
        {"cd -- /foo && x", "/foo", "x"},
        {"cd //foo//./ && x", "/foo", "x"},
        {"cd /foo/bar/.. && x", "/foo", "x"},
        {"cd /foo && x", "/foo/", "x"},
        {"cd / && x", "/", "x"},
        {"cd . && x", "/foo", "x"},
        {"cd ./ && x", "/foo", "x"},
        {"cd ../foo && x", "/foo", "x"},
        {"cd \"$PWD\" && x", "/foo", "x"},
        {"cd /foo && x", "/foo2", nullptr},
        {"cd /foo2 && x", "/foo", nullptr},
        {"cd /Foo && x", "/foo", nullptr},
        {"cd foo && x", "/foo", nullptr},
        {"cd '/a b' && x", "/a b", "x"},
        {"cd /a\\ b && x", "/a b", "x"},

        // Home.
        {"cd && x", "/home/me", "x"},
        {"cd -- && x", "/home/me", "x"},
        {"cd ~ && x", "/home/me", "x"},
        {"cd ~/ && x", "/home/me", "x"},
        {"cd ~/src && x", "/home/me/src", "x"},
        {"cd $HOME && x", "/home/me", "x"},
        {"cd \"$HOME/src\" && x", "/home/me/src", "x"},
        {"cd ${HOME}/src && x", "/home/me/src", "x"},
        {"cd ~ && x", "/foo", nullptr},
        {"cd '~' && x", "/home/me", nullptr},
        {"cd ~other && x", "/home/me", nullptr},
        {"cd ${HOME:-/foo} && x", "/home/me", nullptr},

        // Other ways to go on.
        {"cd /foo&&x", "/foo", "x"},
        {"cd /foo;x", "/foo", "x"},
        {"cd /foo\nx", "/foo", "x"},
        {"cd /foo && \\\n  x", "/foo", "x"},
        {"cd /foo \\\n  && x", "/foo", "x"},
        {"cd /foo &&\n\n  x\n", "/foo", "x\n"},
        {"  cd /foo && x", "/foo", "  x"},
        {"cd /foo && cd /foo && x", "/foo", "x"},
        {"cd /foo && cd /bar && x", "/foo", "cd /bar && x"},
        {"cd /foo && cd bar && x", "/foo", "cd bar && x"},
        {"cd /foo && (x; y) && z", "/foo", "(x; y) && z"},
        {"cd /foo && if x; then y; fi", "/foo", "if x; then y; fi"},
        {"cd /foo && x &", "/foo", "x &"},
        {"cd /foo && A=1 x > \"$f\" 2>&1 # why", "/foo", "A=1 x > \"$f\" 2>&1 # why"},
        {"cd /foo && cat <<'E'\ncd /foo && y\nE\n", "/foo", "cat <<'E'\ncd /foo && y\nE\n"},
        {"cd /foo && echo \xff\t\"a  b\"", "/foo", "echo \xff\t\"a  b\""},

        // What a reader must not miss.
        {"cd /foo & x", "/foo", nullptr},
        {"cd /foo | x", "/foo", nullptr},
        {"cd /foo >log && x", "/foo", nullptr},
        {"A=1 cd /foo && x", "/foo", nullptr},
        {"! cd /foo && x", "/foo", nullptr},
        {"(cd /foo && x)", "/foo", nullptr},
        {"{ cd /foo; x; }", "/foo", nullptr},
        {"if cd /foo; then x; fi", "/foo", nullptr},
        {"x; cd /foo && y", "/foo", nullptr},
        {"cd /foo;", "/foo", nullptr},
        {"cd /foo && # nothing more", "/foo", nullptr},
        {"cd /foo bar && x", "/foo", nullptr},
        {"cd -P /foo && x", "/foo", nullptr},
        {"cd - && x", "/foo", nullptr},
        {"cd '' && x", "/foo", nullptr},
        {"cd $X && x", "/foo", nullptr},
        {"cd /fo* && x", "/foo", nullptr},
        {"cd /{foo,foo} && x", "/foo", nullptr},
        {"cd $(echo /foo) && x", "/foo", nullptr},
        {"bash -c 'cd /foo && x'", "/foo", nullptr},
        {"cdr /foo && x", "/foo", nullptr},
        {"echo cd /foo && x", "/foo", nullptr},
        {"cd /foo && 'x", "/foo", nullptr},
        {"", "/foo", nullptr},
        {"  \n", "/foo", nullptr},
    };
    for (const auto& [command, working, display] : cases) {
        const Directories directories = {.working = working, .resolved = "", .home = "/home/me"};
        EXPECT_EQ(shown(command, directories), display != nullptr ? display : command)
            << command << " in " << working;
    }
}

// Whoever reads it must not take one directory for another.
TEST(DisplayCommand, NeverMisleadsAboutTheDirectory) {
    struct Case {
        const char* command;
        const char* working;
        const char* display;  // null: as it was
    };
    const Case cases[] = {
        // Relative directories may be found through CDPATH, so nobody knows where they lead.
        {"cd a && cd b && x", "/a/b", nullptr},
        {"cd a && cd b && x", "/a", nullptr},
        {"cd a && cd b && x", "/", nullptr},
        {"cd a && cd /a && x", "/a", nullptr},
        {"cd ./a && cd ./b && x", "/a/b", nullptr},
        {"cd ./a && cd .. && x", "/foo", nullptr},
        {"cd /foo && cd a && cd b && x", "/foo", "cd a && cd b && x"},
        {"cd /foo && cd ./a && cd ./b && x", "/foo", "cd ./a && cd ./b && x"},

        // The last `cd` decides where the command runs: behind another one it stays.
        {"cd /a && cd /b && x", "/b", nullptr},
        {"cd /a && cd /b; x", "/b", nullptr},
        {"cd /a; cd /b; x", "/b", nullptr},
        {"cd /a\ncd /b && x", "/b", nullptr},
        {"cd /a && cd /b && x", "/a", "cd /b && x"},
        {"cd .. && cd /foo && x", "/foo", nullptr},
        {"cd /foo/bar && cd .. && x", "/foo", nullptr},
        {"cd /foo && cd /bar && cd /foo && x", "/foo", "cd /bar && cd /foo && x"},
        {"cd /a; cd /b; cd /c && x", "/c", nullptr},
        {"cd /c; cd /a; cd /c && x", "/c", "cd /a; cd /c && x"},
        {"cd /a; cd /b && cd /c && x", "/b", "cd /a; cd /c && x"},

        // `cd -` and OLDPWD mean where the last `cd` came from.
        {"cd /foo && cd - && x", "/foo", nullptr},
        {"cd /foo && ls && cd - && x", "/foo", nullptr},
        {"cd /foo && x \"$OLDPWD\"", "/foo", nullptr},
        {"cd /foo && x ~-/file", "/foo", nullptr},
        {"cd /foo && x - && cd bar", "/foo", "x - && cd bar"},
    };
    for (const auto& [command, working, display] : cases) {
        const Directories directories = {.working = working, .resolved = "", .home = "/home/me"};
        EXPECT_EQ(shown(command, directories), display != nullptr ? display : command)
            << command << " in " << working;
    }
}

TEST(DisplayCommand, KnowsADirectoryByBothItsNames) {
    const Directories linked = {.working = "/home/me/now", .resolved = "/data/v2", .home = ""};
    EXPECT_EQ(shown("cd /home/me/now && x", linked), "x");
    EXPECT_EQ(shown("cd /data/v2 && x", linked), "x");
    EXPECT_EQ(shown("cd /data && x", linked), "cd /data && x");
    // `..` of the one name is not `..` of the other.
    EXPECT_EQ(shown("cd /data/v2 && cd .. && x", linked), "cd /data/v2 && cd .. && x");
    EXPECT_EQ(shown("cd /home/me/now && cd .. && x", linked), "cd .. && x");
}

TEST(DisplayCommand, CutsNothingWhereItIsNotKnown) {
    EXPECT_EQ(shown("cd / && x", {.working = "", .resolved = "", .home = ""}), "cd / && x");
    EXPECT_EQ(shown("cd ~ && x", {.working = "/", .resolved = "", .home = ""}), "cd ~ && x");
    EXPECT_EQ(shown("cd && x", {.working = "/", .resolved = "", .home = ""}), "cd && x");
    EXPECT_EQ(shown("cd $HOME && x", {.working = "/a b", .resolved = "", .home = "/a b"}),
              "cd $HOME && x");
    EXPECT_EQ(shown("cd \"$HOME\" && x", {.working = "/a b", .resolved = "", .home = "/a b"}), "x");
}

}  // namespace
}  // namespace husk::render
