// What wants more than its share is ended in every mode, named, and leaves nothing behind. The
// bombs are small and end by themselves, should nothing stop them.
#include <gmock/gmock.h>

#include <ostream>

#include "scenarios/walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Bomb {
    const char* name;
    const char* command;  // $W is a mark, $S a place that the mode lets be written
    const char* limit;    // for --limit
    const char* passed;
    uint64_t value;
};

std::ostream& operator<<(std::ostream& out, const Bomb& bomb) { return out << bomb.name; }

const Bomb bombs[] = {
    {"Fork", "./bomb wide $W", "processes=100", "processes", 100},
    {"Memory", "./hog memory 1000 $W", "memory=300000000", "memory", 300'000'000},
    {"MemoryOfTheDeaf", "exec ./hog rude-memory 1000 $W", "memory=300000000", "memory",
     300'000'000},
    {"Output", "yes $W", "output=1000000", "output", 1'000'000},
    {"File", "exec head -c 3MB /dev/zero > $S/large", "file_size=1000000", "file_size", 1'000'000},
    {"FileThatIsAllHoles", "exec truncate -s 1T $S/sparse", "file_size=1000000", "file_size",
     1'000'000},
    {"Cpu", "./hog cpu 9000 $W & ./hog cpu 9000 $W & wait", "cpu=300ms", "cpu", 300},
};

// Only what is written to storage counts as disk; scratch is memory, and the kernel bounds it.
const Bomb disk_bomb = {"Disk", "mkdir $S/many; ./hog files 4000 100000 $S/many", "disk=20000000",
                        "disk", 20'000'000};

struct Attack {
    Bomb bomb;
    std::string mode;
    Who who;
};

std::ostream& operator<<(std::ostream& out, const Attack& attack) {
    return out << attack.bomb << " in " << attack.mode;
}

std::vector<Attack> attacks() {
    std::vector<Attack> all;
    for (const Who who : {Who::Caller, Who::OrdinaryUser}) {
        for (const char* mode : {"open", "workspace", "read-only"})
            for (const Bomb& bomb : bombs) all.push_back({bomb, mode, who});
        for (const char* mode : {"open", "workspace"}) all.push_back({disk_bomb, mode, who});
    }
    return all;
}

std::string attack_name(const testing::TestParamInfo<Attack>& info) {
    std::string name = info.param.bomb.name;
    name += info.param.mode == "open"        ? "InOpen"
            : info.param.mode == "workspace" ? "InWorkspace"
                                             : "InReadOnly";
    return name + (info.param.who == Who::Caller ? "" : "AsOrdinaryUser");
}

class AloneBombs : public testing::TestWithParam<Attack> {};

INSTANTIATE_TEST_SUITE_P(, AloneBombs, testing::ValuesIn(attacks()), attack_name);

TEST_P(AloneBombs, AreEndedAndNamedAndLeaveNothing) {
    const auto& [bomb, mode, who] = GetParam();
    const Walled place(who);
    for (const char* name : {"bomb", "hog"}) fs::copy_file(program(name), place.work() / name);
    const Mark mark;
    const std::string scratch = mode == "read-only" ? "/tmp" : place.work().string();
    const auto report = place.report_in(
        mode, "W=" + mark.word() + " S=" + scratch + "\n" + bomb.command,
        {"--limit", bomb.limit, "--timeout", "30s", "--patience", "5s", "--leftovers", "kill"});
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["name"], bomb.passed) << report;
    EXPECT_EQ(report["limit"]["value"], bomb.value) << report;
    EXPECT_GE(report["limit"]["peak"], bomb.value) << report;
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    EXPECT_EQ(report["confinement"]["mode"], mode) << report;
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 2s));
    // Nor does its session stay.
    EXPECT_TRUE(eventually([&] { return nursery_of(place.husk()) == 0; }));
}

// A machine as it is, or one that has less.
struct Machine {
    const char* name;
    const char* pretend;  // empty: as it is
    Who who;
};

std::ostream& operator<<(std::ostream& out, const Machine& machine) { return out << machine.name; }

const Machine machines[] = {
    {"Root", "", Who::Caller},
    {"RootWithoutCgroups", "cgroup=none", Who::Caller},
    {"OrdinaryUser", "", Who::OrdinaryUser},
};

class AloneMachines : public testing::TestWithParam<Machine> {
protected:
    AloneMachines() {
        fs::copy_file(program("bomb"), place_.work() / "bomb");
        if (*GetParam().pretend != 0) ::setenv("HUSK_PRETEND", GetParam().pretend, 1);
    }
    ~AloneMachines() override { ::unsetenv("HUSK_PRETEND"); }

    std::string background(const std::string& mode) const {
        const Ran started = place_.in(mode, "sleep 300", {"--session", "s", "--background"});
        EXPECT_EQ(started.code, 0) << started.err;
        return started.out.substr(0, started.out.find('\n'));
    }
    nlohmann::json in_session(const std::string& mode, const std::string& command,
                              std::vector<std::string> options = {}) const {
        options.insert(options.end(), {"--session", "s"});
        return place_.report_in(mode, command, std::move(options));
    }

    const Walled place_{GetParam().who};
    const Mark mark_;
};

INSTANTIATE_TEST_SUITE_P(, AloneMachines, testing::ValuesIn(machines),
                         [](const auto& machine) { return machine.param.name; });

// Faster than rounds of SIGKILL. Pid 1 ends the tree while nothing moves; the session goes on.
TEST_P(AloneMachines, EndWhatOutrunsTheKeeperAndNothingElse) {
    const std::string other = background("workspace");
    const auto report = in_session("workspace", "./bomb running " + mark_.word(),
                                   {"--leftovers", "kill", "--limit", "processes=none"});
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }, 1s));
    EXPECT_EQ(place_.husk().shell(other)["status"], "running");
    EXPECT_EQ(in_session("workspace", "echo next")["output"], "next\n");
}

// Its main process ends at once, and what it has left behind is the bomb.
TEST_P(AloneMachines, NameTheLimitThatABombOfLeftoversPassed) {
    const std::string other = background("read-only");
    const std::string bomb = "W=" + mark_.word() + "; b() { b | b & }; b";
    const auto report = in_session("read-only", bomb);
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["name"], "processes") << report;
    EXPECT_EQ(report["limit"]["value"], 512) << report;
    EXPECT_GT(report["limit"]["peak"], 512) << report;
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    EXPECT_THAT(report["notes"].dump(),
                HasSubstr("Husk ended the processes that the command had left behind, at the "
                          "processes limit of 512"));
    EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }, 1s));
    EXPECT_EQ(in_session("read-only", "echo next")["output"], "next\n");
    EXPECT_EQ(place_.husk().shell(other)["status"], "running");
}

// A process that somebody had stopped stays stopped, and the others go on. The other shell starts
// no process while the bomb runs: bash waits up to half a minute after a fork that failed.
TEST_P(AloneMachines, LetEverythingElseBeAsItWas) {
    const Ran started = place_.in("workspace",
                                  "sleep 300 & kill -STOP $!; exec 3<> <(:); echo up; "
                                  "for i in {1..3000}; do echo $i; read -rt 0.1 -u 3; done",
                                  {"--session", "s", "--background"});
    ASSERT_EQ(started.code, 0) << started.err;
    const std::string other = started.out.substr(0, started.out.find('\n'));
    const auto output = [&] { return place_.husk()({"output", other}).out; };
    ASSERT_TRUE(eventually([&] { return output().starts_with("up\n"); }));
    in_session("workspace", "./bomb running " + mark_.word(), {"--leftovers", "kill"});
    const auto stopped =
        in_session("workspace", "grep -sl '^State:.T (stopped)' /proc/[0-9]*/status | wc -l");
    EXPECT_EQ(stopped["output"], "1\n") << stopped;
    const std::string before = output();
    EXPECT_TRUE(eventually([&] { return output().size() > before.size(); }));
}

}  // namespace
}  // namespace husk::test
