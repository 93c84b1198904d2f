// The red team's probes in containers: what is kept from a command behind the walls of the host is
// kept from it in a container too. Where the two promise different things, the list says why.
#include <unistd.h>

#include <algorithm>

#include "engine.h"
#include "redteam/attack.h"
#include "redteam/probes.h"

namespace husk::test {
namespace {

using redteam::Attacker;
using redteam::Outcome;
using redteam::Place;
using redteam::Probe;

struct Difference {
    const char* ids;
    const char* why;
};

const Difference differences[] = {
    {"F90", "nothing of the host is there but the workspace"},
    {"F95", "HOME is the image's"},
    {"E90", "nothing of the caller's environment comes in"},
    {"S13", "the image has no tmux"},
    {"K70", "a container has no capabilities, so root stays root"},
    {"P89",
     "without Landlock a process could trace the warden: ptrace is refused (docs/places.md)"},
    {"W04 W11 W12 W13 W18 W24 W25 W26 W27 W28 W29 W30 W31 W32 W33 W34",
     "a protected name that is not there when the container is made can be made (docs/places.md)"},
};

bool is_different(const Probe& probe) {
    return std::ranges::any_of(differences, [&](const Difference& one) {
        return std::string_view(one.ids).contains(probe.id);
    });
}

// Promises to the user are tried apart from attacks that may leave little of a repository.
std::vector<Outcome> outcomes_of(std::vector<Probe> probes, Attacker attacker) {
    const std::string settings = "place: container\ncontainer: {socket: " + test_engine().socket() +
                                 ", image: " + image_name + "}\n";
    const auto promises = std::ranges::stable_partition(
        probes, [](const Probe& one) { return !one.gets_through(Place::Container); });
    std::vector<Outcome> all;
    for (const auto& some : {std::vector(probes.begin(), promises.begin()),
                             std::vector(promises.begin(), promises.end())})
        for (Outcome& one :
             redteam::attack(some, Place::Container, attacker, {.settings = settings}))
            all.push_back(std::move(one));
    return all;
}

class ProbesInAContainer : public testing::TestWithParam<char> {};

// Terminals and resources are kept by the host's own part of a call, which is the same.
INSTANTIATE_TEST_SUITE_P(, ProbesInAContainer, testing::ValuesIn(std::string("FMWPSNKIED")),
                         [](const auto& test) { return std::string(1, test.param); });

TEST_P(ProbesInAContainer, GetNoFurtherThanOnTheHost) {
    const Attacker attacker = ::geteuid() == 0 ? Attacker::Root : Attacker::User;
    std::vector<Probe> probes = redteam::read_probes(GetParam());
    std::erase_if(probes,
                  [&](const Probe& one) { return !one.is_for(attacker) || is_different(one); });
    for (const Outcome& outcome : outcomes_of(std::move(probes), attacker)) {
        const Probe& probe = outcome.probe;
        const bool expected = probe.gets_through(Place::Container);
        if (expected && outcome.is_absent && probe.may_be_absent) continue;
        EXPECT_EQ(outcome.cannot_tell, "") << probe.id << " " << probe.title << outcome.output;
        EXPECT_EQ(outcome.got_through, expected) << probe.id << " " << probe.title << "\n"
                                                 << probe.script << outcome.output;
    }
}

}  // namespace
}  // namespace husk::test
