#include "request/settings_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "request/settings_file.h"

using testing::ElementsAre;
using testing::IsEmpty;

namespace husk::config {
namespace {

Settings settings_in(std::string_view text) {
    auto settings = read_settings(text, "husk.yaml");
    if (settings) return *std::move(settings);
    ADD_FAILURE() << text << ": " << settings.error()[0].message;
    return {};
}

std::vector<std::string> changes_between(std::string_view before, std::string_view after) {
    return changes(settings_in(before), settings_in(after));
}

TEST(Changes, AreToldByKey) {
    EXPECT_THAT(changes_between("mode: open\nlimits: {memory: 1G}\n",
                                "mode: workspace\nlimits: {memory: 2G}\n"),
                ElementsAre("limits.memory: 2G, was 1G", "mode: workspace, was open",
                            "network: none, was open"));
    EXPECT_THAT(changes_between("packs: {git: on}\n", "packs: {git: off}\n"),
                ElementsAre("packs.git: off, was on"));
}

TEST(Changes, OfListsAreTheirEntries) {
    EXPECT_THAT(changes_between("permissions: {deny: [Bash(a), Bash(b)]}\nwrite: [/x]\n",
                                "permissions: {deny: [Bash(b), Bash(c)]}\n"),
                ElementsAre("permissions.deny: added Bash(c)", "permissions.deny: removed Bash(a)",
                            "write: removed /x"));
    EXPECT_THAT(changes_between("write: [/a, /b]\n", "write: [/b, /a]\n"),
                ElementsAre("write: in another order"));
}

TEST(Changes, DoNotTellSecrets) {
    EXPECT_THAT(changes_between("environment: {set: {TOKEN: gold}}\n",
                                "environment: {set: {TOKEN: silver}}\n"),
                ElementsAre("environment.set.TOKEN: changed"));
    EXPECT_THAT(changes_between("", "permissions: {approved: {/w: [\"login --password x\"]}}\n"),
                ElementsAre("permissions.approved: changed"));
}

TEST(Changes, InsideOfRulesAreSeen) {
    const std::string rule = "rules:\n  - {id: r, match: [a], verdict: deny, reason: ";
    EXPECT_THAT(changes_between(rule + "x}\n", rule + "y}\n"), ElementsAre("rules: changed"));
    EXPECT_THAT(changes_between("permissions: {approved: {/a: [x]}}\n",
                                "permissions: {approved: {/b: [x]}}\n"),
                ElementsAre("permissions.approved: changed"));
}

TEST(Changes, OfPlacesInTheFileAreNone) {
    EXPECT_THAT(changes_between("mode: open\npermissions: {deny: [Bash(a)]}\n",
                                "# first\n\npermissions:\n  deny: [Bash(a)]\nmode: open\n"),
                IsEmpty());
}

}  // namespace
}  // namespace husk::config
