// The contract `agentrail` on the host: `memo` below the workspace is read-only for commands.
#include <gmock/gmock.h>
#include <unistd.h>

#include "contract_calls.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class AgentrailMemo : public Walled, public testing::TestWithParam<Who> {
protected:
    AgentrailMemo() : Walled(GetParam()) {}

    Json call(const std::string& command, const std::vector<std::string>& options = {},
              Json arguments = Json::object()) const {
        arguments["command"] = command;
        std::vector<std::string> args = {"call",      "--report", "--contract",
                                         "agentrail", "--cwd",    work().string()};
        args.insert(args.end(), options.begin(), options.end());
        args.insert(args.end(), {"Bash", arguments.dump()});
        const Ran ran = husk()(args);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.json();
    }
    static int code_of(const Json& result) { return result["structuredContent"]["exit_code"]; }

    fs::path memo() const { return work() / "memo"; }
    fs::path notes() const { return memo() / "session" / "NOTES.md"; }
};

INSTANTIATE_TEST_SUITE_P(, AgentrailMemo, testing::Values(Who::Caller, Who::OrdinaryUser),
                         [](const auto& tested) {
                             return tested.param == Who::Caller ? "Caller" : "OrdinaryUser";
                         });

TEST_P(AgentrailMemo, Usage_IsReadOnlyOnTheHost) {
    for (const char* mode : {"open", "workspace", "read-only"}) {
        SCOPED_TRACE(mode);
        write(notes(), "kept\n");
        const std::vector<std::string> options = {"--mode", mode};
        EXPECT_EQ(text_of(call("cat memo/session/NOTES.md", options)), "kept\n\n\n[exit code: 0]");
        for (const char* command :
             {"echo x > memo/session/NOTES.md", "echo x >> memo/session/NOTES.md",
              "echo x > memo/new", "mkdir memo/new", "rm memo/session/NOTES.md", "rm -rf memo",
              "mv memo other", "mv memo/session other", "mv file memo/", "ln file memo/file",
              "ln memo/session/NOTES.md other", "ln -s / memo/link", "truncate -s 0 memo/*/*",
              "chmod 777 memo/session/NOTES.md", "touch memo/session/NOTES.md",
              "mv ../work ../elsewhere", "rmdir memo/session",
              "cd / && echo x > \"$OLDPWD/memo/session/NOTES.md\"",
              "exec 3<>memo/session/NOTES.md && echo x >&3"}) {
            const Json result = call(command, options);
            EXPECT_NE(code_of(result), 0) << command << text_of(result);
            EXPECT_FALSE(is_error(result)) << command;
        }
        EXPECT_EQ(read_text(notes()), "kept\n");
        EXPECT_FALSE(fs::exists(memo() / "new"));
    }
    // Nothing else changes in this mode.
    EXPECT_EQ(code_of(call("echo x > file; echo x > " + (outside() / "file").string())), 0);
    EXPECT_EQ(read_text(work() / "file"), "x\n");
    EXPECT_EQ(read_text(outside() / "file"), "x\n");
}

// A link can leave a directory by `..`: that directory must not be replaced by a link.
TEST_P(AgentrailMemo, Usage_KeepsDirectoriesThatALinkLeaves) {
    for (const char* mode : {"open", "workspace"}) {
        SCOPED_TRACE(mode);
        const std::vector<std::string> options = {"--mode", mode};
        write(work() / "data" / "NOTES.md", "kept\n");
        write(work() / "x" / "file", "");
        write(memo() / "file", "");
        if (!fs::is_symlink(memo() / "s")) fs::create_symlink("../x/../data", memo() / "s");
        call("mkdir -p evil/d evil/data; echo evil > evil/data/NOTES.md; mv x y; ln -s evil/d x",
             options);
        EXPECT_EQ(read_text(memo() / "s" / "NOTES.md"), "kept\n");
        EXPECT_NE(code_of(call("echo evil > memo/s/NOTES.md", options)), 0);
        EXPECT_EQ(read_text(memo() / "s" / "NOTES.md"), "kept\n");
        EXPECT_EQ(code_of(call("echo more > x/file", options)), 0);
    }
}

TEST_P(AgentrailMemo, Usage_IsTakenAwayIfACommandMakesIt) {
    for (const char* command :
         {"mkdir -p memo/session && echo x > memo/session/NOTES.md", "echo x > memo",
          "ln -s . memo", "mkdir d && echo x > d/x && mv d memo"}) {
        const Json result = call(command);
        EXPECT_EQ(code_of(result), 0) << text_of(result);
        EXPECT_THAT(text_of(result), HasSubstr("[" + memo().string() + " was taken away: "));
        EXPECT_FALSE(fs::exists(fs::symlink_status(memo()))) << command;
    }
}

TEST_P(AgentrailMemo, Usage_IsNotMadeWhereThereIsNone) {
    const Json result = call("ls -a; echo x > file");
    EXPECT_EQ(result["structuredContent"]["stdout"], ".\n..\nfile\n");
    EXPECT_FALSE(fs::exists(memo()));
    EXPECT_EQ(call("pwd; umask; echo $HOME", {},
                   {{"working_directory", "/"}})["structuredContent"]["stdout"]
                  .get<std::string>()
                  .substr(0, 2),
              "/\n");
}

// As the tools Write and Edit do, which do not run behind walls.
TEST_P(AgentrailMemo, Usage_IsReadOnlyFromTheNextCallAfterItCame) {
    EXPECT_EQ(code_of(call("true")), 0);
    write(notes(), "first\n");
    EXPECT_NE(code_of(call("echo x > memo/session/NOTES.md")), 0);
    write(notes(), "second\n");
    EXPECT_EQ(call("cat memo/session/NOTES.md")["structuredContent"]["stdout"], "second\n");
    EXPECT_NE(code_of(call("echo x > memo/session/NOTES.md")), 0);
    EXPECT_EQ(read_text(notes()), "second\n");
}

TEST_P(AgentrailMemo, Usage_HoldsALinkAndItsTarget) {
    for (const fs::path& real : {work() / "real", outside() / "real"}) {
        SCOPED_TRACE(real);
        write(real / "note", "kept\n");
        fs::remove(memo());
        fs::create_directory_symlink(real, memo());
        EXPECT_EQ(call("cat memo/note")["structuredContent"]["stdout"], "kept\n");
        for (const std::string& path : {memo().string(), real.string()}) {
            EXPECT_NE(code_of(call("echo x > " + path + "/note")), 0) << path;
            EXPECT_NE(code_of(call("mv " + real.string() + " " + real.string() + "2")), 0);
        }
        call("rm memo; mkdir memo; echo evil > memo/note");
        EXPECT_TRUE(fs::is_symlink(memo()));
        EXPECT_EQ(read_text(memo() / "note"), "kept\n");
    }
}

// A path in `memo` stays a path in `memo` where a link on it leads to a store elsewhere.
TEST_P(AgentrailMemo, Usage_HoldsTheTargetsOfLinksInIt) {
    const fs::path store = outside() / "store";
    write(store / "NOTES.md", "kept\n");
    write(store / "old" / "NOTES.md", "kept\n");
    write(work() / "real" / "USER.md", "kept\n");
    write(work() / "second" / "NOTES.md", "kept\n");
    write(outside() / "TODO.md", "kept\n");
    write(memo() / "user" / "2026" / "note", "kept\n");
    fs::create_directory_symlink(store, memo() / "session");
    fs::create_symlink("../../real/USER.md", memo() / "user" / "USER.md");
    fs::create_symlink(outside() / "TODO.md", memo() / "user" / "2026" / "TODO.md");
    fs::create_directory_symlink("second", work() / "first");
    fs::create_directory_symlink("../first", memo() / "chain");
    fs::create_symlink(work() / "second" / "NOTES.md", store / "linked");
    for (const char* path :
         {"memo/session/NOTES.md", "memo/session/new", "memo/session/old/NOTES.md",
          "memo/user/USER.md", "real/USER.md", "memo/user/2026/TODO.md", "memo/user/2026/note",
          "memo/chain/NOTES.md", "memo/chain/new", "second/NOTES.md", "memo/session/linked",
          "../outside/store/NOTES.md"}) {
        EXPECT_NE(code_of(call(std::string("echo x > ") + path)), 0) << path;
    }
    for (const char* command : {"mv ../outside/store ../outside/other", "rm -r memo/chain/NOTES.md",
                                "mv real other", "rm memo/session"})
        EXPECT_NE(code_of(call(command)), 0) << command;
    call("rm first; mkdir first; echo evil > first/NOTES.md");
    for (const fs::path& path :
         {store / "NOTES.md", store / "old" / "NOTES.md", work() / "real" / "USER.md",
          outside() / "TODO.md", memo() / "chain" / "NOTES.md"})
        EXPECT_EQ(read_text(path), "kept\n") << path;
    EXPECT_EQ(call("cat memo/*/NOTES.md")["structuredContent"]["stdout"], "kept\nkept\n");
    EXPECT_EQ(code_of(call("echo x > real/other && echo x > ../outside/other")), 0);
}

TEST_P(AgentrailMemo, Usage_TakesAwayWhatIsMadeThroughALinkInIt) {
    write(notes(), "kept\n");
    fs::create_symlink(work() / "later.md", memo() / "later.md");
    const Json result = call("echo x > memo/later.md");
    EXPECT_THAT(text_of(result), HasSubstr("later.md was taken away: "));
    EXPECT_FALSE(fs::exists(work() / "later.md"));
}

// Everything else in the workspace would be read-only too.
TEST_P(AgentrailMemo, Usage_LeavesWhatMemoItselfIsIn) {
    write(notes(), "kept\n");
    fs::create_directory_symlink("..", memo() / "up");
    fs::create_directory_symlink("/", memo() / "root");
    fs::create_symlink("/dev/null", memo() / "null");
    fs::create_symlink("user/loop", memo() / "loop");
    fs::create_directory_symlink("..", memo() / "session" / "back");
    EXPECT_EQ(code_of(call("echo x > file && echo x > memo/null && echo x > memo/up/other")), 0);
    EXPECT_NE(code_of(call("echo x > memo/up/memo/session/NOTES.md")), 0);
    EXPECT_NE(code_of(call("echo x > memo/session/back/new")), 0);
    EXPECT_EQ(read_text(notes()), "kept\n");
}

// As the host of the agent may make one.
TEST_P(AgentrailMemo, Usage_HoldsALinkFromTheNextCallAfterItCame) {
    write(notes(), "kept\n");
    write(work() / "real" / "USER.md", "kept\n");
    for (const char* mode : {"open", "workspace"}) {
        const std::vector<std::string> options = {"--mode", mode};
        fs::remove(memo() / "session" / "user");
        EXPECT_EQ(code_of(call("echo x > real/other", options)), 0);
        fs::create_directory_symlink("../../real", memo() / "session" / "user");
        EXPECT_NE(code_of(call("echo x > memo/session/user/USER.md", options)), 0) << mode;
        EXPECT_EQ(read_text(work() / "real" / "USER.md"), "kept\n") << mode;
    }
}

TEST_P(AgentrailMemo, Usage_HoldsAMountFromTheNextCallAfterItCame) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
    write(memo() / "user" / "old", "kept\n");
    write(outside() / "kept", "kept\n");
    const auto line = [&](const std::string& command) {
        std::string text;
        for (const std::string& word :
             husk().argv({"call", "--contract", "agentrail", "--cwd", work().string(), "Bash",
                          Json{{"command", command}}.dump()}))
            text += "'" + word + "' ";
        return text + "\n";
    };
    // Mounts are shared from the first line on, as systemd makes them, and nowhere else.
    const Ran ran = run_program(
        {"unshare", "-m", "--propagation", "private", "sh", "-c",
         "mount --make-rshared /\n" + line("true") + "mount --bind " + outside().string() + " " +
             (memo() / "user").string() + "\n" +
             line("echo x > memo/user/new; echo x > memo/user/kept; cat memo/user/kept")});
    EXPECT_THAT(ran.out, HasSubstr(R"("stdout":"kept\n")")) << ran.err;
    EXPECT_EQ(read_text(outside() / "kept"), "kept\n") << ran.out;
    EXPECT_FALSE(fs::exists(outside() / "new")) << ran.out;
}

// In the name of the workspace, these characters have no meaning.
TEST_P(AgentrailMemo, Usage_HoldsWhateverTheWorkspaceIsCalled) {
    for (const char* name : {"{a,b}", "!x", "[id]", "a*b?", "with space"}) {
        SCOPED_TRACE(name);
        const fs::path workspace = work() / name;
        write(workspace / "memo" / "note", "kept\n");
        const Ran ran = husk()({"call", "--contract", "agentrail", "--cwd", workspace.string(),
                                "Bash", R"({"command": "echo x > memo/note"})"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_NE(code_of(ran.json()), 0) << ran.out;
        EXPECT_EQ(read_text(workspace / "memo" / "note"), "kept\n");
    }
}

TEST_P(AgentrailMemo, Usage_CanBeSwitchedOff) {
    write(notes(), "old\n");
    write(husk().dir() / "config/husk/husk.yaml", "agentrail: {memo: writable}\n");
    EXPECT_EQ(code_of(call("echo new > memo/session/NOTES.md")), 0);
    EXPECT_EQ(read_text(notes()), "new\n");
}

// The file of a workspace must not switch it off.
TEST_P(AgentrailMemo, Usage_CannotBeSwitchedOffByTheWorkspace) {
    write(notes(), "old\n");
    write(work() / "husk.yaml", "agentrail: {memo: writable}\n");
    EXPECT_NE(code_of(call("echo new > memo/session/NOTES.md")), 0);
    EXPECT_EQ(read_text(notes()), "old\n");
}

TEST_P(AgentrailMemo, Usage_TellsWhereThisMachineCannotHoldIt) {
    write(notes(), "old\n");
    ::setenv("HUSK_PRETEND", "mountns=no", 1);
    const Json result = call("true");
    ::unsetenv("HUSK_PRETEND");
    EXPECT_EQ(result["_meta"]["husk/report"]["confinement"]["missing"],
              Json::array({"protected-paths"}));
    EXPECT_THAT(result["_meta"]["husk/notes"].dump(), HasSubstr("memo"));
}

}  // namespace
}  // namespace husk::test
