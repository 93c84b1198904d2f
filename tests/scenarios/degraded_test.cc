// Machines that can do less than this one, pretended and real: a mode is offered with what there
// is, or refused with the word that would accept the hole. `husk doctor` says the same.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ostream>

#include "walled.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

const char* moves = "moves between directories";
const Words no_mounts = {"mount namespace", "PID namespace", "overlay"};
const Words nothing_but_landlock = {"mount namespace", "PID namespace", "network namespace",
                                    "overlay"};

Words with(Words all, const Words& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

enum class For { Both, RootOnly, UserOnly };

struct Machine {
    const char* name;
    const char* pretend;
    const char* mode;
    const char* accept;   // "": nothing
    const char* refusal;  // "": it is started, with this missing
    Words missing;
    For whom = For::Both;
};

std::ostream& operator<<(std::ostream& out, const Machine& machine) {
    return out << machine.pretend << " in " << machine.mode << " accepting " << machine.accept;
}

const char* accept_mounts = "accept: [metadata, protected-paths]";
const char* accept_signals = "accept: [signals]";

const Machine machines[] = {
    {"All", "landlock=7", "workspace", "", "", {}},
    {"Abi5", "landlock=5", "workspace", "", "", {}},
    {"Abi3", "landlock=3", "workspace", "", "", {}},
    {"Abi2", "landlock=2", "workspace", "", "", {}},
    {"Abi1", "landlock=1", "workspace", "", "", {moves}},
    {"Abi1ReadOnly", "landlock=1", "read-only", "", "", {}},
    {"Abi1WithoutMounts", "landlock=1,mountns=no", "read-only", "signals", "",
     with(no_mounts, {"signals"})},
    {"NoLandlock", "landlock=no", "read-only", "", "need Landlock (Linux 5.13 or later)", {}},
    {"NoLandlockIsNoHole", "landlock=no", "workspace", "signals", "need Landlock", {}},
    {"NoSeccomp", "seccomp=no", "read-only", "", "need seccomp", {}},
    {"NoNetworkNamespace", "netns=no", "workspace", "", "", {"network namespace"}},
    {"NoOverlay", "overlay=no", "workspace", "", "", {"overlay"}},
    {"NoListener", "listener=no", "workspace", "", "", {"seccomp listener"}},
    {"NoPidNamespace", "pidns=no", "workspace", "", "", {"PID namespace"}},
    {"NoPidNamespaceReadOnly", "pidns=no", "read-only", "", "", {"PID namespace"}},
    {"NoPidNamespaceAbi5", "pidns=no,landlock=5", "read-only", "", accept_signals, {}},
    {"NoPidNamespaceAbi5Accepted",
     "pidns=no,landlock=5",
     "workspace",
     "signals",
     "",
     {"PID namespace", "signals"}},
    {"NoMountsReadOnly", "mountns=no", "read-only", "", "", no_mounts},
    {"NoMounts", "mountns=no", "workspace", "", accept_mounts, {}},
    {"NoMountsHalfAccepted",
     "mountns=no",
     "workspace",
     "metadata",
     "accept: [protected-paths]",
     {}},
    {"NoMountsAccepted", "mountns=no", "workspace", "metadata,protected-paths", "",
     with(no_mounts, {"metadata", "protected-paths"})},
    {"NoMountsAbi5", "mountns=no,landlock=5", "read-only", "", accept_signals, {}},
    {"RootNeedsNoUserNamespace", "userns=no", "workspace", "", "", {}, For::RootOnly},
    {"NoUserNamespace", "userns=no", "workspace", "", accept_mounts, {}, For::UserOnly},
    {"NoUserNamespaceReadOnly", "userns=no", "read-only", "", "", nothing_but_landlock,
     For::UserOnly},
    {"NoUserNamespaceAccepted", "userns=no", "workspace", "metadata,protected-paths", "",
     with(nothing_but_landlock, {"metadata", "protected-paths"}), For::UserOnly},
    {"NoUserNamespaceAbi4",
     "userns=no,landlock=4",
     "read-only",
     "",
     accept_signals,
     {},
     For::UserOnly},
    {"NoUserNamespaceAbi2Accepted", "userns=no,landlock=2", "read-only", "signals", "",
     with(nothing_but_landlock, {"signals"}), For::UserOnly},
    {"UnknownWord", "landlock=7", "workspace", "everything", "\"everything\" is no hole", {}},
};

// Of the same user, outside; it hears of nothing.
class Stranger {
public:
    explicit Stranger(uid_t uid) : pid_(::fork()) {
        if (pid_ != 0) return;
        if (::geteuid() == 0 && ::setuid(uid) != 0) ::_exit(1);
        for (;;) ::pause();
    }
    ~Stranger() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

class ALesserMachine : public testing::TestWithParam<std::tuple<Machine, Who>> {
protected:
    const Machine& machine() const { return std::get<Machine>(GetParam()); }
    Who who() const { return std::get<Who>(GetParam()); }
    Words options() const {
        Words words = {"--json"};
        if (*machine().accept != 0) words.insert(words.end(), {"--accept", machine().accept});
        return words;
    }
};

std::string machine_name(const testing::TestParamInfo<std::tuple<Machine, Who>>& test) {
    return std::string(std::get<Machine>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "AsOrdinaryUser");
}

bool is_for(const Machine& machine, Who who) {
    const bool root = who == Who::Caller && ::geteuid() == 0;
    return machine.whom == For::Both || (machine.whom == For::RootOnly) == root;
}

// For whom there is such a machine; the doctor is asked where nothing has to be accepted.
std::vector<std::tuple<Machine, Who>> cases(bool with_accepting) {
    std::vector<std::tuple<Machine, Who>> all;
    for (const Machine& machine : machines)
        for (const Who who : {Who::Caller, Who::OrdinaryUser})
            if (is_for(machine, who) && (with_accepting || *machine.accept == 0))
                all.emplace_back(machine, who);
    return all;
}

INSTANTIATE_TEST_SUITE_P(, ALesserMachine, testing::ValuesIn(cases(true)), machine_name);

class ADoctorOfLesserMachines : public ALesserMachine {};

INSTANTIATE_TEST_SUITE_P(, ADoctorOfLesserMachines, testing::ValuesIn(cases(false)), machine_name);

// What stays true of a closed mode, whatever it is built of.
void expect_walls(const Walled& place, const Machine& machine, const Words& options) {
    const Stranger stranger(place.uid());
    const std::string outside = (place.outside() / "file").string();
    const std::string secret = (place.home() / ".ssh" / "id").string();
    const auto report =
        place
            .pretending(
                machine.pretend, machine.mode,
                "cat file " + secret + "; git config user.name; echo x > " + outside +
                    "; truncate -s 0 " + outside + "; kill -9 " + std::to_string(stranger.pid()) +
                    "; python3 -c 'open(\"" + outside +
                    "\", \"w\")';"
                    "curl -s -m 3 http://127.0.0.1:9/; echo kept > $TMPDIR/a; cat $TMPDIR/a",
                options)
            .json();
    const std::string output = report["output"];
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_THAT(output, HasSubstr("of the workspace\n"));
    EXPECT_THAT(output, HasSubstr("Somebody\n"));
    EXPECT_THAT(output, HasSubstr("kept\n"));
    EXPECT_EQ(output.find("the secret"), std::string::npos) << output;
    EXPECT_EQ(read_text(outside), "of somebody else\n");
    EXPECT_EQ(report["confinement"]["missing"].get<Words>(), machine.missing) << report;
    const bool open_to_signals = std::ranges::count(machine.missing, "signals") > 0;
    EXPECT_EQ(report["confinement"]["signals"], open_to_signals ? "open" : "own session only");
    if (!open_to_signals) {
        EXPECT_TRUE(is_alive(stranger.pid()));
    }
}

TEST_P(ALesserMachine, IsOfferedWhatItCanHold) {
    const Walled place(who());
    if (*machine().refusal == 0) return expect_walls(place, machine(), options());
    const auto report =
        place.pretending(machine().pretend, machine().mode, "echo ran", options()).json();
    EXPECT_EQ(report["status"], "not_started") << report;
    EXPECT_THAT(report.dump(),
                HasSubstr(nlohmann::json(machine().refusal)
                              .dump()
                              .substr(1, nlohmann::json(machine().refusal).dump().size() - 2)));
    EXPECT_EQ(place.pretending(machine().pretend, "open", "echo ran").out, "ran\n");
}

TEST_P(ADoctorOfLesserMachines, KnowsWhatTheyCanDo) {
    const Husk husk(who());
    ::setenv("HUSK_PRETEND", machine().pretend, 1);
    const auto said = husk({"doctor", "--json"}).json();
    const Ran table = husk({"doctor"});
    ::unsetenv("HUSK_PRETEND");
    const Words modes = said["modes"];
    EXPECT_EQ(std::ranges::count(modes, machine().mode), *machine().refusal == 0 ? 1 : 0) << said;
    EXPECT_EQ(std::ranges::count(modes, "open"), 1);
    EXPECT_EQ(said["checks"], true);
    EXPECT_THAT(said["refused"].dump(), HasSubstr(machine().refusal));
    EXPECT_THAT(table.out, HasSubstr(machine().refusal));
}

// Linux 5.13 has the first Landlock: `mv` copies into another directory, and all else works.
TEST(TheFirstLandlock, RefusesOnlyMovesBetweenDirectories) {
    const Walled place(Who::Caller);
    const auto said = [&](const std::string& command) {
        return place.pretending("landlock=1", "workspace", command).out;
    };
    EXPECT_EQ(said("mkdir a b && echo x > a/f && mv a/f a/g && mv a/g b/h && cat b/h; ls a"),
              "x\n");
    EXPECT_EQ(said("git init -q r && cd r && echo y > f && git add f && git -c user.name=n -c "
                   "user.email=e commit -qm m && git log --format=%s"),
              "m\n");
    EXPECT_EQ(said("echo x > b/f; python3 -c 'import os\ntry: os.rename(\"b/f\", \"a/f\")\n"
                   "except OSError as e: print(e.strerror)'"),
              "Invalid cross-device link\n");
}

// What a container takes away, taken away.
struct RealWorld {
    const char* name;
    const char* enter;  // runs "$@"
    const char* mode;
    Words missing;
};

std::ostream& operator<<(std::ostream& out, const RealWorld& world) { return out << world.name; }

const RealWorld worlds[] = {
    {"RootWithoutSysAdmin",
     "exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin -- \"$@\"",
     "workspace",
     {}},
    {"RootWithoutCapabilities", "exec setpriv --bounding-set=-all --inh-caps=-all -- \"$@\"",
     "read-only", nothing_but_landlock},
    {"UserWithACoveredProc",
     "exec unshare -m sh -c 'mount -t tmpfs none /proc/irq && exec setpriv --reuid=65534 "
     "--regid=65534 --clear-groups -- \"$@\"' sh \"$@\"",
     "workspace",
     {"PID namespace"}},
};

class ARealWorld : public testing::TestWithParam<RealWorld> {};

INSTANTIATE_TEST_SUITE_P(, ARealWorld, testing::ValuesIn(worlds),
                         [](const auto& test) { return test.param.name; });

TEST_P(ARealWorld, IsFoundOutByTryingIt) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make such a world";
    const RealWorld& world = GetParam();
    const bool user = std::string(world.name).starts_with("User");
    const Walled place(user ? Who::OrdinaryUser : Who::Caller);
    const std::string outside = (place.outside() / "file").string();
    const Ran ran = run_program(
        {"env", "HUSK_STATE=" + place.husk().state().string(), "HOME=" + place.home().string(),
         "sh", "-c", world.enter, "sh", HUSK_BINARY, "run", "--json", "--mode", world.mode, "--cwd",
         place.work().string(), "--", "cat file; git config user.name; echo x > " + outside});
    const auto report = ran.json();
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_THAT(report["output"].get<std::string>(), HasSubstr("of the workspace\nSomebody\n"));
    EXPECT_EQ(read_text(outside), "of somebody else\n");
    EXPECT_EQ(report["confinement"]["missing"].get<Words>(), world.missing) << report;
}

// Without a PID namespace: a process outside of the walls sees to it that nothing stays.
class Guarded : public testing::TestWithParam<Who> {
protected:
    Guarded() { ::setenv("HUSK_PRETEND", "pidns=no", 1); }
    ~Guarded() override { ::unsetenv("HUSK_PRETEND"); }
    void start_background() const {
        const Ran ran = place.in("workspace", "setsid sleep 300 " + mark.word() + " & sleep 300",
                                 {"--session", "s", "--background"});
        EXPECT_EQ(ran.code, 0) << ran.err;
        const std::string left = "sleep 300 " + mark.word();
        EXPECT_TRUE(eventually([&] { return run_program({"pgrep", "-xf", left}).code == 0; }));
    }

    Walled place{GetParam()};
    Mark mark;
};

INSTANTIATE_TEST_SUITE_P(, Guarded, both(), who_name);

TEST_P(Guarded, ASessionIsOneThatCallsShare) {
    start_background();
    EXPECT_EQ(place
                  .in("workspace", "pkill -xf 'sleep 300 " + mark.word() + "' && echo killed",
                      {"--session", "s"})
                  .out,
              "killed\n");
}

TEST_P(Guarded, KillingItsNurseryFromInsideEndsTheSession) {
    start_background();
    const pid_t nursery = nursery_of(place.husk(), "s");
    const pid_t guard = parent_of(nursery);
    place.in(
        "workspace",
        "kill -9 " + std::to_string(guard) + "; kill -9 " + std::to_string(nursery) + "; sleep 9",
        {"--session", "s", "--timeout", "20s"});
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    EXPECT_TRUE(eventually([&] { return !is_alive(guard); }));
}

TEST_P(Guarded, EndsWithItsGuard) {
    start_background();
    ASSERT_EQ(::kill(parent_of(nursery_of(place.husk(), "s")), SIGKILL), 0);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    EXPECT_TRUE(eventually([&] { return nursery_of(place.husk(), "s") == 0; }));
}

TEST_P(Guarded, LeavesNobodyWhenAllIsDone) {
    EXPECT_EQ(place.in("workspace", "echo done").out, "done\n");
    EXPECT_TRUE(eventually([&] { return nursery_of(place.husk()) == 0; }));
}

}  // namespace
}  // namespace husk::test
