// What a command has written can be read by id: from any place, by line, by pattern, and what
// is new.
#include <gmock/gmock.h>

#include "harness.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> with(const std::string& id, std::vector<std::string> options) {
    options.insert(options.begin(), {"output", id});
    return options;
}

TEST(Reading, AFinishedCommandFromAnyPlace) {
    const Husk husk;
    const std::string id = husk.report("seq 1 100; printf last")["shell_id"];
    struct Case {
        std::vector<std::string> options;
        std::string expected;
    };
    const Case cases[] = {
        {{"--since", "279"}, "97\n98\n99\n100\nlast"},
        {{"--since", "295"}, "t"},
        {{"--since", "296"}, ""},
        {{"--since", "1K"}, ""},
        {{"--tail", "1"}, "last"},
        {{"--tail", "3"}, "99\n100\nlast"},
        {{"--tail", "0"}, ""},
        {{"--lines", "1"}, "1\n"},
        {{"--lines", "10:12"}, "10\n11\n12\n"},
        {{"--lines", "100:200"}, "100\nlast\n"},
        {{"--lines", "500:600"}, ""},
        {{"--grep", "^9.$"},
         "90:90\n91:91\n92:92\n93:93\n94:94\n95:95\n96:96\n97:97\n98:98\n99:99\n"},
        {{"--grep", "^l.*t$"}, "101:last\n"},
        {{"--grep", "nothing like it"}, ""},
    };
    for (const auto& [options, expected] : cases) {
        const Ran ran = husk(with(id, options));
        EXPECT_EQ(ran.out, expected) << options[0] << " " << options[1];
        EXPECT_EQ(ran.code, 0) << options[0] << " " << options[1] << ran.err;
        EXPECT_EQ(ran.err, "") << options[0] << " " << options[1];
    }
    EXPECT_EQ(husk({"output", id, "--tail", "1000"}).out, husk({"output", id}).out);
}

TEST(Reading, AsJsonSaysWhereTheBytesAreFrom) {
    const Husk husk;
    const std::string id = husk.report("seq 1 100")["shell_id"];
    const auto since = husk(with(id, {"--json", "--since", "288"})).json();
    EXPECT_EQ(since["output"], "100\n");
    EXPECT_EQ(since["excerpt"]["shown"], nlohmann::json::parse("[[288,292]]"));
    EXPECT_EQ(since["excerpt"]["total_bytes"], 292);
    EXPECT_EQ(since["cursor"], 292);
    const auto tail = husk(with(id, {"--json", "--tail", "2"})).json();
    EXPECT_EQ(tail["output"], "99\n100\n");
    EXPECT_EQ(tail["excerpt"]["shown"], nlohmann::json::parse("[[285,292]]"));
    EXPECT_EQ(tail["status"], "exited");
    EXPECT_EQ(tail["command"], "seq 1 100");
}

TEST(Reading, NeverGivesMoreThanAskedFor) {
    const Husk husk;
    const std::string id = husk.report(program("out_lines") + " 160000")["shell_id"];
    constexpr size_t words_about_it = 200;
    const std::vector<std::vector<std::string>> ways = {{},
                                                        {"--json"},
                                                        {"--since", "16"},
                                                        {"--tail", "5000"},
                                                        {"--lines", "1:5000"},
                                                        {"--grep", "0"}};
    for (std::vector<std::string> options : ways) {
        options.insert(options.end(), {"--max-bytes", "1600"});
        const Ran ran = husk(with(id, options));
        const std::string text =
            options[0] == "--json" ? ran.json()["output"].get<std::string>() : ran.out;
        EXPECT_LE(text.size(), 1600 + words_about_it) << options[0];
        EXPECT_FALSE(text.empty()) << options[0];
    }
}

TEST(Reading, WhatIsNewIsGivenOnce) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id = husk.background("echo one; until test -e " + go.string() +
                                           "; do sleep 0.02; done; echo two");
    ASSERT_TRUE(eventually([&] { return husk({"output", id}).out == "one\n"; }));
    EXPECT_EQ(husk(with(id, {"--new"})).out, "one\n");
    EXPECT_EQ(husk(with(id, {"--new"})).out, "");
    write_text(go, "");
    ASSERT_TRUE(eventually([&] { return husk.shell(id)["status"] == "exited"; }));
    // Looking by other means does not use it up.
    EXPECT_EQ(husk(with(id, {"--tail", "1"})).out, "two\n");
    EXPECT_EQ(husk(with(id, {"--grep", "t"})).out, "2:two\n");
    EXPECT_EQ(husk({"output", id}).out, "one\ntwo\n");
    EXPECT_EQ(husk(with(id, {"--new", "--json"})).json()["output"], "two\n");
    EXPECT_EQ(husk(with(id, {"--new"})).out, "");
}

TEST(Reading, WhatNobodyWasShownStaysNew) {
    const Husk husk;
    const std::string id = husk.background("echo its last words; sleep 60");
    ASSERT_TRUE(eventually([&] { return !husk({"output", id}).out.empty(); }));
    EXPECT_EQ(husk({"kill", id}).out, id + " has ended: signaled SIGTERM\n");
    EXPECT_EQ(husk(with(id, {"--new"})).out, "its last words\n");
}

TEST(Reading, WhatIsNewOfTwoStreamsIsGivenOnceOfEach) {
    const Husk husk;
    const std::string id = husk.background("echo out; echo err >&2", {"--streams", "split"});
    ASSERT_TRUE(eventually([&] { return husk.shell(id)["status"] == "exited"; }));
    const auto first = husk(with(id, {"--new", "--json"})).json();
    EXPECT_EQ(first["stdout"], "out\n");
    EXPECT_EQ(first["stderr"], "err\n");
    const auto second = husk(with(id, {"--new", "--json"})).json();
    EXPECT_EQ(second["stdout"], "");
    EXPECT_EQ(second["stderr"], "");
}

TEST(Reading, FollowsACommandWhileItRunsAndEndsWithIt) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id = husk.background("echo first; until test -e " + go.string() +
                                           "; do sleep 0.02; done; echo last");
    Live follower(husk, with(id, {"--follow"}));
    EXPECT_EQ(follower.line(), "first");
    EXPECT_EQ(husk.shell(id)["status"], "running");
    EXPECT_EQ(follower.code(0ms), std::nullopt);
    write_text(go, "");
    EXPECT_EQ(follower.line(), "last");
    EXPECT_EQ(follower.code(), 0);
}

TEST(Reading, FollowsWhatOutlivesTheCommand) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    const std::string id =
        husk.background("(until test -e " + go.string() + "; do sleep 0.02; done; echo late) &");
    Live follower(husk, with(id, {"--follow"}));
    ASSERT_TRUE(eventually([&] { return husk.shell(id)["status"] == "exited"; }));
    EXPECT_EQ(follower.code(0ms), std::nullopt);
    write_text(go, "");
    EXPECT_EQ(follower.line(), "late");
    EXPECT_EQ(follower.code(), 0);
}

TEST(Reading, FollowsFromWhereItWasAskedTo) {
    const Husk husk;
    const std::string id = husk.report("seq 1 10")["shell_id"];
    EXPECT_EQ(husk(with(id, {"--follow", "--since", "18"})).out, "10\n");
    EXPECT_EQ(husk(with(id, {"--follow", "--tail", "1"})).out, "10\n");
}

TEST(Reading, ARunningCommandIsCountedAsItGoes) {
    const Husk husk;
    const std::string id = husk.background("printf 'one\\ntwo\\nthr'; sleep 60");
    ASSERT_TRUE(eventually([&] { return husk.shell(id)["excerpt"]["total_lines"] == 3; }));
    const auto report = husk(with(id, {"--json"})).json();
    EXPECT_EQ(report["status"], "running");
    EXPECT_EQ(report["exit_code"], nullptr);
    EXPECT_EQ(report["output"], "one\ntwo\nthr");
    EXPECT_EQ(report["excerpt"]["total_lines"], 3);
}

TEST(Reading, TheListSaysTheSameAsTheReport) {
    const Husk husk;
    const std::string lines = program("out_lines");
    const std::string ids[] = {
        husk.report("printf 'one\\ntwo'")["shell_id"],
        husk.report(lines + " 100000", {"--keep-output", "16K"})["shell_id"],
        husk.report("echo out; printf err >&2", {"--streams", "split"})["shell_id"],
        husk.background("printf half; sleep 60"),
    };
    for (const std::string& id : ids) {
        const auto listed = husk.shell(id);
        const auto report = husk(with(id, {"--json"})).json();
        for (const char* excerpt : {"excerpt", "error_excerpt"}) {
            ASSERT_EQ(listed[excerpt].is_null(), report[excerpt].is_null()) << report["command"];
            if (report[excerpt].is_null()) continue;
            for (const char* field :
                 {"total_bytes", "total_lines", "complete", "dropped_bytes", "log"})
                EXPECT_EQ(listed[excerpt][field], report[excerpt][field])
                    << report["command"] << ": " << excerpt << "." << field;
        }
    }
}

TEST(Reading, AWrongQuestionIsAnsweredWithOneLine) {
    const Husk husk;
    const std::string id = husk.report("echo hi")["shell_id"];
    const std::vector<std::vector<std::string>> questions = {
        {"--grep", "("},      {"--grep", "a{1000000}"}, {"--lines", "0:5"},
        {"--lines", "5:2"},   {"--lines", "x"},         {"--lines", ":"},
        {"--lines", "-1"},    {"--since", "-5"},        {"--since", "abc"},
        {"--tail", "x"},      {"--stream", "foo"},      {"--max-bytes", "much"},
        {"--no-such-option"},
    };
    for (const auto& question : questions)
        EXPECT_TRUE(is_refusal(husk(with(id, question)))) << question[0] << " " << question.back();
}

TEST(Reading, AnIdThatIsNoneIsAnsweredWithOneLine) {
    const Husk husk;
    const std::string id = husk.report("echo hi")["shell_id"];
    const std::string session = id.substr(0, id.find('-'));
    const std::string others[] = {
        "a-b",
        "../x",
        "",
        "-",
        "-1",
        session,
        session + "-",
        session + "-2",
        session + "-01",
        session + "-.",
        session + "-..",
        session + "-1 ",
        session + "-1/",
        "/etc/passwd",
        "../../etc-passwd",
        "..-1",
        ".-1",
        std::string(5000, 'x'),
        "x\ny-1",
        "\xff\xfe-1",
        std::string(300, 'x') + "-1",
        session + "-1-1",
    };
    for (const std::string& other : others) {
        for (const char* subcommand : {"output", "wait", "kill"}) {
            EXPECT_TRUE(is_refusal(husk({subcommand, "--", other}))) << subcommand << " " << other;
        }
        EXPECT_TRUE(is_refusal(husk({"output", "--json", "--", other}))) << other;
    }
    const Ran unknown = husk({"output", "nosuch-7"});
    EXPECT_THAT(unknown.err, HasSubstr("nosuch-7"));
    EXPECT_THAT(unknown.err, HasSubstr("husk shells"));
}

TEST(Reading, WithoutAnyStateFindsNothing) {
    const Husk husk;
    EXPECT_TRUE(is_refusal(husk({"output", "abc-1"})));
    EXPECT_EQ(husk({"shells", "--json"}).json(), nlohmann::json::parse(R"({"shells":[]})"));
    EXPECT_FALSE(std::filesystem::exists(husk.state())) << "who only looks makes nothing";
}

}  // namespace
}  // namespace husk::test
