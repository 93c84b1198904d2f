#include "collect/retention.h"

#include <gtest/gtest.h>

namespace husk::collect {
namespace {

constexpr uint64_t MiB = 1 << 20;

TEST(Retention, ALiveShellCountsWithWhatItHasAndRoomForMore) {
    EXPECT_EQ(weight_of_live(0, MiB), MiB);
    EXPECT_EQ(weight_of_live(0, 64 * MiB), 8 * MiB);
    EXPECT_EQ(weight_of_live(MiB, 128 * MiB), 17 * MiB);
    EXPECT_EQ(weight_of_live(127 * MiB, 128 * MiB), 128 * MiB);
    EXPECT_EQ(weight_of_live(130 * MiB, 128 * MiB), 130 * MiB);  // blocks that are not full
}

TEST(Retention, TheLeastThatACallIsGrantedGrowsWithTheQuota) {
    EXPECT_EQ(least_grant(MiB), MiB / 4);
    EXPECT_EQ(least_grant(1024 * MiB), 8 * MiB);
}

}  // namespace
}  // namespace husk::collect
