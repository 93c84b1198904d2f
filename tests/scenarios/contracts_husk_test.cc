// Husk's own contract with the real program, and `husk call` and `husk tools` themselves.
#include <gmock/gmock.h>

#include <thread>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HuskContract : public testing::Test {
protected:
    Json answer(const std::string& tool, const Json& arguments) const {
        return talk_.call(tool, arguments)["structuredContent"];
    }
    Json bash(const std::string& command, const Json& more = Json::object()) const {
        Json arguments = {{"command", command}};
        arguments.update(more);
        return answer("bash", arguments);
    }
    std::string background(const std::string& command) const {
        return bash(command, {{"run_in_background", true}})["shell_id"];
    }

    Conversation talk_{"husk"};
};

TEST_F(HuskContract, AnswersInFewWords) {
    const Json result = talk_.call("bash", {{"command", "echo hi"}});
    EXPECT_EQ(result["structuredContent"], (Json{{"exit_code", 0}, {"output", "hi\n"}}));
    EXPECT_EQ(text_of(result), "hi\n");
    EXPECT_FALSE(is_error(result));
    EXPECT_EQ(result["_meta"].size(), 1U);
    EXPECT_EQ(text_of(talk_.call("bash", {{"command", "printf a; exit 3"}})), "a\n[exit 3]\n");
}

TEST_F(HuskContract, NamesDroppedVariablesOnce) {
    ::setenv("MY_API_TOKEN", "the secret", 1);
    const Json first = bash("true");
    const Json second = bash("true");
    ::unsetenv("MY_API_TOKEN");
    ASSERT_TRUE(first.contains("notes")) << first;
    EXPECT_THAT(first["notes"][0], HasSubstr("MY_API_TOKEN"));
    EXPECT_THAT(first["notes"][0], HasSubstr("environment.pass"));
    EXPECT_FALSE(second.contains("notes")) << second;
}

TEST_F(HuskContract, ATimeoutDoesNotKill) {
    const Json running = bash("echo a; until [ -e go ]; do sleep 0.02; done; echo b; exit 3",
                              {{"timeout_ms", 2000}});
    EXPECT_EQ(running["status"], "running");
    EXPECT_EQ(running["exit_code"], nullptr);
    EXPECT_EQ(running["output"], "a\n");
    const std::string id = running["shell_id"];
    write_text(talk_.work() + "/go", "");
    const Json ended = answer("bash_wait", {{"shell_id", id}});
    EXPECT_EQ(ended["met"], "exit");
    EXPECT_EQ(ended["exit_code"], 3);
    EXPECT_EQ(ended["output"], "b\n") << "only what is new";
    EXPECT_EQ(ended["cursor"], 4);
    EXPECT_EQ(bash("sleep 60", {{"timeout_ms", 200}, {"on_timeout", "kill"}})["status"],
              "timed_out");
}

TEST_F(HuskContract, ABackgroundCommandThatFailsAtOnceSaysSo) {
    Json failed;  // it waits a moment for that, which a busy machine may need for other things
    EXPECT_TRUE(eventually([&] {
        failed = bash("no-such-program", {{"run_in_background", true}});
        return failed["exit_code"] == 127;
    })) << failed;
    EXPECT_TRUE(failed.contains("shell_id"));
}

TEST_F(HuskContract, WaitsForALineAndKills) {
    const Mark mark;
    const std::string id =
        background("sleep 0.5; echo ready on 80; exec -a " + mark.word() + " sleep 300");
    const Json met =
        answer("bash_wait", {{"shell_id", id}, {"until", {{"match", "ready on \\d+"}}}});
    EXPECT_EQ(met["met"], "match");
    EXPECT_EQ(met["line"], "ready on 80");
    EXPECT_EQ(answer("bash_wait", {{"shell_id", id}, {"timeout_ms", 50}})["met"], "timeout");
    EXPECT_EQ(answer("bash_list", Json::object())["shells"][0]["status"], "running");
    const Json killed = answer("bash_kill", {{"shell_id", id}});
    EXPECT_EQ(killed["signal"], "SIGTERM");
    EXPECT_TRUE(mark.bearers().empty());
    const Json again = talk_.call("bash_kill", {{"shell_id", id}});
    EXPECT_FALSE(is_error(again));
    EXPECT_THAT(again["structuredContent"]["notes"][0], HasSubstr("already ended"));
}

TEST_F(HuskContract, ReadsLongOutputInParts) {
    const Json cut = bash("seq 100000");
    EXPECT_EQ(cut["cut"]["bytes"], 588895);
    EXPECT_EQ(cut["cut"]["lines"], 100000);
    const std::string id = cut["shell_id"];
    const std::string output = cut["output"];
    EXPECT_THAT(output, StartsWith("1\n2\n3\n"));
    EXPECT_THAT(output, testing::EndsWith("\n100000\n"));
    const std::string hint = "left out; bash_output {\"shell_id\": \"" + id + "\", \"since\": ";
    ASSERT_THAT(output, HasSubstr(hint));
    const int since = std::stoi(between(output, hint, "}"));
    const auto read = [&](const Json& how) {
        Json arguments = {{"shell_id", id}};
        arguments.update(how);
        return answer("bash_output", arguments)["output"].get<std::string>();
    };
    EXPECT_THAT(read({{"since", since}}), StartsWith("1"));
    EXPECT_EQ(read({{"lines", 2}}), "99999\n100000\n");
    EXPECT_EQ(read({{"grep", "^777.7$"}}).substr(0, 12), "77707:77707\n");
    EXPECT_EQ(read(Json::object()), "") << "nothing is new";
    EXPECT_TRUE(is_error(talk_.call("bash_output", {{"shell_id", id}, {"grep", "("}})));
}

TEST_F(HuskContract, ShowsWhatATerminalWouldShow) {
    EXPECT_EQ(bash("printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\n\\377\\n'")["output"],
              "red\n20%\n\xef\xbf\xbd\n");
    EXPECT_EQ(bash("echo $TERM $PAGER $NO_COLOR $GIT_TERMINAL_PROMPT")["output"], "dumb cat 1 0\n");
}

TEST_F(HuskContract, SecretsStayOutside) {
    for (const char* mode : {"workspace", "open"}) {
        std::vector<std::string> words = {"env", "MY_API_KEY=leak", "GREETING=hello"};
        std::vector<std::string> args =
            talk_.args("bash", R"({"command": "echo [$MY_API_KEY] $GREETING $OWN",
                                   "env": {"OWN": "given"}})");
        args.insert(args.begin() + 1, {"--mode", mode});
        for (std::string& word : talk_.husk().argv(args)) words.push_back(word);
        EXPECT_EQ(run_program(words).json()["structuredContent"]["output"], "[] hello given\n");
    }
}

TEST_F(HuskContract, StandsBehindWalls) {
    EXPECT_EQ(bash("echo x > file && cat file")["output"], "x\n");
    EXPECT_NE(bash("echo x > /usr/husk-was-here")["exit_code"], 0);
    EXPECT_NE(bash("echo y > file", {{"mode", "read-only"}})["exit_code"], 0);
    EXPECT_EQ(bash("cat file", {{"mode", "read-only"}})["output"], "x\n");
    const Json wider = talk_.call("bash", {{"command", "true"}, {"mode", "open"}});
    EXPECT_TRUE(is_error(wider));
    EXPECT_THAT(text_of(wider), HasSubstr("only the user can change that"));
}

TEST_F(HuskContract, RefusesWithAReason) {
    const Json result =
        talk_.call_among_stand_ins("git", "bash", {{"command", "git push --force"}});
    EXPECT_TRUE(is_error(result));
    const Json& answer = result["structuredContent"];
    EXPECT_EQ(answer["status"], "denied");
    EXPECT_EQ(answer["verdict"]["rule"], "git/force-push");
    EXPECT_THAT(answer["verdict"]["instead"], HasSubstr("force-with-lease"));
    EXPECT_TRUE(is_error(talk_.call("bash", {{"command", "if"}})));
    EXPECT_TRUE(is_error(
        talk_.call("bash", {{"command", "pwd"}, {"working_directory", "/no/such/place"}})));
}

TEST_F(HuskContract, TakesInputDirectoryStreamsAndLimits) {
    std::filesystem::create_directories(talk_.work() + "/sub");
    EXPECT_EQ(bash("cat", {{"stdin", "given"}})["output"], "given");
    EXPECT_EQ(bash("pwd", {{"working_directory", "sub"}})["output"], talk_.work() + "/sub\n");
    const Json split = bash("echo a; echo b >&2", {{"streams", "split"}});
    EXPECT_EQ(split["output"], "a\n");
    EXPECT_EQ(split["stderr"], "b\n");
    const Json limited = bash("yes", {{"limits", {{"output_bytes", 1000}}}});
    EXPECT_EQ(limited["status"], "limit_exceeded");
    EXPECT_EQ(limited["limit"]["name"], "output");
    EXPECT_THAT(bash("true", {{"timeout_ms", 900000}})["notes"][0], HasSubstr("600000"));
}

TEST_F(HuskContract, CallsOfOneConversationShareASession) {
    const std::string id = background("sleep 300");
    EXPECT_EQ(bash("pgrep -x sleep | wc -l")["output"], "1\n");
    EXPECT_EQ(bash("pgrep -x sleep | wc -l", {{"session", "apart"}})["output"], "0\n");
    const Json other = answer(
        "bash", {{"command", "sleep 300"}, {"session", "apart"}, {"run_in_background", true}});
    EXPECT_EQ(answer("bash_output", {{"shell_id", other["shell_id"]}})["status"], "running")
        << "the same caller finds it, whatever the session";
    const std::string work = talk_.work();
    std::filesystem::create_directories(work + "/other");
    talk_.move_to(work + "/other");
    const Json foreign = talk_.call("bash_output", {{"shell_id", id}});
    EXPECT_TRUE(is_error(foreign));
    EXPECT_THAT(text_of(foreign), StartsWith("there is no shell \"" + id + "\""));
    EXPECT_TRUE(answer("bash_list", Json::object())["shells"].empty());
}

// A session can write where it was made; who knows its name must not be able to.
TEST_F(HuskContract, ASessionOfAnotherWorkspaceIsNotJoined) {
    EXPECT_EQ(bash("pwd", {{"session", "theirs"}})["output"], talk_.work() + "\n");
    const std::string theirs = talk_.work();
    std::filesystem::create_directories(theirs + "/../other");
    talk_.move_to(std::filesystem::canonical(theirs + "/../other"));
    const Json result = talk_.call(
        "bash", {{"command", "echo hi > " + theirs + "/planted"}, {"session", "theirs"}});
    EXPECT_TRUE(is_error(result)) << result;
    EXPECT_THAT(text_of(result), HasSubstr("theirs belongs to another workspace"));
    EXPECT_FALSE(std::filesystem::exists(theirs + "/planted"));
}

// What comes with a command is weighed like what stands in it.
TEST_F(HuskContract, VariablesAndInputGetRoundNoRule) {
    struct Case {
        std::string what;
        std::string permissions;
        Json arguments;
        bool runs;
    };
    const std::string only_ls = "  mode: strict\n  allow: [\"Bash(ls:*)\"]\n";
    const std::string approved =
        "  ask: [\"Bash(ls:*)\"]\n  approved:\n    \"" + talk_.work() + "\": [\"ls\"]\n";
    const Json fake_path = {{"PATH", talk_.work() + "/bin:/usr/bin:/bin"}};
    const Json function = {{"BASH_FUNC_ls%%", "() { echo planted; }"}};
    const Case cases[] = {
        {"an allowed command", only_ls, {{"command", "ls"}}, true},
        {"with a harmless variable",
         only_ls,
         {{"command", "ls"}, {"env", {{"LC_ALL", "C"}}}},
         true},
        {"with another PATH", only_ls, {{"command", "ls"}, {"env", fake_path}}, false},
        {"with a function of that name", only_ls, {{"command", "ls"}, {"env", function}}, false},
        {"an approved command", approved, {{"command", "ls"}}, true},
        {"approved, with another PATH", approved, {{"command", "ls"}, {"env", fake_path}}, false},
        {"approved, with any variable",
         approved,
         {{"command", "ls"}, {"env", {{"X", "1"}}}},
         false},
        {"approved, with input", approved, {{"command", "ls"}, {"stdin", "x"}}, false},
        {"a shell with harmless input",
         "  mode: default\n",
         {{"command", "bash"}, {"stdin", "echo x"}},
         true},
        {"a shell with dangerous input",
         "  mode: default\n",
         {{"command", "bash"}, {"stdin", "git push --force"}},
         false},
        {"no shell with dangerous input",
         "  mode: default\n",
         {{"command", "cat"}, {"stdin", "git push --force"}},
         true},
    };
    for (const auto& [what, permissions, arguments, runs] : cases) {
        talk_.configure("permissions:\n" + permissions);
        const Json result = talk_.call_among_stand_ins("git", "bash", arguments);
        EXPECT_EQ(is_error(result), !runs) << what << ": " << result;
        const Json status = runs ? Json() : result["structuredContent"]["status"];
        EXPECT_EQ(status, runs ? Json() : Json("denied")) << what;
    }
    EXPECT_FALSE(std::filesystem::exists(talk_.mark()));
}

TEST_F(HuskContract, CallsAtOnceDoNotMeet) {
    std::vector<Json> answers(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < answers.size(); ++i)
        threads.emplace_back(
            [this, i, &answers] { answers[i] = bash("sleep 0.1; echo " + std::to_string(i)); });
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < answers.size(); ++i)
        EXPECT_EQ(answers[i]["output"], std::to_string(i) + "\n");
}

TEST_F(HuskContract, AHugeCommandIsAnErrorAndNoCrash) {
    const Ran ran =
        talk_.husk()(talk_.args("bash", "-"), Json{{"command", std::string(200'000, 'x')}}.dump());
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(is_error(ran.json()));
    EXPECT_THAT(text_of(ran.json()), HasSubstr("write it to a file"));
    const Ran nested = talk_.husk()(talk_.args("bash", "-"), std::string(100'000, '['));
    EXPECT_TRUE(is_error(nested.json()));
    std::string spaces;
    spaces.resize(9'000'000, ' ');
    const Ran large = talk_.husk()(talk_.args("bash", "-"), spaces);
    EXPECT_TRUE(is_error(large.json()));
}

TEST(HuskCall, WrongUsageIs125) {
    const Husk husk;
    EXPECT_TRUE(is_refusal(husk({"call"})));
    EXPECT_TRUE(is_refusal(husk({"call", "bash"})));
    EXPECT_TRUE(is_refusal(husk({"call", "bash", "{}", "{}"})));
    EXPECT_TRUE(is_refusal(husk({"call", "--contract", "none", "bash", "{}"})));
    EXPECT_TRUE(is_refusal(husk({"call", "--mode", "wide", "bash", "{}"})));
    const Ran unknown = husk({"call", "--contract", "codegen", "bash", "{}"});
    EXPECT_TRUE(is_refusal(unknown));
    EXPECT_THAT(unknown.err, HasSubstr("it has Bash, BashOutput, KillShell"));
    for (const char* odd : {"[1, 2]", "[]", "5", "null", "{"})
        EXPECT_TRUE(is_error(husk({"call", "bash", odd}).json())) << odd;
}

TEST(HuskCall, TheReportRidesAlongWhenAsked) {
    const Conversation talk("husk", {"--report"});
    const Json result = talk.call("bash", {{"command", "echo hi"}});
    const Json& report = result["_meta"]["husk/report"];
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["confinement"]["mode"], "workspace");
    EXPECT_FALSE(report.contains("output"));
}

TEST(HuskTools, ListsTheToolsOfEveryContract) {
    const Husk husk;
    const std::pair<const char*, std::vector<std::string>> contracts[] = {
        {"husk", {"bash", "bash_output", "bash_wait", "bash_kill", "bash_list"}},
        {"phoenix", {"bash"}},
        {"codegen", {"Bash", "BashOutput", "KillShell"}},
        {"agentrail", {"Bash"}},
        {"yoi", {"Bash"}},
        {"claude-code", {"Bash", "BashOutput", "KillShell"}},
        {"anthropic", {"bash"}},
    };
    for (const auto& [contract, names] : contracts) {
        const Ran ran = husk({"tools", "--contract", contract});
        EXPECT_EQ(ran.code, 0) << ran.err;
        std::vector<std::string> found;
        const Json listed = ran.json();
        for (const Json& tool : listed["tools"]) {
            found.push_back(tool["name"]);
            EXPECT_FALSE(tool["description"].get<std::string>().empty());
            EXPECT_EQ(tool["inputSchema"]["type"], "object");
        }
        EXPECT_EQ(found, names) << contract;
        EXPECT_EQ(husk({"tools", "--contract", contract}).out, ran.out) << "always the same";
    }
}

}  // namespace
}  // namespace husk::test
