// What `husk doctor` says is true, for root and for an ordinary user, and it leaves no trace.
#include <gmock/gmock.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ostream>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

nlohmann::json row(const nlohmann::json& answer, const std::string& mechanism) {
    for (const auto& one : answer["mechanisms"])
        if (one["mechanism"] == mechanism) return one;
    ADD_FAILURE() << "no row " << mechanism;
    return {{"available", false}, {"why_not", ""}, {"version", ""}};
}

bool has(const nlohmann::json& answer, const std::string& mechanism) {
    return row(answer, mechanism)["available"].get<bool>();
}

// The words that run something as that user.
std::vector<std::string> as(Who who, std::vector<std::string> words) {
    if (who == Who::Caller || ::geteuid() != 0) return words;
    const std::string id = std::to_string(ordinary_uid);
    words.insert(words.begin(),
                 {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"});
    return words;
}

// What a shell finds out by other means.
bool shell_can(Who who, const std::string& script) {
    return run_program(as(who, {"bash", "-c", script})).code == 0;
}

std::string shell_says(Who who, const std::string& script) {
    std::string text = run_program(as(who, {"bash", "-c", script})).out;
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

// The namespace as its user would get it: directly, or else with a user namespace around it.
bool unshares(Who who, const std::string& options, const std::string& script) {
    const std::string rest = options + " sh -c '" + script + "'";
    return shell_can(who, "unshare " + rest + " || unshare -Ur " + rest);
}

std::vector<std::string> probe_directories() {
    std::vector<std::string> found;
    std::error_code ignored;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at("/sys/fs/cgroup", options, ignored), end; at != end;
         at.increment(ignored))
        if (at->path().filename().string().starts_with("husk-probe")) found.push_back(at->path());
    return found;
}

void expect_no_cgroup() {
    // Others may be at it too, but theirs go.
    for (const std::string& directory : probe_directories())
        EXPECT_TRUE(eventually([&] { return !fs::exists(directory); })) << directory;
}

class Doctor : public testing::TestWithParam<Who> {
protected:
    nlohmann::json answer() const { return husk({"doctor", "--json"}).json(); }

    Husk husk{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(As, Doctor, testing::Values(Who::Caller, Who::OrdinaryUser),
                         [](const auto& test) {
                             return test.param == Who::Caller ? "Caller" : "OrdinaryUser";
                         });

TEST_P(Doctor, SaysThatTheEngineWorksWhereACommandRuns) {
    EXPECT_EQ(answer()["engine"], husk({"run", "--", "true"}).code == 0);
}

TEST_P(Doctor, IsRightAboutProcesses) {
    const auto said = answer();
    EXPECT_EQ(has(said, "pidfd"), ::syscall(SYS_pidfd_open, ::getpid(), 0) >= 0);
    EXPECT_EQ(has(said, "lists of children"),
              shell_can(GetParam(),
                        "sleep 9 & grep -qw $! /proc/$$/task/$$/children; found=$?; "
                        "kill $!; exit $found"));
    EXPECT_EQ(has(said, "I/O accounting"),
              shell_can(GetParam(), "grep -q ^read_bytes: /proc/self/io"));
    EXPECT_EQ(row(said, "bash")["version"], shell_says(GetParam(), "echo $BASH_VERSION"));
}

TEST_P(Doctor, IsRightAboutTheStateDirectory) {
    const auto said = answer();
    const std::string file = (husk.dir() / "file").string();
    const std::string punch = "head -c 65536 /dev/zero >$F; fallocate -p -o 0 -l 4096 $F";
    EXPECT_EQ(has(said, "hole punching"), shell_can(GetParam(), "F=" + file + "; " + punch));
    EXPECT_EQ(has(said, "file locks"), shell_can(GetParam(), "touch " + file));
}

TEST_P(Doctor, IsRightAboutNamespaces) {
    const auto said = answer();
    EXPECT_EQ(has(said, "user namespace"), shell_can(GetParam(), "unshare -Ur true"));
    EXPECT_EQ(has(said, "PID namespace"), unshares(GetParam(), "-pf --mount-proc", "true"));
    EXPECT_EQ(has(said, "network namespace"), unshares(GetParam(), "-n", "true"));
    EXPECT_EQ(has(said, "mount namespace"),
              unshares(GetParam(), "-m", "mount -t tmpfs none /tmp && touch /tmp/x"));
}

TEST_P(Doctor, IsRightAboutWalls) {
    const auto said = answer();
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    EXPECT_EQ(has(said, "Landlock"), abi > 0);
    if (abi > 0) {
        EXPECT_EQ(row(said, "Landlock")["version"], "ABI " + std::to_string(abi));
    }
    EXPECT_EQ(has(said, "seccomp"), ::prctl(PR_GET_SECCOMP) >= 0);
}

TEST_P(Doctor, IsRightAboutCgroups) {
    const auto said = answer();
    EXPECT_EQ(has(said, "cgroup v2"),
              shell_can(GetParam(),
                        "root=$(findmnt -fnt cgroup2 -o TARGET) || exit\n"
                        "made=$root$(sed -n s/^0:://p /proc/self/cgroup)/husk-oracle-$$\n"
                        "mkdir $made && test -w $made/cgroup.kill; can=$?\n"
                        "rmdir $made; exit $can"));
    const std::string usable =
        shell_says(GetParam(),
                   "grep -v '^0\\|name=' /proc/self/cgroup | while IFS=: read _ name path; do\n"
                   "made=$(findmnt -fnt cgroup -O $name -o TARGET)$path/husk-oracle-$$\n"
                   "mkdir $made && rmdir $made && echo $name; done 2>/dev/null | tr , '\\n' |\n"
                   "LC_ALL=C sort | tr '\\n' ' '");
    const auto version = row(said, "cgroup v1")["version"];
    EXPECT_EQ(version.is_null() ? "" : version.get<std::string>() + " ",
              usable.empty() ? "" : "with " + usable);
}

TEST_P(Doctor, PrintsATableAndAConclusion) {
    const Ran ran = husk({"doctor"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_THAT(ran.out, StartsWith("MECHANISM"));
    const auto said = answer();
    for (const auto& one : said["mechanisms"]) {
        const std::string name = one["mechanism"];
        EXPECT_THAT(ran.out, HasSubstr("\n" + name + " "));
        const std::string remedy = one["remedy"];
        if (!one["available"]) {
            EXPECT_THAT(ran.out, HasSubstr(remedy));
        }
    }
    EXPECT_THAT(ran.out, HasSubstr("\nThe engine works here.\n"));
    EXPECT_THAT(ran.out, HasSubstr("Modes that can be offered: read-only workspace open"));
}

TEST_P(Doctor, LeavesNoProcessFileOrCgroup) {
    // Orphans of the doctor would come to this process.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    EXPECT_EQ(husk({"doctor"}).code, 0);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_TRUE(fs::is_empty(husk.dir()));
    expect_no_cgroup();
}

TEST_P(Doctor, ThatIsKilledLeavesNothingEither) {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int i = 0; i < 20; ++i) {
        const pid_t doctor = husk.start({"doctor"});
        ::usleep(static_cast<useconds_t>(2000 * i));
        ::kill(doctor, SIGKILL);
        EXPECT_TRUE(eventually(
            [] { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }, 5s));
    }
    expect_no_cgroup();
}

// A world where one thing is missing.
struct World {
    std::string name;
    std::vector<std::string> enter;  // "sh -c SCRIPT" is appended
    std::string prepare;
    std::string missing;
    std::string why_not;
    bool engine;
};

std::ostream& operator<<(std::ostream& out, const World& world) { return out << world.name; }

Ran husk_in(const World& world, const fs::path& state, const std::string& arguments) {
    const std::string script = "export HUSK_STATE=" + state.string() + "\n" + world.prepare +
                               " || exit 99\n" + HUSK_BINARY + " " + arguments;
    std::vector<std::string> words = world.enter;
    words.insert(words.end(), {"sh", "-c", script});
    return run_program(words);
}

class AWorldWithout : public testing::TestWithParam<World> {};

INSTANTIATE_TEST_SUITE_P(
    Doctor, AWorldWithout,
    testing::Values(
        World{"ExecutableMemory",
              {"unshare", "-pf", "--mount-proc"},
              "echo 2 >/proc/sys/vm/memfd_noexec",
              "executing from memory",
              "Permission denied",
              false},
        World{"UserNamespaces",
              {"unshare", "-Ur"},
              "echo 0 >/proc/sys/user/max_user_namespaces",
              "user namespace",
              "unshare: No space left",
              true},
        World{"Inotify",
              {"unshare", "-Ur"},
              "echo 0 >/proc/sys/user/max_inotify_instances",
              "inotify",
              "inotify_init1: Too many open files",
              true},
        World{"Capabilities",
              {"setpriv", "--bounding-set=-all", "--inh-caps=-all"},
              "true",
              "mount namespace",
              "Operation not permitted",
              true},
        World{"WritableCgroups",
              {"unshare", "-m"},
              "for m in $(findmnt -nt cgroup2 -o TARGET); do mount -o remount,bind,ro $m; done",
              "cgroup v2",
              "Read-only file system",
              true},
        World{"ManyFiles", {"env"}, "ulimit -n 1000", "4096 open files", "1000", true},
        World{"Bash",
              {"unshare", "-m"},
              "mount --bind /dev/null /usr/bin/bash",
              "bash",
              "not a regular file",
              false},
        World{"StateDirectory",
              {"env"},
              "HUSK_STATE=/proc/nowhere",
              "file locks",
              "/proc/nowhere",
              false}),
    [](const auto& test) { return test.param.name; });

TEST_P(AWorldWithout, IsSeenAndNamed) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make such a world";
    const World& world = GetParam();
    const TempDir dir;
    const Ran doctor = husk_in(world, dir.path() / "state", "doctor --json");
    if (doctor.out.empty()) GTEST_SKIP() << "it cannot be made here: " << doctor.err;
    const auto said = doctor.json();
    EXPECT_FALSE(has(said, world.missing));
    EXPECT_THAT(row(said, world.missing)["why_not"].get<std::string>(), HasSubstr(world.why_not));
    EXPECT_EQ(said["engine"], world.engine);
    EXPECT_EQ(said["modes"].empty(), !world.engine);
    EXPECT_EQ(doctor.code, world.engine ? 0 : 125);
    if (!world.engine) {
        EXPECT_THAT(doctor.err, StartsWith("husk: the engine does not work here"));
        EXPECT_THAT(doctor.err, HasSubstr(world.missing));
        EXPECT_EQ(std::ranges::count(doctor.err, '\n'), 1);
    }
    // And a command agrees.
    EXPECT_EQ(husk_in(world, dir.path() / "state", "run --mode open -- true").code,
              world.engine ? 0 : 125);
}

TEST(DoctorInAPidNamespace, SeesThatProcBelongsToAnother) {
    const TempDir dir;
    const World world{.name = "",
                      .enter = {"unshare", "-Urpf"},
                      .prepare = "true",
                      .missing = "",
                      .why_not = "",
                      .engine = false};
    const Ran doctor = husk_in(world, dir.path(), "doctor --json");
    if (doctor.out.empty()) GTEST_SKIP() << "there are no user namespaces: " << doctor.err;
    EXPECT_FALSE(has(doctor.json(), "lists of children"));
    EXPECT_EQ(doctor.code, 125);
}

}  // namespace
}  // namespace husk::test
