// What a command leaves in a workspace is not run by the user's own git, outside, afterwards. Git
// itself is asked, and what is planted does no more than to make a file.
#include <gmock/gmock.h>

#include "planted_git_table.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Planted : public testing::TestWithParam<std::tuple<Plant, Who>>, public Walled {
protected:
    Planted() : Walled(std::get<Who>(GetParam())) { write(home() / ".gitconfig", git_settings); }
    Ran by_user(const std::string& script) const {
        return husk().script("export HOME='" + home().string() + "' TRAP='" + trap().string() +
                             "' GIT_CONFIG_NOSYSTEM=1; cd '" + work().string() + "'\n" + words +
                             script);
    }
    std::vector<std::string> call(const std::string& mode, const std::string& command) const {
        const nlohmann::json report =
            report_in(mode, words + command, {"--env", "TRAP=" + trap().string()});
        EXPECT_EQ(report["status"], "exited") << report;
        return report["reverted"].get<std::vector<std::string>>();
    }
    bool is_sprung() const { return fs::exists(trap()); }
    fs::path trap() const { return outside() / "trap"; }
};

// That it would work is shown in mode open, once.
TEST_P(Planted, IsNotRunOutside) {
    const auto& [plant, who] = GetParam();
    for (const std::string mode : {"workspace", "open"}) {
        if (mode == "open" && who != Who::Caller) continue;
        // rm needs no descriptor for each level of a deep directory.
        husk().script("rm -rf '" + work().string() + "' '" + (outside() / "tree").string() + "'");
        write(work() / "other", "");
        const Ran prepared = by_user(plant.prepare);
        ASSERT_EQ(prepared.code, 0) << prepared.err;
        std::vector<std::string> reverted;
        for (const char* command : plant.commands)
            for (std::string& name : call(mode, command)) reverted.push_back(std::move(name));
        fs::remove(trap());
        const Ran git = by_user(plant.outside);
        EXPECT_EQ(is_sprung(), mode == "open") << mode << git.out << git.err;
        if (mode == "open" || *plant.reverted == 0) {
            EXPECT_THAT(reverted, IsEmpty());
        } else {
            EXPECT_THAT(reverted, Contains((work() / plant.reverted).string()));
        }
    }
}

std::string plant_name(const testing::TestParamInfo<std::tuple<Plant, Who>>& test) {
    return std::string(std::get<Plant>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "ByOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, Planted, testing::Combine(testing::ValuesIn(plants), both()),
                         plant_name);

// What is no attack goes on.
struct Work {
    const char* name;
    const char* prepare;
    std::vector<const char*> commands;
    const char* output;     // of the last one
    const char* note = "";  // in the notes, then
};

std::ostream& operator<<(std::ostream& out, const Work& work) { return out << work.name; }

const Work works[] = {
    {"ARepositoryThatIsAddedToAnother",
     one_repository,
     {"git init -q sub && git -C sub commit -q --allow-empty -m one && git -C sub remote add up x "
      "&&"
      "git -C sub config user.name x && git add sub 2>/dev/null && git commit -qm sub",
      "git status --short sub; ls -A sub"},
     ".git\n"},
    {"ACloneThatIsAddedToAnother",
     one_repository,
     {"git clone -q . sub && git add sub 2>/dev/null", "git status --short sub; ls -A sub"},
     "A  sub\n.git\nfile\n"},
    {"AWorktreeThatComesAndGoes",
     one_repository,
     {"git worktree add -q tree && cd tree && echo y > y && git add y && git commit -qm y",
      "git -C tree log --oneline | wc -l", "git worktree remove tree && git worktree list | wc -l"},
     "1\n"},
    {"AWorktreeThatMoves",
     one_worktree,
     {"git worktree move tree wood && git -C wood status --short && git worktree remove wood && "
      "ls"},
     "other\n"},
    {"SettingsOfTheUserInASubmodule",
     "repository lib; repository .; git -c protocol.file.allow=always submodule --quiet add "
     "$PWD/lib sub; git commit -qm sub; git -C sub config core.pager less; hook_in "
     ".git/modules/sub",
     {"cd sub && echo y > y && git add y && git commit -qm y", "git -C sub config core.pager"},
     "less\n"},
    {"SettingsOfTheUserInAWorktree",
     "repository .; git config extensions.worktreeConfig true; git worktree add -q tree; git -C "
     "tree config --worktree core.pager less",
     {"git -C tree config core.pager", "git -C tree config core.pager"},
     "less\n"},
    {"ACloneWithSettingsOfItsOwn",
     one_repository,
     {"git clone -q . sub && git -C sub config core.pager less", "git -C sub config core.pager"},
     "less\n"},
    {"AnIndexThatIsReadInParts",
     "repository .; git config index.threads 3; touch {1..40}; git add .",
     {"touch {41..60}; git add . && grep -c IEOT .git/index", "git ls-files | wc -l"},
     "61\n"},
    {"TheFirstRepository",
     "",
     {"git init -q && git add other && git commit -qm x", "git log --oneline | wc -l"},
     "1\n"},
    {"TheFirstRepositoryWithASettingThatRunsSomething",
     "",
     {"git init -q && git config core.hooksPath .hooks; git config core.hooksPath"},
     ".hooks\n",
     "core.hookspath"},
};

class GoesOn : public testing::TestWithParam<std::tuple<Work, Who>>, public Walled {
protected:
    GoesOn() : Walled(std::get<Who>(GetParam())) {
        write(home() / ".gitconfig", git_settings);
        fs::remove(work() / "file");
        write(work() / "other", "");
    }
};

TEST_P(GoesOn, AsBefore) {
    const auto& [one, who] = GetParam();
    const Ran prepared = in("open", std::string(words) + one.prepare);
    ASSERT_EQ(prepared.code, 0) << prepared.err;
    nlohmann::json report;
    for (const char* command : one.commands) {
        report = report_in("workspace", command);
        EXPECT_EQ(report["exit_code"], 0) << report;
        EXPECT_TRUE(report["reverted"].empty()) << report;
    }
    EXPECT_EQ(report["output"].get<std::string>(), one.output) << report;
    EXPECT_EQ(report["notes"].empty(), *one.note == 0) << report;
    EXPECT_THAT(report["notes"].dump(), HasSubstr(one.note));
}

std::string work_name(const testing::TestParamInfo<std::tuple<Work, Who>>& test) {
    return std::string(std::get<Work>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "ByOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, GoesOn, testing::Combine(testing::ValuesIn(works), both()), work_name);

// The survey of a workspace is not limited by the command's limits, and the mason takes only so
// many orders. Too many directories go away as a whole.
TEST(PlantedInNumbers, DoesNotSlowDownTheSurveyOrCrowdOutOtherNames) {
    const Walled place(Who::Caller);
    place.write(place.home() / ".gitconfig", git_settings);
    ASSERT_EQ(place.in("open", std::string(words) + one_repository).code, 0);
    const auto reverted = [&](const std::string& command) {
        return place.report_in("workspace", command)["reverted"].get<std::vector<std::string>>();
    };
    const std::string many =
        "; for i in {1..5001}; do printf '%0200d\\0' $i; done | xargs -0 mkdir";
    for (const std::string name : {"worktrees", "modules"})
        EXPECT_THAT(reverted("mkdir .git/" + name + "; cd .git/" + name + many),
                    Contains((place.work() / ".git" / name).string()));
    EXPECT_THAT(reverted("mkdir .git/worktrees; cd .git/worktrees; for i in {1..3000}; do printf "
                         "'%0200d\\0' $i; done | xargs -0 mkdir; touch ../../husk.yaml"),
                testing::IsSupersetOf({(place.work() / ".git" / "worktrees").string(),
                                       (place.work() / "husk.yaml").string()}));
}

// Settings that a command makes unreadable, and readable again in the next call.
TEST(PlantedBehindAClosedDirectory, IsNoNextCall) {
    const Walled place(Who::OrdinaryUser);
    place.write(place.home() / ".gitconfig", git_settings);
    ASSERT_EQ(place
                  .in("open", std::string(words) +
                                  "repository .; mkdir tools; git config -f tools/more user.name "
                                  "x; git config include.path ../tools/more")
                  .code,
              0);
    const nlohmann::json closed = place.report_in("workspace", "chmod 0 tools");
    EXPECT_THAT(closed["notes"].dump(), HasSubstr("the next call of the session is refused"));
    const nlohmann::json next = place.report_in("workspace", "chmod 755 tools");
    EXPECT_EQ(next["status"], "not_started") << next;
    EXPECT_THAT(next["error"].dump(),
                HasSubstr("tools/more, which " + (place.work() / ".git" / "config").string() +
                          " includes, but Husk cannot (Permission denied)"));
    fs::permissions(place.work() / "tools", fs::perms(0755));
    EXPECT_EQ(place.report_in("workspace", "true")["status"], "exited");
}

// A directory that the session held writable, because something in it was protected.
TEST(PlantedInADirectoryThatWasHeld, IsReadOnlyToo) {
    const Walled place(Who::Caller);
    place.write(place.home() / ".gitconfig", git_settings);
    const auto by_user = [&](const std::string& script) {
        return place.in("open", words + script).code;
    };
    ASSERT_EQ(by_user("repository .; mkdir -p tools/hooks; git config core.hooksPath tools/hooks"),
              0);
    EXPECT_EQ(place.in("workspace", "echo x > tools/kept", {"--session", "s"}).code, 0);
    ASSERT_EQ(by_user("git config core.hooksPath tools"), 0);
    EXPECT_NE(place.in("workspace", "echo x > tools/pre-commit", {"--session", "s"}).code, 0);
    EXPECT_FALSE(fs::exists(place.work() / "tools" / "pre-commit"));
}

// What a session has left is protected from the next call on, but not from descriptors of before.
TEST(PlantedByAnOpenDescriptor, IsTold) {
    const Walled place(Who::Caller);
    place.write(place.home() / ".gitconfig", git_settings);
    const auto call = [&](const std::string& command) {
        return place.report_in("workspace", words + command,
                               {"--session", "s", "--env", "TRAP=/nonexistent"});
    };
    ASSERT_EQ(place.in("open", std::string(words) + one_repository).code, 0);
    EXPECT_TRUE(call("repository sub; gitlink . sub; (exec 3<>sub/.git/config; until [ -e go ]; do "
                     "sleep 0.02; done; printf '[core]\nfsmonitor = false\n' >&3; touch done) "
                     ">/dev/null 2>&1 &")["notes"]
                    .empty());
    const nlohmann::json report = call("touch go; until [ -e done ]; do sleep 0.02; done");
    EXPECT_THAT(report["notes"].dump(), HasSubstr("core.fsmonitor"));
    EXPECT_THAT(report["reverted"], IsEmpty());
}

// Nobody looks when a shell does it after its call has answered: the next call tells.
TEST(PlantedLater, IsToldByTheNextCall) {
    const Walled place(Who::Caller);
    place.write(place.home() / ".gitconfig", git_settings);
    Bash bash(place.husk().settings());
    const ToolContext context{.working_dir = place.work(), .mode = Mode::Workspace};
    const auto run = [&](const std::string& command) {
        return bash.run({.command = words + command,
                         .env = {{"TRAP", "/nonexistent"},
                                 {"GIT_AUTHOR_NAME", "x"},
                                 {"GIT_AUTHOR_EMAIL", "x"},
                                 {"GIT_COMMITTER_NAME", "x"},
                                 {"GIT_COMMITTER_EMAIL", "x"}}},
                        context);
    };
    ASSERT_EQ(place.in("open", std::string(words) + one_repository).code, 0);
    EXPECT_THAT(run("true").notes, IsEmpty());
    const Report shell =
        run("(until [ -e go ]; do sleep 0.02; done; repository sub; trap_in sub/.git; "
            "gitlink . sub; touch done) &");
    EXPECT_THAT(shell.reverted, IsEmpty());
    place.write(place.work() / "go", "");
    ASSERT_TRUE(eventually([&] { return fs::exists(place.work() / "done"); }));
    EXPECT_THAT(run("true").notes, Contains(HasSubstr("core.fsmonitor")));
    EXPECT_THAT(run("true").notes, IsEmpty());
}

}  // namespace
}  // namespace husk::test
