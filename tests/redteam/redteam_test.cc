// The walls hold against everything in probes/, and let pass what they promise to let pass. Each
// probe is shown to work where nothing stops it: one that cannot do harm proves nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>

#include "attack.h"
#include "probes.h"
#include "scenarios/harness.h"

namespace husk::redteam {
namespace {

struct Front {
    char category;
    Place place;
    Attacker attacker;
};

std::vector<Probe> probes_of(const Front& front) {
    std::vector<Probe> probes = read_probes(front.category);
    std::erase_if(probes, [&](const Probe& probe) {
        return !probe.is_for(front.attacker) || !probe.is_tried_in(front.place);
    });
    return probes;
}

bool is_for_root_alone(const Probe& probe) { return probe.needs_root && ::geteuid() != 0; }

std::string place_name(Place place) {
    switch (place) {
        case Place::Bare: return "Bare";
        case Place::Open: return "Open";
        case Place::Workspace: return "Workspace";
        case Place::ReadOnly: return "ReadOnly";
        case Place::Online: return "Online";
        case Place::Container: return "Container";
    }
    return "";
}

std::string name_of(const Front& front) {
    return (front.attacker == Attacker::Root ? "Root" : "User") + place_name(front.place) +
           front.category;
}

// Root plays both; somebody else is nobody but himself.
std::vector<Front> fronts() {
    std::vector<Attacker> attackers = {Attacker::User};
    if (::geteuid() == 0) attackers.insert(attackers.begin(), Attacker::Root);
    std::vector<Front> result;
    for (const Attacker attacker : attackers)
        for (const Place place :
             {Place::Bare, Place::Open, Place::Workspace, Place::ReadOnly, Place::Online})
            for (const char category : categories)
                if (const Front front{category, place, attacker}; !probes_of(front).empty())
                    result.push_back(front);
    return result;
}

std::ostream& operator<<(std::ostream& out, const Front& front) { return out << name_of(front); }

class RedTeam : public testing::TestWithParam<Front> {};

INSTANTIATE_TEST_SUITE_P(, RedTeam, testing::ValuesIn(fronts()),
                         [](const auto& test) { return name_of(test.param); });

TEST_P(RedTeam, GetsNoFurtherThanTheTableSays) {
    const auto [category, place, attacker] = GetParam();
    int tried = 0;
    std::string reason;  // many share one; it is told once
    std::vector<Probe> probes = probes_of(GetParam());
    for (const Probe& probe : probes)
        if (is_for_root_alone(probe)) std::cout << probe.id << " is for root alone to set up\n";
    std::erase_if(probes, is_for_root_alone);
    for (const Outcome& outcome : attack(probes, place, attacker)) {
        const Probe& probe = outcome.probe;
        const bool expected = probe.gets_through(place);
        if (expected && outcome.is_absent && probe.may_be_absent) {
            std::cout << probe.id << " is not in this kernel\n";
            continue;
        }
        ++tried;
        if (!outcome.cannot_tell.empty()) {
            ADD_FAILURE() << probe.id << " cannot be judged: " << probe.title
                          << (outcome.cannot_tell == reason
                                  ? ""
                                  : "\n" + outcome.cannot_tell + "\n" + outcome.output);
            reason = outcome.cannot_tell;
        } else if (outcome.got_through != expected) {
            ADD_FAILURE() << probe.id << (expected ? " did not get through: " : " GOT THROUGH: ")
                          << probe.title << "\n"
                          << probe.script << outcome.output;
        }
    }
    EXPECT_GT(tried, 0);
}

std::vector<Probe> all_probes() {
    std::vector<Probe> all;
    for (const char category : categories)
        for (Probe& probe : read_probes(category)) all.push_back(std::move(probe));
    return all;
}

TEST(RedTeamTable, IsLargeEnoughToMeanSomething) {
    for (const char category : categories) EXPECT_GT(read_probes(category).size(), 4U) << category;
    EXPECT_GE(all_probes().size(), 400U);
    std::set<std::string> ids;
    for (const Probe& probe : all_probes())
        EXPECT_TRUE(ids.insert(probe.id).second) << probe.id << " is there twice";
}

// Those that are one command are in the table, the others are tests.
TEST(RedTeamTable, HasTheAttacksThatBrokeOthers) {
    std::string told;
    for (const Probe& probe : all_probes()) told += probe.title + "\n";
    for (const char* file : {"known_attacks", "working_directory", "between_calls"})
        told += test::read_text(HUSK_SOURCE_DIR "/tests/redteam/" + std::string(file) + "_test.cc");
    std::ranges::replace(told, '_', '-');
    for (const char* number :
         {"CVE-2026-65093", "CVE-2026-25725", "CVE-2026-26268", "CVE-2026-50548", "CVE-2026-50549",
          "CVE-2026-42074", "CVE-2026-101998", "CVE-2026-39861", "CVE-2026-88968", "CVE-2026-22708",
          "CVE-2026-31431", "CVE-2026-43284", "CVE-2026-43500", "CVE-2026-46300", "CVE-2019-5736",
          "CVE-2024-21626"})
        EXPECT_TRUE(told.contains(number)) << number;
}

// SANDBOX_ESCAPES.txt names probes that are there, or a reason.
TEST(RedTeamTable, HasTheEscapesFromContainers) {
    std::set<std::string> ids;
    for (const Probe& probe : all_probes()) ids.insert(probe.id);
    std::ifstream file(HUSK_SOURCE_DIR "/tests/redteam/probes/SANDBOX_ESCAPES.txt");
    int scenarios = 0;
    for (std::string line; std::getline(file, line);) {
        static const std::regex scenario("    ([a-z0-9-]+) +(-  |[A-Z][0-9]{2}).*");
        if (!std::regex_match(line, scenario)) continue;
        ++scenarios;
        static const std::regex id("\\b[A-Z][0-9]{2}\\b");
        for (std::sregex_iterator at(line.begin(), line.end(), id), end; at != end; ++at)
            EXPECT_TRUE(ids.contains(at->str())) << line;
    }
    EXPECT_GE(scenarios, 18);
}

}  // namespace
}  // namespace husk::redteam
