#include "render/verdict_json.h"

#include <gtest/gtest.h>

#include "render/report_json.h"

namespace husk::render {
namespace {

using decide::Decision;

TEST(VerdictJson, HasEveryFieldInOrder) {
    const parse::Script script = parse::parse("cd x && sudo rm -rf / >log");
    ASSERT_EQ(script.commands.size(), 3U);
    decide::Verdict verdict;
    verdict.decision = Decision::Deny;
    verdict.reason = "It deletes everything.";
    verdict.commands.resize(3);
    verdict.commands[1].command = 1;
    verdict.commands[2] = {.command = 2,
                           .decision = Decision::Deny,
                           .rule = "rm/root",
                           .where = "built in: rm",
                           .reason = "It deletes everything.",
                           .instead = "Name the directory.",
                           .allow_with = "Bash(rm -rf /)",
                           .change = "Bash(rm:*) at husk.yaml:1",
                           .severity = {},
                           .confidence = {},
                           .evidence = ""};
    verdict.files = {{.path = "log", .operation = "write", .command = 1}};
    EXPECT_EQ(
        dump(verdict_json(script, verdict)),
        R"({"decision":"deny","reason":"It deletes everything.","understood":true,"not_understood":[],)"
        R"("commands":[{"text":"cd x","range":[0,4],"decision":"allow","rule":null,"where":null,)"
        R"("reason":null,"instead":null,"allow_with":null,"change":null},)"
        R"({"text":"sudo rm -rf / >log","range":[8,26],"decision":"allow","rule":null,"where":null,)"
        R"("reason":null,"instead":null,"allow_with":null,"change":null},)"
        R"({"text":"rm -rf /","range":[13,21],"decision":"deny","rule":"rm/root",)"
        R"("where":"built in: rm","reason":"It deletes everything.",)"
        R"json("instead":"Name the directory.","allow_with":"Bash(rm -rf /)",)json"
        R"json("change":"Bash(rm:*) at husk.yaml:1"}],)json"
        R"("files":[{"path":"log","operation":"write"}]})");
}

TEST(VerdictJson, TellsWhatIsNotUnderstood) {
    parse::Script script;
    script.not_understood = {"eval \"$x\"", "\xff"};
    decide::Verdict verdict;
    verdict.decision = Decision::Ask;
    verdict.understood = false;
    const auto json = verdict_json(script, verdict);
    EXPECT_EQ(json["decision"], "ask");
    EXPECT_EQ(json["understood"], false);
    EXPECT_EQ(json["not_understood"][0], "eval \"$x\"");
    EXPECT_EQ(json["not_understood"][1], "\uFFFD");
}

}  // namespace
}  // namespace husk::render
