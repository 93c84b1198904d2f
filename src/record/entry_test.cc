#include "record/entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace husk::audit {
namespace {

constexpr size_t largest_record = 256 * 1024;

// As long as somebody may make it, and of what becomes six times as long when it is written.
constexpr size_t endless_bytes = 200'000;
std::string endless() { return std::string(endless_bytes, '\x7f'); }

Asked asked_at_length() {
    Asked asked;
    for (std::string* text :
         {&asked.via, &asked.contract, &asked.tool, &asked.action, &asked.caller, &asked.session,
          &asked.workspace, &asked.cwd, &asked.command, &asked.description, &asked.mode})
        *text = endless();
    asked.programs = asked.threats = std::vector(21, endless());
    Verdict verdict;
    for (std::string* text :
         {&verdict.decision, &verdict.rule, &verdict.where, &verdict.reason, &verdict.risk})
        *text = endless();
    asked.verdict = verdict;
    asked.approval = Approval{endless(), endless(), endless(), endless()};
    return asked;
}

Report report_at_length() {
    Report report;
    report.pid = 1;
    report.session = report.shell_id = endless();
    report.ending = NotStarted{{"x", 0, endless()}};
    report.usage.peak_memory_of = endless();
    for (std::string* text :
         {&report.confinement.mode, &report.confinement.files, &report.confinement.network,
          &report.confinement.signals, &report.confinement.processes, &report.confinement.limits})
        *text = endless();
    report.confinement.missing = report.confinement.unwatched = report.reverted =
        std::vector(21, endless());
    Denial denial;
    denial.operation = denial.target = denial.process = denial.allow_with = endless();
    report.denials = std::vector(21, denial);
    Leftover leftover;
    leftover.name = leftover.reason = endless();
    report.leftovers = std::vector(21, leftover);
    return report;
}

TEST(Entry, IsBoundedWhateverIsInIt) {
    const Asked asked = asked_at_length();
    const Report report = report_at_length();
    const std::string records[] = {
        begin_record(endless(), asked),
        end_record(endless(), {.report = report, .when = 1}),
        call_record(endless(), asked, {.report = report, .when = 1}),
        call_record(endless(), asked, endless(), endless(), 1.0),
    };
    for (const std::string& record : records) {
        EXPECT_LT(record.size(), largest_record);
        const auto json = nlohmann::json::parse(record, nullptr, false);
        ASSERT_TRUE(json.is_object());
        EXPECT_FALSE(json["cut"].empty());
    }
    const auto begin = nlohmann::json::parse(records[0]);
    EXPECT_EQ(begin["command_bytes"], endless_bytes);
    EXPECT_NE(std::ranges::find(begin["cut"], "cwd"), begin["cut"].end());
}

TEST(Entry, OfAnOrdinaryCallIsNotCut) {
    const auto json = nlohmann::json::parse(
        begin_record("x-1", {.via = "run", .cwd = "/home/u", .command = "git status"}));
    EXPECT_FALSE(json.contains("cut"));
    EXPECT_FALSE(json.contains("command_bytes"));
    EXPECT_EQ(json["cwd"], "/home/u");
}

}  // namespace
}  // namespace husk::audit
