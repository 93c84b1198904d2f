// husk.yaml decides what a command may do: the user's, and what a workspace's own can change.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A home with a file of settings, a workspace, and something outside of both.
class Settings : public testing::TestWithParam<Who> {
protected:
    Settings() : husk_(GetParam()) {
        for (const fs::path& dir : {users_file_.parent_path(), work_ / "sub", home_, outside_}) {
            fs::create_directories(dir);
        }
        give_away();
    }

    void users(const std::string& yaml) const {
        write_text(users_file_, yaml);
        give_away();
    }
    void here(const std::string& yaml) const {
        write_text(work_ / "husk.yaml", yaml);
        give_away();
    }
    // A line of bash in the workspace; husk is $HUSK. Standard error comes with the output.
    Ran in_work(const std::string& line) const {
        return husk_.script("export HOME=" + home_.string() + " GH_TOKEN=gold; cd " +
                            work_.string() + "; exec 2>&1; " + line);
    }
    Ran run(const std::string& options, const std::string& command) const {
        return in_work("$HUSK run " + options + " -- '" + command + "'");
    }
    nlohmann::json config(const std::string& options = "") const {
        return in_work("$HUSK config --json " + options).json();
    }
    // "VALUE from ORIGIN" of one key.
    std::string in_force(const std::string& key, const std::string& options = "") const {
        const nlohmann::json all = config(options);
        for (const auto& one : all["settings"]) {
            if (one["key"] != key) continue;
            std::string text =
                one["value"].get<std::string>() + " from " + one["from"].get<std::string>();
            if (one["name"].is_string()) text += " " + one["name"].get<std::string>();
            if (one["line"].is_number()) text += ":" + std::to_string(one["line"].get<int>());
            return text;
        }
        return "";
    }

    Husk husk_;
    fs::path users_file_ = husk_.dir() / "config/husk/husk.yaml";
    fs::path work_ = husk_.dir() / "work";
    fs::path home_ = husk_.dir() / "home";
    fs::path outside_ = husk_.dir() / "outside";

private:
    void give_away() const {
        if (GetParam() != Who::OrdinaryUser || ::geteuid() != 0) return;
        for (const auto& entry : fs::recursive_directory_iterator(husk_.dir()))
            ::lchown(entry.path().c_str(), ordinary_uid, ordinary_uid);
    }
};

INSTANTIATE_TEST_SUITE_P(, Settings, both(), who_name);

// ---- the user's file

TEST_P(Settings, OfTheUserDecideAndFlagsWin) {
    users("mode: read-only\n");
    EXPECT_NE(run("", "touch made").code, 0);
    EXPECT_FALSE(fs::exists(work_ / "made"));
    EXPECT_EQ(run("--mode workspace", "touch made").code, 0);
    EXPECT_TRUE(fs::exists(work_ / "made"));
    users("mode: open\n");
    EXPECT_EQ(run("", "touch " + (outside_ / "made").string()).code, 0);
    EXPECT_TRUE(fs::exists(outside_ / "made"));
}

TEST_P(Settings, OfFilesCount) {
    users("write: [" + outside_.string() + "]\nprotect: [sub, ~/kept]\n");
    const Ran ran = run("", "touch " + outside_.string() + "/made; touch sub/made; echo end");
    EXPECT_THAT(ran.out, HasSubstr("end\n"));
    EXPECT_TRUE(fs::exists(outside_ / "made")) << ran.out;
    EXPECT_FALSE(fs::exists(work_ / "sub/made")) << ran.out;
    EXPECT_EQ(run("--protect /", "echo hi").out, "hi\n");  // and does not look for what is above
}

// A command, or a repository that was cloned, can put a link where the user's file expects a file
// of the workspace. The user did not mean what the link leads to.
TEST_P(Settings, OfPathsDoNotFollowLinksOfTheWorkspace) {
    fs::create_directory(home_ / ".ssh");
    write_text(home_ / ".ssh/id_rsa", "the-key\n");
    write_text(outside_ / "data", "");
    write_text(work_ / ".env", "A=1\n");
    const std::string here = work_.string() + "/";
    const struct {
        std::string setting;
        std::string link;
        fs::path target;
        std::string then;
    } cases[] = {
        {"read: [.env]", ".env", home_ / ".ssh/id_rsa", "cat .env"},
        {"read: [" + here + ".env]", ".env", home_ / ".ssh/id_rsa", "cat .env"},
        {"read: [keys/id_rsa]", "keys", home_ / ".ssh", "cat keys/id_rsa"},
        {"write: [gen]", "gen", outside_, "touch gen/escaped"},
        {"write: [" + here + "gen]", "gen", outside_, "touch gen/escaped"},
        {"cache: cc", "cc", outside_, "touch cc/escaped"},
        {"cache: cc/below", "cc", outside_, "touch cc/below/escaped"},
    };
    for (const auto& [setting, link, target, then] : cases) {
        SCOPED_TRACE(setting);
        users("mode: workspace\n");
        EXPECT_EQ(run("", "rm -rf " + link + "; ln -s " + target.string() + " " + link).code, 0);
        users("mode: workspace\n" + setting + "\n");
        const Ran ran = run("", then);
        EXPECT_EQ(ran.code, 125);
        EXPECT_THAT(ran.out, HasSubstr("leads through a link to " + target.string()));
        EXPECT_THAT(ran.out, Not(HasSubstr("the-key")));
        EXPECT_THAT(in_work("$HUSK call bash '{\"command\": \"" + then + "\"}'").out,
                    AllOf(HasSubstr("leads through a link to "), Not(HasSubstr("the-key"))));
        EXPECT_EQ(in_work("$HUSK mcp </dev/null").code, 125);
        EXPECT_EQ(lines_of(in_work("cd " + outside_.string() + "; find . -mindepth 1").out),
                  std::vector<std::string>{"./data"});
        fs::remove(work_ / link);
    }
    users("mode: workspace\nread: [.env]\nwrite: [sub]\ncache: cc\n");
    write_text(work_ / ".env", "A=1\n");
    EXPECT_EQ(run("", "cat .env").out, "A=1\n");
}

TEST_P(Settings, OfTheSocketOfAnEngineDoNotFollowLinksOfTheWorkspace) {
    fs::create_symlink(outside_ / "engine", work_ / "socket");
    for (const std::string& path : {std::string("socket"), (work_ / "socket").string()}) {
        users("place: container\ncontainer: {image: none, socket: " + path + "}\n");
        for (const char* way : {"$HUSK run -- true", "$HUSK mcp </dev/null"}) {
            const Ran ran = in_work(way);
            EXPECT_EQ(ran.code, 125) << way;
            EXPECT_THAT(ran.out,
                        HasSubstr("husk.yaml:2: container.socket: " + (work_ / "socket").string() +
                                  " leads through a link to " + (outside_ / "engine").string()));
        }
    }
}

// A session that stands does not let a link in either.
TEST_P(Settings, OfPathsAreLookedAtInEachCallOfASession) {
    fs::create_directory(home_ / ".ssh");
    write_text(home_ / ".ssh/id_rsa", "the-key\n");
    write_text(work_ / ".env", "A=1\n");
    users("mode: workspace\nread: [.env]\n");
    EXPECT_EQ(run("--session s", "cat .env").out, "A=1\n");
    fs::remove(work_ / ".env");
    fs::create_symlink(home_ / ".ssh/id_rsa", work_ / ".env");
    const Ran ran = run("--session s", "cat .env");
    EXPECT_EQ(ran.code, 125);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("leads through a link"), Not(HasSubstr("the-key"))));
}

// An option counts like its key: `~/` is the home directory, other paths are below the workspace.
// A client of MCP starts husk elsewhere and without a shell.
TEST_P(Settings, OfPathsAreTheSameAsOptions) {
    for (const fs::path& dir : {work_ / "kept", home_ / "kept", work_ / "gen", outside_ / "gen"})
        fs::create_directories(dir);
    users("mode: workspace\n");
    const auto from_outside = [&](const std::string& options, const std::string& command) {
        return in_work("cd " + outside_.string() + "; $HUSK run --cwd " + work_.string() + " " +
                       options + " -- '" + command + "'");
    };
    EXPECT_NE(from_outside("--protect kept", "touch kept/made").code, 0);
    EXPECT_FALSE(fs::exists(work_ / "kept/made"));
    EXPECT_EQ(from_outside("", "touch kept/made").code, 0);
    const std::string home = home_.string();
    EXPECT_EQ(from_outside("--write \\~/kept", "touch " + home + "/kept/given").code, 0);
    EXPECT_TRUE(fs::exists(home_ / "kept/given"));
    EXPECT_NE(from_outside("--write \\~/kept --protect \\~/kept", "touch " + home + "/kept/x").code,
              0);
    EXPECT_FALSE(fs::exists(home_ / "kept/x"));
    EXPECT_EQ(from_outside("--write gen", "pwd").code, 0);
    EXPECT_NE(from_outside("--write gen", "touch " + outside_.string() + "/gen/made").code, 0);
    EXPECT_EQ(in_work("cd /; $HUSK run --cwd \\~/kept -- pwd").out, home + "/kept\n");
    EXPECT_EQ(in_work("$HUSK run --state \\~/states -- true").code, 0);
    EXPECT_TRUE(fs::exists(home_ / "states"));
    EXPECT_FALSE(fs::exists(work_ / "~"));
    EXPECT_EQ(in_work("cp ~/../config/husk/husk.yaml ~/other.yaml; echo mode: open >~/other.yaml; "
                      "$HUSK config get mode --config \\~/other.yaml")
                  .out,
              "open\n");
    EXPECT_EQ(from_outside("--protect \"\"", "true").code, 125);
}

TEST_P(Settings, OfLimitsCount) {
    users("mode: open\nlimits: {open_files: 77, processes: 40}\n");
    EXPECT_EQ(run("", "ulimit -n").out, "77\n");
    EXPECT_EQ(run("--limit open_files=88", "ulimit -n").out, "88\n");
    users("mode: open\nlimits: {output: 1K}\n");
    EXPECT_EQ(run("", "yes").code, 124);
}

TEST_P(Settings, OfTimeoutsCount) {
    users("mode: open\ntimeouts: {default: 200ms}\n");
    EXPECT_EQ(run("", "sleep 30").code, 124);
    EXPECT_EQ(run("--timeout 30s", "sleep 0.5; echo end").out, "end\n");
    users("mode: open\ntimeouts: {default: 1h, maximum: 200ms}\n");
    EXPECT_EQ(run("", "sleep 30").code, 124);
    users("mode: open\ntimeouts: {maximum: 200ms}\n");
    EXPECT_EQ(run("", "sleep 30").code, 124);
    // The user who types it knows better.
    EXPECT_EQ(run("--timeout 30s", "sleep 0.5; echo end").out, "end\n");
}

TEST_P(Settings, OfTheEnvironmentCount) {
    const std::string show = "echo \"$GH_TOKEN,$CC,$PAGER\"";
    EXPECT_EQ(run("", show).out, ",,cat\n");
    users("environment: {pass: [GH_TOKEN, NOT_THERE], set: {CC: clang}, unset: [PAGER]}\n");
    EXPECT_EQ(run("", show).out, "gold,clang,\n");
    EXPECT_EQ(run("--env CC=gcc --env GH_TOKEN", show).out, ",gcc,\n");
}

TEST_P(Settings, OfOutputCount) {
    users("mode: open\noutput: {shown: 1000, kept: 100K}\n");
    const auto report = run("--json", "head -c 300000 /dev/zero | tr \"\\\\0\" x").json();
    EXPECT_LT(report["output"].get<std::string>().size(), 2000U);
    EXPECT_EQ(report["excerpt"]["complete"], false);
    EXPECT_EQ(report["excerpt"]["total_bytes"], 300000);
}

TEST_P(Settings, SayWhereWorkIsDone) {
    users("working_directory: " + (work_ / "sub").string() + "\n");
    EXPECT_EQ(run("", "pwd; touch made").out, (work_ / "sub").string() + "\n");
    EXPECT_TRUE(fs::exists(work_ / "sub/made"));
    EXPECT_EQ(run("--cwd .", "pwd").out, work_.string() + "\n");
    users("working_directory: sub\n");
    EXPECT_THAT(run("", "true").out, HasSubstr("husk.yaml:1: \"sub\" must begin with / or ~/"));
}

TEST_P(Settings, SayWhereStateIsKeptForAllSubcommands) {
    users("mode: open\nstate: ~/kept\n");
    const Ran ran = in_work(
        "unset HUSK_STATE; id=$($HUSK run --background -- 'echo hi; sleep 0.1'); "
        "$HUSK wait $id --timeout 20s; echo code $?; $HUSK output $id; $HUSK shells | grep -c $id; "
        "$HUSK session list --json | wc -l");
    EXPECT_THAT(ran.out, AllOf(HasSubstr("code 0"), HasSubstr("hi\n")));
    EXPECT_TRUE(fs::exists(home_ / "kept/sessions"));
    EXPECT_FALSE(fs::exists(husk_.state()));
    // A variable goes before the file, and a flag before both.
    EXPECT_EQ(in_force("state"), husk_.state().string() + " from variable HUSK_STATE");
    EXPECT_EQ(in_force("state", "--state /x"), "/x from flag --state");
}

TEST_P(Settings, WithAMistakeStopEverythingAndSayWhere) {
    users("mode: open\nlimits:\n  memroy: 1G\n");
    const std::string said =
        users_file_.string() + ":3: unknown key \"memroy\" in limits; did you mean \"memory\"?";
    for (const char* line : {"$HUSK run -- true", "$HUSK run --checks off -- true", "$HUSK config",
                             "$HUSK check true", "env -u HUSK_STATE $HUSK shells"}) {
        const Ran ran = in_work(line);
        EXPECT_EQ(ran.code, 125) << line;
        EXPECT_EQ(ran.out, "husk: " + said + "\n") << line;
    }
}

TEST_P(Settings, OfANamedFileAreTheOnlyOnes) {
    users("limits: {open_files: 60}\n");
    here("limits: {open_files: 50}\n");
    write_text(work_ / "other.yaml", "limits: {memory: 1G}\n");
    EXPECT_EQ(in_force("limits.open_files", "--config other.yaml"), "4096 from built in");
    EXPECT_EQ(in_force("limits.memory", "--config other.yaml"), "1G from file other.yaml:1");
}

// ---- a workspace's own file

const char* const burglar =
    "mode: open\n"
    "network: open\n"
    "write: [OUTSIDE]\n"
    "read: [~/.ssh]\n"
    "accept: [signals]\n"
    "state: /tmp/elsewhere\n"
    "working_directory: /\n"
    "limits: {memory: none, cpu: 10m}\n"
    "timeouts: {maximum: 1h}\n"
    "environment: {pass: [GH_TOKEN], set: {INSERTED: x}}\n"
    "permissions: {mode: bypassPermissions, allow: [Bash]}\n"
    "packs: {git: off}\n";

std::string with(std::string text, const fs::path& outside) {
    return text.replace(text.find("OUTSIDE"), 7, outside.string());
}

TEST_P(Settings, OfAClonedRepositoryCannotOpenItsOwnCage) {
    here(with(burglar, outside_));
    const Ran ran = run("", "touch " + (outside_ / "made").string() +
                                "; echo \"[$GH_TOKEN$INSERTED]\"; pwd; touch made");
    EXPECT_FALSE(fs::exists(outside_ / "made"));
    EXPECT_TRUE(fs::exists(work_ / "made"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr("[]\n" + work_.string() + "\n"),
                               HasSubstr("may only narrow, so 13 of its entries do not count")));
    EXPECT_EQ(run("", "git push --force").code, 126);
    EXPECT_FALSE(fs::exists("/tmp/elsewhere"));
    EXPECT_EQ(in_force("mode"), "workspace from built in");
    EXPECT_EQ(in_force("limits.cpu"), "10m from file " + (work_ / "husk.yaml").string() + ":8");
    const auto config_json = config();
    EXPECT_EQ(config_json["workspace_file"], "may only narrow");
    EXPECT_EQ(config_json["ignored"].size(), 13U);
    const Ran table = in_work("$HUSK config");
    EXPECT_THAT(table.out, HasSubstr("husk.yaml:1: does not count, because this file may only "
                                     "narrow: mode: open\n"));
}

TEST_P(Settings, OfAWorkspaceMayNarrow) {
    users("mode: open\nlimits: {open_files: 100}\n");
    here("mode: read-only\nlimits: {open_files: 50}\nprotect: [sub]\n");
    EXPECT_EQ(run("", "ulimit -n; touch made 2>/dev/null; true").out, "50\n");
    EXPECT_FALSE(fs::exists(work_ / "made"));
    // Flags are the user's.
    EXPECT_EQ(run("--mode workspace", "touch made").code, 0);
}

TEST_P(Settings, OfAWorkspaceCountFullyOnceTheyAreTrusted) {
    here(with(burglar, outside_));
    write_text(home_ / "log", "");
    const Ran trusted = in_work("$HUSK trust");
    EXPECT_EQ(trusted.code, 0) << trusted.out;
    EXPECT_THAT(trusted.out, AllOf(HasSubstr("husk.yaml:1: mode: open\n"),
                                   HasSubstr("is trusted as it is now")));
    struct stat info{};
    ASSERT_EQ(::stat((husk_.state() / "trusted").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    EXPECT_EQ(in_force("mode"), "open from file " + (work_ / "husk.yaml").string() + ":1");
    EXPECT_EQ(config()["workspace_file"], "trusted");
    EXPECT_THAT(in_work("$HUSK trust --list").out,
                AllOf(HasSubstr((work_ / "husk.yaml").string()), HasSubstr("trusted")));
    const Ran ran = run("--state " + husk_.state().string(),
                        "touch " + (outside_ / "made").string() + "; echo $INSERTED; pwd");
    EXPECT_TRUE(fs::exists(outside_ / "made"));
    EXPECT_EQ(ran.out, "x\n/\n");
}

TEST_P(Settings, AreNoLongerTrustedAfterAnyChange) {
    here("mode: open\n");
    ASSERT_EQ(in_work("$HUSK trust").code, 0);
    EXPECT_THAT(in_force("mode"), StartsWith("open"));
    here("mode: open \n");
    EXPECT_THAT(in_force("mode"), StartsWith("workspace"));
    EXPECT_THAT(in_work("$HUSK trust --list").out, HasSubstr("changed, not trusted"));
    here("mode: open\n");
    EXPECT_THAT(in_force("mode"), StartsWith("open"));
    // The same text elsewhere is another file.
    const Ran elsewhere = in_work("cp husk.yaml sub/; cd sub; $HUSK config --json");
    EXPECT_EQ(elsewhere.json()["workspace_file"], "may only narrow");
    ASSERT_EQ(in_work("$HUSK trust --revoke").code, 0);
    EXPECT_THAT(in_force("mode"), StartsWith("workspace"));
    EXPECT_THAT(in_work("$HUSK trust --revoke").out, HasSubstr("was not trusted"));
}

// A command, or the author of a repository, can make a link to a file that is trusted elsewhere.
TEST_P(Settings, OfALinkAreTrustedOnlyUnderItsOwnName) {
    ASSERT_EQ(in_work("cd sub && echo 'mode: open' > husk.yaml && $HUSK trust").code, 0);
    ASSERT_EQ(in_work("ln -s sub/husk.yaml husk.yaml").code, 0);
    EXPECT_THAT(in_force("mode"), StartsWith("workspace"));
    ASSERT_EQ(in_work("$HUSK trust").code, 0);
    EXPECT_THAT(in_force("mode"), StartsWith("open"));
    ASSERT_EQ(in_work("$HUSK trust --revoke").code, 0);
    EXPECT_THAT(in_force("mode"), StartsWith("workspace"));
}

TEST_P(Settings, CannotBeTrustedByACommandBehindWalls) {
    here("mode: open\n");
    fs::copy_file(HUSK_BINARY, work_ / "copy");
    for (const std::string& options : {std::string(), " --state " + husk_.state().string()}) {
        const Ran ran = run("--checks off", "./copy trust" + options);
        // It may well say that it did: its home is a copy.
        EXPECT_THAT(ran.out, HasSubstr("husk.yaml")) << "it was not run";
    }
    EXPECT_EQ(config()["workspace_file"], "may only narrow");
}

TEST_P(Settings, AreNotTrustedByAListThatOthersCanWrite) {
    here("mode: open\n");
    ASSERT_EQ(in_work("$HUSK trust").code, 0);
    ::chmod((husk_.state() / "trusted").c_str(), 0666);
    EXPECT_EQ(config()["workspace_file"], "may only narrow");
    EXPECT_THAT(in_work("$HUSK trust --list").out, HasSubstr("could be written by others"));
}

TEST_P(Settings, WithAMistakeCannotBeTrusted) {
    here("mod: open\n");
    EXPECT_THAT(in_work("$HUSK trust").out, HasSubstr("husk.yaml:1: unknown key \"mod\""));
    EXPECT_FALSE(fs::exists(husk_.state() / "trusted"));
}

// ---- husk config

TEST_P(Settings, AreATableOfKeysValuesAndOrigins) {
    users("# mine\nmode: read-only\npermissions: {deny: [Bash(rm)]}\n");
    const Ran ran = in_work("$HUSK config");
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, StartsWith("KEY "));
    const std::string file = users_file_.string();
    EXPECT_THAT(ran.out, testing::ContainsRegex("\nmode +read-only +" + file + ":2\n"));
    EXPECT_THAT(ran.out,
                testing::ContainsRegex("\npermissions.deny +Bash\\(rm\\) +" + file + ":3"));
    EXPECT_THAT(ran.out, testing::ContainsRegex("\nlimits.processes +512 +built in\n"));
    EXPECT_THAT(ran.out, testing::ContainsRegex("\npacks.git +on +built in\n"));
}

TEST_P(Settings, CanBeSetAndCommentsStay) {
    EXPECT_EQ(in_work("$HUSK config set mode read-only").code, 0);
    EXPECT_EQ(read_text(users_file_), "mode: read-only\n");
    users("# mine\nmode: open  # for now\n\nlimits:\n  cpu: 1m  # short\n# end\n");
    ASSERT_EQ(in_work("$HUSK config set mode workspace").code, 0);
    ASSERT_EQ(in_work("$HUSK config set limits.memory 2G").code, 0);
    ASSERT_EQ(in_work("$HUSK config set network a.org b.org").code, 0);
    ASSERT_EQ(in_work("$HUSK config set write " + outside_.string()).code, 0);
    ASSERT_EQ(in_work("$HUSK config set environment.set.CC clang").code, 0);
    ASSERT_EQ(in_work("$HUSK config set packs.system on").code, 0);
    EXPECT_EQ(read_text(users_file_),
              "# mine\nmode: workspace  # for now\n\nlimits:\n  cpu: 1m  # short\n  memory: 2G\n"
              "# end\nnetwork: [a.org, b.org]\nwrite: [" +
                  outside_.string() +
                  "]\nenvironment:\n  set:\n    CC: clang\npacks:\n  system: on\n");
    EXPECT_THAT(in_force("limits.memory"), StartsWith("2G from file"));
}

TEST_P(Settings, AreNotSetToWhatCannotBeUsed) {
    const std::string before = "mode: open\n";
    users(before);
    const std::pair<const char*, const char*> mistakes[] = {
        {"mod open", "unknown key \"mod\" in this file; did you mean \"mode\"?"},
        {"mode closed", "\"closed\" is not one of read-only"},
        {"mode.x open", "has no place there"},
        {"limits.memory lots", "is not a size"},
        {"permissions.allow 'Bash('", "was not changed"},
        {"packs.nothing on", "was not changed"},
        {"mode open closed", "and here is a list"},
    };
    for (const auto& [words, said] : mistakes) {
        const Ran ran = in_work(std::string("$HUSK config set ") + words);
        EXPECT_EQ(ran.code, 125) << words;
        EXPECT_THAT(ran.out, AllOf(StartsWith("husk: "), HasSubstr(said))) << words;
    }
    EXPECT_EQ(read_text(users_file_), before);
    EXPECT_THAT(in_work("$HUSK config set mode").out, Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace husk::test
