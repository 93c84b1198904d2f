#include "render/report_json.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace std::literals;

namespace husk::render {
namespace {

using Json = nlohmann::ordered_json;

Report finished() {
    Report report;
    report.ending = Exited{0};
    report.shell_id = "k3f9-2";
    report.session = "default";
    report.command = "cd /w && cargo test";
    report.display = "cargo test";
    report.output = "ok\n";
    report.excerpt = {.total_bytes = 812'331,
                      .total_lines = 10'422,
                      .shown = {{0, 9000}, {791'331, 812'331}},
                      .log = "/state/output.log",
                      .complete = true,
                      .dropped_bytes = 0,
                      .dropped_because = ""};
    report.cursor = 812'331;
    report.duration_ms = 5123.4;
    report.pid = 4711;
    report.usage = {.user_ms = 4100.0,
                    .system_ms = 310.25,
                    .peak_memory_bytes = 91'234'304,
                    .peak_memory_of = "largest process",
                    .read_bytes = 0,
                    .written_bytes = 4096,
                    .processes = 12};
    return report;
}

Json json_of(const Ending& ending) {
    Report report;
    report.ending = ending;
    return report_json(report);
}

TEST(ReportJson, HasEveryFieldInOrder) {
    EXPECT_EQ(
        dump(report_json(finished())),
        R"({"status":"exited","exit_code":0,"signal":null,"shell_id":"k3f9-2","session":"default",)"
        R"("command":"cd /w && cargo test","display":"cargo test",)"
        R"("output":"ok\n","stdout":null,"stderr":null,)"
        R"("excerpt":{"total_bytes":812331,"total_lines":10422,"shown":[[0,9000],[791331,812331]],)"
        R"("log":"/state/output.log","complete":true,"dropped_bytes":0,"reason":null},"error_excerpt":null,)"
        R"("cursor":812331,"duration_ms":5123.4,"pid":4711,"background":false,)"
        R"("usage":{"user_ms":4100.0,"system_ms":310.25,"peak_memory_bytes":91234304,)"
        R"("peak_memory_of":"largest process","read_bytes":0,"written_bytes":4096,)"
        R"("processes":12},"verdict":null,"limit":null,)"
        R"("confinement":{"mode":"open","files":"open","network":"open","signals":"open",)"
        R"("processes":"host","limits":"rlimits","missing":[],"unwatched":[]},)"
        R"("error":null,"denials":[],"denials_total":0,"denials_complete":true,"leftovers":[],"reverted":[],"notes":[]})");
}

TEST(ReportJson, WhatIsAbsentIsNull) {
    EXPECT_EQ(
        dump(report_json(Report{})),
        R"({"status":"running","exit_code":null,"signal":null,"shell_id":null,"session":null,)"
        R"("command":"","display":null,"output":"","stdout":null,"stderr":null,)"
        R"("excerpt":{"total_bytes":0,"total_lines":0,"shown":[],"log":null,"complete":true,)"
        R"("dropped_bytes":0,"reason":null},"error_excerpt":null,"cursor":0,"duration_ms":null,"pid":null,)"
        R"("background":false,"usage":{"user_ms":null,"system_ms":null,"peak_memory_bytes":null,)"
        R"("peak_memory_of":null,"read_bytes":null,"written_bytes":null,"processes":null},)"
        R"("verdict":null,"limit":null,"confinement":null,"error":null,"denials":[],)"
        R"("denials_total":0,"denials_complete":null,"leftovers":[],"reverted":[],"notes":[]})");
}

TEST(ReportJson, EachEndingIsTold) {
    struct Case {
        Ending ending;
        Json status;
        Json exit_code;
        Json signal;
        Json error;
    };
    const Case cases[] = {
        {Exited{3}, "exited", 3, nullptr, nullptr},
        {Signaled{9}, "signaled", 137, "SIGKILL", nullptr},
        {TimedOut{30s}, "timed_out", nullptr, nullptr, nullptr},
        {Cancelled{""}, "cancelled", nullptr, nullptr, nullptr},
        {Cancelled{"the caller went away"}, "cancelled", nullptr, nullptr, "the caller went away"},
        {LimitExceeded{"output", 10, 12}, "limit_exceeded", nullptr, nullptr, nullptr},
        {Denied{"rm.root", "It deletes everything."}, "denied", nullptr, nullptr,
         "It deletes everything."},
        {NotStarted{{"chdir", ENOENT, "/nowhere"}}, "not_started", nullptr, nullptr,
         "chdir: No such file or directory: /nowhere"},
        {Running{}, "running", nullptr, nullptr, nullptr},
        {Lost{"the machine restarted"}, "lost", nullptr, nullptr, "the machine restarted"},
    };
    for (const auto& [ending, status, exit_code, signal, error] : cases) {
        const Json json = json_of(ending);
        EXPECT_EQ(json["status"], status);
        EXPECT_EQ(json["exit_code"], exit_code) << status;
        EXPECT_EQ(json["signal"], signal) << status;
        EXPECT_EQ(json["error"], error) << status;
        EXPECT_EQ(json["limit"].is_null(), !std::holds_alternative<LimitExceeded>(ending));
    }
}

TEST(ReportJson, AVerdictHasEveryFieldToo) {
    Report report = finished();
    report.verdict = {.decision = "deny",
                      .rule = "rm/root",
                      .where = "built in: rm",
                      .reason = "It deletes everything.",
                      .instead = "",
                      .allow_with = {"Bash(rm:*)"},
                      .risk = "high"};
    EXPECT_EQ(dump(report_json(report)["verdict"]),
              R"json({"decision":"deny","rule":"rm/root","where":"built in: rm",)json"
              R"json("reason":"It deletes everything.","instead":null,)json"
              R"json("allow_with":["Bash(rm:*)"],"risk":"high"})json");
}

TEST(ReportJson, ALimitHasNameValueAndPeak) {
    EXPECT_EQ(dump(json_of(LimitExceeded{"output", 10, 12})["limit"]),
              R"({"name":"output","value":10,"peak":12})");
}

TEST(ReportJson, StreamsAreMergedOrSplitNeverBoth) {
    Report report = finished();
    report.output = "not shown";
    report.out = "out";
    report.error_excerpt.emplace().total_bytes = 5;
    const Json split = report_json(report);
    EXPECT_TRUE(split["output"].is_null());
    EXPECT_EQ(split["stdout"], "out");
    EXPECT_EQ(split["stderr"], "");
    EXPECT_EQ(split["error_excerpt"]["total_bytes"], 5);

    report.out.reset();
    const Json merged = report_json(report);
    EXPECT_EQ(merged["output"], "not shown");
    EXPECT_TRUE(merged["stdout"].is_null());
    EXPECT_TRUE(merged["error_excerpt"].is_null());
}

TEST(ReportJson, LeftoversSayWhyTheyCouldNotBeKilled) {
    Report report = finished();
    report.leftovers = {{.pid = 1, .name = "sleep", .reason = ""},
                        {.pid = 2, .name = "sudo", .reason = "not permitted"}};
    report.notes = {"a note"};
    report.confinement.missing = {"cgroup"};
    const Json json = report_json(report);
    EXPECT_EQ(dump(json["leftovers"]),
              R"([{"pid":1,"name":"sleep"},{"pid":2,"name":"sudo","reason":"not permitted"}])");
    EXPECT_EQ(dump(json["notes"]), R"(["a note"])");
    EXPECT_EQ(dump(json["confinement"]["missing"]), R"(["cgroup"])");
}

TEST(ReportJson, NoBytesCanBreakIt) {
    const std::string nasty = "\xff\xc3\0\x1b\"\\\n\xed\xa0\x80"s;
    const std::string repaired = "��\0\x1b\"\\\n���"s;
    Report report = finished();
    report.ending = Lost{nasty};
    report.shell_id = report.session = report.command = report.display = report.output = nasty;
    report.excerpt.log = nasty;
    report.usage.peak_memory_of = nasty;
    report.confinement.mode = nasty;
    report.confinement.missing = {nasty};
    report.leftovers = {{.pid = 1, .name = nasty, .reason = nasty}};
    report.notes = {nasty};
    report.duration_ms = std::nan("");
    report.usage.user_ms = HUGE_VAL;
    const Json back = Json::parse(dump(report_json(report)));
    for (const char* field : {"shell_id", "session", "command", "display", "output", "error"})
        EXPECT_EQ(back[field], repaired) << field;
    EXPECT_EQ(back["excerpt"]["log"], repaired);
    EXPECT_EQ(back["usage"]["peak_memory_of"], repaired);
    EXPECT_EQ(back["confinement"]["mode"], repaired);
    EXPECT_EQ(back["confinement"]["missing"][0], repaired);
    EXPECT_EQ(back["leftovers"][0]["name"], repaired);
    EXPECT_EQ(back["leftovers"][0]["reason"], repaired);
    EXPECT_EQ(back["notes"][0], repaired);
    EXPECT_TRUE(back["duration_ms"].is_null());
    EXPECT_TRUE(back["usage"]["user_ms"].is_null());
}

TEST(Dump, IsOneLineEvenOfInvalidText) {
    EXPECT_EQ(dump({{"a", "x\ny\xff"}}), "{\"a\":\"x\\ny�\"}");
}

}  // namespace
}  // namespace husk::render
