// What happens between two calls of a session, outside or inside, opens no wall in the second.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "scenarios/harness.h"
#include "snapshot.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class BetweenCalls : public testing::TestWithParam<Attacker> {
protected:
    void SetUp() override {
        if (GetParam() == Attacker::Root && ::geteuid() != 0) GTEST_SKIP() << "only root is root";
    }
    // The report of one more call of the same session. One from elsewhere may also be refused: that
    // opens no wall either.
    nlohmann::json call(const std::string& script, const std::string& mode,
                        const fs::path& directory) const {
        std::vector<std::string> words = {"env", "HOME=" + arena.home().string()};
        const auto rest = husk.argv({"run", "--json", "--checks", "off", "--session", "one",
                                     "--mode", mode, "--cwd", directory, "--", script});
        words.insert(words.end(), rest.begin(), rest.end());
        nlohmann::json report = test::run_program(words).json();
        const bool refused =
            report["status"] == "not_started" && mode != "open" && directory != arena.workspace();
        EXPECT_TRUE(refused || report["status"] == "exited") << report.dump();
        return report;
    }
    nlohmann::json call(const std::string& script, const std::string& mode) const {
        return call(script, mode, arena.workspace());
    }
    static std::string output(const nlohmann::json& report) { return report["output"]; }
    // As programs write that do not want half a file: a new one, renamed over the old.
    void replace(const fs::path& path, const std::string& text) const {
        test::write_text(path.string() + ".new", text);
        ASSERT_EQ(::chown((path.string() + ".new").c_str(), uid_of(GetParam()), uid_of(GetParam())),
                  0);
        fs::rename(path.string() + ".new", path);
    }

    Arena arena{GetParam()};
    test::Husk husk{GetParam() == Attacker::Root ? test::Who::Caller : test::Who::OrdinaryUser};
};

INSTANTIATE_TEST_SUITE_P(, BetweenCalls, testing::Values(Attacker::Root, Attacker::User),
                         [](const auto& test) {
                             return test.param == Attacker::Root ? "Root" : "User";
                         });

TEST_P(BetweenCalls, ASecretThatIsRenewedOutsideStaysOne) {
    const fs::path key = arena.home() / ".ssh/id_test";
    const fs::path netrc = arena.home() / ".netrc";
    const std::string script = "cat '" + key.string() + "' '" + netrc.string() + "' 2>&1; true";
    for (const char* mode : {"open", "workspace", "read-only"}) {
        const bool open = std::string(mode) == "open";
        call("true", mode);
        replace(key, arena.secret() + "\n");
        replace(netrc, arena.secret() + "\n");
        EXPECT_EQ(output(call(script, mode)).find(arena.secret()) != std::string::npos, open)
            << mode;
        husk({"session", "end", "one"});
    }
}

// CVE-2026-101998: what could not be looked at when the walls were built is a secret all the same.
TEST_P(BetweenCalls, ASecretThatCouldNotBeReadWhenTheWallsWereBuiltIsMasked) {
    const std::vector<std::string> hidden = {".ssh", ".aws", ".config", ".netrc"};
    const std::string script = "cd '" + arena.home().string() +
                               "'; cat .ssh/id_test .aws/credentials .config/gh/hosts.yml .netrc "
                               ".docker/config.json 2>&1; true";
    for (const char* mode : {"open", "workspace", "read-only"}) {
        for (const std::string& name : hidden) ::chmod((arena.home() / name).c_str(), 0);
        fs::rename(arena.home() / ".docker", arena.home() / "kept");
        fs::create_symlink("nowhere", arena.home() / ".docker");
        const nlohmann::json first = call(script, mode);
        for (const std::string& name : hidden) ::chmod((arena.home() / name).c_str(), 0700);
        fs::create_directory(arena.home() / "nowhere");
        fs::rename(arena.home() / "kept/config.json", arena.home() / "nowhere/config.json");
        const bool open = std::string(mode) == "open";
        EXPECT_EQ(output(call(script, mode)).find(arena.secret()) != std::string::npos, open)
            << mode << first;
        EXPECT_TRUE(open || output(first).find(arena.secret()) == std::string::npos) << first;
        fs::remove(arena.home() / ".docker");
        fs::rename(arena.home() / "nowhere", arena.home() / ".docker");
        fs::remove(arena.home() / "kept");
        husk({"session", "end", "one"});
    }
}

TEST_P(BetweenCalls, TheConfigurationOfGitThatIsRenewedOutsideStaysProtected) {
    const fs::path config = arena.workspace() / ".git/config";
    const std::string script = "echo spoiled >>'" + config.string() + "'; true";
    for (const char* mode : {"workspace", "open"}) {
        call("true", mode);
        replace(config, test::read_text(config) + "# by the user\n");
        call(script, mode);
        EXPECT_EQ(test::read_text(config).find("spoiled") != std::string::npos,
                  std::string(mode) == "open")
            << mode;
        husk({"session", "end", "one"});
    }
}

// CVE-2026-25725: a process that is left behind makes settings, and makes them again whenever they
// are taken away. The last one does not stay.
TEST_P(BetweenCalls, ANameThatIsMadeAgainAndAgainIsTakenAwayAtLast) {
    const fs::path settings = arena.workspace() / ".claude";
    const std::vector<std::string> loops = {
        "(for i in {1..60}; do mkdir .claude; echo x >.claude/s; done; : >ended)",
        "again() { mkdir .claude; echo x >.claude/s\n"
        "[[ $1 -lt 30 ]] && again $(($1 + 1)) & [[ $1 -lt 30 ]] || : >ended; }\nagain 0",
        "(for i in {1..15}; do sleep 0.05; mkdir .claude; echo x >.claude/s; done; : >ended)"};
    for (const std::string& loop : loops) {
        const nlohmann::json report =
            call(loop + " >/dev/null 2>&1 </dev/null & sleep 0.02", "workspace");
        ASSERT_TRUE(test::eventually([&] { return fs::exists(arena.workspace() / "ended"); }, 60s));
        EXPECT_TRUE(test::eventually([&] { return !fs::exists(settings); }, 20s)) << loop << report;
        husk({"session", "end", "one"});
        EXPECT_FALSE(fs::exists(settings)) << loop;
        fs::remove(arena.workspace() / "ended");
    }
}

TEST_P(BetweenCalls, ADirectoryThatBecameALinkDoesNotMoveTheWall) {
    const Probe probe = read_probes('F').front();
    const Victim victim = arena.make_victim(probe);
    const fs::path inner = arena.workspace() / "inner";
    const std::string outside = victim.dir.string();
    for (const char* mode : {"workspace", "open"}) {
        call("mkdir '" + inner.string() + "'", mode);
        call("rmdir '" + inner.string() + "' && ln -s '" + outside + "' '" + inner.string() + "'",
             mode);
        call("cd inner && echo spoiled >file; true", mode);
        EXPECT_EQ(tree_snapshot(victim.dir) != victim.tree_before, std::string(mode) == "open")
            << mode;
        fs::remove(inner);
        husk({"session", "end", "one"});
    }
}

// Whoever runs the second call from another place does not widen what the first was given.
TEST_P(BetweenCalls, AnotherWorkingDirectoryIsNotAnotherWorkspace) {
    const Victim victim = arena.make_victim(read_probes('F').front());
    for (const char* mode : {"workspace", "open"}) {
        call("true", mode);
        call("echo spoiled >file; true", mode, victim.dir);
        EXPECT_EQ(tree_snapshot(victim.dir) != victim.tree_before, std::string(mode) == "open")
            << mode;
        husk({"session", "end", "one"});
    }
}

TEST_P(BetweenCalls, ThePathOfTheWorkspaceIsSwappedForALinkToOutside) {
    const Victim victim = arena.make_victim(read_probes('F').front());
    const fs::path kept = arena.path() / "kept";
    const std::string script =
        "echo spoiled >'" + (arena.workspace() / "file").string() + "'; true";
    for (const char* mode : {"workspace", "open"}) {
        call("true", mode);
        fs::rename(arena.workspace(), kept);
        fs::create_directory_symlink(victim.dir, arena.workspace());
        call(script, mode, "/");
        EXPECT_EQ(tree_snapshot(victim.dir) != victim.tree_before, std::string(mode) == "open")
            << mode;
        fs::remove(arena.workspace());
        fs::rename(kept, arena.workspace());
        husk({"session", "end", "one"});
    }
}

}  // namespace
}  // namespace husk::redteam
