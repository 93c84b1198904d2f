// Limits that the kernel keeps, in a cgroup that was made for one command: nothing gets past them,
// nothing of them stays, and where there is no cgroup they are watched.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <ostream>
#include <thread>

#include "harness.h"
#include "keeper/wire.h"
#include "os/file.h"
#include "run/call.h"
#include "run/ceilings.h"
#include "run/spool.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;
using Words = std::vector<std::string>;

bool kernel_keeps_limits() {
    const auto where = run::plan_ceilings({.memory = 1 << 30, .processes = 100}).where;
    return where.keeps_memory() && where.keeps_tasks();
}

// The cgroups of a process that are made for calls.
std::vector<fs::path> cgroups_of(int pid) {
    std::vector<fs::path> found;
    const std::string proc = "/proc/" + std::to_string(pid);
    for (const os::Cgroup& one :
         os::cgroups_in(read_text(proc + "/cgroup"), read_text("/proc/self/mountinfo")))
        if (one.directory.filename().string().starts_with("husk-call-"))
            found.push_back(one.directory);
    return found;
}

class Ceilings : public testing::Test {
protected:
    void SetUp() override {
        if (!kernel_keeps_limits()) GTEST_SKIP() << "this user can make no cgroup here";
    }
    Husk husk;
    Mark mark;
};

class CeilingsInMode : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, CeilingsInMode, testing::Values("open", "workspace", "read-only"),
                         [](const auto& mode) {
                             const std::string name = mode.param;
                             return name == "read-only" ? "ReadOnly" : name;
                         });

// The shell would go on: the kernel killed only what wanted too much.
TEST_P(CeilingsInMode, EndTheTreeWhenTheKernelHasKilledOneOfIt) {
    if (!kernel_keeps_limits()) GTEST_SKIP() << "this user can make no cgroup here";
    const Walled place(Who::Caller);
    const Mark mark;
    fs::copy_file(program("hog"), place.work() / "hog");
    const auto report = place.report_in(
        GetParam(), "./hog memory 1000 " + mark.word() + "; echo $?; sleep 60; : " + mark.word(),
        {"--limit", "memory=200M", "--timeout", "30s"});
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["name"], "memory") << report;
    EXPECT_EQ(report["limit"]["value"], 200 << 20) << report;
    EXPECT_GT(report["limit"]["peak"], 200 << 20);
    EXPECT_LE(report["limit"]["peak"], wire::memory_for(200 << 20)) << "not a byte more";
    EXPECT_THAT(report["confinement"]["limits"].get<std::string>(), StartsWith("cgroup-v"));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 2s));
}

class CpuShare : public testing::Test {
protected:
    void SetUp() override {
        if (!run::plan_ceilings(limits).where.keeps_cpu())
            GTEST_SKIP() << "this user can make no cgroup with processors here";
    }
    // What the kernel was told, of each tenth of a second.
    static std::string quota_in(const fs::path& dir) {
        return read_text(dir / "cpu.cfs_quota_us") + read_text(dir / "cpu.max");
    }

    const Limits limits{.cpu_percent = 10};
    const double processors = std::max(1U, std::thread::hardware_concurrency());
    Husk husk;
};

TEST_F(CpuShare, SlowsDownAndEndsNothing) {
    Bash bash(husk.settings());
    const Report report =
        bash.run({.command = "timeout 2 bash -c 'while :; do :; done'", .limits = limits});
    EXPECT_EQ(exit_code(report.ending), 124) << "by timeout, not by us";
    EXPECT_THAT(report.confinement.limits, StartsWith("cgroup-v"));
    EXPECT_THAT(report.confinement.limits, testing::HasSubstr("(cpu)"));
    // A fifth of a second for each processor; the rest is what came before it entered.
    EXPECT_LT(*report.usage.user_ms + *report.usage.system_ms, 200 * processors + 300);
}

TEST_F(CpuShare, IsToldToTheKernelAndToNobodyWhoDidNotAsk) {
    Bash bash(husk.settings());
    const auto quota = [&](const Limits& asked) {
        const Report shell =
            bash.run({.command = "sleep 300", .background = true, .limits = asked});
        std::string found;
        for (const fs::path& dir : cgroups_of(*shell.pid)) found += quota_in(dir);
        EXPECT_TRUE(std::holds_alternative<Report>(Shells(husk.settings()).kill(shell.shell_id)));
        return found;
    };
    const auto tenth = static_cast<int>(10'000 * processors);
    EXPECT_THAT(quota(limits), StartsWith(std::to_string(tenth)));
    EXPECT_EQ(quota({}), "");
    EXPECT_EQ(quota({.cpu_percent = 100}), "") << "all of them is no limit";
}

// A limit of processes does not mean threads; but there is an end to them too.
TEST_F(Ceilings, LeaveRoomForThreads) {
    const std::string threads =
        "python3 -c 'import threading as t; e = t.Event()\n"
        "for i in range(%): t.Thread(target=e.wait, daemon=True).start()'";
    const auto run = [&](const std::string& count) {
        std::string command = threads;
        command.replace(command.find('%'), 1, count);
        return husk.report(command, {"--limit", "processes=10", "--timeout", "30s"});
    };
    EXPECT_EQ(run("40")["status"], "exited");
    const auto report = run("400");
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["value"], 10) << report;
    EXPECT_EQ(report["limit"]["peak"], 80) << report;
}

TEST_F(Ceilings, GoWithTheirCommand) {
    const auto report =
        husk.report("sed -n 's/.*memory:.*husk-call-/husk-call-/p' /proc/self/cgroup",
                    {"--mode", "open", "--limit", "memory=1G"});
    if (const std::string name = report["output"]; !name.empty()) {
        const std::string found =
            run_program({"find", "/sys/fs/cgroup", "-name", name.substr(0, name.size() - 1)}).out;
        EXPECT_EQ(found, "");
    }
    EXPECT_THAT(report["confinement"]["limits"].get<std::string>(), StartsWith("cgroup-v"));
}

// Whoever made the cgroup is not there any more when the shell ends.
TEST_F(Ceilings, OfABackgroundShellAreSweptAwayByTheNextCall) {
    const std::string id =
        husk.background("sleep 300; : " + mark.word(), {"--mode", "open", "--limit", "memory=1G"});
    const int main = husk.shell(id)["pid"];
    const std::vector<fs::path> made = cgroups_of(main);
    ASSERT_FALSE(made.empty());
    husk.report("true", {"--limit", "memory=1G"});
    for (const fs::path& dir : made) EXPECT_TRUE(fs::exists(dir)) << "somebody is in it";
    EXPECT_EQ(husk({"kill", id}).code, 0);
    ASSERT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    EXPECT_TRUE(eventually([&] {
        husk.report("true", {"--limit", "memory=1G"});
        return std::ranges::none_of(made, [](const fs::path& dir) { return fs::exists(dir); });
    }));
}

TEST_F(Ceilings, StandForEachOfManyCallsAtOnce) {
    Bash bash(husk.settings());
    std::vector<Report> reports(12);
    {
        std::vector<std::jthread> threads;
        threads.reserve(reports.size());
        for (Report& report : reports)
            threads.emplace_back([&] {
                report = bash.run(
                    {.command = "echo $((6*7))", .limits = {.memory = 1 << 30, .processes = 50}},
                    {.working_dir = husk.dir()});
            });
    }
    for (const Report& report : reports) {
        EXPECT_EQ(report.output, "42\n");
        EXPECT_THAT(report.confinement.limits, StartsWith("cgroup-v"));
    }
}

// Entering takes longer than a short command: what nobody asked for is watched.
TEST_F(Ceilings, AreOnlyForLimitsThatWereAskedFor) {
    for (const Words& options :
         {Words{}, Words{"--limit", "cpu=1h"}, Words{"--limit", "memory=none"},
          Words{"--limit", "processes=none"}})
        EXPECT_EQ(husk.report("true", options)["confinement"]["limits"], "rlimits + sampling");
}

struct Pretence {
    const char* pretend;
    bool first;
    bool second;
};

// It only takes away.
TEST(CeilingsOfALesserMachine, AreOfTheVersionThatThereIs) {
    const Walled place(Who::Caller);
    const auto row = [&](const std::string& pretend, const std::string& mechanism) {
        const Ran said =
            run_program({"env", "HUSK_PRETEND=" + pretend, HUSK_BINARY, "doctor", "--json"});
        const nlohmann::json answer = said.json();
        for (const auto& one : answer["mechanisms"])
            if (one["mechanism"] == mechanism) return one;
        return nlohmann::json();
    };
    for (const Pretence& one :
         {Pretence{"cgroup=none", false, false}, Pretence{"cgroup=v1", true, false},
          Pretence{"cgroup=v2", false, true}}) {
        EXPECT_TRUE(one.first || !row(one.pretend, "cgroup v1")["available"]) << one.pretend;
        EXPECT_TRUE(one.second || !row(one.pretend, "cgroup v2")["available"]) << one.pretend;
        const auto limits = row(one.pretend, "limits by cgroup");
        const Ran ran =
            place.pretending(one.pretend, "open", "true",
                             {"--json", "--limit", "memory=1G", "--limit", "processes=50"});
        const std::string kept = ran.json()["confinement"]["limits"];
        EXPECT_EQ(kept.starts_with("cgroup-"), limits["available"]) << one.pretend << kept;
        EXPECT_TRUE(one.first || !kept.starts_with("cgroup-v1")) << one.pretend;
        EXPECT_TRUE(one.second || !kept.starts_with("cgroup-v2")) << one.pretend;
    }
}

struct News {
    const char* name;
    const char* memory_events;
    const char* memory_peak;
    const char* tasks_events;
    record::Reason reason;
    record::Resource resource;
    uint64_t limit;
    uint64_t peak;
};

std::ostream& operator<<(std::ostream& out, const News& news) { return out << news.name; }

constexpr uint64_t gigabyte = 1 << 30;
constexpr const char* quiet = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n";
constexpr const char* killed = "low 0\nhigh 0\nmax 97\noom 1\noom_kill 1\noom_group_kill 0\n";

const News all_news[] = {
    {"Nothing", quiet, "4096\n", "max 0\n", record::Reason::Itself, {}, 0, 0},
    {"Killed", killed, "1073741824\n", "max 0\n", record::Reason::Limit, record::Resource::Memory,
     gigabyte, wire::memory_for(gigabyte)},
    {"KilledAboveTheLimit", killed, "1073745920\n", "max 0\n", record::Reason::Limit,
     record::Resource::Memory, gigabyte, gigabyte + 4096},
    {"KilledForWantOfMemoryElsewhere",
     killed,
     "4096\n",
     "max 0\n",
     record::Reason::Itself,
     {},
     0,
     0},
    {"Refused", quiet, "4096\n", "max 3\n", record::Reason::Limit, record::Resource::Processes, 50,
     400},
};

// A keeper reads what the kernel documents, also where no kernel here writes it: the files of a
// cgroup of version 2, as they are when the command has ended.
class ACgroupOfVersion2 : public testing::TestWithParam<News> {
protected:
    os::Fd file(const char* name, const char* text, int flags) const {
        write_text(husk.dir() / name, text);
        return os::open(husk.dir() / name, flags).value_or(os::Fd());
    }
    record::Record run() {
        auto state = run::StateDir::open_or_make(husk.state());
        confine::Wanted wanted;
        wanted.mode = Mode::Open;
        auto session = run::Session::make_private(*state, 0ms, wanted);
        run::LaunchPlan plan;
        plan.program = "/bin/sh";
        plan.argv = {"sh", "-c", "exit 3"};
        plan.keep_output_bytes = 1 << 20;
        plan.tree_limits = run::tree_limits({.memory = gigabyte, .processes = 50});
        plan.ceilings.where.version = 2;
        run::Call::Belongings belongings;
        belongings.directory = os::open("/", O_PATH | O_DIRECTORY).value_or(os::Fd());
        belongings.input = os::open("/dev/null", O_RDONLY).value_or(os::Fd());
        os::LimitedCgroup& cgroup = belongings.cgroup.emplace();
        cgroup.memory_procs = file("memory.procs", "", O_WRONLY);
        cgroup.memory_events = file("memory.events", GetParam().memory_events, O_RDONLY);
        cgroup.memory_peak = file("memory.peak", GetParam().memory_peak, O_RDONLY);
        cgroup.tasks_procs = file("pids.procs", "", O_WRONLY);
        cgroup.tasks_events = file("pids.events", GetParam().tasks_events, O_RDONLY);
        cgroup.kill = file("cgroup.kill", "", O_WRONLY);
        const auto message = run::encode(plan, run::files_of(cgroup).present);
        record::Record page{};
        page.cap = plan.keep_output_bytes;
        auto files = run::make_call_files((*session)->dir(), page, "{}", false);
        const auto call =
            run::Call::start(**session, plan, *message, std::move(belongings), std::move(*files));
        EXPECT_TRUE(call);
        EXPECT_TRUE(eventually([&] { return call->hear() == run::News::Gone; }));
        EXPECT_EQ(::pread(call->files().record.get(), &page, sizeof page, 0),
                  static_cast<ssize_t>(sizeof page));
        return page;
    }
    Husk husk;
};

INSTANTIATE_TEST_SUITE_P(, ACgroupOfVersion2, testing::ValuesIn(all_news),
                         [](const auto& news) { return news.param.name; });

TEST_P(ACgroupOfVersion2, IsEnteredAndBelieved) {
    const record::Record page = run();
    EXPECT_EQ(page.reason, GetParam().reason);
    EXPECT_EQ(page.resource, GetParam().resource);
    EXPECT_EQ(page.limit, GetParam().limit);
    EXPECT_EQ(page.peak, GetParam().peak);
    // The keeper looks after a tenth of a second too, and may be faster than sh.
    const bool is_stopped = WIFSIGNALED(page.wait_status) && GetParam().limit != 0;
    EXPECT_EQ(is_stopped ? WTERMSIG(page.wait_status) : WEXITSTATUS(page.wait_status),
              is_stopped ? SIGTERM : 3);
    constexpr uint32_t kept =
        record::MemoryByCgroup | record::ProcessesByCgroup | record::CgroupOfVersion2;
    EXPECT_EQ(page.flags & kept, kept);
    EXPECT_EQ(read_text(husk.dir() / "memory.procs"), "0") << "the writer itself";
    EXPECT_EQ(read_text(husk.dir() / "pids.procs"), "0");
}

}  // namespace
}  // namespace husk::test
