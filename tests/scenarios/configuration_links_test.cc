// The files that Husk reads, reached through links that commands could replace.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// In every script, $HUSK runs as shipped in the workspace.
class Redirected : public Walled {
public:
    explicit Redirected(Who who) : Walled(who) {}

    Ran script(const std::string& text) const {
        return husk().script("cd '" + work().string() + "' && export HOME='" + home().string() +
                             "' && " + text);
    }
    bool has_escaped() const { return fs::exists(husk().dir() / "escaped"); }
};

// A way to the configuration, and what a command does to lead it elsewhere.
struct Way {
    const char* name;
    std::string prepare;
    std::string husk;  // the variables and options of every run
    std::string attack;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.attack; }

constexpr auto closed = "echo 'mode: workspace' > ";

const Way ways[] = {
    {"ADirectory", std::string("mkdir v1; ln -s v1 cur; ") + closed + "v1/h.yaml",
     "$HUSK run --config cur/h.yaml", "rm cur; mkdir cur; echo \"mode: open\" > cur/h.yaml"},
    {"ADirectoryByAnother", std::string("mkdir v1; ln -s v1 cur; ") + closed + "v1/h.yaml",
     "$HUSK run --config cur/h.yaml", "mkdir v2; echo \"mode: open\" > v2/h.yaml; ln -sfn v2 cur"},
    {"TheDirectoryAboveALink",
     std::string("mkdir -p a/v1; ln -s v1 a/cur; ") + closed + "a/v1/h.yaml",
     "$HUSK run --config a/cur/h.yaml",
     "mv a b; mkdir -p a/cur; echo \"mode: open\" > a/cur/h.yaml"},
    {"AFile", std::string("ln -s real.yaml link.yaml; ") + closed + "real.yaml",
     "$HUSK run --config link.yaml", "rm link.yaml; echo \"mode: open\" > link.yaml"},
    {"AFileOutside",
     std::string("ln -s ../outside/real.yaml link.yaml; ") + closed + "../outside/real.yaml",
     "$HUSK run --config link.yaml", "rm link.yaml; echo \"mode: open\" > link.yaml"},
    {"UpwardsFromALink",
     std::string("mkdir -p v1/deep; ln -s v1/deep cur; ") + closed + "v1/h.yaml",
     "$HUSK run --config cur/../h.yaml", "rm cur; mkdir cur; echo \"mode: open\" > h.yaml"},
    {"TheDirectoryOfTheUsersFile",
     std::string(
         "mkdir v1 $XDG_CONFIG_HOME; ln -s v1 cur; ln -s $PWD/cur $XDG_CONFIG_HOME/husk; ") +
         closed + "v1/husk.yaml",
     "$HUSK run", "rm cur; mkdir cur; echo \"mode: open\" > cur/husk.yaml"},
    {"TheSecondLinkToTheUsersFile",
     std::string("mkdir -p dot $XDG_CONFIG_HOME/husk; ln -s real.yaml dot/husk.yaml;"
                 "ln -s $PWD/dot/husk.yaml $XDG_CONFIG_HOME/husk/; ") +
         closed + "dot/real.yaml",
     "$HUSK run", "echo \"mode: open\" > mine; ln -sf ../mine dot/husk.yaml"},
    {"TheStateDirectory",
     "mkdir ../outside/state; ln -s ../outside/state st; echo 'mode: open' > husk.yaml",
     "HUSK_STATE=$PWD/st $HUSK run",
     "rm st; mkdir -m 700 st; sum=$(sha256sum < husk.yaml); umask 077;"
     "echo ${sum%% *} $PWD/husk.yaml > st/trusted"},
    {"UpwardsFromADirectory",
     std::string("mkdir -p x evil/d evil/conf conf; echo \"mode: open\" > evil/conf/h.yaml; ") +
         closed + "conf/h.yaml",
     "$HUSK run --config x/../conf/h.yaml", "mv x y; ln -sT evil/d x"},
    {"UpwardsFromADirectoryBehindALink",
     std::string("mkdir -p x evil/d evil/conf/husk conf/husk; ln -s x/../conf l;"
                 "echo \"mode: open\" > evil/conf/husk/husk.yaml; rm -rf $XDG_CONFIG_HOME;"
                 "ln -s $PWD/l $XDG_CONFIG_HOME; ") +
         closed + "conf/husk/husk.yaml",
     "$HUSK run", "mv x y; ln -sT evil/d x"},
    {"UpwardsFromADirectoryBelowAnother",
     std::string("mkdir -p a/x evil/d/e evil/conf conf;"
                 "echo \"mode: open\" > evil/conf/h.yaml; ") +
         closed + "conf/h.yaml",
     "$HUSK run --config a/x/../../conf/h.yaml", "mv a b; mkdir a; ln -sT ../evil/d/e a/x"},
    {"UpwardsToTheStateDirectory",
     "mkdir -p x evil/e/d evil/outside ../outside/state; chmod 700 ../outside/state;"
     "echo 'mode: open' > husk.yaml",
     "HUSK_STATE=$PWD/x/../../outside/state $HUSK run",
     "mkdir -m 700 evil/outside/state; sum=$(sha256sum < husk.yaml); umask 077;"
     "echo ${sum%% *} $PWD/husk.yaml > evil/outside/state/trusted; mv x y; ln -sT evil/e/d x"},
    {"UpwardsToTheStateDirectoryInTheWorkspace",
     "mkdir -p x evil/d; mkdir -m 700 st; echo 'mode: open' > husk.yaml",
     "HOME=$PWD HUSK_STATE=$PWD/x/../st $HUSK run --force",
     "mkdir -m 700 evil/st; sum=$(sha256sum < husk.yaml); umask 077;"
     "echo ${sum%% *} $PWD/husk.yaml > evil/st/trusted; mv x y; ln -sT evil/d x"},
};

class RedirectedConfiguration : public testing::TestWithParam<std::tuple<Way, Who>>,
                                public Redirected {
protected:
    RedirectedConfiguration() : Redirected(std::get<Who>(GetParam())) {}
};

INSTANTIATE_TEST_SUITE_P(, RedirectedConfiguration,
                         testing::Combine(testing::ValuesIn(ways), both()), [](const auto& tested) {
                             const Who who = std::get<Who>(tested.param);
                             return std::string(std::get<Way>(tested.param).name) +
                                    (who == Who::Caller ? "" : "AsAnOrdinaryUser");
                         });

// docs/configuration.md: the user's file, or that of --config, is read-only for commands.
TEST_P(RedirectedConfiguration, StaysWhereItIs) {
    const Way& way = std::get<Way>(GetParam());
    ASSERT_EQ(script(way.prepare).code, 0);
    const Ran attack = script(way.husk + " --json -- '" + way.attack + "; exit 0'");
    EXPECT_EQ(attack.json()["status"], "exited") << attack.out << attack.err;
    const Ran next = script(way.husk + " 'touch ran ../escaped'");
    EXPECT_FALSE(has_escaped()) << attack.out << next.err;
    EXPECT_TRUE(fs::exists(work() / "ran")) << "it counts as before: " << next.err;
}

// Whether a symbolic link can be mounted on itself. Where it cannot, it is made again.
bool kernel_holds_links() {
    const TempDir dir;
    const fs::path link = dir.path() / "link";
    fs::create_symlink("nowhere", link);
    const pid_t child = ::fork();
    if (child == 0) {
        const int flags = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
        bool held = ::unshare(flags) == 0;
        constexpr unsigned clone = OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW;
        const long tree = ::syscall(SYS_open_tree, AT_FDCWD, link.c_str(), clone);
        held = held && ::syscall(SYS_move_mount, tree, "", AT_FDCWD, link.c_str(),
                                 MOVE_MOUNT_F_EMPTY_PATH) == 0;
        ::_exit(held ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
}

// Another husk that starts while the command runs must not find the command's file either.
TEST_P(RedirectedConfiguration, LeadsElsewhereAtNoMoment) {
    const Way& way = std::get<Way>(GetParam());
    if (!kernel_holds_links()) GTEST_SKIP() << "this kernel mounts nothing on a symbolic link";
    ASSERT_EQ(script(way.prepare).code, 0);
    const std::string find = "find . ../config ../outside -type l -printf '%p %l %i;'";
    const std::string links = script(find).out;
    Ran during;
    std::jthread command([&] {
        during = script(way.husk + " '" + way.attack +
                        "; touch attacked; until [ -e go ]; do sleep 0.05; done; exit 0'");
    });
    EXPECT_TRUE(eventually([&] { return fs::exists(work() / "attacked"); }));
    EXPECT_EQ(script(find).out, links);
    write(work() / "go", "");
    command.join();
    EXPECT_EQ(during.code, 0) << during.err;
}

class RemovedConfiguration : public testing::TestWithParam<Who>, public Redirected {
protected:
    RemovedConfiguration() : Redirected(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, RemovedConfiguration, both(), who_name);

// A rule must not go with the link that leads to it.
TEST_P(RemovedConfiguration, ComesBack) {
    for (const char* target : {"../outside/rules.yaml", "rules.yaml"}) {
        ASSERT_EQ(script("echo 'permissions: {deny: [\"Bash(uptime:*)\"]}' > " +
                         std::string(target) + "; ln -sf " + target + " husk.yaml")
                      .code,
                  0);
        for (const char* attempt :
             {"rm husk.yaml", "mv husk.yaml away", "unlink husk.yaml; chmod 555 .",
              "unlink husk.yaml; chmod 0 ."}) {
            const Ran attack = script("$HUSK run --json -- '" + std::string(attempt) + "; exit 0'");
            EXPECT_THAT(attack.json()["notes"].dump(), HasSubstr("was made again")) << attack.out;
            EXPECT_TRUE(attack.json()["reverted"].empty()) << attack.out;
            fs::permissions(work(), fs::perms::owner_all);
            EXPECT_EQ(fs::read_symlink(work() / "husk.yaml"), target);
            const Ran next = script("$HUSK run uptime");
            EXPECT_THAT(next.err, HasSubstr("denies this")) << attempt << next.out;
        }
        fs::create_symlink(target, work() / "agentrail.yaml");
        EXPECT_EQ(script("$HUSK run 'rm agentrail.yaml'").code, 0);
        EXPECT_TRUE(fs::is_symlink(work() / "agentrail.yaml"));
        fs::remove(work() / "agentrail.yaml");
    }
}

// The processes that a call left behind remove it after the answer.
TEST_P(RemovedConfiguration, ComesBackAfterTheAnswer) {
    ASSERT_EQ(script("ln -s ../outside/rules.yaml husk.yaml").code, 0);
    const Ran ran = script(
        "$HUSK run --session s --leftovers adopt '(until [ -e go ]; do sleep 0.05; done; "
        "unlink husk.yaml; touch gone; while sleep 0.1; do touch more; done) >/dev/null 2>&1 &'");
    EXPECT_EQ(ran.code, 0) << ran.err;
    write(work() / "go", "");
    ASSERT_TRUE(eventually([&] { return fs::exists(work() / "gone"); }));
    EXPECT_TRUE(eventually([&] { return fs::is_symlink(work() / "husk.yaml"); }));
}

// Every run makes sure that no command can make the user's file, not even until its call ends.
TEST_P(RemovedConfiguration, OfTheUserCannotBeMade) {
    for (const char* before : {"true", "mkdir cfg", "mkdir -p cfg/husk",
                               "mkdir -p other cfg && ln -s ../other cfg/husk"}) {
        const Ran ran = script("rm -rf cfg other; " + std::string(before) +
                               "; export XDG_CONFIG_HOME=$PWD/cfg; $HUSK run '"
                               "for i in 1 2 3; do mkdir -p cfg/husk; mv cfg away$i; mkdir -p "
                               "cfg/husk; echo \"mode: open\" > cfg/husk/husk.yaml && echo made; "
                               "done; touch cfg/ran; exit 0'");
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_THAT(ran.out, testing::Not(HasSubstr("made"))) << before;
        EXPECT_TRUE(fs::exists(work() / "cfg/ran")) << before << ran.err;
    }
}

// The library reads its rules once. A command must not change them for the next program.
TEST(RulesOfTheLibrary, CannotBeChangedThroughALink) {
    const Husk husk;
    const fs::path work = husk.dir() / "work";
    const std::string rules = "permissions: {deny: [\"Bash(uptime:*)\"]}\n";
    fs::create_directories(work);
    write_text(work / "rules.yaml", rules);
    fs::create_symlink("rules.yaml", work / "link.yaml");
    Bash bash({.state = husk.state(), .checks = Checks{.file = work / "link.yaml"}});
    ToolContext context;
    context.mode = Mode::Workspace;
    context.workspace = context.working_dir = work;
    const Report report =
        bash.run({.command = "echo > rules.yaml; rm -f link.yaml; touch ran"}, context);
    EXPECT_TRUE(fs::exists(work / "ran")) << report.output;
    EXPECT_EQ(read_text(work / "rules.yaml"), rules);
    EXPECT_TRUE(fs::is_symlink(work / "link.yaml"));
}

}  // namespace
}  // namespace husk::test
