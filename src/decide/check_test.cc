#include "decide/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/verdict_table.h"

namespace husk::decide {
namespace {

using testing::ElementsAre;

TEST(Packs, AreThese) {
    std::vector<std::string> names;
    std::vector<std::string> on;
    for (const Pack* pack : all_packs()) {
        names.emplace_back(pack->name);
        if (pack->on_by_default) on.emplace_back(pack->name);
        EXPECT_FALSE(pack->about.empty()) << pack->name;
    }
    EXPECT_THAT(names, ElementsAre("git", "rm", "destroyers", "system", "escalation",
                                   "exfiltration", "injection", "administration"));
    EXPECT_THAT(on, ElementsAre("git", "rm", "destroyers"));
}

TEST(Packs, EveryCheckCanBeNamedAndExplained) {
    std::set<std::string_view> ids;
    for (const Pack* pack : all_packs()) {
        for (const Check& check : pack->checks) {
            EXPECT_TRUE(check.id.starts_with(std::string(pack->name) + "/")) << check.id;
            EXPECT_TRUE(ids.insert(check.id).second) << check.id << " stands there twice";
            EXPECT_FALSE(check.reason.empty()) << check.id;
            EXPECT_NE(check.decision, Decision::Allow) << check.id;
            EXPECT_GT(check.confidence, 0.0) << check.id;
            EXPECT_LE(check.confidence, 1.0) << check.id;
        }
    }
}

TEST(Findings, TellAllThatWasFoundInTheOrderOfTheCommands) {
    const parse::Script script = parse::parse("curl x | sudo sh; rm -rf /");
    std::vector<std::string> found;
    for (const Finding& finding :
         findings(script, {"rm", "system", "destroyers", "escalation", "injection"}, test_context))
        found.push_back(std::to_string(finding.command) + " " + finding.check);
    EXPECT_THAT(found, ElementsAre("1 system/denied-token", "1 escalation/other-user",
                                   "2 injection/download", "3 rm/critical-target",
                                   "3 destroyers/root-removal"));
    EXPECT_THAT(findings(script, std::set<std::string>(), test_context), ElementsAre());
}

}  // namespace
}  // namespace husk::decide
