// One call waits for what a command does, and always also for its end.
#include <gmock/gmock.h>

#include <csignal>
#include <list>

#include "harness.h"

namespace husk::test {
namespace {

using std::chrono::steady_clock;

// Far more than waking takes, on any machine that can run the tests at all.
const auto soon = patient(3s);

std::string until_exists(const std::filesystem::path& file) {
    return "until test -e " + file.string() + "; do sleep 0.02; done; ";
}

std::vector<std::string> wait_for(const std::string& id, std::vector<std::string> conditions,
                                  std::vector<std::string> options = {"--json"}) {
    std::vector<std::string> words = {"wait", id};
    for (const std::string& condition : conditions)
        words.insert(words.end(), {"--until", condition});
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

// A waiting husk that must not end before `event`, and has to soon after.
nlohmann::json woken_by(const Husk& husk, const std::vector<std::string>& words,
                        const std::function<void()>& event) {
    Live waiter(husk, words);
    EXPECT_EQ(waiter.line(200ms), std::nullopt) << "it did not wait";
    const auto start = steady_clock::now();
    event();
    const std::string line = waiter.line(20s).value_or("null");
    EXPECT_LT(steady_clock::now() - start, soon);
    EXPECT_TRUE(waiter.code().has_value());
    return nlohmann::json::parse(line, nullptr, false);
}

TEST(Waiting, ForTheEndPassesTheExitCodeOn) {
    struct Case {
        const char* command;
        int code;
        const char* output;
    };
    const Case cases[] = {
        {"echo done; exit 0", 0, "done\n"},
        {"sleep 0.3; echo slow; exit 7", 7, "slow\n"},
        {"kill -9 $$", 137, ""},
        {"kill -TERM $$", 143, ""},
    };
    const Husk husk;
    for (const auto& [command, code, output] : cases) {
        const std::string id = husk.background(command);
        const Ran waited = husk({"wait", id});
        EXPECT_EQ(waited.code, code) << command;
        EXPECT_EQ(waited.out, output) << command;
        // Who waits again has been told already.
        const Ran again = husk({"wait", id});
        EXPECT_EQ(again.code, code) << command;
        EXPECT_EQ(again.out, "") << command;
    }
}

TEST(Waiting, ForTheEndWakesWithIt) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id = husk.background(until_exists(go) + "echo over; exit 5");
    const auto answer = woken_by(husk, wait_for(id, {"exit"}), [&] { write_text(go, ""); });
    EXPECT_EQ(answer["met"], "exit");
    EXPECT_EQ(answer["exit_code"], 5);
    EXPECT_EQ(answer["output"], "over\n");
}

TEST(Waiting, ForTheTreeIsMoreThanForTheCommand) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id =
        husk.background("(" + until_exists(go) + "echo late) & echo early; exit 4");
    const Ran ended = husk(wait_for(id, {"exit"}));
    EXPECT_EQ(ended.code, 4);
    EXPECT_EQ(ended.json()["met"], "exit");
    EXPECT_EQ(ended.json()["output"], "early\n");
    const auto gone = woken_by(husk, wait_for(id, {"gone"}), [&] { write_text(go, ""); });
    EXPECT_EQ(gone["met"], "gone");
    EXPECT_EQ(gone["output"], "late\n");
    EXPECT_EQ(gone["leftovers"], nlohmann::json::array());
}

TEST(Waiting, ForALineWakesWithIt) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id =
        husk.background("echo starting; " + until_exists(go) + "echo listening on 3000; sleep 60");
    const auto answer =
        woken_by(husk, wait_for(id, {"match=listening on \\d+"}), [&] { write_text(go, ""); });
    EXPECT_EQ(answer["met"], "match");
    EXPECT_EQ(answer["line"], "listening on 3000");
    EXPECT_EQ(answer["status"], "running");
    EXPECT_EQ(answer["output"], "starting\nlistening on 3000\n");
}

TEST(Waiting, ForALineThatIsThereDoesNotWait) {
    const Husk husk;
    const std::string id = husk.background("echo ready; sleep 60");
    ASSERT_TRUE(eventually([&] { return husk({"output", id}).out == "ready\n"; }));
    const Ran waited = husk(wait_for(id, {"match=ready"}, {"--timeout", "20s"}));
    EXPECT_EQ(waited.code, 0);
    EXPECT_EQ(waited.out, "ready\n");
    EXPECT_LT(waited.took, soon);
}

TEST(Waiting, ALineCountsWhenItIsComplete) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id =
        husk.background("printf 'rea'; " + until_exists(go) + "echo 'dy steady'; sleep 60");
    ASSERT_TRUE(eventually([&] { return husk({"output", id}).out == "rea"; }));
    EXPECT_EQ(husk(wait_for(id, {"match=rea"}, {"--timeout", "200ms"})).code, 124);
    write_text(go, "");
    const auto answer =
        husk(wait_for(id, {"match=^ready steady$"}, {"--json", "--timeout", "5s"})).json();
    EXPECT_EQ(answer["met"], "match") << "the half that was told before belongs to the line";
    EXPECT_EQ(answer["line"], "ready steady");
    EXPECT_EQ(answer["output"], "dy steady\n") << "and is not told twice";
}

TEST(Waiting, TheLastLineIsCompleteAtTheEnd) {
    const Husk husk;
    const std::string id = husk.background("sleep 0.3; printf 'no newline'");
    EXPECT_EQ(husk(wait_for(id, {"match=^no newline$"})).json()["met"], "match");
}

TEST(Waiting, ExcludedLinesDoNotCount) {
    const Husk husk;
    const std::string id = husk.background("echo error: 0 found; echo error: disk; sleep 60");
    const Ran waited =
        husk(wait_for(id, {"match=error"}, {"--json", "--exclude", "0 found", "--timeout", "20s"}));
    EXPECT_EQ(waited.json()["line"], "error: disk");
}

TEST(Waiting, ForALineLooksAtBothStreams) {
    const Husk husk;
    for (const std::string to : {"", ">&2"}) {
        const std::string id =
            husk.background("sleep 0.2; echo up " + to + "; sleep 60", {"--streams", "split"});
        const auto answer =
            husk(wait_for(id, {"match=^up"}, {"--json", "--timeout", "20s"})).json();
        EXPECT_EQ(answer["met"], "match") << to;
        EXPECT_EQ(answer[to.empty() ? "stdout" : "stderr"], "up\n") << to;
    }
}

TEST(Waiting, ForSilenceEndsWhenNothingHasComeForAsLong) {
    const Husk husk;
    const auto start = steady_clock::now();
    const std::string id =
        husk.background("for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; sleep 60");
    const auto answer = husk(wait_for(id, {"quiet=1500ms"}, {"--json", "--timeout", "20s"})).json();
    EXPECT_EQ(answer["met"], "quiet");
    EXPECT_EQ(answer["output"], "1\n2\n3\n4\n5\n");
    EXPECT_GE(steady_clock::now() - start, 4 * 200ms + 1500ms);
}

class WaitingAs : public testing::TestWithParam<Who> {};
INSTANTIATE_TEST_SUITE_P(, WaitingAs, both(), who_name);

TEST_P(WaitingAs, ForAPortWakesWhenItIsOpen) {
    const Husk husk(GetParam());
    const auto go = husk.dir() / "go";
    const std::string id = husk.background(program("out_listen") + " " + go.string());
    std::string port;
    ASSERT_TRUE(eventually([&] { return !(port = husk({"output", id}).out).empty(); }));
    port.pop_back();
    const auto answer = woken_by(husk, wait_for(id, {"port=" + port}), [&] { write_text(go, ""); });
    EXPECT_EQ(answer["met"], "port");
    EXPECT_EQ(answer["status"], "running");
}

TEST_P(WaitingAs, ForAFileWakesWhenItIsThere) {
    const Husk husk(GetParam());
    const auto go = husk.dir() / "go";
    const auto made = husk.dir() / "made";
    const std::string id =
        husk.background(until_exists(go) + "touch " + made.string() + "; sleep 60");
    const auto answer =
        woken_by(husk, wait_for(id, {"file=" + made.string()}), [&] { write_text(go, ""); });
    EXPECT_EQ(answer["met"], "file");
}

TEST(Waiting, ForWhateverComesFirst) {
    const Husk husk;
    const std::vector<std::string> conditions = {"match=^nothing like it$", "file=/no/such/file",
                                                 "port=1", "quiet=50s"};
    const std::string runs = husk.background("sleep 60");
    std::vector<std::string> either = conditions;
    either.emplace_back("quiet=300ms");
    EXPECT_EQ(husk(wait_for(runs, either, {"--json", "--timeout", "20s"})).json()["met"], "quiet");
    const std::string ends = husk.background("sleep 0.3; exit 9");
    const Ran ended = husk(wait_for(ends, conditions, {"--json", "--timeout", "20s"}));
    EXPECT_EQ(ended.json()["met"], "exit");
    EXPECT_EQ(ended.code, 9);
}

TEST(Waiting, GivesUpWithExitCode124) {
    const Husk husk;
    const std::string id = husk.background("echo so far; sleep 60");
    ASSERT_TRUE(eventually([&] { return !husk({"output", id}).out.empty(); }));
    const Ran waited = husk({"wait", id, "--timeout", "300ms"});
    EXPECT_EQ(waited.code, 124);
    EXPECT_EQ(waited.out, "so far\n");
    EXPECT_EQ(waited.err, "husk: it still runs\n");
    EXPECT_GE(waited.took, 300ms);
    EXPECT_LT(waited.took, soon);
    const Ran again = husk({"wait", id, "--timeout", "10ms", "--json"});
    EXPECT_EQ(again.json()["met"], "timeout");
    EXPECT_EQ(again.json()["output"], "") << "only what is new";
    EXPECT_EQ(husk.shell(id)["status"], "running") << "waiting harms nobody";
}

TEST(Waiting, ManyWaitForOneAndAllWake) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id = husk.background(until_exists(go) + "exit 6");
    std::list<Live> waiters;
    for (int i = 0; i < 8; ++i) waiters.emplace_back(husk, std::vector<std::string>{"wait", id});
    write_text(go, "");
    for (Live& waiter : waiters) EXPECT_EQ(waiter.code(), 6);
}

TEST(Waiting, WakesWhenTheKeeperIsKilled) {
    const Husk husk;
    const Mark mark;
    const std::string id = husk.background("sleep 60 # " + mark.word());
    const pid_t keeper = parent_of(husk.shell(id)["pid"]);
    const auto answer = woken_by(husk, wait_for(id, {"exit"}), [&] { ::kill(keeper, SIGKILL); });
    EXPECT_EQ(answer["status"], "lost");
    EXPECT_EQ(husk({"wait", id}).code, 125);
}

TEST(Waiting, AWrongConditionIsRefused) {
    const Husk husk;
    const std::string id = husk.background("sleep 60");
    for (const std::string condition :
         {"", "foo", "foo=1", "exit=1", "match", "match=", "match=(", "match=a**",
          "quiet=", "quiet=x", "quiet=-1s", "port=", "port=x", "port=0", "port=65536", "port=-1",
          "port=3K", "file="})
        EXPECT_TRUE(is_refusal(husk(wait_for(id, {condition}, {"--timeout", "1s"})))) << condition;
    EXPECT_TRUE(is_refusal(husk({"wait", id, "--until", "match=x", "--exclude", "("})));
    EXPECT_TRUE(is_refusal(husk({"wait", id, "--timeout", "soon"})));
    EXPECT_TRUE(is_refusal(husk({"wait"})));
}

}  // namespace
}  // namespace husk::test
