// A session with walls has processes that help it. When one of them dies, no wall falls silently,
// and the next call has all of them again.
#include <gmock/gmock.h>

#include <csignal>
#include <future>

#include "campaign.h"
#include "patience.h"

namespace husk::test {
namespace {

class HelperDeath : public testing::TestWithParam<Who> {
protected:
    HelperDeath() : husk_(GetParam()), work_(husk_.dir() / "work") {
        EXPECT_EQ(husk_.script("mkdir " + work_.string()).code, 0);
    }

    Ran in_session(const std::string& command, std::vector<std::string> options = {}) const {
        std::vector<std::string> args = {"run",       "--mode", "workspace", "--cwd", work_,
                                         "--session", "s",      "--checks",  "off",   "--json"};
        args.insert(args.end(), options.begin(), options.end());
        args.insert(args.end(), {"--", command});
        return husk_(args);
    }
    Crew::Session session() const {
        for (const Crew::Session& one : crew_of(husk_.state()).sessions)
            if (one.name == "s") return one;
        ADD_FAILURE() << "there is no session";
        return {};
    }

    Husk husk_;
    std::filesystem::path work_;
};
INSTANTIATE_TEST_SUITE_P(, HelperDeath, both(), who_name);

// Without the mason nobody protects names that are yet to come, and system calls that it answers
// for fail in commands that have done nothing wrong.
TEST_P(HelperDeath, OfTheMasonEndsTheSession) {
    const Mark mark;
    const auto begun =
        in_session("trap '' TERM; while :; do sleep 0.1; done # " + mark.word(), {"--background"});
    ASSERT_EQ(begun.code, 0) << begun.err;
    const Crew::Session before = session();
    ASSERT_GT(before.mason, 1);
    ASSERT_EQ(::kill(before.mason, SIGKILL), 0);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 1s));
    const auto after = in_session("echo text > file; cat file").json();
    EXPECT_EQ(after["output"], "text\n") << after;
    EXPECT_NE(session().nursery, before.nursery);
}

TEST_P(HelperDeath, OfTheMasonIsNotNoticedByTheSameObject) {
    if (GetParam() == Who::OrdinaryUser) GTEST_SKIP() << "this process is one of them";
    Bash bash(husk_.unchecked_settings());
    for (int i = 0; i < 5; ++i) {
        const Report report = bash.run({.command = "echo text > file; cat file"},
                                       {.working_dir = work_, .mode = Mode::Workspace});
        ASSERT_EQ(report.output, "text\n") << i << status_word(report.ending);
        const Crew crew = crew_of(husk_.state());
        ASSERT_EQ(crew.sessions.size(), 1U);
        const pid_t mason = crew.sessions[0].mason;
        ASSERT_EQ(::kill(mason, SIGKILL), 0);
        ASSERT_TRUE(eventually([&] { return !is_alive(mason); }));
    }
}

TEST_P(HelperDeath, OfTheProxyIsMadeGoodByTheNextCall) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can see which session a proxy serves";
    const OneLineServer server;
    const std::vector<std::string> network = {"--network",
                                              "127.0.0.1:" + std::to_string(server.port())};
    const std::string fetch =
        "curl -s -m 10 --noproxy '' http://127.0.0.1:" + std::to_string(server.port()) + "/";
    ASSERT_EQ(in_session(fetch, network).json()["output"], "here\n");
    const pid_t proxy = session().proxy;
    ASSERT_GT(proxy, 1);
    ASSERT_EQ(::kill(proxy, SIGKILL), 0);
    ASSERT_TRUE(eventually([&] { return !is_alive(proxy); }));
    const auto after = in_session(fetch, network).json();
    EXPECT_EQ(after["output"], "here\n") << after;
}

// So soon that the nursery does not know the record: nobody writes that it is lost.
TEST(KeeperDeath, HoldsUpNoOtherCallOfTheSameObject) {
    const Husk husk;
    Bash bash(husk.unchecked_settings());
    std::promise<Report> lost;
    std::promise<Report> other;
    const auto start = std::chrono::steady_clock::now();
    bash.run({.command = "kill -9 $PPID; sleep 600"}, {},
             [&](const Report& report) { lost.set_value(report); });
    bash.run({.command = "sleep 0.2; echo fine"}, {},
             [&](const Report& report) { other.set_value(report); });
    EXPECT_EQ(other.get_future().get().output, "fine\n");
    EXPECT_STREQ(status_word(lost.get_future().get().ending), "lost");
    EXPECT_LT(std::chrono::steady_clock::now() - start, patient(4s));
}

}  // namespace
}  // namespace husk::test
