#include "serve/http_board.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tool/approval.h"
#include "tool/live_configuration.h"

namespace husk::serve::http {
namespace {

using namespace std::chrono_literals;

class BoardTest : public testing::Test {
protected:
    BoardTest() {
        char name[] = "/tmp/husk-board-XXXXXX";
        dir = ::mkdtemp(name);
        ::setenv("XDG_CONFIG_HOME", dir.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
        config::Settings flags;
        const auto flag = config::from_flag("a flag");
        flags.mode = {Mode::Open, flag};
        flags.state = {dir / "state", flag};
        flags.working_directory = {dir, flag};
        auto deployed = tool::deploy_live({.flags = flags});
        toolbox.emplace(std::move(deployed->deployment));
    }
    ~BoardTest() override {
        toolbox.reset();
        std::filesystem::remove_all(dir);
    }
    Board board(std::chrono::milliseconds timeout = 1h) {
        return Board(loop, events, *toolbox, workers, {.timeout = timeout});
    }
    Board::Reply answer() {
        return [this](const Answer& answer) {
            said = answer;
            loop.stop();
        };
    }
    // What is asked in the directory /w.
    Board::Asking about(const std::string& command, const std::string& only_once = "") const {
        tool::Judged judged;
        judged.script = parse::parse(command);
        judged.verdict.only_once = only_once;
        judged.working_dir = "/w";
        return {"c-1", "v1", tool::question_about(judged, users_file())};
    }
    std::filesystem::path users_file() const { return dir / "husk" / "husk.yaml"; }
    std::string file() const {
        std::ifstream in(users_file());
        return (std::ostringstream() << in.rdbuf()).str();
    }

    std::filesystem::path dir;
    Loop loop;
    Events events{loop};
    std::optional<tool::Toolbox> toolbox;
    tool::Workers workers{1};
    std::optional<Answer> said;
};

TEST_F(BoardTest, AlwaysWritesWhatItShows) {
    Board all = board();
    const std::string id = all.ask(about("npm test"), answer());
    const Json shown = (*all.find(id))["always"];
    EXPECT_EQ(shown["text"], "permissions:\n  approved:\n    /w: [\"npm test\"]\n");
    EXPECT_EQ(shown["why_not"], nullptr);
    std::optional<Board::Outcome> outcome;
    all.answer(id, Board::Decision::AllowAlways, "", [&](Board::Outcome one) { outcome = one; });
    loop.run();
    ASSERT_TRUE(said);
    EXPECT_EQ(said->kind, Answer::AllowAlways);
    EXPECT_EQ(outcome, Board::Outcome::Answered);
    EXPECT_EQ(file(), shown["text"].get<std::string>());
    EXPECT_EQ(toolbox->deployment()->rules.approved.size(), 1U);
    EXPECT_EQ((*all.find(id))["decision"], "allow_always");
}

TEST_F(BoardTest, AlwaysIsRefusedWhereItCouldNotStand) {
    Board all = board();
    const std::string id = all.ask(about("npm $x", "it is not known"), answer());
    EXPECT_EQ((*all.find(id))["always"]["text"], "");
    EXPECT_EQ((*all.find(id))["always"]["why_not"], "it is not known");
    std::optional<Board::Outcome> outcome;
    all.answer(id, Board::Decision::AllowAlways, "", [&](Board::Outcome one) { outcome = one; });
    EXPECT_EQ(outcome, Board::Outcome::OnlyOnce);
    EXPECT_EQ(all.pending(), 1U);
    EXPECT_EQ(file(), "");
}

TEST_F(BoardTest, SilenceIsANoThatSaysSo) {
    Board all = board(10ms);
    const std::string id = all.ask(about("x"), answer());
    loop.run();
    ASSERT_TRUE(said);
    EXPECT_EQ(said->kind, Answer::Unanswered);
    EXPECT_EQ(said->reason, "nobody answered within 10 ms, which is a no");
    EXPECT_EQ((*all.find(id))["state"], "timed_out");
    EXPECT_EQ(all.pending(), 0U);
}

}  // namespace
}  // namespace husk::serve::http
