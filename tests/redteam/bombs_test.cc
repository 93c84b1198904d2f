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

// Faster than rounds of SIGKILL. Behind walls pid 1 has the last word, after two seconds; then the
// session is over, and its other shells say why.
class AloneRunners : public testing::TestWithParam<Who> {};

INSTANTIATE_TEST_SUITE_P(, AloneRunners, both(), who_name);

TEST_P(AloneRunners, DoNotOutrunPidOne) {
    const Walled place(GetParam());
    fs::copy_file(program("bomb"), place.work() / "bomb");
    const Mark mark;
    const Ran other = place.in("workspace", "sleep 300", {"--session", "s", "--background"});
    ASSERT_EQ(other.code, 0) << other.err;
    const auto report = place.report_in("workspace", "./bomb running " + mark.word(),
                                        {"--session", "s", "--leftovers", "kill"});
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 1s));
    // Unless rounds were enough, for once.
    const auto shell = place.husk().shell(other.out.substr(0, other.out.find('\n')));
    if (shell["status"] != "running") {
        EXPECT_EQ(shell["status"], "lost") << shell;
        EXPECT_THAT(shell.dump(), HasSubstr("could not be killed but by ending the session"));
    }
}

}  // namespace
}  // namespace husk::test
