// The contract `agentrail` on the host: `memo` below the workspace is read-only for commands.
#include <gmock/gmock.h>

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
