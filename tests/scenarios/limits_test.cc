// A command and all that it starts may use so much and no more; who passes a limit is ended, and
// the ending says which limit it was.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ostream>

#include "harness.h"
#include "os/limited_cgroup.h"
#include "render/ending_line.h"
#include "render/report_json.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t megabyte = 1'000'000;

// What keeps the limits of a tree.
enum class By { Sampling, TheKernel };

// A call of the library in a process of its own, which can be an ordinary user's. Gives the
// report, with the line for people as "line".
nlohmann::json call_as(Who who, const Settings& settings, const Request& request,
                       By by = By::TheKernel) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    const pid_t child = ::fork();
    if (child == 0) {
        if (who == Who::OrdinaryUser && ::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 ||
             ::setresgid(ordinary_uid, ordinary_uid, ordinary_uid) != 0 ||
             ::setresuid(ordinary_uid, ordinary_uid, ordinary_uid) != 0))
            ::_exit(1);
        if (by == By::Sampling) ::setenv("HUSK_PRETEND", "cgroup=none", 1);
        const Report report =
            Bash(settings).run(request, {.working_dir = settings.state.parent_path()});
        auto json = render::report_json(report);
        json["line"] = render::ending_line(report);
        const std::string text = render::dump(json);
        for (size_t at = 0; at < text.size();) {
            const ssize_t wrote = ::write(ends[1], text.data() + at, text.size() - at);
            if (wrote <= 0) ::_exit(1);
            at += static_cast<size_t>(wrote);
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(got));
    ::close(ends[0]);
    EXPECT_EQ(exit_code_of(child), 0);
    auto json = nlohmann::json::parse(text, nullptr, false);
    EXPECT_TRUE(json.is_object()) << text;
    return json;
}

struct Case {
    const char* name;
    const char* command;  // $P is the folder of the programs, $W a mark
    Limits limits;
    const char* limit;  // that is passed
    uint64_t value;
    const char* line;
};

const Case breaches[] = {
    {"CpuOfOneProcess",
     "$P/hog cpu 9000 $W",
     {.cpu = 200ms},
     "cpu",
     200,
     "stopped at the cpu limit of 200 ms (reached "},
    {"CpuOfFourAtOnce",
     "for i in 1 2 3 4; do $P/hog cpu 100 $W & done; wait; sleep 9; : $W",
     {.cpu = 200ms},
     "cpu",
     200,
     "stopped at the cpu limit of 200 ms"},
    {"CpuOfThoseThatHaveEnded",
     "for i in 1 2 3 4; do $P/hog cpu 60 $W; done; sleep 9; : $W",
     {.cpu = 200ms},
     "cpu",
     200,
     "stopped at the cpu limit of 200 ms"},
    {"CpuOfOrphans",
     "for i in 1 2 3 4; do (setsid $P/hog cpu 100 $W &); done; sleep 9; : $W",
     {.cpu = 200ms},
     "cpu",
     200,
     "stopped at the cpu limit of 200 ms"},
    {"CpuOfAWholeSecond",
     "exec $P/hog cpu 9000 $W",
     {.cpu = 1s},
     "cpu",
     1000,
     "stopped at the cpu limit of 1 s"},
    {"MemoryOfOneProcess",
     "$P/hog memory 1000 $W",
     {.memory = 300 * megabyte},
     "memory",
     300 * megabyte,
     "stopped at the memory limit of 286.1 MiB"},
    {"MemoryOfFourTogether",
     "for i in 1 2 3 4; do $P/hog memory 150 $W & done; wait; : $W",
     {.memory = 300 * megabyte},
     "memory",
     300 * megabyte,
     "memory limit"},
    {"MemoryThatCouldBeShared",
     "$P/hog mapped 1000 $W",
     {.memory = 300 * megabyte},
     "memory",
     300 * megabyte,
     "memory limit"},
    {"MemoryOfTheDeaf",
     "exec $P/hog rude-memory 1000 $W",
     {.memory = 300 * megabyte},
     "memory",
     300 * megabyte,
     "memory limit"},
    {"MemoryOfAThreadThatIsLeft",
     "exec $P/hog thread-memory 1000 $W",
     {.memory = 300 * megabyte},
     "memory",
     300 * megabyte,
     "memory limit"},
    {"Processes",
     "$P/bomb wide $W",
     {.processes = 100},
     "processes",
     100,
     "stopped at the processes limit of 100 (reached "},
    {"ProcessesThatDoNothing",
     "$P/crowd 200 $W; sleep 9; : $W",
     {.processes = 100},
     "processes",
     100,
     "processes limit"},
    {"SizeOfAFile",
     "exec head -c 3M /dev/zero > large",
     {.file_size = 1 << 20},
     "file_size",
     1 << 20,
     "stopped at the file_size limit of 1 MiB"},
    {"ManySmallFiles",
     "mkdir many; $P/hog files 4000 100000 many; : $W",
     {.disk = 20 * megabyte},
     "disk",
     20 * megabyte,
     "stopped at the disk limit of 19.1 MiB"},
};

struct Breach {
    Case passed;
    Who who;
    By by;
};

std::ostream& operator<<(std::ostream& out, const Breach& breach) {
    return out << breach.passed.name << (breach.by == By::Sampling ? " by sampling" : " by cgroup");
}

// What the machine has, whatever a child of ours is going to pretend.
os::CgroupPlan cgroup_for(const Limits& limits) {
    return os::plan_cgroup(
        os::cgroups_in(read_text("/proc/self/cgroup"), read_text("/proc/self/mountinfo")),
        {.memory = limits.memory.value_or(0), .tasks = limits.processes.value_or(0)});
}

bool kernel_could_keep(const Limits& limits, Who who) {
    const bool root = who == Who::Caller && ::geteuid() == 0;
    return root && cgroup_for(limits).version != 0;
}

// Every limit by sampling, and those of them that the kernel can keep by the kernel too.
std::vector<Breach> all_breaches() {
    std::vector<Breach> all;
    for (const Case& one : breaches) {
        for (const Who who : {Who::Caller, Who::OrdinaryUser}) {
            all.push_back({one, who, By::Sampling});
            if (kernel_could_keep(one.limits, who)) all.push_back({one, who, By::TheKernel});
        }
    }
    return all;
}

std::string breach_name(const testing::TestParamInfo<Breach>& info) {
    const auto& [passed, who, by] = info.param;
    return std::string(passed.name) + (by == By::Sampling ? "" : "ByTheKernel") +
           (who == Who::Caller ? "" : "AsOrdinaryUser");
}

std::string kept_by(const Limits& limits, By by) {
    const std::string otherwise = "rlimits + sampling";
    if (by == By::Sampling) return otherwise;
    const os::CgroupPlan where = cgroup_for(limits);
    return "cgroup-v" + std::to_string(where.version) + " (" +
           (where.keeps_memory() ? "memory" : "processes") + ") + " + otherwise;
}

class AloneLimits : public testing::TestWithParam<Breach> {
protected:
    AloneLimits() : husk(who()) {}
    const Case& breach() const { return GetParam().passed; }
    Who who() const { return GetParam().who; }
    By by() const { return GetParam().by; }
    std::string command() const {
        return "W=" + mark.word() + " P=" HUSK_TEST_PROGRAMS_DIR "\n" + breach().command;
    }

    Husk husk;
    Mark mark;
};

TEST_P(AloneLimits, EndTheTreeAndAreNamed) {
    const auto begin = std::chrono::steady_clock::now();
    // Patience that nobody should need: what goes on growing is not waited for.
    const auto report = call_as(
        who(), husk.settings(),
        {.command = command(), .timeout = 30s, .stop = {.patience = 5s}, .limits = breach().limits},
        by());
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["name"], breach().limit) << report;
    EXPECT_EQ(report["limit"]["value"], breach().value) << report;
    EXPECT_GE(report["limit"]["peak"], breach().value) << report;
    const std::string line = breach().line;
    const std::string without_peak = line.substr(0, line.find(" (reached "));
    // Met to the millisecond, there is no more to tell than the limit.
    const bool met = report["limit"]["peak"] == breach().value;
    EXPECT_THAT(report["line"].get<std::string>(), HasSubstr(met ? without_peak : line)) << report;
    if (met) {
        EXPECT_THAT(report["line"].get<std::string>(), testing::Not(HasSubstr("reached")));
    }
    EXPECT_EQ(report["confinement"]["limits"], kept_by(breach().limits, by()));
    EXPECT_THAT(report["leftovers"], IsEmpty());
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 1s));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, patient(8s));
}

TEST_P(AloneLimits, HoldInTheBackgroundAndAreRecorded) {
    const auto started = call_as(who(), husk.settings(),
                                 {.command = command(),
                                  .background = true,
                                  .stop = {.patience = 5s},
                                  .limits = breach().limits},
                                 by());
    const std::string id = started["shell_id"];
    EXPECT_EQ(husk({"wait", id, "--timeout", "20s"}).code, 124);
    const auto shells = husk({"shells", "--all", "--json"}).json();
    ASSERT_EQ(shells["shells"].size(), 1U) << shells;
    EXPECT_EQ(shells["shells"][0]["status"], "limit_exceeded") << shells;
    EXPECT_EQ(shells["shells"][0]["limit"]["name"], breach().limit) << shells;
    EXPECT_GE(shells["shells"][0]["limit"]["peak"], breach().value) << shells;
}

INSTANTIATE_TEST_SUITE_P(, AloneLimits, testing::ValuesIn(all_breaches()), breach_name);

class Limited : public testing::TestWithParam<Who> {
protected:
    Limited() : husk(GetParam()) {}
    nlohmann::json run(const std::string& command, const Limits& limits = {}) const {
        return call_as(GetParam(), husk.settings(),
                       {.command = "P=" HUSK_TEST_PROGRAMS_DIR "\n" + command,
                        .timeout = 100s,  // a second of CPU time takes that long on a busy machine
                        .limits = limits});
    }
    Husk husk;
};

TEST_P(Limited, ALimitThatIsNotReachedChangesNothing) {
    const Limits limits{.cpu = 20s,
                        .memory = 900 * megabyte,
                        .processes = 50,
                        .open_files = 100,
                        .file_size = 10 * megabyte,
                        .disk = 500 * megabyte};
    const auto report =
        run("$P/hog cpu 100 x; $P/hog memory 200 x & $P/crowd 20 x; head -c 1M /dev/zero > f\n"
            "wait; stat -c %s f",
            limits);
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_EQ(report["output"], "1048576\n");
    EXPECT_TRUE(report["limit"].is_null());
}

TEST_P(Limited, EveryCommandHasDefaults) {
    const auto report = run("ulimit -c; ulimit -n; ulimit -t; ulimit -f; ulimit -v; ulimit -d");
    const long hours = ::sysconf(_SC_NPROCESSORS_ONLN);  // one for each processor
    EXPECT_EQ(report["output"],
              "0\n4096\n" + std::to_string(hours * 3600 + 2) + "\n4194304\nunlimited\nunlimited\n");
}

TEST_P(Limited, AProgramMayRaiseItsOpenFilesUnlessTheyAreLimited) {
    rlimit own{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &own), 0);
    const auto most = std::to_string(std::min<rlim_t>(own.rlim_max, 65536));
    const std::string raise = "ulimit -Sn $(ulimit -Hn); ulimit -n";
    EXPECT_EQ(run(raise)["output"], most + "\n");
    EXPECT_EQ(run(raise, {.open_files = 100})["output"], "100\n");
}

TEST_P(Limited, ZeroLiftsALimit) {
    const auto report = run("ulimit -t; ulimit -f; $P/crowd 600 x; sleep 1",
                            {.cpu = 0ms, .memory = 0, .processes = 0, .file_size = 0});
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_EQ(report["output"], "unlimited\nunlimited\n");
    EXPECT_GT(report["usage"]["processes"], 512U) << "more than the usual limit";
}

TEST_P(Limited, OpenFilesAreRefusedByTheKernel) {
    const auto report =
        run("ulimit -n; for fd in {20..60}; do eval \"exec $fd>/dev/null\" || exit 7"
            "; done 2>/dev/null",
            {.open_files = 50});
    EXPECT_EQ(report["output"], "50\n");
    EXPECT_NE(report["exit_code"], 0) << report;
    EXPECT_EQ(report["status"], "exited") << report;
}

// Pages that processes share after a fork are there once.
TEST_P(Limited, MemoryThatIsSharedCountsOnce) {
    const auto report = run("exec $P/hog shared 100 20 x", {.memory = 400 * megabyte});
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_GE(report["usage"]["peak_memory_bytes"], 100 * megabyte) << report;
    EXPECT_LT(report["usage"]["peak_memory_bytes"], 200 * megabyte) << report;
    EXPECT_EQ(report["usage"]["processes"], 21) << report;
}

TEST_P(Limited, UsageIsThatOfTheTreeWhereItWasSeen) {
    const auto large = run("for i in 1 2 3; do $P/hog memory 50 x & done; wait");
    EXPECT_EQ(large["usage"]["peak_memory_of"], "tree") << large;
    // More than two of them have; on a loaded machine the last look may miss some pages.
    EXPECT_GT(large["usage"]["peak_memory_bytes"], 110 * megabyte) << large;
    EXPECT_LT(large["usage"]["peak_memory_bytes"], 200 * megabyte) << large;
    EXPECT_EQ(large["usage"]["processes"], 4) << large;

    const auto small = run("true");
    EXPECT_EQ(small["usage"]["peak_memory_of"], "largest process") << small;
    EXPECT_TRUE(small["usage"]["processes"].is_null() || small["usage"]["processes"] == 1) << small;
}

// What the command forbids itself is not ours.
TEST_P(Limited, AnEndingByLimitsOfItsOwnIsASignal) {
    const auto size = run("ulimit -f 1; exec head -c 1M /dev/zero > f");
    EXPECT_EQ(size["status"], "signaled") << size;
    EXPECT_EQ(size["signal"], "SIGXFSZ") << size;
    const auto cpu = run("ulimit -t 1; exec $P/hog cpu 5000 x");
    EXPECT_EQ(cpu["status"], "signaled") << cpu;
    EXPECT_TRUE(cpu["signal"] == "SIGXCPU" || cpu["signal"] == "SIGKILL") << cpu;
    // As if the kernel had raised the limit of the call.
    const auto pretended = run("ulimit -St 603; kill -XCPU $$", {.cpu = 600s});
    EXPECT_EQ(pretended["status"], "signaled") << pretended;
}

TEST_P(Limited, AShellThatHidesTheSignalOfItsChildIsExplained) {
    const auto report =
        run("head -c 3M /dev/zero > f\ncode=$?\nexit $code", {.file_size = megabyte});
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_EQ(report["exit_code"], 153) << report;
    ASSERT_EQ(report["notes"].size(), 1U) << report;
    EXPECT_THAT(report["notes"][0].get<std::string>(), HasSubstr("file_size"));
}

INSTANTIATE_TEST_SUITE_P(, Limited, both(), who_name);

// A limit that would have no effect is refused, never ignored.
TEST(LimitOfWallTime, IsRefusedWhereTheTimeoutsBelongToTheContract) {
    const Husk husk;
    for (const std::string contract : {"phoenix", "codegen", "agentrail", "yoi"}) {
        const Ran refused = husk({"call", "--contract", contract, "--limit", "wall=1", "Bash",
                                  R"({"command": "echo ran", "description": "d"})"});
        EXPECT_TRUE(is_refusal(refused)) << contract << ": " << refused.out << refused.err;
        EXPECT_THAT(refused.err,
                    HasSubstr("wall has no effect in the contract " + contract + ", whose"));
        EXPECT_EQ(husk({"tools", "--contract", contract, "--limit", "memory=1G"}).code, 0);
    }
    const Ran other = husk({"call", "--contract", "claude-code", "--limit", "wall=1", "Bash",
                            R"({"command": "sleep 30"})"});
    EXPECT_THAT(other.out, HasSubstr("1s"));
}

}  // namespace
}  // namespace husk::test
