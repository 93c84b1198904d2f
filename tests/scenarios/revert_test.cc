// A protected name that a command makes is taken away, whatever the command does to keep it. If
// Husk fails to do so, the report says it, and the name is read-only from then on.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

class Revert : public testing::TestWithParam<Who>, public Walled {
protected:
    Revert() : Walled(GetParam()) { write(work() / ".git" / "HEAD", "ref: refs/heads/main\n"); }

    bool is_there(const std::string& name) const {
        std::error_code closed;  // the workspace may be, for a while
        return fs::exists(fs::symlink_status(work() / name, closed));
    }
    std::string path(const std::string& name) const { return (work() / name).string(); }
    static std::vector<std::string> reverted(const nlohmann::json& report) {
        return report["reverted"].get<std::vector<std::string>>();
    }
    // Makes it impossible to rename what this is, or hands that right back.
    static bool set_immutable(const fs::path& path, bool wanted) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        int flags = 0;
        bool done = ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
        flags = wanted ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
        done = done && ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
        ::close(fd);
        return done;
    }
};

INSTANTIATE_TEST_SUITE_P(, Revert, both(), who_name);

// To move a directory elsewhere takes the right to write into it.
TEST_P(Revert, TakesAwayWhatNobodyMayWrite) {
    const std::pair<std::string, std::string> cases[] = {
        {".claude", "mkdir .claude; echo x > .claude/settings.json; chmod 555 .claude"},
        {".vscode",
         "mkdir -p .vscode/deep; echo x > .vscode/tasks.json; chmod 0 .vscode/deep .vscode"},
        {".git/hooks", "mkdir .git/hooks; echo x > .git/hooks/pre-commit; chmod 555 .git/hooks"},
        {".git/hooks", "mkdir .git/hooks; echo x > .git/hooks/pre-commit; chmod 555 .git"},
        {".mcp.json", "echo x > .mcp.json; chmod 0 .mcp.json"},
        {".github/copilot", "mkdir -p .github/copilot; chmod 555 .github/copilot; chmod 0 .github"},
    };
    for (const auto& [name, command] : cases) {
        const nlohmann::json report = report_in("workspace", command);
        EXPECT_THAT(reverted(report), Contains(path(name))) << command << report;
        ::chmod((work() / ".git").c_str(), 0755);
        ::chmod((work() / ".github").c_str(), 0755);
        EXPECT_FALSE(is_there(name)) << command;
    }
}

// A name that cannot be seen may be there.
TEST_P(Revert, LooksIntoADirectoryThatIsClosed) {
    const nlohmann::json report = report_in(
        "workspace",
        "mkdir .claude; echo x > .claude/settings.json; chmod 0 \"$PWD\"; (sleep 1; chmod 755 '" +
            work().string() + "'; touch '" + path("restored") + "') >/dev/null 2>&1 &");
    EXPECT_THAT(reverted(report), Contains(path(".claude"))) << report;
    EXPECT_TRUE(eventually([&] { return is_there("restored"); }));
    EXPECT_FALSE(is_there(".claude"));
}

// What was there before is the user's, whatever the command does to hide it.
TEST_P(Revert, LeavesNamesOfTheUserThatCannotBeSeen) {
    write(work() / ".claude" / "settings.json", "{}\n");
    for (const std::string rest : {"", "; (sleep 1) >/dev/null 2>&1 &"}) {
        const nlohmann::json report =
            report_in("workspace", "chmod 0 \"$PWD\"" + rest, {"--session", "s"});
        EXPECT_THAT(reverted(report), testing::IsEmpty()) << report;
        EXPECT_THAT(report["notes"].dump(), testing::Not(HasSubstr(" made"))) << report;
        EXPECT_THAT(report["notes"].dump(), testing::Not(HasSubstr("whoever runs git"))) << report;
        ASSERT_EQ(::chmod(work().c_str(), 0755), 0);
    }
    EXPECT_TRUE(is_there(".claude/settings.json"));
    EXPECT_TRUE(is_there(".git/HEAD"));
}

// The name that it is kept under is no longer than a name can be.
TEST_P(Revert, TakesAwayTheLongestName) {
    const std::string name = std::string(251, 'n') + ".env";
    const nlohmann::json report =
        report_in("workspace", "echo x > " + name, {"--protect", path("*.env")});
    EXPECT_THAT(reverted(report), Contains(path(name))) << report;
    EXPECT_FALSE(is_there(name));
}

TEST_P(Revert, SaysWhatItCouldNotTakeAwayAndHoldsIt) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file immutable";
    const Ran shell = in("workspace",
                         "until [ -e start ]; do sleep 0.05; done; mkdir .claude; echo x > "
                         ".claude/settings.json; touch made; until [ -e go ]; do sleep 0.05; done",
                         {"--background", "--session", "s"});
    const std::string id = shell.out.substr(0, shell.out.find('\n'));
    write(work() / "start", "");
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    // The mason takes it away after 0.3 s: on a busy machine this race may be lost.
    if (!set_immutable(work() / ".claude", true)) GTEST_SKIP() << "no immutable files here";
    write(work() / "go", "");
    husk()({"wait", id, "--timeout", "20s"});
    EXPECT_TRUE(eventually([&] {
        return husk().shell(id)["notes"].dump().find(path(".claude")) != std::string::npos;
    })) << husk().shell(id);
    const Ran next =
        in("workspace", "echo y > .claude/settings.json; touch ran; true", {"--session", "s"});
    set_immutable(work() / ".claude", false);
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_EQ(read_text(work() / ".claude" / "settings.json"), "x\n");
}

TEST_P(Revert, SaysInTheReportOfTheCallWhatItCouldNotTakeAway) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file immutable";
    Live call(husk(), {"run", "--json", "--mode", "workspace", "--checks", "off", "--session", "s",
                       "--cwd", work().string(), "--",
                       "mkdir .claude; echo x > .claude/settings.json; touch made; until [ -e go "
                       "]; do sleep 0.05; done"});
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    if (!set_immutable(work() / ".claude", true)) GTEST_SKIP() << "no immutable files here";
    write(work() / "go", "");
    std::string text;
    while (const auto line = call.line(20s)) text += *line + "\n";
    const auto report = nlohmann::json::parse(text, nullptr, false);
    ASSERT_TRUE(report.is_object()) << text;
    EXPECT_TRUE(report["reverted"].empty()) << report;
    EXPECT_THAT(report["notes"].dump(), HasSubstr(path(".claude")));
    EXPECT_THAT(report["notes"].dump(), HasSubstr("Operation not permitted"));
    const Ran next = in("workspace", "echo y > .claude/settings.json; true", {"--session", "s"});
    set_immutable(work() / ".claude", false);
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_EQ(read_text(work() / ".claude" / "settings.json"), "x\n");
}

// A process that forks and ends all the time is in no list of processes. It plants its file when
// the command ends, and that is when nobody must look away.
TEST_P(Revert, IsNotOutrunByWhatHopsFromProcessToProcess) {
    write(work() / "hop.py",
          "import os, sys, time\n"
          "end = time.time() + 1.5\n"
          "planted = False\n"
          "while time.time() < end:\n"
          "    if os.fork(): os._exit(0)\n"
          "    if not planted and not os.path.exists('running'):\n"
          "        planted = time.time() > float(sys.argv[1]) + os.stat('.').st_mtime\n"
          "        if planted: open('.envrc', 'w').write('evil')\n"
          "open('over', 'w')\n");
    for (const char* delay : {"0", "0.002", "0.004", "0.008", "0.016", "0.05"}) {
        fs::remove(work() / "over");
        const nlohmann::json report =
            report_in("workspace", "touch running; python3 hop.py " + std::string(delay) +
                                       " >/dev/null 2>&1 & sleep 0.3; rm running");
        EXPECT_EQ(report["status"], "exited") << report;
        ASSERT_TRUE(eventually([&] { return is_there("over"); })) << report;
        EXPECT_TRUE(eventually([&] { return !is_there(".envrc"); })) << delay << report;
        fs::remove(work() / ".envrc");
    }
}

// Of other agents, and of husky, whose hooks can still be read and run.
TEST_P(Revert, HoldsTheSettingsOfOtherAgents) {
    const std::vector<std::string> names = {".agents", ".agent",    ".kiro", ".qwen",
                                            ".roo",    ".continue", ".husky"};
    std::string make;
    for (const std::string& name : names) make += "mkdir " + name + ";";
    const nlohmann::json report = report_in("workspace", make);
    for (const std::string& name : names) {
        EXPECT_THAT(reverted(report), Contains(path(name)));
        EXPECT_FALSE(is_there(name)) << name;
    }
    write(work() / ".husky" / "pre-commit", "echo hooked\n");
    const Ran ran =
        in("workspace", "sh .husky/pre-commit; (echo x >> .husky/pre-commit) 2>/dev/null; true");
    EXPECT_EQ(ran.out, "hooked\n");
    EXPECT_EQ(read_text(work() / ".husky" / "pre-commit"), "echo hooked\n");
}

// With the state on another file system, what is taken away stays on that of the workspace.
TEST_P(Revert, LeavesNoModuleOfGitUnderAnotherName) {
    const fs::path state = "/dev/shm/husk-test-" + unique_word();
    struct stat of_state{};
    struct stat of_work{};
    ASSERT_EQ(::stat("/dev/shm", &of_state) | ::stat(work().c_str(), &of_work), 0);
    if (of_state.st_dev == of_work.st_dev) GTEST_SKIP() << "there is only one file system";
    const nlohmann::json report =
        report_in("workspace",
                  "git init -q --bare .git/modules/evil; git config -f .git/modules/evil/config "
                  "core.fsmonitor x",
                  {"--state", state});
    EXPECT_THAT(reverted(report), Contains(path(".git/modules/evil")));
    EXPECT_TRUE(fs::is_empty(work() / ".git" / "modules"));
    EXPECT_TRUE(in("open", "ls -d .husk-reverted-*-evil").code == 0);
    fs::remove_all(state);
}

// Programs outside follow links, so the report lists those that lead out.
TEST_P(Revert, TellsOfLinksThatLeadOut) {
    write(work() / "deep" / "er" / "file", "");
    fs::create_symlink("/", work() / "old");
    const nlohmann::json report = report_in(
        "workspace",
        "ln -s file inner; ln -s /etc/passwd deep/er/out; ln -s ../../.. deep/er/up; ln -s "
        "deep/er/up through; ln -s nowhere dangling; ln -s $PWD/file absolute; mkdir moved; ln -s "
        "/usr x; mv x moved/usr");
    const std::string notes = report["notes"].dump();
    for (const char* link : {"deep/er/out", "deep/er/up", "through", "moved/usr"})
        EXPECT_THAT(notes, HasSubstr(path(link) + " is a link that leads out")) << report;
    EXPECT_THAT(notes, HasSubstr("/etc/passwd"));
    EXPECT_EQ(report["notes"].size(), 4U) << report;
    EXPECT_TRUE(report_in("workspace", "sleep 1.1").at("notes").empty());
}

// What is protected belongs to the session, wherever a call begins.
TEST_P(Revert, ProtectsTheWorkspaceOfTheSessionFromASubdirectory) {
    write(work() / "sub" / "file", "");
    write(work() / "husk.yaml", "mode: workspace\n");
    ASSERT_EQ(in("workspace", "true", {"--session", "s"}).code, 0);
    fs::remove(work() / "husk.yaml");  // as an editor does: the mount goes with it
    write(work() / "husk.yaml", "mode: workspace\n");
    const Ran ran = in("workspace",
                       "echo x > ../husk.yaml; mkdir ../.vscode; echo x > ../.mcp.json; touch "
                       "../ran; true",
                       {"--session", "s", "--json"}, (work() / "sub").string());
    EXPECT_THAT(reverted(ran.json()), Contains(path(".vscode"))) << ran.out;
    EXPECT_TRUE(is_there("ran"));
    EXPECT_FALSE(is_there(".vscode"));
    EXPECT_FALSE(is_there(".mcp.json"));
    EXPECT_EQ(read_text(work() / "husk.yaml"), "mode: workspace\n");
}

}  // namespace
}  // namespace husk::test
