// Output is passed on as it comes: bytes to a terminal or a pipe, or events, one a line.
#include <gmock/gmock.h>

#include <csignal>

#include "harness.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

std::vector<nlohmann::json> events_of(const Ran& ran) {
    std::vector<nlohmann::json> events;
    for (const std::string& line : lines_of(ran.out)) {
        events.push_back(nlohmann::json::parse(line, nullptr, false));
        EXPECT_FALSE(events.back().is_discarded()) << line;
    }
    return events;
}

// The text of a stream's events, whose offsets must follow one another.
std::string joined(const std::vector<nlohmann::json>& events, const std::string& stream) {
    std::string text;
    uint64_t at = 0;
    for (const auto& event : events) {
        if (event["event"] != "output" || event["stream"] != stream) continue;
        EXPECT_EQ(event["offset"], at);
        EXPECT_FALSE(event.contains("dropped_before"));
        at += event["bytes"].get<uint64_t>();
        text += event["text"];
    }
    return text;
}

TEST(Streaming, EventsTellTheWholeStoryInOrder) {
    const Husk husk;
    const Ran ran = husk({"run", "--stream-json", "--", "echo one; echo two; exit 3"});
    EXPECT_EQ(ran.code, 3);
    const auto events = events_of(ran);
    ASSERT_GE(events.size(), 3);
    EXPECT_EQ(events.front()["event"], "start");
    EXPECT_EQ(events.back()["event"], "ending");
    EXPECT_EQ(events.back()["shell_id"], events.front()["shell_id"]);
    EXPECT_EQ(events.back()["exit_code"], 3);
    EXPECT_EQ(events.back()["excerpt"]["total_bytes"], 8);
    for (size_t i = 1; i + 1 < events.size(); ++i) EXPECT_EQ(events[i]["event"], "output");
    EXPECT_EQ(joined(events, "merged"), "one\ntwo\n");
}

TEST(Streaming, EventsHaveNoGaps) {
    const Husk husk;
    const auto events =
        events_of(husk({"run", "--stream-json", "--", program("out_lines") + " 10000000"}));
    EXPECT_TRUE(joined(events, "merged") == numbered(0, 10'000'000));
}

TEST(Streaming, EventsNameTheirStream) {
    const Husk husk;
    const auto events = events_of(
        husk({"run", "--stream-json", "--streams", "split", "--", "echo out; echo err >&2"}));
    EXPECT_EQ(joined(events, "stdout"), "out\n");
    EXPECT_EQ(joined(events, "stderr"), "err\n");
}

TEST(Streaming, EventsTearNoCharacter) {
    const Husk husk;
    for (const char* command : {R"(printf x; yes é | head -n 400000 | tr -d '\n')",
                                R"(printf '\xc3'; sleep 0.3; printf '\xa9\n')"}) {
        const auto events = events_of(husk({"run", "--stream-json", "--", command}));
        const std::string text = joined(events, "merged");
        EXPECT_EQ(text.find("\xef\xbf\xbd"), std::string::npos) << command;
        EXPECT_THAT(text.substr(0, 10), HasSubstr("é")) << command;
    }
}

TEST(Streaming, EventsSurviveAnyBytes) {
    const Husk husk;
    const auto events =
        events_of(husk({"run", "--stream-json", "--", "head -c 300000 /dev/urandom"}));
    EXPECT_EQ(events.back()["excerpt"]["total_bytes"], 300'000);
    joined(events, "merged");
}

class StreamingLive : public testing::TestWithParam<const char*> {
protected:
    bool events() const { return std::string(GetParam()) == "--stream-json"; }
    std::vector<std::string> run(const std::string& command) const {
        return {"run", GetParam(), "--", command};
    }

    Husk husk;
};

INSTANTIATE_TEST_SUITE_P(, StreamingLive, testing::Values("--streams=merged", "--stream-json"),
                         [](const auto& format) {
                             return std::string(format.param) == "--stream-json" ? "Events"
                                                                                 : "Plain";
                         });

TEST_P(StreamingLive, TheFirstLineComesWhileTheCommandRuns) {
    const auto go = husk.dir() / "go";
    Live live(husk,
              run("echo first; until test -e " + go.string() + "; do sleep 0.02; done; echo last"));
    if (events()) {
        EXPECT_THAT(live.line().value_or(""), HasSubstr("start"));
    }
    EXPECT_THAT(live.line().value_or(""), HasSubstr("first"));
    EXPECT_EQ(live.code(0ms), std::nullopt);
    write_text(go, "");
    EXPECT_THAT(live.line().value_or(""), HasSubstr("last"));
    EXPECT_EQ(live.code(), 0);
}

TEST_P(StreamingLive, ACommandThatNobodyReadsEndsSoon) {
    const Mark mark;
    const std::string husk_run = std::string("timeout -k 1 15 $HUSK run --mode open ") + GetParam();
    const Ran ran = husk.script(husk_run + " -- yes " + mark.word() +
                                " | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}");
    EXPECT_EQ(ran.out, "141\n");
    EXPECT_LT(ran.took, patient(10s));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST_P(StreamingLive, AnInterruptEndsTheCommand) {
    const Mark mark;
    Live live(husk, run("echo up; sleep 60 # " + mark.word()));
    ASSERT_TRUE(live.line());
    live.signal(SIGINT);
    EXPECT_EQ(live.code(), 130);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(Streaming, PlainPassesEveryByteOn) {
    const Husk husk;
    const std::string command =
        "head -c 3000000 /dev/urandom | tee " + (husk.dir() / "copy").string();
    const Ran ran = husk({"run", "--", command});
    EXPECT_TRUE(ran.out == read_text(husk.dir() / "copy"));
}

TEST(Streaming, ABackgroundCommandOnlyGivesItsId) {
    const Husk husk;
    const Ran ran = husk({"run", "--background", "--", "echo not this; sleep 60"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out,
              husk({"shells", "--json"}).json()["shells"][0]["shell_id"].get<std::string>() + "\n");
}

TEST(Streaming, ASlowReaderOfAFloodIsToldOfTheGap) {
    const Husk husk;
    constexpr uint64_t written = 50'000'000;
    const Ran ran =
        husk.script("$HUSK run --mode open --keep-output 64K -- " + program("out_lines") + " " +
                    std::to_string(written) + " | (sleep 0.5; wc -c)");
    uint64_t gaps = 0;
    for (const std::string& line : lines_of(ran.err))
        if (line.find("came faster than they were read") != std::string::npos)
            gaps += std::stoull(line.substr(std::string("husk: ").size()));
    EXPECT_GT(gaps, 0) << ran.err;
    EXPECT_EQ(std::stoull(ran.out) + gaps, written);
}

}  // namespace
}  // namespace husk::test
