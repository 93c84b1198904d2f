#include "collect/retention.h"

#include <gtest/gtest.h>

namespace husk::collect {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

TEST(Retention, ALiveShellCountsWithWhatItHasAndRoomForMore) {
    EXPECT_EQ(weight_of_live(0, mebibyte), mebibyte);
    EXPECT_EQ(weight_of_live(0, 64 * mebibyte), 8 * mebibyte);
    EXPECT_EQ(weight_of_live(mebibyte, 128 * mebibyte), 17 * mebibyte);
    EXPECT_EQ(weight_of_live(127 * mebibyte, 128 * mebibyte), 128 * mebibyte);
    EXPECT_EQ(weight_of_live(130 * mebibyte, 128 * mebibyte),
              130 * mebibyte);  // blocks that are not full
}

TEST(Retention, TheLeastThatACallIsGrantedGrowsWithTheQuota) {
    EXPECT_EQ(least_grant(mebibyte), mebibyte / 4);
    EXPECT_EQ(least_grant(1024 * mebibyte), 8 * mebibyte);
}

}  // namespace
}  // namespace husk::collect
