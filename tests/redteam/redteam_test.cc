// The walls hold against everything in probes/, and let pass what they promise to let pass. Each
// probe is shown to work where nothing stops it: one that cannot do harm proves nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>

#include "attack.h"
#include "probes.h"

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

TEST(RedTeamTable, IsLargeEnoughToMeanSomething) {
    size_t all = 0;
    for (const char category : categories) {
        const auto probes = read_probes(category);
        EXPECT_GT(probes.size(), 4U) << category;
        all += probes.size();
    }
    EXPECT_GE(all, 170U);
}

}  // namespace
}  // namespace husk::redteam
