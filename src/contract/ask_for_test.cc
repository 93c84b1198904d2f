#include "contract/ask_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace husk::contract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Situation closed(Mode mode = Mode::Workspace) {
    return {.working_dir = "/work", .mode = mode, .writable = {"/given"}};
}

auto decoded(const Json& asked, const Situation& situation = closed()) {
    return decode_ask_for(Json{{"ask_for", asked}}, situation);
}

std::string wrong(const Json& asked, const Situation& situation = closed()) {
    const auto result = decoded(asked, situation);
    return result ? "" : result.error();
}

TEST(AskFor, TakesOnlyWhatIsNotAllowedAlready) {
    EXPECT_FALSE(decode_ask_for(Json::object(), closed())->has_value());
    EXPECT_FALSE(decoded({{"write", {"/given", "/given/../given"}}})->has_value());
    EXPECT_FALSE(decoded({{"mode", "workspace"}})->has_value());
    EXPECT_FALSE(decoded({{"mode", "open"}}, closed(Mode::Open))->has_value());
    Situation listed = closed();
    listed.network = {Network::Kind::Hosts, {"*.a.org"}};
    const auto asked = decoded({{"network", "x.a.org,b.org"}, {"write", {"/x/../y"}}}, listed);
    ASSERT_TRUE(asked && *asked);
    EXPECT_THAT((*asked)->network->hosts, ElementsAre("b.org"));
    EXPECT_THAT((*asked)->write, ElementsAre("/y"));
    ToolContext walls;
    walls.mode = Mode::Workspace;
    walls.network = listed.network;
    widen(**asked, walls);
    EXPECT_THAT(walls.network.hosts, ElementsAre("*.a.org", "b.org"));
    EXPECT_THAT(walls.writable, ElementsAre("/y"));
    EXPECT_EQ(walls.mode, Mode::Workspace);
}

TEST(AskFor, RefusesWhatNobodyCouldJudge) {
    EXPECT_THAT(wrong({{"write", {"relative"}}}), HasSubstr("absolute"));
    EXPECT_THAT(wrong({{"write", {"/a\n  write: /b"}}}), HasSubstr("absolute"));
    EXPECT_THAT(wrong({{"sockets", {"/a\u202e"}}}), HasSubstr("absolute"));
    EXPECT_THAT(wrong({{"write", std::vector<std::string>(17, "/x")}}), HasSubstr("more than 16"));
    EXPECT_THAT(wrong({{"network", "a.org\n"}}), HasSubstr("not a host"));
    EXPECT_THAT(wrong({{"network", "none"}}), HasSubstr("open"));
    EXPECT_THAT(wrong({{"network", "a.org"}}, closed(Mode::ReadOnly)), HasSubstr("mode"));
    EXPECT_FALSE(decode_ask_for(Json{{"ask_for", {{"mode", "open"}}}, {"session", "s"}}, closed()));
    EXPECT_FALSE(decode_ask_for(Json{{"ask_for", {{"mode", "open"}}}, {"mode", "open"}}, closed()));
    Situation container = closed();
    container.place = Situation::Place::Container;
    EXPECT_THAT(wrong({{"mode", "open"}}, container), HasSubstr("container"));
}

TEST(AskFor, ShowsEachOpeningOnALineAndTheReasonAsTheModels) {
    const auto asked = decoded({{"network", "a.org,b.org"},
                                {"write", {"/x"}},
                                {"sockets", {"/run/s"}},
                                {"reason", "a\"\n  write: /b\x1b[2J" + std::string(1000, 'x')}});
    ASSERT_TRUE(asked && *asked);
    const std::string text = question_text(**asked);
    EXPECT_THAT(text, HasSubstr("\n  network: reach a.org\n  network: reach b.org\n  write: /x\n"
                                "  socket: connect to /run/s\nThe model's words: \"a"));
    EXPECT_THAT(text, Not(HasSubstr("\n  write: /b")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_LT(text.size(), 800U);
    EXPECT_EQ(settings_text(**asked),
              "network:\n  - \"a.org\"\n  - \"b.org\"\nwrite:\n  - \"/x\"\nsockets:\n"
              "  - \"/run/s\"\n");
    EXPECT_EQ(settings_text(**decoded({{"mode", "open"}})), "");
    EXPECT_EQ(settings_text(**decoded({{"network", "open"}})), "network: open\n");
}

}  // namespace
}  // namespace husk::contract
