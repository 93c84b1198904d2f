// Where the kernel would keep limits, on machines of all kinds (as trees of files, because no
// machine is of all kinds), and with the cgroups that there really are here.
#include "os/limited_cgroup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <csignal>
#include <fstream>
#include <ostream>

#include "base/id.h"
#include "os/file.h"

namespace husk::os {
namespace {

namespace fs = std::filesystem;

constexpr Ceilings both{.memory = 300 << 20, .tasks = 800};

class Tree {
public:
    ~Tree() { fs::remove_all(root_); }
    Tree() = default;
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const fs::path& root() const { return root_; }
    void write(const fs::path& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    std::string text(const fs::path& path) const { return read_file(root_ / path).value_or("?"); }

    // A cgroup of version 2 that is not the first of all.
    void second(const fs::path& dir, const std::string& available, const std::string& passed_on,
                const std::string& procs) const {
        write(dir / "cgroup.controllers", available + "\n");
        write(dir / "cgroup.subtree_control", passed_on + "\n");
        write(dir / "cgroup.type", "domain\n");
        write(dir / "cgroup.procs", procs);
    }

private:
    fs::path root_ = fs::path("/var/tmp") / ("husk-cgroups-" + random_id(8));
};

struct Delegation {
    const char* name;
    const char* controllers;
    const char* passed_on;
    const char* procs;
    Ceilings wanted;
    int version;
    const char* enable;
    bool memory;
    bool tasks;
};

std::ostream& operator<<(std::ostream& out, const Delegation& row) { return out << row.name; }

const Delegation delegations[] = {
    {"AllPassedOn", "cpu memory pids", "memory pids", "17\n", both, 2, "", true, true},
    {"NobodyInIt", "cpu memory pids", "", "", both, 2, "+memory +pids", true, true},
    {"OneIsMissing", "cpu memory pids", "pids", "", both, 2, "+memory", true, true},
    {"OnlyWhatIsWanted", "memory pids", "", "", {.memory = 1 << 30}, 2, "+memory", true, false},
    // A cgroup with processes in it cannot begin to pass controllers on.
    {"SomebodyInIt", "cpu memory pids", "", "17\n", both, 0, "", false, false},
    {"HalfOfIt", "cpu memory pids", "pids", "17\n", both, 2, "", false, true},
    {"WithoutControllers", "hugetlb", "", "", both, 0, "", false, false},
};

class ADelegatedCgroup : public testing::TestWithParam<Delegation> {};

INSTANTIATE_TEST_SUITE_P(, ADelegatedCgroup, testing::ValuesIn(delegations),
                         [](const auto& row) { return row.param.name; });

TEST_P(ADelegatedCgroup, KeepsWhatItCanPassOn) {
    const Delegation& row = GetParam();
    const Tree tree;
    tree.second("own", row.controllers, row.passed_on, row.procs);
    const CgroupPlan plan = plan_cgroup({{"", tree.root() / "own"}}, row.wanted);
    EXPECT_EQ(plan.version, row.version);
    EXPECT_EQ(plan.keeps_memory(), row.memory);
    EXPECT_EQ(plan.keeps_tasks(), row.tasks);
    if (row.version != 0) {
        ASSERT_EQ(plan.directories.size(), 1U);
        EXPECT_EQ(plan.directories[0].enable, row.enable);
        EXPECT_EQ(plan.directories[0].parent, tree.root() / "own");
    }
}

// As systemd does it with DelegateSubgroup=: we have been put into a corner of what is ours.
TEST(CgroupPlan, GoesOneUpOnlyWhereThatIsDelegated) {
    const Tree tree;
    tree.second("service", "memory pids", "", "");
    tree.second("service/own", "", "", "17\n");
    const std::vector<Cgroup> own = {{"", tree.root() / "service/own"}};
    EXPECT_EQ(plan_cgroup(own, both).version, 0);
    if (::setxattr((tree.root() / "service").c_str(), "user.delegate", "1", 1, 0) != 0)
        GTEST_SKIP() << "no attributes on this file system";
    const CgroupPlan plan = plan_cgroup(own, both);
    ASSERT_EQ(plan.version, 2);
    EXPECT_EQ(plan.directories[0].parent, tree.root() / "service");
    EXPECT_EQ(plan.directories[0].enable, "+memory +pids");
}

TEST(CgroupPlan, TakesVersion1WhereTheControllersAreThere) {
    const Tree tree;
    tree.second("two", "hugetlb", "", "");
    for (const char* dir : {"memory", "pids", "cpu"}) fs::create_directories(tree.root() / dir);
    const CgroupPlan plan = plan_cgroup({{"cpu,cpuacct", tree.root() / "cpu"},
                                         {"memory", tree.root() / "memory"},
                                         {"pids", tree.root() / "pids"},
                                         {"", tree.root() / "two"}},
                                        both);
    EXPECT_EQ(plan.version, 1);
    ASSERT_EQ(plan.directories.size(), 2U);
    EXPECT_EQ(plan.directories[0].parent, tree.root() / "memory");
    EXPECT_TRUE(plan.directories[0].memory && !plan.directories[0].tasks);
    EXPECT_EQ(plan.directories[1].parent, tree.root() / "pids");
    EXPECT_TRUE(plan.directories[1].tasks && !plan.directories[1].memory);
    EXPECT_EQ(plan_cgroup({{"cpu", tree.root() / "cpu"}}, both).version, 0);
    EXPECT_EQ(plan_cgroup({}, both).version, 0);
}

TEST(CgroupPlan, TakesProcessorsWhereThatIsAskedFor) {
    const Tree tree;
    tree.second("two", "cpu memory pids", "", "");
    for (const char* dir : {"cpu", "cpuset"}) fs::create_directories(tree.root() / dir);
    const Ceilings wanted{.memory = 1 << 30, .cpu_us = 40'000};
    const CgroupPlan two = plan_cgroup({{"", tree.root() / "two"}}, wanted);
    EXPECT_EQ(two.directories.at(0).enable, "+memory +cpu");
    EXPECT_TRUE(two.keeps_cpu() && two.keeps_memory() && !two.keeps_tasks());
    EXPECT_FALSE(plan_cgroup({{"", tree.root() / "two"}}, both).keeps_cpu());
    const CgroupPlan one = plan_cgroup(
        {{"cpuset", tree.root() / "cpuset"}, {"cpu,cpuacct", tree.root() / "cpu"}}, wanted);
    ASSERT_EQ(one.directories.size(), 1U);
    EXPECT_EQ(one.directories[0].parent, tree.root() / "cpu");
    // One of version 1 that keeps less is no better.
    const CgroupPlan most =
        plan_cgroup({{"", tree.root() / "two"}, {"cpu", tree.root() / "cpu"}}, wanted);
    EXPECT_EQ(most.version, 2);
}

// A cgroup above it may have less: then that is what counts, and all other limits hold.
TEST(LimitedCgroup, DoesWithoutAShareThatTheKernelDoesNotTake) {
    const Tree tree;
    for (const char* file : {"cgroup.procs", "memory.max", "memory.events"}) tree.write(file, "");
    LimitedCgroup cgroup;
    const Ceilings most{.memory = 1 << 30, .cpu_us = 40'000};
    EXPECT_TRUE(limit(cgroup, 2, {.parent = {}, .memory = true, .cpu = true}, tree.root(), most));
    EXPECT_TRUE(cgroup.memory_procs && !cgroup.cpu_procs);
}

struct Setting {
    const char* file;
    const char* value;
};

struct Kind {
    int version;
    std::vector<const char*> files;
    std::vector<Setting> written;
    bool bell;
    bool kill;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.version; }

class ACgroupOfVersion : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(
    , ACgroupOfVersion,
    testing::Values(Kind{1,
                         {"cgroup.procs", "cgroup.event_control", "memory.limit_in_bytes",
                          "memory.memsw.limit_in_bytes", "memory.oom_control",
                          "memory.max_usage_in_bytes", "pids.max", "pids.events",
                          "cpu.cfs_period_us", "cpu.cfs_quota_us"},
                         {{"cpu.cfs_period_us", "100000"},
                          {"cpu.cfs_quota_us", "40000"},
                          {"memory.limit_in_bytes", "314572800"},
                          {"memory.memsw.limit_in_bytes", "314572800"},
                          {"pids.max", "800"}},
                         true,
                         false},
                    Kind{2,
                         {"cgroup.procs", "cgroup.kill", "memory.max", "memory.swap.max",
                          "memory.events", "memory.peak", "pids.max", "pids.events", "cpu.max"},
                         {{"cpu.max", "40000 100000"},
                          {"memory.max", "314572800"},
                          {"memory.swap.max", "0"},
                          {"pids.max", "800"}},
                         false,
                         true}),
    [](const auto& kind) { return std::to_string(kind.param.version); });

TEST_P(ACgroupOfVersion, IsWrittenAsTheKernelDocumentsIt) {
    const Kind& kind = GetParam();
    const Tree tree;
    for (const char* file : kind.files) tree.write(file, "");
    LimitedCgroup cgroup;
    Ceilings all = both;
    all.cpu_us = 40'000;
    const auto done =
        limit(cgroup, kind.version,
              {.parent = tree.root().parent_path(), .memory = true, .tasks = true, .cpu = true},
              tree.root(), all);
    ASSERT_TRUE(done) << done.error().text();
    for (const Setting& one : kind.written) EXPECT_EQ(tree.text(one.file), one.value) << one.file;
    EXPECT_TRUE(cgroup.memory_procs && cgroup.memory_events && cgroup.memory_peak);
    EXPECT_TRUE(cgroup.tasks_procs && cgroup.tasks_events && cgroup.cpu_procs);
    EXPECT_EQ(static_cast<bool>(cgroup.memory_bell), kind.bell);
    EXPECT_EQ(static_cast<bool>(cgroup.kill), kind.kill);
}

// Swap, the peak and killing came later, or are left out of a kernel: the limits hold without.
TEST(LimitedCgroup, NeedsOnlyLimitsAndEvents) {
    const Tree tree;
    for (const char* file : {"cgroup.procs", "memory.max", "memory.events"}) tree.write(file, "");
    LimitedCgroup cgroup;
    EXPECT_TRUE(limit(cgroup, 2, {.parent = {}, .memory = true}, tree.root(), both));
    EXPECT_FALSE(cgroup.memory_peak || cgroup.kill || cgroup.memory_bell);
    fs::remove(tree.root() / "memory.events");
    EXPECT_FALSE(limit(cgroup, 2, {.parent = {}, .memory = true}, tree.root(), both));
}

class RealCgroup : public testing::Test {
protected:
    void SetUp() override {
        if (plan.version == 0) GTEST_SKIP() << "this user can make none here";
    }
    fs::path dir() const { return plan.directories.front().parent / name; }
    pid_t sleeper_in(const LimitedCgroup& cgroup) const {
        const pid_t child = ::fork();
        if (child != 0) return child;
        for (const Fd* procs : {&cgroup.memory_procs, &cgroup.tasks_procs})
            if (*procs && ::write(procs->get(), "0", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }

    const CgroupPlan plan = plan_cgroup(own_cgroups(), both);
    const std::string name = "husk-test-" + random_id(8);
};

TEST_F(RealCgroup, GoesWithItsOwner) {
    {
        const auto made = make_cgroup(plan, both, name);
        ASSERT_TRUE(made) << made.error().text();
        EXPECT_TRUE(fs::exists(dir() / "cgroup.procs"));
        EXPECT_FALSE(make_cgroup(plan, both, name)) << "the name is taken";
        EXPECT_TRUE(fs::exists(dir())) << "by whom it was made, it is taken away";
    }
    EXPECT_FALSE(fs::exists(dir()));
}

TEST_F(RealCgroup, IsSweptAwayWhenNobodyHoldsItAndNobodyIsInIt) {
    pid_t child = -1;
    {
        auto made = make_cgroup(plan, both, name);
        ASSERT_TRUE(made) << made.error().text();
        sweep_cgroups(plan, name);
        EXPECT_TRUE(fs::exists(dir())) << "it is held";
        child = sleeper_in(*made);
        // It is left behind: its owner goes while somebody is in it.
        for (int tries = 0; tries < 1000 && read_file(dir() / "cgroup.procs").value_or("").empty();
             ++tries)
            ::usleep(10'000);
    }
    EXPECT_TRUE(fs::exists(dir()));
    sweep_cgroups(plan, name);
    EXPECT_TRUE(fs::exists(dir())) << "somebody is in it";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int tries = 0; tries < 1000 && fs::exists(dir()); ++tries) {
        sweep_cgroups(plan, name);
        ::usleep(10'000);
    }
    for (const auto& where : plan.directories) EXPECT_FALSE(fs::exists(where.parent / name));
}

// What a mount of version 2 without controllers has.
TEST(CgroupOfVersion2, KillsAtOneStroke) {
    const auto all = own_cgroups();
    const auto own = std::ranges::find(all, "", &Cgroup::controllers);
    if (own == all.end() || ::access(own->directory.c_str(), W_OK) != 0)
        GTEST_SKIP() << "none that is ours";
    const std::string name = "husk-test-" + random_id(8);
    const auto made = make_cgroup({2, {{.parent = own->directory}}}, {}, name);
    ASSERT_TRUE(made) << made.error().text();
    if (!made->kill) GTEST_SKIP() << "before Linux 5.14";
    const pid_t child = ::fork();
    if (child == 0) {
        const auto procs = open(own->directory / name / "cgroup.procs", O_WRONLY);
        if (!procs || ::write(procs->get(), "0", 1) != 1) ::_exit(1);
        ::write(made->kill.get(), "1", 1);
        for (;;) ::pause();
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

}  // namespace
}  // namespace husk::os
