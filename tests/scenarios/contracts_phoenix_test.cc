// The contract `phoenix` with the real program: REQ-BASH-001 to REQ-BASH-011.
#include <gmock/gmock.h>

#include <csignal>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Phoenix : public testing::Test {
protected:
    Json bash(const std::string& command, const std::string& mode = "default") const {
        return talk_.call("bash", {{"command", command}, {"mode", mode}});
    }
    std::string said(const std::string& command) const { return text_of(bash(command)); }
    // The file of a background command.
    std::string background(const std::string& command) const {
        const Json result = bash(command, "background");
        EXPECT_FALSE(is_error(result));
        return between(text_of(result), "<output_file>", "</output_file>");
    }

    static testing::AssertionResult ends_with_line(const std::string& file,
                                                   const std::string& line) {
        const bool ends = eventually([&] {
            return read_text(file).ends_with("\n" + line + "\n") || read_text(file) == line + "\n";
        });
        const std::string text = read_text(file);
        return ends ? testing::AssertionSuccess()
                    : testing::AssertionFailure()
                          << "..." << text.substr(text.size() - std::min<size_t>(text.size(), 200));
    }

    Conversation talk_{"phoenix"};
};

TEST_F(Phoenix, REQ_BASH_001_CombinesBothStreamsInTheWorkingDirectory) {
    const Json result = bash("pwd; echo err >&2; echo out");
    EXPECT_EQ(text_of(result), talk_.work() + "\nerr\nout\n");
    EXPECT_FALSE(is_error(result));
    EXPECT_FALSE(result.contains("structuredContent"));
}

TEST_F(Phoenix, REQ_BASH_001_CutsOnlyWhatIsTooLong) {
    const std::string whole = said("head -c 131072 /dev/zero | tr '\\0' a");
    EXPECT_EQ(whole, std::string(131072, 'a'));
    const std::string cut = said("printf B; head -c 131072 /dev/zero | tr '\\0' a; printf E");
    EXPECT_EQ(cut, "[output truncated in middle: got 131074 bytes, max is 131072 bytes]\nB" +
                       std::string(4095, 'a') + "\n\n[snip]\n\n" + std::string(4095, 'a') + "E");
}

// It takes the thirty seconds that it promises.
TEST_F(Phoenix, REQ_BASH_002_TheDefaultTimeoutEndsTheWholeTree) {
    const Mark mark;
    const Json result = bash("echo part; (exec -a " + mark.word() + " sleep 300) & sleep 200");
    EXPECT_EQ(text_of(result), "[command timed out after 30s]\npart\n");
    EXPECT_TRUE(is_error(result));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST_F(Phoenix, REQ_BASH_003_TheFileEndsWithTheTruth) {
    struct {
        const char* command;
        std::string file;
    } const cases[] = {
        {"true", "[background process completed with exit code 0]\n"},
        {"false", "[background process completed with exit code 1]\n"},
        {"echo a; exit 3", "a\n[background process completed with exit code 3]\n"},
        {"printf a", "a\n[background process completed with exit code 0]\n"},
        {"echo a; exit 255", "a\n[background process completed with exit code 255]\n"},
        {"(sleep 0.2; echo late) &", "late\n[background process completed with exit code 0]\n"},
        {"echo a # a comment", "a\n[background process completed with exit code 0]\n"},
        {"cat <<END\nin a document\nEND",
         "in a document\n[background process completed with exit code 0]\n"},
        {"echo \"[background process completed with exit code 9]\"; exit 2",
         "[background process completed with exit code 9]\n"
         "[background process completed with exit code 2]\n"},
        {"kill -9 $$", "[background process killed by signal 9 (SIGKILL)]\n"},
        {"kill -TERM $$", "[background process killed by signal 15 (SIGTERM)]\n"},
        {"kill -SEGV $$", "[background process killed by signal 11 (SIGSEGV)]\n"},
    };
    for (const auto& one : cases) {
        const std::string file = background(one.command);
        EXPECT_TRUE(eventually([&] { return read_text(file) == one.file; })) << one.command << "\n"
                                                                             << read_text(file);
    }
}

// The handler makes the exit code 0, which says nothing about why the command ended.
TEST_F(Phoenix, REQ_BASH_003_TheFileNamesTheLimitThatEndedTheCommand) {
    const std::string told = "[background process killed: more ";
    const std::string handler = "trap 'exit 0' TERM; ";
    const std::string forever = "exec 3<> <(:); while :; do read -rt 0.1 -u 3; done";
    talk_.configure("session: {max_lifetime: 2s}\n");
    EXPECT_TRUE(
        ends_with_line(background(handler + forever), told + "lifetime than the limit of 2000]"));
    const Conversation limited("phoenix", {"--limit", "output=1000", "--limit", "processes=20"});
    const auto file_of = [&](const std::string& command) {
        return between(
            text_of(limited.call("bash", {{"command", command}, {"mode", "background"}})),
            "<output_file>", "</output_file>");
    };
    const std::string output = told + "output than the limit of 1000]";
    for (const std::string& command :
         {handler + "seq 1 5000; " + forever, "seq 1 5000; " + forever, std::string("seq 1 5000")})
        EXPECT_TRUE(ends_with_line(file_of(command), output)) << command;
    EXPECT_TRUE(ends_with_line(file_of(handler + "for i in {1..60}; do sleep 300 & done; wait"),
                               told + "processes than the limit of 20]"));
}

TEST_F(Phoenix, REQ_BASH_003_TheLastLineIsNoOutput) {
    const std::string file = background("echo hello");
    ASSERT_TRUE(eventually([&] { return read_text(file).ends_with("code 0]\n"); }));
    const Json shells = talk_.husk()({"shells", "--json"}).json();
    const std::string id = shells["shells"][0]["shell_id"];
    EXPECT_EQ(shells["shells"][0]["excerpt"]["total_bytes"], 6);
    EXPECT_EQ(talk_.husk()({"output", id}).out, "hello\n");
    EXPECT_EQ(talk_.husk()({"output", id, "--grep", "completed"}).out, "");
    EXPECT_EQ(talk_.husk()({"output", id, "--tail", "1"}).out, "hello\n");
}

TEST_F(Phoenix, REQ_BASH_003_AnotherCallStopsIt) {
    const Mark mark;
    const std::string text =
        text_of(bash("echo up; (exec -a " + mark.word() + " sleep 300) & wait", "background"));
    const std::string file = between(text, "<output_file>", "</output_file>");
    ASSERT_TRUE(eventually([&] { return read_text(file) == "up\n" && !mark.bearers().empty(); }));
    const std::string how = between(text, "To stop: ", "</reminder>");
    EXPECT_EQ(how, "kill -9 -" + between(text, "<pid>", "</pid>"));
    EXPECT_EQ(said(how), "");
    EXPECT_TRUE(eventually([&] {
        return read_text(file) == "up\n[background process killed by signal 9 (SIGKILL)]\n";
    })) << read_text(file);
    EXPECT_TRUE(mark.bearers().empty());
}

TEST_F(Phoenix, REQ_BASH_003_ProcessesThatOutliveACommandAreToldWithTheirIds) {
    const Mark mark;
    const Json result = bash("(exec -a " + mark.word() + " sleep 300) & " +
                             "until grep -q sleep /proc/$!/comm; do :; done; echo hi");
    EXPECT_EQ(text_of(result), "hi\n");
    EXPECT_FALSE(is_error(result));
    const Json& left = result["_meta"]["husk/leftovers"];
    ASSERT_EQ(left.size(), 1U) << result;
    EXPECT_EQ(left[0]["name"], "sleep");
    EXPECT_THAT(mark.bearers(), testing::ElementsAre(left[0]["pid"].get<int>()));
    EXPECT_EQ(talk_.husk()({"kill", result["_meta"]["husk/shell_id"]}).code, 0);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    EXPECT_FALSE(bash("echo hi")["_meta"].contains("husk/leftovers"));
}

TEST_F(Phoenix, REQ_BASH_004_HasNoTerminalAndNoInput) {
    EXPECT_EQ(said("tty; [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none; cat; echo end"),
              "not a tty\nnone\nend\n");
}

TEST_F(Phoenix, REQ_BASH_005_TheDescriptionHasTheDirectory) {
    const Json tools =
        talk_.husk()({"tools", "--contract", "phoenix", "--cwd", talk_.work()}).json()["tools"];
    ASSERT_EQ(tools.size(), 1U);
    EXPECT_THAT(tools[0]["description"], HasSubstr(talk_.work()));
    EXPECT_EQ(tools[0]["inputSchema"]["required"], Json::array({"command"}));
}

TEST_F(Phoenix, REQ_BASH_006_TellsFailuresApart) {
    EXPECT_EQ(said("echo why; exit 3"), "[command failed: exit code 3]\nwhy\n");
    EXPECT_EQ(said("kill -9 $$"), "[command failed: killed by signal 9 (SIGKILL)]\n");
    EXPECT_THAT(said("no-such-program-here"), StartsWith("[command failed: exit code 127]\n"));
    talk_.move_to(talk_.work() + "/missing");
    const Json result = bash("true");
    EXPECT_THAT(text_of(result),
                StartsWith("Failed to spawn process: working directory: No such "));
    EXPECT_TRUE(is_error(result));
}

TEST_F(Phoenix, REQ_BASH_007_RejectsAndRunsNothing) {
    const std::string add =
        "permission denied: blind git add commands (git add -A, git add ., git add --all, git add "
        "*) are not allowed, specify files explicitly";
    const std::string push =
        "permission denied: git push --force is not allowed. Use --force-with-lease for safer "
        "force "
        "pushes, or push without force";
    const std::string rm =
        "permission denied: this rm command could delete critical data (.git, home directory, or "
        "root). Specify the full path explicitly (no wildcards, ~, or $HOME)";
    const struct {
        const char* command;
        const std::string& text;
    } cases[] = {
        {"git add -A", add},
        {"git add .", add},
        {"git add --all", add},
        {"git add *", add},
        {"cd x && git -C dir add -A", add},
        {"echo $(git add -A)", add},
        {"git push --force", push},
        {"git push -f origin main", push},
        {"sudo git push -f", push},
        {"rm -rf /", rm},
        {"rm -rf ~", rm},
        {"rm -rf $HOME", rm},
        {"rm -rf .git", rm},
        {"rm -rf *", rm},
        {"rm -rf .*", rm},
        {"true | rm -fr ~/x", rm},
        {"sudo rm -r -f /", rm},
        {"bash -c 'rm -rf /'", rm},
    };
    for (const auto& one : cases) {
        const Json result =
            talk_.call_among_stand_ins("git rm sudo", "bash", {{"command", one.command}});
        EXPECT_EQ(text_of(result), one.text) << one.command;
        EXPECT_TRUE(is_error(result));
    }
    EXPECT_FALSE(std::filesystem::exists(talk_.mark())) << read_text(talk_.mark());
}

// bash is asked itself, so its words are those of the bash of this machine.
TEST_F(Phoenix, REQ_BASH_007_ASyntaxErrorHasTheLineOfBash) {
    for (const std::string script :
         {"if", "echo 'x", "echo a\nfi", "for x in; do", "echo )", "cat <(", "case x in"}) {
        write_text(talk_.work() + "/script", script);
        const std::string complaint = run_program({"bash", "-n", talk_.work() + "/script"}).err;
        const std::string line = "line " + between(complaint, ": line ", "\n");
        const Json result = bash(script);
        EXPECT_EQ(text_of(result), "Failed to parse script\nbash: " + line) << script;
        EXPECT_TRUE(is_error(result));
    }
    const Json result = talk_.raw("bash", R"({"command": "echo a\u0000b"})");
    EXPECT_THAT(text_of(result), StartsWith("Failed to parse script\n"));
    EXPECT_THAT(text_of(result), HasSubstr("NUL byte"));
}

TEST_F(Phoenix, REQ_BASH_007_LetsTheRestPass) {
    for (const char* command :
         {"git add src/main.cc", "git push --force-with-lease", "git push", "rm -r .git",
          "rm -f .git", "rm -rf node_modules", "rm -rf /tmp/build", "echo 'rm -rf /'",
          "git commit -m 'never git add .'"}) {
        const Json result = talk_.call_among_stand_ins("git rm", "bash", {{"command", command}});
        EXPECT_FALSE(is_error(result)) << command << ": " << text_of(result);
    }
}

TEST_F(Phoenix, REQ_BASH_008_RestrictedModeWritesNothingAnywhere) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    const auto said = [&](const std::string& command) {
        return text_of(restricted.call("bash", {{"command", command}}));
    };
    for (const char* place : {"x", "/tmp/x", "$HOME/x", "/dev/shm/x", "/var/tmp/x"})
        EXPECT_THAT(said("echo a > " + std::string(place)),
                    StartsWith("[command failed: exit code 1]"))
            << place;
    EXPECT_THAT(said("chmod 700 /tmp"), StartsWith("[command failed: exit code 1]"));
    EXPECT_EQ(said("echo a > /dev/null; echo read; cat /etc/hostname >/dev/null"), "read\n");
    EXPECT_THAT(said("exec 3<>/dev/tcp/127.0.0.1/9"), StartsWith("[command failed: exit code 1]"));
    EXPECT_THAT(said("kill -0 " + std::to_string(::getpid())),
                StartsWith("[command failed: exit code 1]"));
    EXPECT_EQ(said("git add -A"), said("git add ."));
}

class AlonePhoenix : public testing::Test {};

TEST_F(AlonePhoenix, REQ_BASH_008_AForkBombHasATrueEnding) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    const auto call = [&](const std::string& command, const char* mode) {
        return restricted.call("bash", {{"command", command}, {"mode", mode}});
    };
    // The loop starts no process: beside the bomb there may be no room for one.
    const std::string ticking = "exec 3<> <(:); while :; do echo tick; read -rt 0.1 -u 3; done";
    const std::string file =
        between(text_of(call(ticking, "background")), "<output_file>", "</output_file>");
    const auto goes_on = [&file] {
        const size_t seen = read_text(file).size();
        return eventually([&] { return read_text(file).size() > seen; });
    };
    ASSERT_TRUE(goes_on());
    const Json bomb = call(":(){ :|:& };:", "default");
    EXPECT_TRUE(is_error(bomb));
    EXPECT_THAT(text_of(bomb),
                StartsWith("[command failed: more processes than the limit of 512]\n[the processes "
                           "that the command had left behind were ended]\n"));
    EXPECT_EQ(text_of(call("echo next", "default")), "next\n");
    EXPECT_TRUE(goes_on()) << "the other shell lives";
    EXPECT_THAT(restricted.husk()({"shells"}).out, HasSubstr("running"));
}

TEST_F(Phoenix, REQ_BASH_008_RestrictedModeReadsItsOwnLogs) {
    const Conversation restricted("phoenix", {"--mode", "read-only"});
    const auto said = [&](const std::string& command, const char* mode) {
        return text_of(restricted.call("bash", {{"command", command}, {"mode", mode}}));
    };
    const std::string text = said("echo up; sleep 300", "background");
    const std::string file = between(text, "<output_file>", "</output_file>");
    EXPECT_EQ(
        said("for i in $(seq 100); do grep . " + file + " && break; sleep 0.05; done", "default"),
        "up\n");
    EXPECT_EQ(said(between(text, "To stop: ", "</reminder>"), "default"), "");
    EXPECT_TRUE(eventually([&] { return read_text(file).ends_with("(SIGKILL)]\n"); }));
}

TEST_F(Phoenix, REQ_BASH_009_WithoutLandlockRestrictedIsAnError) {
    const auto with = [&](std::vector<std::string> args) {
        std::vector<std::string> words = {"env", "HUSK_PRETEND=landlock=0"};
        for (std::string& word : talk_.husk().argv(std::move(args))) words.push_back(word);
        return run_program(words);
    };
    const Ran refused = with({"call", "--contract", "phoenix", "--mode", "read-only", "--cwd",
                              talk_.work(), "bash", R"({"command": "true"})"});
    EXPECT_TRUE(is_refusal(refused));
    for (const char* fact : {"Landlock", "5.13", "6.7", "6.12"})
        EXPECT_THAT(refused.err, HasSubstr(fact));
    const Ran open = with(talk_.args("bash", R"({"command": "git add -A"})"));
    EXPECT_THAT(text_of(open.json()), StartsWith("permission denied: "));
    const Ran tools = with({"tools", "--contract", "phoenix"});
    EXPECT_THAT(tools.json()["tools"][0]["description"],
                HasSubstr("Restricted mode is not available"));
    EXPECT_THAT(tools.err, HasSubstr("Landlock"));
}

// Landlock has one requirement, which every message and page names.
TEST_F(Phoenix, REQ_BASH_009_Linux513IsEnough) {
    const auto with = [&](const char* pretend, std::vector<std::string> args) {
        std::vector<std::string> words = {"env", "HUSK_PRETEND=" + std::string(pretend)};
        for (std::string& word : talk_.husk().argv(std::move(args))) words.push_back(word);
        return run_program(words);
    };
    const std::vector<std::string> restricted = {
        "call",
        "--contract",
        "phoenix",
        "--mode",
        "read-only",
        "--cwd",
        talk_.work(),
        "bash",
        R"({"command": "cat /etc/hostname >/dev/null && echo read; echo a > made"})"};
    const Ran first = with("landlock=1", restricted);
    EXPECT_THAT(text_of(first.json()), HasSubstr("read\n")) << first.err;
    EXPECT_FALSE(std::filesystem::exists(talk_.work() + "/made"));
    const std::string doctor = with("landlock=no", {"doctor"}).out;
    for (const std::string& text :
         {with("landlock=no", restricted).err, with("landlock=no", {"tools"}).err, doctor}) {
        EXPECT_THAT(text, HasSubstr("Landlock (Linux 5.13 or later)"));
        EXPECT_EQ(text.find("5.19"), std::string::npos) << text;
    }
    EXPECT_THAT(with("landlock=1", {"doctor"}).out,
                HasSubstr("Mode workspace has to do without: moves between directories."));
}

TEST_F(Phoenix, REQ_BASH_010_KeepsNothingBetweenCalls) {
    EXPECT_EQ(said("cd /; export X=1; f() { echo f; }"), "");
    EXPECT_EQ(said("pwd; echo \"[$X]\"; type f 2>/dev/null || echo no f"),
              talk_.work() + "\n[]\nno f\n");
}

TEST_F(Phoenix, REQ_BASH_010_CancellingEndsTheTree) {
    const Mark mark;
    const std::string started = talk_.work() + "/started";
    const std::string command =
        "echo part; (exec -a " + mark.word() + " sleep 300) & touch " + started + "; wait";
    Live live(talk_.husk(), talk_.args("bash", Json{{"command", command}}.dump()));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(started); }));
    live.signal(SIGTERM);
    const auto line = live.line();
    ASSERT_TRUE(line);
    const Json result = Json::parse(*line);
    EXPECT_EQ(text_of(result), "[command cancelled]\npart\n");
    EXPECT_TRUE(is_error(result));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST_F(Phoenix, REQ_BASH_011_TheDisplayLeavesOutARedundantCd) {
    const auto display = [&](const std::string& command) {
        return bash(command)["_meta"]["husk/display"]["display"];
    };
    EXPECT_EQ(display("cd " + talk_.work() + " && echo x"), "echo x");
    EXPECT_EQ(display("cd " + talk_.work() + "; echo x"), "echo x");
    EXPECT_EQ(display("cd / && echo x"), "cd / && echo x");
    EXPECT_EQ(display("cd " + talk_.work() + " && false || echo x"), "false || echo x");
    EXPECT_EQ(bash("cd / && echo x")["_meta"]["husk/display"]["command"], "cd / && echo x");
}

// What is shown, run where the call runs, prints the directory that the command itself printed.
TEST_F(Phoenix, REQ_BASH_011_WhatIsShownRunsInTheSameDirectory) {
    std::filesystem::create_directories(talk_.work() + "/a/b");
    const std::string top = talk_.work();
    for (const std::string& start : {top, top + "/a", top + "/a/b"}) {
        talk_.move_to(start);
        const std::string commands[] = {"cd a && cd b && pwd",
                                        "cd ./a && cd ./b && pwd",
                                        "cd .. && cd a && pwd",
                                        "cd " + top + " && cd a && pwd",
                                        "cd " + top + " && cd a && cd b && pwd",
                                        "cd " + top + "/a && cd " + top + "/a/b && pwd",
                                        "cd .. && cd " + top + "/a && pwd",
                                        "cd " + top + "/a && cd .. && pwd",
                                        "cd " + top + "/a && cd - && pwd",
                                        "cd " + top + "/a/b; pwd"};
        for (const std::string& command : commands) {
            const std::string shown = bash(command)["_meta"]["husk/display"]["display"];
            const auto last_line = [](std::string text) {
                while (text.ends_with('\n')) text.pop_back();
                return text.substr(text.rfind('\n') + 1);
            };
            const Ran whole =
                run_program({"bash", "-c", "cd " + start + "; unset OLDPWD; " + command});
            const Ran cut = run_program({"bash", "-c", "cd " + start + "; unset OLDPWD; " + shown});
            EXPECT_EQ(last_line(whole.out), last_line(cut.out))
                << command << " at " << start << " is shown as " << shown;
        }
    }
}

TEST_F(Phoenix, WhatARuleAsksAboutIsDeniedWithTheReason) {
    talk_.configure("permissions: {ask: [\"Bash(touch:*)\"]}\n");
    const Json result = bash("touch made");
    EXPECT_TRUE(is_error(result));
    EXPECT_THAT(text_of(result), StartsWith("nobody can be asked here: "));
    EXPECT_FALSE(std::filesystem::exists(talk_.work() + "/made"));
}

}  // namespace
}  // namespace husk::test
