// The contract `codegen` with the real program.
#include <gmock/gmock.h>

#include <thread>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Codegen : public testing::Test {
protected:
    Json bash(const std::string& command, const Json& more = Json::object()) const {
        Json arguments = {{"command", command}, {"description", "a test"}};
        arguments.update(more);
        return talk_.call("Bash", arguments);
    }
    std::string said(const std::string& command, const Json& more = Json::object()) const {
        return text_of(bash(command, more));
    }
    std::string background(const std::string& command) const {
        return between(said(command, {{"run_in_background", true}}), "shell_id: ", "\n");
    }
    std::string output(const std::string& id) const {
        return text_of(talk_.call("BashOutput", {{"shell_id", id}}));
    }

    Conversation talk_{"codegen"};
};

TEST_F(Codegen, Foreground_TheExactText) {
    struct {
        const char* command;
        std::string text;
    } const cases[] = {
        {"echo hi", "hi\n"},
        {"printf hi", "hi\n"},
        {"true", ""},
        {"exit 7", "exit: 7\n"},
        {"printf a; exit 3", "a\nexit: 3\n"},
        {"kill -9 $$", "exit: 137\n"},
        {"echo out; echo err >&2; echo out", "out\nerr\nout\n"},
        {"echo 'exit: 124'", "exit: 124\n"},
        {"pwd", talk_.work() + "\n"},
        {"cat; echo end", "end\n"},
        {"printf '\\377'", "\xef\xbf\xbd\n"},
    };
    for (const auto& one : cases) {
        const Json result = bash(one.command);
        EXPECT_EQ(text_of(result), one.text) << one.command;
        EXPECT_FALSE(is_error(result));
    }
    EXPECT_THAT(said("if"), testing::EndsWith("exit: 2\n"));
}

// For people and the audit: neither bash nor a check reads it.
TEST_F(Codegen, Schema_TheDescriptionIsOnlyRecorded) {
    const std::string description = "sudo $(touch made)";
    const Json more = {{"description", description}};
    const std::string text = said("env; tr '\\0' '\\n' </proc/$$/cmdline; echo end", more);
    EXPECT_THAT(text, testing::EndsWith("\nend\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr(description)));
    EXPECT_FALSE(std::filesystem::exists(talk_.work() + "/made"));
    const std::string recorded = talk_.husk()({"log", "--json"}).out;
    EXPECT_EQ(Json::parse(lines_of(recorded).front())["description"], description);
}

TEST_F(Codegen, Foreground_ATimeoutKillsTheTree) {
    const Mark mark;
    EXPECT_EQ(said("sleep 5", {{"timeout", 1}}), "bash: timed out after 1s\nexit: 124\n");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(said("echo a; (trap '' TERM; exec -a " + mark.word() + " sleep 100) & wait",
                   {{"timeout", 1}}),
              "a\nbash: timed out after 1s\nexit: 124\n");
    EXPECT_LT(std::chrono::steady_clock::now() - start, patient(10s));
    EXPECT_TRUE(mark.bearers().empty());
}

TEST_F(Codegen, Foreground_DoesNotWaitForWhatGoesOn) {
    const Mark mark;
    const Json result = bash("(exec -a " + mark.word() + " sleep 300) & " +
                             "until grep -q sleep /proc/$!/comm; do :; done; echo hi");
    EXPECT_EQ(text_of(result), "hi\n");
    const Json& left = result["_meta"]["husk/leftovers"];
    ASSERT_EQ(left.size(), 1U) << result;
    EXPECT_EQ(left[0]["name"], "sleep");
    EXPECT_THAT(mark.bearers(), testing::ElementsAre(left[0]["pid"].get<int>()));
    const std::string id = result["_meta"]["husk/shell_id"];
    EXPECT_EQ(text_of(talk_.call("KillShell", {{"shell_id", id}})), "killed: " + id + "\n");
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    EXPECT_FALSE(bash("echo hi")["_meta"].contains("husk/leftovers"));
    EXPECT_EQ(said("head -c 102401 /dev/zero | tr '\\0' a; exit 1"),
              std::string(102400, 'a') + "\n... (output truncated, 1 bytes elided)\nexit: 1\n");
}

TEST_F(Codegen, Foreground_TheEnvironmentIsTheServers) {
    std::vector<std::string> words = {"env", "GREETING=hello", "MY_TOKEN=t"};
    const std::string arguments = R"({"command": "echo $GREETING $MY_TOKEN", "description": "d"})";
    for (std::string& word : talk_.husk().argv(talk_.args("Bash", arguments)))
        words.push_back(word);
    EXPECT_EQ(text_of(run_program(words).json()), "hello t\n");
}

TEST_F(Codegen, Background_AnotherProcessPollsAndKills) {
    const Mark mark;
    const std::string command = "echo out; echo err >&2; exec -a " + mark.word() + " sleep 300";
    const std::string text = said(command, {{"run_in_background", true}, {"timeout", 1}});
    EXPECT_THAT(text,
                testing::MatchesRegex("shell_id: [0-9a-f-]{36}\nstarted in background: (.|\n)*"));
    const std::string id = between(text, "shell_id: ", "\n");
    const std::string both = "--- stdout (4 bytes) ---\nout\n--- stderr (4 bytes) ---\nerr\n";
    EXPECT_TRUE(eventually([&] { return output(id).ends_with(both); })) << output(id);
    EXPECT_THAT(output(id), StartsWith("command: " + command + "\nstatus: running\nstarted: 2"));
    EXPECT_THAT(output(id), testing::EndsWith(both)) << "polling again tells all of it again";
    EXPECT_EQ(text_of(talk_.call("KillShell", {{"shell_id", id}})), "killed: " + id + "\n");
    EXPECT_TRUE(mark.bearers().empty());
    for (const char* tool : {"BashOutput", "KillShell"}) {
        const Json result = talk_.call(tool, {{"shell_id", id}});
        EXPECT_EQ(text_of(result), "unknown shell_id: " + id);
        EXPECT_TRUE(is_error(result));
    }
}

TEST_F(Codegen, Background_TellsHowItEnded) {
    const std::string exited = background("exit 3");
    const std::string killed = background("kill -15 $$");
    const std::string flood = background("head -c 1048577 /dev/zero | tr '\\0' a");
    EXPECT_TRUE(
        eventually([&] { return output(exited).contains("status: completed (exit 3)\n"); }));
    EXPECT_TRUE(
        eventually([&] { return output(killed).contains("status: killed (signal 15)\n"); }));
    EXPECT_TRUE(eventually([&] { return output(flood).contains("completed (exit 0)"); }));
    EXPECT_THAT(output(flood), HasSubstr("--- stdout (1048576 bytes) [TRUNCATED] ---\naaa"));
    EXPECT_EQ(text_of(talk_.call("KillShell", {{"shell_id", exited}})), "killed: " + exited + "\n");
}

TEST_F(Codegen, Background_TellsThatALimitEndedWhatWasLeftBehind) {
    const Conversation limited("codegen", {"--limit", "processes=40"});
    // The answer comes first: the processes wait for the file, and then become too many.
    const std::string go = limited.work() + "/go";
    const Json started =
        limited.call("Bash", {{"command",
                               "(until [ -e go ]; do sleep 0.05; done; for i in {1..100}; do sleep "
                               "300 & done; wait) >/dev/null 2>&1 & echo hi"},
                              {"description", "a test"}});
    EXPECT_EQ(text_of(started), "hi\n");
    const std::string id = started["_meta"]["husk/shell_id"];
    write_text(go, "");
    const auto notes = [&] {
        return limited.call("BashOutput", {{"shell_id", id}})["_meta"]["husk/notes"].dump();
    };
    EXPECT_TRUE(eventually([&] { return notes().contains("the processes limit of 40"); }))
        << notes();
    EXPECT_THAT(limited.husk()({"shells"}).out, HasSubstr("exited 0, leftovers: processes limit"));
}

TEST_F(Codegen, Background_ShellsOfAnotherWorkspaceAreUnknown) {
    const std::string id = background("sleep 300");
    const std::string own = talk_.work();
    const std::string other = talk_.work() + "/other";
    std::filesystem::create_directories(other);
    talk_.move_to(other);
    EXPECT_EQ(output(id), "unknown shell_id: " + id);
    talk_.move_to(own);
    EXPECT_THAT(output(id), HasSubstr("status: running"));
}

TEST_F(Codegen, Denylist_RejectsAtCommandPosition) {
    const std::string tokens =
        "sudo su shutdown reboot halt poweroff chroot mount umount mkfs mkfs.ext4";
    const struct {
        const char* command;
        const char* token;
    } cases[] = {
        {"sudo ls", "sudo"},
        {"su", "su"},
        {"shutdown now", "shutdown"},
        {"reboot", "reboot"},
        {"halt", "halt"},
        {"poweroff", "poweroff"},
        {"chroot /x", "chroot"},
        {"mount /x", "mount"},
        {"umount /x", "umount"},
        {"mkfs /dev/x", "mkfs"},
        {"mkfs.ext4 /dev/x", "mkfs.ext4"},
        {"x && sudo ls", "sudo"},
        {"(sudo ls)", "sudo"},
        {"FOO=1 sudo x", "sudo"},
        {"if sudo x; then y; fi", "sudo"},
        {"echo $(sudo x)", "sudo"},
        {"echo `sudo x`", "sudo"},
        {"timeout 5 sudo x", "sudo"},
        {"mount -l", "mount"},
        {"mount", "mount"},
        {"mount | cat", "mount"},
        {"sudo --version", "sudo"},
        {"su --help", "su"},
        {"mkfs.ext4 test.img", "mkfs.ext4"},
        {"shutdown --help", "shutdown"},
        {"umount --version", "umount"},
        {"x; reboot --help", "reboot"},
    };
    for (const auto& one : cases) {
        for (const bool background : {false, true}) {
            const Json result = talk_.call_among_stand_ins(tokens, "Bash",
                                                           {{"command", one.command},
                                                            {"description", "d"},
                                                            {"run_in_background", background}});
            EXPECT_EQ(text_of(result), "command rejected: command uses denylisted token \"" +
                                           std::string(one.token) + "\"");
            EXPECT_TRUE(is_error(result));
        }
    }
    EXPECT_FALSE(std::filesystem::exists(talk_.mark())) << read_text(talk_.mark());
}

TEST_F(Codegen, Denylist_LetsTheRestPass) {
    for (const char* command : {"man mount", "git commit -m 'fix su bug'", "echo sudo",
                                "make mount", "bash -c \"sudo ls\"", "SUDO", "git add -A",
                                "$(echo sudo) whoami", "\u00a0sudo ls", "x;\u00a0sudo ls"}) {
        const Json result = talk_.call_among_stand_ins(
            "sudo man git make SUDO", "Bash", {{"command", command}, {"description", "d"}});
        EXPECT_FALSE(is_error(result)) << command << ": " << text_of(result);
    }
}

TEST_F(Codegen, CallsAtOnceDoNotMeet) {
    std::vector<std::string> texts(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < texts.size(); ++i)
        threads.emplace_back(
            [this, i, &texts] { texts[i] = said("sleep 0.2; echo " + std::to_string(i)); });
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], std::to_string(i) + "\n");
}

TEST_F(Codegen, WhatARuleAsksAboutIsDeniedWithTheReason) {
    talk_.configure("permissions: {ask: [\"Bash(touch:*)\"]}\n");
    const Json result = bash("touch made");
    EXPECT_TRUE(is_error(result));
    EXPECT_THAT(text_of(result), StartsWith("command rejected: nobody can be asked here: "));
    EXPECT_FALSE(std::filesystem::exists(talk_.work() + "/made"));
}

}  // namespace
}  // namespace husk::test
