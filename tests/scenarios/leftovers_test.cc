// What a command leaves running: listed, adopted, waited for or killed, and never forgotten.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Lines of a command that go on when there is such a file.
std::string after(const std::string& file) {
    return "until [ -e " + file + " ]; do sleep 0.02; done; ";
}

class Leftovers : public testing::TestWithParam<Who> {
protected:
    Leftovers() : husk_(GetParam()) {}
    Husk husk_;
    Mark mark_;
};
INSTANTIATE_TEST_SUITE_P(, Leftovers, both(), who_name);

TEST_P(Leftovers, AreListedAndTheAnswerComesAtOnce) {
    const Ran ran = husk_({"run", "--json", "--", "sleep " + mark_.word() + " & echo hi"});
    const json report = ran.json();
    EXPECT_LT(ran.took, patient(2s));
    EXPECT_LT(report["duration_ms"].get<double>(), 1000);
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["exit_code"], 0);
    EXPECT_EQ(report["output"], "hi\n");
    const auto bearers = processes_with("sleep " + mark_.word());
    ASSERT_EQ(bearers.size(), 1U);
    EXPECT_EQ(report["leftovers"], json::array({{{"pid", bearers[0]}, {"name", "sleep"}}}));

    const std::string id = report["shell_id"];
    EXPECT_EQ(husk_.shell(id)["leftovers"], report["leftovers"]);
    EXPECT_EQ(husk_({"kill", id}).code, 0);
    EXPECT_TRUE(mark_.bearers().empty());
    const json gone = husk_.shell(id);
    EXPECT_TRUE(gone["leftovers"].empty());
    EXPECT_EQ(gone["status"], "exited");  // how main ended does not change
    EXPECT_EQ(gone["exit_code"], 0);
}

TEST_P(Leftovers, AreListedWhenTheirFirstThreadHasEnded) {
    const json report =
        husk_({"run", "--json", "--",
               std::string(HUSK_TEST_PROGRAMS_DIR) + "/hog thread-memory 1 " + mark_.word() +
                   " & until grep -q 'State:.Z' /proc/$!/status; do sleep 0.02; "
                   "done"})
            .json();
    ASSERT_EQ(report["leftovers"].size(), 1U) << report;
    EXPECT_EQ(report["leftovers"][0]["name"], "hog");
    EXPECT_EQ(husk_({"kill", report["shell_id"].get<std::string>()}).code, 0);
}

TEST_P(Leftovers, AreToldOnOneLineByThePlainCommand) {
    const Ran ran = husk_({"run", "--", "sleep " + mark_.word() + " & echo hi; exit 3"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.out, "hi\n");
    EXPECT_NE(ran.err.find("1 process still running: sleep (pid "), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("; husk kill "), std::string::npos) << ran.err;
}

TEST_P(Leftovers, GoOnWritingIntoTheirLog) {
    const std::string go = (husk_.dir() / "go").string();
    const json report = husk_.report("{ " + after(go) + "echo later; } & echo now");
    EXPECT_EQ(report["output"], "now\n");
    write_text(go, "");
    const std::string id = report["shell_id"];
    EXPECT_EQ(husk_({"wait", id, "--until", "gone", "--timeout", "20s"}).out, "later\n");
    EXPECT_EQ(husk_({"output", id}).out, "now\nlater\n");
    EXPECT_TRUE(husk_.shell(id)["leftovers"].empty());
}

TEST_P(Leftovers, AreKilledOnRequestAndTheNotesSaySo) {
    const json report =
        husk_.report("sleep " + mark_.word() + " & setsid sleep " + mark_.word() + " & echo hi",
                     {"--leftovers", "kill"});
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["output"], "hi\n");
    EXPECT_TRUE(report["leftovers"].empty());
    EXPECT_TRUE(mark_.bearers().empty());
    ASSERT_EQ(report["notes"].size(), 1U) << report;
    EXPECT_EQ(report["notes"][0], "2 processes that outlived the command were killed");
}

TEST_P(Leftovers, AreWaitedForOnRequest) {
    const std::string go = (husk_.dir() / "go").string();
    const json report =
        husk_.report("(" + after(go) + "echo bg) & echo fg; touch " + go, {"--leftovers", "wait"});
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["output"], "fg\nbg\n");
    EXPECT_TRUE(report["leftovers"].empty());
    EXPECT_TRUE(report["notes"].empty()) << report;
}

TEST_P(Leftovers, ThatAreWaitedForEndWithTheTimeOfTheCall) {
    const Ran ran = husk_({"run", "--json", "--leftovers", "wait", "--timeout", "2s", "--",
                           "sleep " + mark_.word() + " & echo fg"});
    EXPECT_EQ(ran.json()["status"], "timed_out");
    EXPECT_EQ(ran.json()["output"], "fg\n");
    EXPECT_EQ(ran.code, 124);
    EXPECT_TRUE(mark_.bearers().empty());
}

// Which of many it is does not matter to `wait`: the last one counts.
TEST_P(Leftovers, OfLeftoversAreLeftoversToo) {
    const std::string zero = (husk_.dir() / "zero").string();
    const std::string one = (husk_.dir() / "one").string();
    const json report = husk_.report("( (" + after(one) + "echo two) & " + after(zero) +
                                         "echo one; touch " + one + " ) & echo zero; touch " + zero,
                                     {"--leftovers", "wait"});
    EXPECT_EQ(report["output"], "zero\none\ntwo\n");
}

TEST(LeftoversInProcess, OfProcessSubstitutionsAreCompleteSixtyTimesOfSixty) {
    const Husk husk;
    Bash bash(husk.settings());
    const std::string file = (husk.dir() / "copy").string();
    for (int i = 0; i < 60; ++i) {
        const Report through_cat = bash.run({.command = "echo hi > >(cat)"});
        ASSERT_EQ(through_cat.output, "hi\n") << "call " << i;
        const Report through_tee = bash.run({.command = "exec > >(tee " + file + "); echo hi"});
        ASSERT_EQ(through_tee.output, "hi\n") << "call " << i;
        ASSERT_TRUE(eventually([&] { return read_text(file) == "hi\n"; }));
        fs::remove(file);
    }
}

TEST(LeftoversInProcess, DieWhenTheirLifetimeIsOver) {
    const Husk husk;
    const Mark mark;
    Settings settings = husk.settings();
    settings.max_lifetime = 300ms;
    Bash bash(settings);
    const Report report = bash.run({.command = "sleep " + mark.word() + " & echo hi"});
    EXPECT_STREQ(status_word(report.ending), "exited");
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(LeftoversInProcess, HaveALifetimeAndACommandThatIsWaitedForHasNone) {
    const Husk husk;
    Settings settings = husk.settings();
    settings.max_lifetime = 200ms;
    Bash bash(settings);
    const Report report = bash.run({.command = "sleep 0.6; echo done"});
    EXPECT_STREQ(status_word(report.ending), "exited");
    EXPECT_EQ(report.output, "done\n");
}

// As with sudo: a child that belongs to root, and an ordinary user who may not signal it.
class Unkillable : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0)
            GTEST_SKIP() << "only root can make the setuid program that this scenario needs";
        fs::copy_file(program("become_root"), program_);
        ASSERT_EQ(::chown(program_.c_str(), 0, 0), 0);
        ASSERT_EQ(::chmod(program_.c_str(), 04755), 0);
        const std::string id = std::to_string(ordinary_uid);
        const Ran check = run_program({"setpriv", "--reuid=" + id, "--regid=" + id,
                                       "--clear-groups", "--", program_.string(), "check"});
        ASSERT_EQ(check.out, "root\n")
            << "a setuid program cannot be had in " << husk_.dir()
            << ": set TMPDIR to a file system without nosuid, and run without no_new_privs";
    }

    // Goes on when the one that became root is there.
    std::string start_it() const {
        const std::string said = (husk_.dir() / "said").string();
        return program_.string() + " " + mark_.word() + " >" + said + " &\nuntil [ -s " + said +
               " ]; do sleep 0.01; done\n";
    }
    void expect_listed(const json& report) {
        ASSERT_EQ(report["leftovers"].size(), 1U) << report;
        const json& leftover = report["leftovers"][0];
        EXPECT_EQ(leftover["name"], "become_root");
        EXPECT_EQ(leftover["reason"], "it belongs to uid 0, and this user may not signal it");
        EXPECT_EQ(leftover["pid"], survivor());
    }
    pid_t survivor() const {
        const auto found = processes_with(program_.string() + " " + mark_.word());
        return found.size() == 1 ? found[0] : 0;
    }
    // Root ends it, and the shell sees that nothing is left.
    void expect_gone_after_help(const std::string& id) {
        const pid_t left = survivor();
        ASSERT_GT(left, 1);
        ::kill(left, SIGKILL);
        EXPECT_EQ(
            husk_({"wait", id, "--until", "gone", "--timeout", "10s", "--json"}).json()["met"],
            "gone");
        EXPECT_TRUE(husk_.shell(id)["leftovers"].empty());
    }

    Husk husk_{Who::OrdinaryUser};
    Mark mark_;
    fs::path program_ = husk_.dir() / "become_root";
};

TEST_F(Unkillable, ChildIsListedWithTheReasonAfterATimeout) {
    const Ran ran = husk_(
        {"run", "--json", "--timeout", "3s", "--patience", "200ms", "--", start_it() + "sleep 60"});
    const json report = ran.json();
    EXPECT_LT(ran.took, patient(10s));
    EXPECT_EQ(report["status"], "timed_out");
    expect_listed(report);
    expect_gone_after_help(report["shell_id"]);
}

TEST_F(Unkillable, MainIsListedWithTheReasonAfterATimeout) {
    const Ran ran = husk_({"run", "--json", "--timeout", "2s", "--patience", "200ms", "--",
                           "exec " + program_.string() + " " + mark_.word()});
    const json report = ran.json();
    EXPECT_LT(ran.took, patient(10s));
    EXPECT_EQ(report["status"], "timed_out");
    EXPECT_EQ(report["exit_code"], nullptr);
    expect_listed(report);
    expect_gone_after_help(report["shell_id"]);
}

TEST_F(Unkillable, ChildIsListedWithTheReasonAfterAKill) {
    Witness witness(husk_.dir());
    const std::string id =
        husk_.background(witness.opening() + start_it() + "echo up >&9; exec sleep 60 9>&-");
    ASSERT_TRUE(witness.hears("up"));
    const Ran ran = husk_({"kill", id, "--json", "--patience", "200ms"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_LT(ran.took, patient(7s));
    EXPECT_EQ(ran.json()["status"], "signaled");
    expect_listed(ran.json());
    const Ran again = husk_({"kill", id, "--json", "--patience", "200ms"});
    EXPECT_EQ(again.code, 1);
    EXPECT_LT(again.took, patient(7s));
    expect_gone_after_help(id);
}

TEST_F(Unkillable, LeftoverIsListedWithTheReasonWhenLeftoversAreKilled) {
    const Ran ran = husk_({"run", "--json", "--leftovers", "kill", "--", start_it() + "exit 3"});
    EXPECT_LT(ran.took, patient(7s));
    EXPECT_EQ(ran.json()["status"], "exited");
    EXPECT_EQ(ran.json()["exit_code"], 3);
    expect_listed(ran.json());
    expect_gone_after_help(ran.json()["shell_id"]);
}

TEST_F(Unkillable, OrphanOfADeadKeeperIsNeitherALiveShellNorAReasonToSpin) {
    const std::string id = husk_.background(start_it() + "sleep 60", {"--session", "s"});
    ASSERT_TRUE(eventually([&] { return !read_text(husk_.dir() / "said").empty(); }));
    const pid_t main = husk_.shell(id)["pid"].get<pid_t>();
    const pid_t nursery = nursery_of(husk_, "s");
    ASSERT_GT(nursery, 1);
    ::kill(parent_of(main), SIGKILL);
    ASSERT_TRUE(eventually([&] { return !is_alive(main); }));
    EXPECT_EQ(husk_.shell(id)["status"], "lost");
    EXPECT_EQ(husk_({"run", "--session", "s", "--", "echo on"}).out, "on\n");

    const auto wakes = [&] {
        const std::string status = read_text("/proc/" + std::to_string(nursery) + "/status");
        const size_t at = status.find("\nvoluntary_ctxt_switches:");
        return std::stoul(status.substr(status.find(':', at) + 1));
    };
    const auto before = wakes();
    std::this_thread::sleep_for(1s);
    EXPECT_LT(wakes() - before, 50U) << "in one second";
    const pid_t left = survivor();
    ASSERT_GT(left, 1);
    ::kill(left, SIGKILL);
}

}  // namespace
}  // namespace husk::test
