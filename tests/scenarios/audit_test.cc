// The audit: what every way in leaves behind, and how it is found again.
#include <gmock/gmock.h>
#include <signal.h>

#include "contract_calls.h"
#include "record/entry.h"
#include "record/journal.h"

namespace husk::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Audit : public testing::TestWithParam<Who> {
protected:
    // What `husk log --json` prints, the newest last.
    std::vector<Json> log(std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"log", "--json"});
        const Ran ran = husk(options);
        EXPECT_EQ(ran.code, 0) << ran.err;
        std::vector<Json> records;
        for (const std::string& line : lines_of(ran.out)) records.push_back(Json::parse(line));
        return records;
    }
    std::string journal() const { return read_text(husk.state() / "audit" / "000001.jsonl"); }

    const Husk husk{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, Audit, both(), who_name);

TEST_P(Audit, HasWhatHuskRunRan) {
    const Json report = husk.report("echo out; mkdir /etc/nope; exit 3", {"--mode", "workspace"});
    const auto records = log();
    ASSERT_EQ(records.size(), 1U);
    const Json& record = records[0];
    EXPECT_EQ(record["via"], "run");
    EXPECT_EQ(record["action"], "run");
    EXPECT_EQ(record["command"], "echo out; mkdir /etc/nope; exit 3");
    EXPECT_EQ(record["programs"], (Json{"echo", "mkdir", "exit"}));
    EXPECT_EQ(record["shell_id"], report["shell_id"]);
    EXPECT_EQ(record["session"], report["session"]);
    EXPECT_EQ(record["verdict"]["decision"], "allow");
    EXPECT_TRUE(record["approval"].is_null());
    EXPECT_EQ(record["status"], "exited");
    EXPECT_EQ(record["exit_code"], 3);
    EXPECT_EQ(record["duration_ms"], report["duration_ms"]);
    EXPECT_EQ(record["usage"], report["usage"]);
    EXPECT_EQ(record["confinement"], report["confinement"]);
    EXPECT_EQ(record["denials_total"], report["denials_total"]);
    EXPECT_EQ(record["output"]["bytes"], report["excerpt"]["total_bytes"]);
    EXPECT_EQ(record["mode"], "workspace");
    EXPECT_GE(record["call_ms"].get<double>(), record["duration_ms"].get<double>());
    EXPECT_LE(record["time"], record["ended"]);
}

TEST_P(Audit, HasWhatWasRefusedAndWhy) {
    EXPECT_EQ(husk({"run", "--", "git push --force"}).code, 126);
    EXPECT_EQ(husk({"run", "--", "cd /nowhere-at-all &&"}).code, 126);
    EXPECT_EQ(husk({"run", "--cwd", "/nowhere-at-all", "--", "true"}).code, 125);
    const auto records = log();
    ASSERT_GE(records.size(), 2U);
    EXPECT_EQ(records[0]["status"], "denied");
    EXPECT_EQ(records[0]["verdict"]["rule"], "git/force-push");
    EXPECT_THAT(records[0]["error"].get<std::string>(), HasSubstr("force"));
    EXPECT_TRUE(records[0]["shell_id"].is_null());
    EXPECT_TRUE(records[0]["usage"].is_null());
    EXPECT_EQ(records[1]["status"], "denied");
    EXPECT_EQ(records.back()["status"], "not_started");
}

TEST_P(Audit, AQuestionThatNobodyCouldAnswerIsToldAsOne) {
    std::filesystem::create_directories(husk.dir() / "config/husk");
    write_text(husk.dir() / "config/husk/husk.yaml", "permissions:\n  ask: [\"Bash(seq:*)\"]\n");
    EXPECT_EQ(husk({"run", "--", "seq 3"}).code, 126);
    const auto records = log({"--decision", "ask"});
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0]["approval"]["answer"], "nobody");
}

TEST_P(Audit, HasNoSecretsOfTheEnvironment) {
    EXPECT_EQ(husk({"run", "--env", "TOKEN=hunter2", "--", "test $TOKEN = hunter\\2"}).code, 0);
    const Json input = {{"command", "true"}, {"env", {{"TOKEN", "hunter3"}}}};
    EXPECT_EQ(
        husk({"call", "--contract", "docware", "--cwd", husk.dir(), "Bash", input.dump()}).code, 0);
    EXPECT_EQ(log().size(), 2U);
    EXPECT_THAT(journal(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(journal(), Not(HasSubstr("hunter3")));
}

TEST_P(Audit, ACommandInTheBackgroundEndsThereToo) {
    const std::string fifo = (husk.dir() / "go").string();
    ASSERT_EQ(husk.script("mkfifo " + fifo).code, 0);
    const std::string id =
        husk.background("read x < " + fifo + "; exit 4", {"--mode", "open", "--cwd", husk.dir()});
    auto records = log();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0]["shell_id"], id);
    EXPECT_EQ(records[0]["status"], "running");
    EXPECT_EQ(records[0]["background"], true);
    EXPECT_FALSE(records[0].contains("exit_code"));
    ASSERT_EQ(husk.script("echo > " + fifo).code, 0);
    EXPECT_TRUE(eventually([&] { return log()[0]["status"] == "exited"; }, 30s));
    records = log();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0]["exit_code"], 4);
    EXPECT_TRUE(records[0]["duration_ms"].is_number());
    EXPECT_TRUE(records[0]["call_ms"].is_null());  // nobody waited for it
    EXPECT_EQ(husk({"log", "--verify"}).code, 0);
}

// It began before it was known how it would end.
TEST_P(Audit, ACallerThatIsKilledLeavesItsCommandThere) {
    const Mark mark;
    const std::filesystem::path up = husk.dir() / "up";
    const std::string command = "touch " + up.string() + "; exec -a " + mark.word() + " sleep 600";
    const pid_t caller = husk.start({"run", "--mode", "open", "--", command});
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(up) && log().size() == 1; }));
    ::kill(caller, SIGKILL);
    exit_code_of(caller);
    EXPECT_TRUE(eventually([&] { return log()[0]["status"] == "cancelled"; }, 30s));
    EXPECT_THAT(log()[0]["error"].get<std::string>(), HasSubstr("caller"));
}

TEST_P(Audit, WhatNobodyCanKnowIsUnknown) {
    const std::string id = husk.background("sleep 600", {"--mode", "open"});
    husk({"kill", id});
    // As when the spool has made room, and nobody had asked.
    const std::string number = id.substr(id.rfind('-') + 1);
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(husk.state() / "sessions"))
        if (entry.path().filename() == number) std::filesystem::remove(entry.path());
    EXPECT_EQ(log()[0]["status"], "unknown");
}

TEST_P(Audit, IsSearched) {
    for (const char* command : {"echo one", "echo two", "exit 5"}) husk({"run", "--", command});
    const auto commands = [&](std::vector<std::string> options) {
        std::vector<std::string> all;
        for (const Json& record : log(std::move(options))) all.push_back(record["command"]);
        return all;
    };
    EXPECT_THAT(commands({}), ElementsAre("echo one", "echo two", "exit 5"));
    EXPECT_THAT(commands({"echo"}), ElementsAre("echo one", "echo two"));
    EXPECT_THAT(commands({"echo", "two"}), ElementsAre("echo two"));
    EXPECT_THAT(commands({"--", "echo", "-two"}), ElementsAre("echo one"));
    EXPECT_THAT(commands({"--limit", "1"}), ElementsAre("exit 5"));
    EXPECT_THAT(commands({"--since", "1h"}).size(), 3U);
    EXPECT_THAT(commands({"--until", "1h"}), ElementsAre());
    EXPECT_THAT(commands({"--status", "denied"}), ElementsAre());
    EXPECT_THAT(commands({"--via", "run"}).size(), 3U);
    EXPECT_TRUE(is_refusal(husk({"log", "--since", "soon"})));
    EXPECT_TRUE(is_refusal(husk({"log", "--decision", "perhaps"})));
    const Ran table = husk({"log", "echo"});
    EXPECT_THAT(lines_of(table.out)[0], HasSubstr("COMMAND"));
    EXPECT_THAT(table.out, HasSubstr("exited 0"));
    EXPECT_THAT(table.out, HasSubstr("echo two\n"));
}

TEST_P(Audit, IsVerifiedAndACheatIsFound) {
    EXPECT_EQ(husk({"log", "--verify"}).code, 0);  // nothing is as it was written
    husk({"run", "--", "echo the truth"});
    husk({"run", "--", "echo more"});
    const Ran intact = husk({"log", "--verify"});
    EXPECT_EQ(intact.code, 0);
    EXPECT_THAT(intact.out, HasSubstr("4 records in 1 file: as they were written"));
    std::string text = journal();
    text.replace(text.find("truth"), 5, "fraud");
    write_text(husk.state() / "audit" / "000001.jsonl", text);
    const Ran found = husk({"log", "--verify"});
    EXPECT_EQ(found.code, 1);
    EXPECT_THAT(found.err, HasSubstr("000001.jsonl:2: it was changed"));
    EXPECT_EQ(husk({"log", "--verify", "--json"}).json()["intact"], false);
}

TEST_P(Audit, IsCounted) {
    const Ran none = husk({"stats"});
    EXPECT_EQ(none.code, 0) << none.err;
    husk({"run", "--", "echo one"});
    husk({"run", "--", "exit 5"});
    husk({"run", "--", "git push --force"});
    const Json stats = husk({"stats", "--json"}).json();
    EXPECT_EQ(stats["calls"], 3);
    EXPECT_EQ(stats["exit_zero"], 1);
    EXPECT_EQ(stats["status"], (Json{{"exited", 2}, {"denied", 1}}));
    EXPECT_EQ(stats["decisions"], (Json{{"allow", 2}, {"deny", 1}}));
    EXPECT_EQ(stats["duration_ms"]["measured"], 2);
    EXPECT_EQ(husk({"stats", "--json", "--status", "denied"}).json()["calls"], 1);
    EXPECT_THAT(husk({"stats"}).out, HasSubstr("2 exited, 1 denied"));
}

TEST_P(Audit, WhereItCannotBeWrittenTheReportSaysSo) {
    ASSERT_EQ(husk({"run", "--", "true"}).code, 0);
    ASSERT_EQ(husk.script("rm -r " + (husk.state() / "audit").string() + "; touch " +
                          (husk.state() / "audit").string())
                  .code,
              0);
    const Json report = husk.report("echo it runs all the same");
    EXPECT_EQ(report["exit_code"], 0);
    EXPECT_THAT(report["notes"].dump(), HasSubstr("this is not in the audit"));
}

// ---- tools

TEST(AuditThatIsFull, SaysWhatIsGone) {
    const Husk husk;
    audit::Journal journal(husk.state(), {.file_bytes = 2000, .files = 2, .most_files = 3});
    for (int number = 0; number < 60; ++number) {
        const std::string id = "x-" + std::to_string(number);
        ASSERT_TRUE(journal.append(audit::begin_record(id, {.via = "run", .command = "true"})));
    }
    const Ran log = husk({"log"});
    EXPECT_EQ(log.code, 0);
    EXPECT_THAT(log.err, HasSubstr("BEFORE THEIR TIME"));
    const Ran verified = husk({"log", "--verify"});
    EXPECT_EQ(verified.code, 0) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("BEFORE THEIR TIME"));
    const Json proof = husk({"log", "--verify", "--json"}).json();
    EXPECT_EQ(proof["removed"]["records"].get<int>() + proof["records"].get<int>(), 60);
    EXPECT_EQ(proof["removed"]["early"], proof["removed"]["records"]);
    // By somebody else it would not have been told there.
    std::filesystem::remove(husk.state() / "audit" /
                            audit::file_name(proof["removed"]["files"].get<uint64_t>() + 1));
    EXPECT_EQ(husk({"log", "--verify"}).code, 1);
}

TEST(AuditOfTools, PrintsNothingThatATerminalActsOn) {
    const Husk husk;
    husk({"run", "--", "true \u009b31m \u202e"});
    const Ran log = husk({"log", "--json"});
    EXPECT_THAT(log.out, HasSubstr(R"(true \u009b31m \u202e)"));
    EXPECT_THAT(read_text(husk.state() / "audit" / "000001.jsonl"),
                HasSubstr(R"(true \u009b31m \u202e)"));
}

TEST(AuditOfTools, HasEveryCallAndWhatItWas) {
    const Conversation agent("codegen");
    agent.call("Bash", {{"command", "echo hi"}, {"description", "says hi"}});
    const std::string started = text_of(agent.call(
        "Bash",
        {{"command", "sleep 600"}, {"description", "sleeps"}, {"run_in_background", true}}));
    const std::string id = between(started, "shell_id: ", "\n");
    agent.call("BashOutput", {{"shell_id", id}});
    agent.call("KillShell", {{"shell_id", id}});
    agent.call("KillShell", {{"shell_id", "nobody-1"}});
    agent.call("Bash", {{"description", "nothing"}});
    agent.call("Bash", {{"command", "sudo ls"}, {"description", "too much"}});
    const Ran ran = agent.husk()({"log", "--json", "--all"});
    std::vector<std::string> told;
    for (const std::string& line : lines_of(ran.out)) {
        const Json record = Json::parse(line);
        EXPECT_EQ(record["via"], "call");
        EXPECT_EQ(record["contract"], "codegen");
        EXPECT_EQ(record["workspace"], agent.work());
        told.push_back(record["tool"].get<std::string>() + " " + record["action"].dump() + " " +
                       record["status"].dump() + " " +
                       (record.value("error", Json()).is_null() ? "" : "error"));
    }
    EXPECT_THAT(told, ElementsAre("Bash \"run\" \"exited\" ", "Bash \"run\" \"signaled\" ",
                                  "BashOutput \"read\" null ", "KillShell \"kill\" null ",
                                  "KillShell null null error", "Bash null null error",
                                  "Bash \"run\" \"denied\" error"));
    const auto usual = lines_of(agent.husk()({"log", "--json"}).out);
    EXPECT_EQ(usual.size(), told.size() - 1);  // without the one that only read
    EXPECT_EQ(Json::parse(usual[0])["description"], "says hi");
}

TEST(AuditOfTools, HasTheCommandsOfABashThatStays) {
    const Conversation agent("anthropic");
    agent.call("bash", {{"command", "x=1; false"}});
    const Json record = Json::parse(lines_of(agent.husk()({"log", "--json"}).out).at(0));
    EXPECT_EQ(record["action"], "talk");
    EXPECT_EQ(record["command"], "x=1; false");
    EXPECT_EQ(record["exit_code"], 1);
}

}  // namespace
}  // namespace husk::test
