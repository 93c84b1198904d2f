#include <gmock/gmock.h>

#include "base/utf8.h"
#include "contract/contract_cases.h"

namespace husk::contract::anthropic_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using enum Told::Came;

const Contract& anthropic = anthropic_contract;

struct Talked {
    Told::Came came = Returned;
    Ending ending = Exited{0};
    std::string out = {};
};

Answer answer(const Talked& talked) {
    const Talk talk = action_of<Talk>(anthropic, "bash", R"({"command": "x"})");
    Told told;
    told.came = talked.came;
    told.report.ending = talked.ending;
    told.report.excerpt.log = "/state/7.log";
    told.out = portion_of(talked.out, talk.portion);
    return anthropic.render(talk, told);
}

TEST(Anthropic, Schema_ACommandOrARestart) {
    struct {
        const char* input;
        const char* text;
    } const wrong[] = {
        {R"({})", "no command provided."},
        {R"({"command": ""})", "no command provided."},
        {R"({"command": null})", "no command provided."},
        {R"({"restart": false})", "no command provided."},
        {R"({"command": "a\u0000b"})", "Invalid input: `command` contains a NUL byte"},
    };
    for (const auto& one : wrong) EXPECT_EQ(error_text(anthropic, "bash", one.input), one.text);
    for (const char* input : {R"([])", R"({"command": 5})", R"({"restart": "yes"})"})
        EXPECT_THAT(error_text(anthropic, "bash", input), StartsWith("Invalid input: ")) << input;
    const Talk talk = action_of<Talk>(anthropic, "bash", R"({"command": "x", "odd": 1})");
    EXPECT_EQ(talk.command, "x");
    EXPECT_FALSE(talk.restart);
    EXPECT_EQ(talk.timeout, milliseconds(120'000));
    EXPECT_TRUE(action_of<Talk>(anthropic, "bash", R"({"restart": true})").restart);
    Situation hurried = in_work();
    hurried.answer_within = milliseconds(50'000);
    EXPECT_EQ(action_of<Talk>(anthropic, "bash", R"({"command": "x"})", hurried).timeout,
              milliseconds(50'000));
}

TEST(Anthropic, Result_IsTheOutput) {
    struct {
        Talked talked;
        std::string text;
    } const good[] = {
        {{.out = "hi\n"}, "hi\n"},
        {{}, ""},
        {{.out = "[exit code 3]"}, "[exit code 3]"},
        {{.came = Restarted, .ending = Running{}}, "Bash session restarted"},
    };
    for (const auto& one : good) {
        EXPECT_EQ(answer(one.talked).text, one.text);
        EXPECT_FALSE(answer(one.talked).is_error);
    }
    struct {
        Talked talked;
        std::string text;
    } const bad[] = {
        {{.ending = Exited{3}, .out = "a"}, "a\n[exit code 3]"},
        {{.ending = Exited{1}}, "[exit code 1]"},
        {{.came = BashEnded, .ending = Exited{9}, .out = "bye\n"},
         "bye\n[bash exited with code 9; call this tool with restart: true for a new bash]"},
        {{.came = BashHadEnded, .ending = Signaled{9}},
         "[bash was killed by signal 9 before, so this was not run; call this tool with restart: "
         "true for a new bash]"},
        {{.ending = NotStarted{{"fork", 11, ""}}}, "Error: fork: Resource temporarily unavailable"},
        {{.ending = Denied{"r", "not this"}}, "Error: not this"},
    };
    for (const auto& one : bad) {
        EXPECT_EQ(answer(one.talked).text, one.text);
        EXPECT_TRUE(answer(one.talked).is_error);
    }
    EXPECT_THAT(answer({.came = TimedOut, .ending = Running{}, .out = "a\n"}).text,
                AllOf(StartsWith("a\n[timed out: "), HasSubstr("restart")));
    EXPECT_THAT(answer({.came = StillBusy, .ending = Running{}}).text, HasSubstr("was not run"));
    EXPECT_TRUE(anthropic.render(Talk{}, Failed{{"x", 0, "y"}}).is_error);
}

TEST(Anthropic, Result_ShowsBothEndsOfWhatIsTooLong) {
    const std::string most(30'000, 'a');
    EXPECT_EQ(answer({.out = most}).text, most);
    EXPECT_EQ(answer({.out = most.substr(1)}).text, most.substr(1));
    const std::string one_more = answer({.out = most + "b"}).text;
    EXPECT_THAT(one_more, AllOf(StartsWith("a"), EndsWith("b"),
                                HasSubstr("[... 1 bytes left out; all of it is in ")));
    const std::string said = answer({.out = "first" + most + "last"}).text;
    EXPECT_THAT(said, AllOf(StartsWith("firsta"), EndsWith("alast"),
                            HasSubstr("[... 9 bytes left out; all of it is in /state/7.log]")));
}

// Whatever stands where it is cut: no character is shown in part.
TEST(Anthropic, Result_IsCutBetweenCharacters) {
    for (const char* character : {"\u00e4", "\u20ac", "\U0001f600"})
        for (size_t shift = 0; shift < 4; ++shift) {
            std::string output(shift, 'x');
            while (output.size() <= 40'000) output += character;
            const std::string said = answer({.out = output}).text;
            EXPECT_TRUE(text::is_utf8(said)) << character << " after " << shift;
            EXPECT_THAT(said, EndsWith(character));
            EXPECT_LT(said.size(), 30'200U);
            EXPECT_GT(said.size(), 29'900U);
        }
}

}  // namespace
}  // namespace husk::contract::anthropic_test
