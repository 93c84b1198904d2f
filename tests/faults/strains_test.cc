// The same campaign on machines that run out of something, or whose clock jumps.
#include <iostream>

#include "campaign.h"

namespace husk::test {
namespace {

void put_under(Strain& strain, Who who, const std::string& server_mode) {
    const uint64_t kills = number_from("HUSK_FAULT_STRAINED_KILLS", 2);
    const uint64_t seed = number_from("HUSK_FAULT_SEED", 1);
    Tally tally;
    SCOPED_TRACE("seed " + std::to_string(seed));
    {
        Era era(seed, {.who = who, .server_mode = server_mode, .strain = &strain}, tally);
        if (!era.is_ready()) GTEST_SKIP() << "not on this machine";
        Random random(seed);
        for (uint64_t i = 0; i < kills; ++i)
            era.round(all_victims[random() % std::size(all_victims)]);
        era.finish();
    }
    std::cout << tally.text();
}

TEST(FaultsOn, AFullDisk) { put_under(*full_disk(), Who::Caller, "workspace"); }

TEST(FaultsOn, AReadOnlyStateDirectory) {
    put_under(*read_only_state(), Who::OrdinaryUser, "open");
}

// The limit counts all processes of the ordinary user, also those of other tests.
TEST(AloneFaultsOn, AFullProcessTable) {
    put_under(*full_process_table(), Who::OrdinaryUser, "workspace");
}

TEST(FaultsOn, TooFewDescriptors) { put_under(*no_descriptors(), Who::Caller, "workspace"); }

TEST(FaultsOn, AClockThatJumps) { put_under(*jumping_clock(), Who::Caller, "workspace"); }

TEST(ClockSetBack, DoesNotMakeTheAuditSayThatACommandRuns) {
    const Husk husk;
    const auto offset = husk.dir() / "offset";
    write_text(offset, "-3600");
    const std::string id = husk.background("exit 3");
    ASSERT_EQ(husk({"wait", id, "--timeout", "20s"}).code, 3);
    allow_preloading();
    const Ran log = husk.script("HUSK_FAULT_CLOCK=" + offset.string() + " LD_PRELOAD=" +
                                program("libfault_clock.so") + " $HUSK log --json");
    EXPECT_EQ(log.json().value("status", ""), "exited") << log.out << log.err;
}

}  // namespace
}  // namespace husk::test
