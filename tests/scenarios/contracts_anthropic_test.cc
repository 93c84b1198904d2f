// The contract `anthropic` with the real program: each call is a process of its own, and the bash
// is the same.
#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

#include "contract_calls.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Anthropic : public testing::Test {
protected:
    Json bash(const std::string& command) const {
        return talk_.call("bash", {{"command", command}});
    }
    std::string said(const std::string& command) const { return text_of(bash(command)); }
    pid_t start(const std::string& command) const {
        return talk_.husk().start(talk_.args("bash", Json{{"command", command}}.dump()));
    }
    fs::path in_work(const char* name) const { return fs::path(talk_.work()) / name; }
    std::string restarted() const { return text_of(talk_.call("bash", {{"restart", true}})); }

    Conversation talk_{"anthropic"};
};

TEST_F(Anthropic, State_StaysFromCallToCall) {
    struct {
        const char* command;
        std::string text;
    } const calls[] = {
        {"pwd", talk_.work() + "\n"},
        {"mkdir sub; cd sub; x='a  b'; export Y=2", ""},
        {"echo \"$x\" $Y; basename \"$PWD\"", "a  b 2\nsub\n"},
        {"sh -c 'echo $x$Y'", "2\n"},
        {"f() { echo \"f $1\"; }; declare -A m; m[k]=v", ""},
        {"f 1; echo ${m[k]}", "f 1\nv\n"},
        {"set -- one two", ""},
        {"echo $# $2", "2 two\n"},
        {"echo $$ > pid", ""},
        {"[ $$ = $(cat pid) ] && echo same", "same\n"},
        {"(exit 5) || f $?", "f 5\n"},
        {"umask 027; umask", "0027\n"},
        {"exec 5>five; echo to five >&5", ""},
        {"echo more >&5; cat five", "to five\nmore\n"},
    };
    for (const auto& one : calls) {
        const Json result = bash(one.command);
        EXPECT_EQ(text_of(result), one.text) << one.command;
        EXPECT_FALSE(is_error(result)) << one.command;
    }
}

TEST_F(Anthropic, State_IsNewAfterARestart) {
    const Mark mark;
    bash("x=1; cd /; exec -a " + mark.word() + " sleep 300 &");
    EXPECT_TRUE(eventually([&] { return !mark.bearers().empty(); }));
    EXPECT_EQ(restarted(), "Bash session restarted");
    EXPECT_TRUE(mark.bearers().empty());
    EXPECT_EQ(said("echo \"[$x]\"; pwd"), "[]\n" + talk_.work() + "\n");
}

// No text can end a call too early or be taken for the end of another.
TEST_F(Anthropic, Framing_NothingInACommandBreaksIt) {
    struct {
        const char* command;
        const char* text;
        int code;
    } const calls[] = {
        {"echo '1 0 /'; printf '\\0002 0 /\\000' | cat -v", "1 0 /\n^@2 0 /^@", 0},
        {"printf '\\0002 0 /\\000' >&2; echo", nullptr, 0},
        {"echo \"it's\" '\"' \\' '\n'", nullptr, 0},
        {"echo a # comment", "a\n", 0},
        {"echo tail \\", "tail \\\n", 0},
        {"cat <<EOF\nhere", nullptr, 0},
        {"cat; read y; echo \"got $?\"", "got 1\n", 0},
        {"break; echo no", nullptr, 0},
        {"continue; echo no", nullptr, 0},
        {"false", "", 1},
        {"(exit 7)", "", 7},
        {"kill -9 $BASHPID & wait $!", nullptr, 137},
        {"echo done >&2", "done\n", 0},
        {"read() { echo mine; }; printf() { echo mine; }; eval() { echo mine; }", "", 0},
        {"echo after", "after\n", 0},
        {"unset -f read printf eval; set -u; unset PWD", "", 0},
        {"set +u; IFS=x; echo after", "after\n", 0},
        {"exec 3>&1 98>&- 99>&-; echo after", "after\n", 0},
        {"set -x", "", 0},
        {"echo traced", "++ echo traced\ntraced\n", 0},
        {"{ set +x; } 2>/dev/null", "", 0},
        {"(exit 6)", "", 6},
        {"echo $?", "6\n", 0},
        {"echo after", "after\n", 0},
    };
    for (const auto& one : calls) {
        const Json result = bash(one.command);
        const std::string text = text_of(result);
        const std::string last =
            one.code == 0 ? "" : "[exit code " + std::to_string(one.code) + "]";
        if (one.text != nullptr) {
            EXPECT_EQ(text, one.text + last) << one.command;
        }
        EXPECT_THAT(text, EndsWith(last)) << one.command;
        EXPECT_EQ(is_error(result), one.code != 0) << one.command << ": " << text;
        EXPECT_THAT(text, testing::Not(HasSubstr("__husk"))) << one.command;
    }
}

TEST_F(Anthropic, Framing_ASyntaxErrorIsThatOfTheCommand) {
    for (const char* command : {"if then", "echo \"unterminated", "echo 'x", ")", "{ echo a"}) {
        const Json result = bash(command);
        EXPECT_TRUE(is_error(result)) << command;
        EXPECT_THAT(text_of(result), EndsWith("[exit code 2]")) << command;
        EXPECT_EQ(said("echo fine"), "fine\n") << command;
    }
}

TEST_F(Anthropic, Output_IsAllThereWhenTheCallReturns) {
    for (int i = 0; i < 20; ++i) {
        const std::string number = std::to_string(i);
        EXPECT_EQ(said("seq 1 4000; echo end " + number), [&] {
            std::string all;
            for (int line = 1; line <= 4000; ++line) all += std::to_string(line) + "\n";
            return all + "end " + number + "\n";
        }());
    }
    EXPECT_THAT(said("seq 1 300000"),
                AllOf(StartsWith("1\n2\n"), EndsWith("\n300000\n"), HasSubstr("bytes left out")));
}

TEST_F(Anthropic, Output_OfWhatGoesOnComesWithTheNextCall) {
    EXPECT_EQ(said("{ until [ -e go ]; do sleep 0.02; done; echo late; touch gone; } & echo first"),
              "first\n");
    write_text(in_work("go"), "");
    EXPECT_TRUE(eventually([&] { return fs::exists(in_work("gone")); }));
    EXPECT_EQ(said("echo second"), "late\nsecond\n");
}

TEST_F(Anthropic, Output_LongCommandsComeThroughWhole) {
    const std::string word(120'000, 'w');
    EXPECT_EQ(said("x=" + word + "; echo ${#x}"), "120000\n");
}

TEST_F(Anthropic, Ending_AnExitEndsTheBashAndSaysSo) {
    const Json result = bash("echo bye; exit 9");
    EXPECT_EQ(text_of(result),
              "bye\n[bash exited with code 9; call this tool with restart: true for a new bash]");
    EXPECT_TRUE(is_error(result));
    const Json next = bash("touch ran");
    EXPECT_TRUE(is_error(next));
    EXPECT_THAT(text_of(next), AllOf(HasSubstr("exited with code 9"), HasSubstr("was not run")));
    EXPECT_FALSE(fs::exists(in_work("ran")));
    EXPECT_EQ(restarted(), "Bash session restarted");
    EXPECT_EQ(said("echo back"), "back\n");
}

TEST_F(Anthropic, Ending_AKilledBashIsNotedAtOnce) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(said("echo a; kill -9 $$; sleep 300"),
                AllOf(StartsWith("a\n"), HasSubstr("killed by signal 9"), HasSubstr("restart")));
    EXPECT_LT(std::chrono::steady_clock::now() - start, patient(20s));
    EXPECT_EQ(restarted(), "Bash session restarted");
    EXPECT_THAT(said("set -e; false; echo no"), HasSubstr("exited with code 1"));
}

TEST_F(Anthropic, Timeout_DoesNotKillAndTheNextCallWaitsItsTurn) {
    EXPECT_EQ(said("true"), "");  // its start takes time of its own
    talk_.configure("timeouts: {default: 2s}");
    const std::string text = said("echo up; until [ -e go ]; do sleep 0.02; done; echo through");
    EXPECT_THAT(text, AllOf(StartsWith("up\n[timed out: "), HasSubstr("restart")));
    EXPECT_THAT(said("touch ran"), AllOf(HasSubstr("busy"), HasSubstr("was not run")));
    EXPECT_FALSE(fs::exists(in_work("ran")));
    write_text(in_work("go"), "");
    // What it says goes to whoever asks next, also to one who came too early to be run.
    std::string heard;
    EXPECT_TRUE(eventually([&] { return (heard += said("echo next")).ends_with("next\n"); }))
        << heard;
    EXPECT_THAT(heard, HasSubstr("through\n"));
}

TEST_F(Anthropic, Timeout_ACallerThatDiesLeavesTheCommandAlone) {
    const std::string command = "touch up; until [ -e go ]; do sleep 0.02; done; echo through";
    const pid_t caller = start(command);
    ASSERT_TRUE(eventually([&] { return fs::exists(in_work("up")); }));
    ::kill(caller, SIGKILL);
    EXPECT_EQ(exit_code_of(caller), 128 + SIGKILL);
    EXPECT_THAT(said("touch ran"), HasSubstr("was not run"));
    write_text(in_work("go"), "");
    EXPECT_TRUE(eventually([&] { return said("echo next").ends_with("next\n"); }));
    EXPECT_FALSE(fs::exists(in_work("ran")));
}

TEST_F(Anthropic, Timeout_ACancelledCallEndsTheBash) {
    const Mark mark;
    const pid_t caller = start("touch up; (exec -a " + mark.word() + " sleep 300)");
    ASSERT_TRUE(eventually([&] { return fs::exists(in_work("up")); }));
    ::kill(caller, SIGTERM);
    exit_code_of(caller);
    EXPECT_TRUE(mark.bearers().empty());
    EXPECT_THAT(said("touch ran"), AllOf(HasSubstr("was not run"), HasSubstr("restart")));
    EXPECT_EQ(restarted(), "Bash session restarted");
    EXPECT_EQ(said("echo back"), "back\n");
}

TEST_F(Anthropic, Ending_OfTheSessionIsThatOfTheBash) {
    bash("x=1");
    const Json sessions = talk_.husk()({"session", "list", "--json"}).json()["sessions"];
    ASSERT_EQ(sessions.size(), 1U);
    EXPECT_EQ(talk_.husk()({"session", "end", sessions[0]["id"].get<std::string>()}).code, 0);
    EXPECT_THAT(said("echo $x"), AllOf(HasSubstr("was not run"), HasSubstr("restart")));
    EXPECT_EQ(restarted(), "Bash session restarted");
    EXPECT_EQ(said("echo [$x]"), "[]\n");
}

TEST_F(Anthropic, CallsAtOnceTakeTurns) {
    bash("n=0");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([this] { bash("n=$((n + 1))"); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(said("echo $n"), "4\n");
}

TEST_F(Anthropic, Rules_GoByWhereTheBashIs) {
    talk_.configure("rules: [{id: hands-off, writes: [\"**/secret/*\"], verdict: deny}]");
    EXPECT_EQ(said("mkdir secret; echo x > file; cd secret"), "");
    const Json result = bash("echo x > file");
    EXPECT_TRUE(is_error(result)) << text_of(result);
    EXPECT_THAT(text_of(result), AllOf(StartsWith("Error: "), HasSubstr("hands-off")));
    EXPECT_FALSE(fs::exists(fs::path(talk_.work()) / "secret/file"));
    EXPECT_EQ(said("cd ..; cat file"), "x\n");
}

TEST(AnthropicWalls, StandAroundTheBashToo) {
    const Conversation talk("anthropic", {"--mode", "workspace"});
    const auto said = [&](const std::string& command) {
        return text_of(talk.call("bash", {{"command", command}}));
    };
    EXPECT_EQ(said("x=1; echo in > file; cat file"), "in\n");
    EXPECT_EQ(said("echo $x"), "1\n");
    EXPECT_THAT(said("touch /usr/husk-test"), HasSubstr("[exit code 1]"));
    EXPECT_FALSE(fs::exists("/usr/husk-test"));
}

}  // namespace
}  // namespace husk::test
