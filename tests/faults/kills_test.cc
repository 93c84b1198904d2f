// Whoever of Husk is killed, at whatever moment: nothing survives that should not, nothing untrue
// is said, nothing is missing, and the next call works.
#include <cstdlib>
#include <iostream>

#include "campaign.h"

namespace husk::test {
namespace {

std::vector<Era::Machine> machines() {
    std::vector<Era::Machine> all = {{.server_mode = "open"}, {.server_mode = "workspace"}};
    if (::geteuid() == 0) all.push_back({.who = Who::OrdinaryUser, .server_mode = "workspace"});
    all.push_back({.pretended = "pidns=no", .server_mode = "workspace"});
    return all;
}

// HUSK_FAULT_KILLS and HUSK_FAULT_SEED: `./dev faults` sets them.
TEST(Faults, NoKillMakesHuskLieOrLeaveAnythingBehind) {
    const uint64_t kills = number_from("HUSK_FAULT_KILLS", 24);
    const uint64_t seed = number_from("HUSK_FAULT_SEED", 1);
    const uint64_t per_era = std::max<uint64_t>(kills / 40, 6);
    constexpr uint64_t victims = std::size(all_victims);
    Tally tally;
    const auto kinds = machines();
    for (uint64_t done = 0, era = 0; done < kills; ++era) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", era " + std::to_string(era));
        Era one(seed * 1'000'003 + era, kinds[era % kinds.size()], tally);
        for (uint64_t i = 0; i < per_era && done < kills; ++i, ++done)
            one.round(all_victims[done % victims]);
        one.finish();
        std::cout << "after era " << era << ": " << tally.text() << std::flush;
    }
    std::cout << tally.text();
}

}  // namespace
}  // namespace husk::test
