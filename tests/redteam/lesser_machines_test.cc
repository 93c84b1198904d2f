// On machines that can do less (docs/walls.md has the table) the walls hold all but what is said to
// be lost there, and lose nothing else. A few probes for each wall, because every machine is tried.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "attack.h"
#include "probes.h"

namespace husk::redteam {
namespace {

using Ids = std::set<std::string>;

const Ids chosen = {
    // Files: written in every way that a wall of its own stops, secrets, and what is promised.
    "F01", "F03", "F04", "F05", "F06", "F12", "F17", "F18", "F20", "F30", "F50", "F53", "F60",
    "F66", "F68", "F72", "F90", "F91", "F93",
    // Modes, owners, times, attributes.
    "M01", "M06", "M07", "M10", "M17", "M90",
    // What is protected in the workspace.
    "W01", "W04",
    // Processes of others, and one's own.
    "P02", "P05", "P08", "P09", "P11", "P17", "P18", "P20", "P24", "P36", "P90", "P93",
    // What outlives its call.
    "S04",
    // The network, and unix sockets.
    "N01", "N05", "N14", "N19", "N20", "N24", "N26", "N31", "N40",
    // The kernel.
    "K01", "K08", "K11", "K12", "K15", "K30", "K55", "K56", "K70",
    // What processes share; descriptors.
    "I01", "I06", "I09", "I12", "I15", "D01", "D05"};

struct Row {
    const char* name;
    Surroundings machine;
    Place place;
    bool by_root;
    Ids lost;    // that get through here, as the table says
    Ids broken;  // promises that do not hold here, likewise
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.machine.pretend << " accepting " << row.machine.accept;
}

// Other processes are seen, with their command lines; and only oneself, no child, can be given
// another priority.
const Ids seen = {"P20", "P36"};
const Ids not_nicer = {"P93"};
// Processes of other users would see, and could signal, those of the same user outside.
const Ids one_user = {"K70"};
const Ids signalled = {"P02", "P05", "P08"};
// No private /tmp.
const Ids no_tmp = {"F91", "P93"};
const Ids tables_of_sockets = {"N40"};

Ids with(Ids all, const Ids& more) {
    all.insert(more.begin(), more.end());
    return all;
}

const Row rows[] = {
    {"Abi1", {"landlock=1", "", ""}, Place::Workspace, false, {}, {}},
    {"Abi2", {"landlock=2", "", ""}, Place::Workspace, false, {}, {}},
    {"NoOverlay", {"overlay=no", "", ""}, Place::Workspace, false, {}, {}},
    {"NoListener", {"listener=no", "", ""}, Place::Workspace, false, {}, {}},
    {"NoNetworkNamespace", {"netns=no", "", ""}, Place::Workspace, false, tables_of_sockets, {}},
    {"NoPidNamespace",
     {"pidns=no", "", ""},
     Place::Workspace,
     true,
     seen,
     with(not_nicer, one_user)},
    {"NoPidNamespaceAbi5",
     {"pidns=no,landlock=5", "signals", ""},
     Place::ReadOnly,
     false,
     with(seen, signalled),
     not_nicer},
    {"NoMounts", {"mountns=no", "", ""}, Place::ReadOnly, true, seen, no_tmp},
    {"NoMountsAccepted",
     {"mountns=no", "metadata,protected-paths", ""},
     Place::Workspace,
     false,
     with(seen, {"M01", "M10", "M17", "W01"}),
     no_tmp},
    {"NoUserNamespace",
     {"userns=no", "", ""},
     Place::ReadOnly,
     false,
     with(seen, tables_of_sockets),
     no_tmp},
};

struct Front {
    Row row;
    Attacker attacker;
};

std::ostream& operator<<(std::ostream& out, const Front& front) { return out << front.row; }

std::vector<Front> fronts() {
    std::vector<Front> all;
    for (const Row& row : rows) {
        all.push_back({row, Attacker::User});
        if (row.by_root && ::geteuid() == 0) all.push_back({row, Attacker::Root});
    }
    return all;
}

// Where nothing else than usual keeps them, or nothing is there to be kept, it is not tried.
bool is_of_use(const Probe& probe, const Row& row) {
    if (probe.category() == 'W') return row.place == Place::Workspace;
    return probe.category() != 'S' || row.lost.contains("P36");
}

// All that can share a call, and the others.
std::vector<std::vector<Probe>> calls(const Front& front) {
    std::vector<std::vector<Probe>> all(1);
    for (const char category : categories) {
        std::vector<Probe> probes = read_probes(category);
        std::erase_if(probes, [&](const Probe& probe) {
            return !chosen.contains(probe.id) || !probe.is_for(front.attacker) ||
                   !is_of_use(probe, front.row);
        });
        if (needs_a_call_of_its_own(category)) {
            for (const Probe& probe : probes) all.push_back({probe});
        } else {
            all[0].insert(all[0].end(), probes.begin(), probes.end());
        }
    }
    return all;
}

class ALesserMachine : public testing::TestWithParam<Front> {};

INSTANTIATE_TEST_SUITE_P(, ALesserMachine, testing::ValuesIn(fronts()), [](const auto& test) {
    return std::string(test.param.row.name) +
           (test.param.attacker == Attacker::Root ? "AsRoot" : "");
});

TEST_P(ALesserMachine, LosesWhatIsSaidAndNothingElse) {
    const auto& [row, attacker] = GetParam();
    for (const std::vector<Probe>& probes : calls(GetParam())) {
        for (const Outcome& outcome : attack(probes, row.place, attacker, row.machine)) {
            const Probe& probe = outcome.probe;
            const bool promised = probe.gets_through(row.place);
            const bool expected =
                promised ? !row.broken.contains(probe.id) : row.lost.contains(probe.id);
            if (outcome.is_absent && probe.may_be_absent) continue;
            EXPECT_EQ(outcome.cannot_tell, "") << probe.id << " " << probe.title << outcome.output;
            EXPECT_EQ(outcome.got_through, expected) << probe.id << " " << probe.title << "\n"
                                                     << probe.script << outcome.output;
        }
    }
}

}  // namespace
}  // namespace husk::redteam
