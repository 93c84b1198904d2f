// What a person at the command line is told: what was mistyped, what was done, what there is.
#include <gmock/gmock.h>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Telling : public testing::Test {
protected:
    Telling() { fs::create_directories(husk_.dir() / "config/husk"); }

    Husk husk_;
};

TEST_F(Telling, MistakesAreNamed) {
    const struct {
        std::vector<std::string> words;
        const char* told;
    } cases[] = {
        {{"rnu"}, "there is no subcommand rnu; did you mean run?"},
        {{"nosuch"}, "there is no subcommand nosuch; see husk --help"},
        {{"-v"}, "there is no option -v; see husk --help"},
        {{"help", "rnu"}, "there is no subcommand rnu; did you mean run?"},
        {{"session", "lst"}, "there is no subcommand lst; did you mean list?"},
        {{"shells", "--jsno"}, "there is no option --jsno; did you mean --json?"},
        {{"shells", "more"}, "\"more\" was not expected; see husk shells --help"},
        {{"config", "--limti", "memory=2G"}, "there is no option --limti; did you mean --limit?"},
        {{"run", "--mdoe", "open", "--", "true"},
         "there is no option --mdoe; did you mean --mode?"},
        {{"call", "--mdoe", "open", "bash", "{}"},
         "there is no option --mdoe; did you mean --mode?"},
        {{"run", "--timeout"}, "--timeout needs a value; see husk run --help"},
        {{"run", "--checks", "foo", "--", "true"}, "--checks: \"foo\" is not one of on, off"},
        {{"run", "--on-timeout", "foo", "--", "true"}, "is not one of kill, background"},
        {{"run", "--leftovers", "foo", "--", "true"}, "is not one of adopt, kill, wait"},
        {{"run", "--streams", "foo", "--", "true"}, "is not one of merged, split"},
        {{"run", "--stdin", "/nonexist", "--", "cat"},
         "--stdin: No such file or directory: /nonexist"},
        {{"log", "--status", "foo"}, "--status: \"foo\" is not one of exited, signaled"},
        {{"log", "--via", "foo"}, "--via: \"foo\" is not one of run, call"},
        {{"log", "--contract", "nosuch"}, "--contract: \"nosuch\" is not one of husk, phoenix"},
        {{"log", "--since", "1h", "--until", "2h"}, "--since is not before --until"},
        {{"trust", "/nonexist/husk.yaml"}, "there is no /nonexist/husk.yaml; husk trust is for"},
        {{"config", "get", "mod"}, "there is no key \"mod\"; did you mean mode?"},
    };
    for (const auto& [words, told] : cases) {
        const Ran ran = husk_(words);
        EXPECT_TRUE(is_refusal(ran)) << told << ran.out << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(told));
    }
    const Ran hook = husk_({"hook", "codex"});
    EXPECT_EQ(hook.code, 2) << "else it would be passed over";
    EXPECT_THAT(hook.err, HasSubstr("there is no subcommand codex; see husk hook --help"));
}

TEST_F(Telling, HelpAndVersionAreSubcommandsToo) {
    EXPECT_EQ(husk_({"version"}).out, husk_({"--version"}).out);
    EXPECT_EQ(husk_({"help"}).out, husk_({"--help"}).out);
    for (const auto& [name, usage] : {std::pair("run", "husk run [OPTIONS] COMMAND\n"),
                                      std::pair("check", "husk check [OPTIONS] COMMAND\n"),
                                      std::pair("call", "husk call [OPTIONS] TOOL JSON\n")}) {
        EXPECT_THAT(husk_({"help", name}).out, HasSubstr(usage));
        const std::string help = husk_({name, "--help"}).out;
        EXPECT_THAT(help, AllOf(HasSubstr(usage), Not(HasSubstr("ENUM"))));
    }
    EXPECT_THAT(husk_({"call", "--help"}).out, HasSubstr("agentrail"));
}

TEST_F(Telling, WhatWasDoneIsSaid) {
    const std::string file = husk_.dir() / "config/husk/husk.yaml";
    EXPECT_EQ(husk_({"config", "set", "limits.memory", "2G"}).out,
              "limits.memory is set in " + file + "\n");
    EXPECT_EQ(husk_({"config", "get", "limits.memory"}).out, "2G\n");
    EXPECT_EQ(husk_({"config", "get", "limits.memory", "--limit", "memory=1G"}).out, "1G\n");
    EXPECT_EQ(husk_({"config", "get", "write"}).out, "");
    EXPECT_EQ(husk_({"config", "unset", "limits.memory"}).out,
              "limits.memory no longer stands in " + file + "\n");
    EXPECT_EQ(read_text(file), "");
    EXPECT_THAT(husk_({"config", "unset", "limits.memory"}).err,
                HasSubstr("was not changed: limits.memory does not stand there"));

    const std::string id = husk_.background("sleep 300", {"--session", "web"});
    EXPECT_EQ(husk_({"kill", id}).out, id + " has ended: signaled SIGTERM\n");
    EXPECT_THAT(husk_({"session", "list"}).out, HasSubstr("web"));
    EXPECT_EQ(husk_({"session", "end", "web"}).out, "web has ended\n");
    EXPECT_EQ(husk_({"session", "end", "web"}).out, "web had ended already\n");
    EXPECT_THAT(husk_({"session", "list"}).out, Not(HasSubstr("web")));
    EXPECT_THAT(husk_({"session", "list", "--all"}).out, HasSubstr("web"));

    const std::string trusted = husk_.dir() / "work.yaml";
    write_text(trusted, "mode: open\n");
    EXPECT_THAT(husk_({"trust", trusted}).out,
                HasSubstr("this counts from now on:\n  " + trusted + ":1: mode: open\n"));
    EXPECT_EQ(husk_({"trust", "--revoke", trusted}).out, trusted + " is no longer trusted\n");
}

TEST_F(Telling, NothingFoundIsSaid) {
    const Ran log = husk_({"log", "nosuchword"});
    EXPECT_EQ(log.out, "");
    EXPECT_EQ(log.err, "husk: nothing was found\n");
}

TEST_F(Telling, AStateDirectoryMayBeNamedFromWhereOneIs) {
    const Ran ran =
        husk_.script("cd " + husk_.dir().string() +
                     " && $HUSK run --mode open --state here -- 'echo hi' && $HUSK shells "
                     "--state here; $HUSK session list --state here --json");
    EXPECT_THAT(ran.out, AllOf(HasSubstr("hi\n"), HasSubstr("echo hi"))) << ran.err;
    EXPECT_TRUE(fs::exists(husk_.dir() / "here"));
}

TEST_F(Telling, TheEndOfAStreamDoesNotRepeatWhatCame) {
    for (const char* streams : {"merged", "split"}) {
        const Ran ran = husk_({"run", "--stream-json", "--streams", streams, "--", "echo one"});
        const auto ending = nlohmann::json::parse(lines_of(ran.out).back());
        EXPECT_EQ(ending["output"], nullptr);
        EXPECT_EQ(ending["stdout"], nullptr);
        EXPECT_EQ(ending["stderr"], nullptr);
        EXPECT_EQ(ending["excerpt"]["total_bytes"], 4);
    }
}

TEST_F(Telling, ABashThatStaysIsNotShownAsItsScript) {
    const std::string work = husk_.dir();
    const Ran ran = husk_(
        {"call", "--contract", "anthropic", "--cwd", work, "bash", R"({"command": "echo hi"})"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(husk_({"shells"}).out,
                AllOf(HasSubstr("bash that stays from call to call"), Not(HasSubstr("__husk"))));
}

// ---- what is in force with a contract

class Contracts : public Telling {
protected:
    // "VALUE from ORIGIN" of one key.
    std::string in_force(const std::string& key, const std::vector<std::string>& options) const {
        std::vector<std::string> words = {"config", "--json", "--cwd", husk_.dir()};
        words.insert(words.end(), options.begin(), options.end());
        const nlohmann::json all = husk_(words).json();
        for (const auto& one : all["settings"])
            if (one["key"] == key)
                return one["value"].get<std::string>() + " from " + one["from"].get<std::string>() +
                       (one["name"].is_string() ? " " + one["name"].get<std::string>() : "");
        return "";
    }
};

TEST_F(Contracts, BringSettingsAlong) {
    const struct {
        const char* contract;
        const char* key;
        const char* in_force;
    } cases[] = {
        {"phoenix", "mode", "open from contract phoenix"},
        {"phoenix", "network", "open from contract phoenix"},
        {"phoenix", "packs.git", "on from contract phoenix"},
        {"phoenix", "environment.set.TERM", ""},
        {"phoenix", "timeouts.default", "30s from contract phoenix"},
        {"yoi", "packs.git", "off from contract yoi"},
        {"yoi", "packs.rm", "off from contract yoi"},
        {"docware", "mode", "workspace from contract docware"},
        {"docware", "limits.processes", "10 from contract docware"},
        {"docware", "timeouts.default", "30s from contract docware"},
        {"docware", "limits.file_size", "4G from built in"},
        {"husk", "mode", "workspace from contract husk"},
        {"husk", "timeouts.default", "2m from contract husk"},
        {"husk", "environment.set.TERM", "dumb from contract husk"},
    };
    for (const auto& [contract, key, expected] : cases)
        EXPECT_EQ(in_force(key, {"--contract", contract}), expected) << contract << " " << key;
}

TEST_F(Contracts, AreBelowEveryFileAndFlag) {
    const auto file = husk_.dir() / "config/husk/husk.yaml";
    write_text(file,
               "contract: phoenix\nmode: read-only\npacks: {git: off}\ntimeouts: {default: 5m}\n");
    EXPECT_EQ(in_force("mode", {}), "read-only from file " + file.string());
    EXPECT_EQ(in_force("network", {}), "none from built in");
    EXPECT_EQ(in_force("packs.git", {}), "off from file " + file.string());
    EXPECT_EQ(in_force("packs.rm", {}), "on from contract phoenix");
    // Its calls have times of their own, whatever a file says.
    EXPECT_EQ(in_force("timeouts.default", {}), "30s from contract phoenix");
    EXPECT_EQ(in_force("timeouts.default", {"--contract", "husk"}),
              "5m from file " + file.string());
    EXPECT_EQ(in_force("mode", {"--mode", "open"}), "open from flag --mode");
}

TEST_F(Contracts, ThatNobodyNamesAreNotThoseOfRun) {
    EXPECT_EQ(in_force("timeouts.default", {}), "none from built in");
    EXPECT_EQ(in_force("mode", {}), "workspace from built in");
}

// A cloned repository cannot give its calls more than the contract does.
TEST_F(Contracts, AreNotWidenedByTheFileBesideTheWork) {
    write_text(husk_.dir() / "husk.yaml", "limits: {processes: 100}\ntimeouts: {default: 5s}\n");
    EXPECT_EQ(in_force("limits.processes", {"--contract", "docware"}), "10 from contract docware");
    EXPECT_THAT(in_force("timeouts.default", {"--contract", "docware"}), HasSubstr("5s from file"));
}

}  // namespace
}  // namespace husk::test
