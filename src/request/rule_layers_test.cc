#include "request/rule_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace husk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RuleTexts written_in(std::string_view text, const std::string& file = "husk.yaml") {
    auto read = read_rules(text, file);
    EXPECT_TRUE(read) << text;
    return read ? *std::move(read) : RuleTexts{};
}

std::vector<std::string> told(const std::vector<Complaint>& complaints) {
    std::vector<std::string> all;
    for (const Complaint& one : complaints) all.push_back(to_text(one.where) + " " + one.message);
    return all;
}

std::vector<std::string> where_and_what(const std::vector<ShortRule>& rules) {
    std::vector<std::string> all;
    for (const ShortRule& rule : rules) all.push_back(to_text(rule.where) + " " + rule.text);
    return all;
}

TEST(Narrowed, NobodyElseSaysAlwaysForTheUser) {
    const RuleTexts theirs =
        written_in("permissions:\n  approved:\n    /w: [\"make install\", ls]\n");
    const Narrowed result = narrowed(theirs);
    EXPECT_THAT(result.rules.approved, IsEmpty());
    EXPECT_THAT(told(result.ignored), ElementsAre("husk.yaml:3 permissions.approved: make install",
                                                  "husk.yaml:3 permissions.approved: ls"));
    // Once it is trusted it counts.
    EXPECT_EQ(on_top(theirs, theirs).approved.size(), 4U);
}

TEST(Narrowed, KeepsWhatRefusesAndTellsTheRest) {
    const Narrowed result = narrowed(written_in(R"yaml(
permissions:
  mode: bypassPermissions
  allow: ["Bash(git:*)"]
  ask: ["Bash(git push:*)"]
  deny: ["Bash(rm:*)"]
rules:
  - {id: all, match: ["*"], verdict: allow}
  - {id: no-db, match: [psql], verdict: deny}
packs:
  rm: off
  system: on
)yaml"));
    EXPECT_EQ(result.rules.mode, "default");
    EXPECT_THAT(result.rules.allow, IsEmpty());
    EXPECT_THAT(where_and_what(result.rules.ask), ElementsAre("husk.yaml:5 Bash(git push:*)"));
    EXPECT_THAT(where_and_what(result.rules.deny), ElementsAre("husk.yaml:6 Bash(rm:*)"));
    ASSERT_EQ(result.rules.rules.size(), 1U);
    EXPECT_EQ(result.rules.rules[0].id, "no-db");
    EXPECT_EQ(result.rules.packs, (std::map<std::string, bool>{{"system", true}}));
    EXPECT_THAT(told(result.ignored),
                ElementsAre("husk.yaml:4 permissions.allow: Bash(git:*)",
                            "husk.yaml:8 rule \"all\", which allows",
                            "husk.yaml:11 the pack \"rm\" switched off",
                            "husk.yaml:3 permissions.mode: bypassPermissions"));
}

TEST(Together, HasAllRulesOfBoth) {
    const RuleTexts both = together(
        written_in("permissions: {allow: [Bash(a)], deny: [Bash(b)]}\npacks: {rm: off}", "user"),
        written_in("permissions: {deny: [Bash(c)]}\npacks: {rm: on, git: on}", "here"));
    EXPECT_THAT(where_and_what(both.allow), ElementsAre("user:1 Bash(a)"));
    EXPECT_THAT(where_and_what(both.deny), ElementsAre("user:1 Bash(b)", "here:1 Bash(c)"));
    EXPECT_EQ(both.packs, (std::map<std::string, bool>{{"rm", true}, {"git", true}}));
    EXPECT_EQ(to_text(both.packs_where.at("rm")), "here:2");
}

TEST(Together, OfTheModesTheOneThatRefusesMore) {
    struct Case {
        const char* user;
        const char* here;
        const char* both;
    };
    const Case cases[] = {
        {"default", "strict", "strict"},
        {"bypassPermissions", "strict", "strict"},
        {"dontAsk", "strict", "strict"},
        {"strict", "dontAsk", "strict"},
        {"strict", "default", "strict"},
        {"default", "bypassPermissions", "default"},
        {"bypassPermissions", "", "bypassPermissions"},
        {"default", "strikt", "strikt"},  // for decide::compile to complain about
    };
    for (const auto& [user, here, both] : cases) {
        const std::string line =
            *here != '\0' ? "permissions: {mode: " + std::string(here) + "}" : "";
        const RuleTexts result =
            together(written_in("permissions: {mode: " + std::string(user) + "}"),
                     narrowed(written_in(line)).rules);
        EXPECT_EQ(result.mode, both) << user << " and " << here;
    }
}

}  // namespace
}  // namespace husk
