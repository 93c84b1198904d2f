// What a command has written, at the terminal of a person.
#include <gmock/gmock.h>

#include "at_a_terminal.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

class TerminalOutput : public testing::TestWithParam<Who> {
protected:
    Husk husk_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, TerminalOutput, both(), who_name);

constexpr const char* hostile =
    R"(printf '\033]52;c;aGVsbG8=\007\033[6n\033[c\033[31mred\033[0m\033]0;title\033\\ plain\n')";

TEST_P(TerminalOutput, ATerminalGetsTextAndColoursOnly) {
    AtATerminal run(husk_, {"run", "--mode", "open", "--", hostile});
    EXPECT_TRUE(run.shows("plain"));
    EXPECT_EQ(run.end(), 0);
    EXPECT_THAT(run.shown(), HasSubstr("\x1b[31mred\x1b[0m plain"));
    for (const char* sequence : {"\x1b]", "\x1b[6n", "\x1b[c", "title", "aGVsbG8"})
        EXPECT_FALSE(run.shown().contains(sequence)) << sequence;

    const std::string id = husk_.background(hostile);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"wait", id}, {"output", id}, {"output", "--tail", "1", id}}) {
        AtATerminal output(husk_, words);
        EXPECT_TRUE(output.shows("plain")) << words[0];
        EXPECT_EQ(output.end(), 0);
        for (const char* sequence : {"\x1b]", "\x1b[6n", "\x1b[c", "title", "aGVsbG8"})
            EXPECT_FALSE(output.shown().contains(sequence)) << words[0] << sequence;
    }
}

TEST_P(TerminalOutput, ATerminalGetsEverythingIfAsked) {
    AtATerminal run(husk_, {"run", "--raw", "--mode", "open", "--", hostile});
    EXPECT_TRUE(run.shows("plain"));
    EXPECT_THAT(run.shown(), HasSubstr("\x1b]52;c;aGVsbG8="));
    EXPECT_EQ(run.end(), 0);
}

TEST_P(TerminalOutput, APipeGetsEverything) {
    EXPECT_THAT(husk_({"run", "--mode", "open", "--", hostile}).out,
                HasSubstr("\x1b]52;c;aGVsbG8=\a\x1b[6n\x1b[c"));
    const std::string id = husk_.background(hostile);
    EXPECT_EQ(husk_({"wait", id}).code, 0);
    EXPECT_THAT(husk_({"output", id}).out, HasSubstr("\x1b]52;c;aGVsbG8=\a\x1b[6n\x1b[c"));
}

TEST_P(TerminalOutput, NamesOfACommandsChoiceAreHarmless) {
    const std::string id = husk_.background(": $'\\e]52;c;aGVsbG8=\\a'; printf '\\033[6n'");
    EXPECT_EQ(husk_({"wait", id}).code, 0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"shells", "--all"},
          {"log"},
          {"check", "echo \x1b[6n\x1b]0;x\a"},
          {"run", "--cwd", "/nonexistent\x1b[6n\x1b]0;x\a", "--", "true"}}) {
        AtATerminal shown(husk_, words);
        shown.end();
        EXPECT_FALSE(shown.shown().contains("\x1b]")) << words[0];
        EXPECT_FALSE(shown.shown().contains("\x1b[6n")) << words[0];
    }
}

}  // namespace
}  // namespace husk::test
