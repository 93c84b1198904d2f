#include "tool/call_watch.h"

#include <gtest/gtest.h>

namespace husk::tool {
namespace {

using namespace std::chrono_literals;

// How many seconds at this share it takes; 0 when it is never too much.
int seconds_until_stopped(uint64_t most, double percent) {
    Sustained sustained(most);
    for (int second = 1; second <= 30; ++second)
        if (sustained.add(percent, 1s)) return second;
    return 0;
}

TEST(Sustained, OnlyMoreThanTheLimitCounts) {
    EXPECT_EQ(seconds_until_stopped(80, 79), 0);
    EXPECT_EQ(seconds_until_stopped(80, 80), 0);
    EXPECT_EQ(seconds_until_stopped(80, 80.5), 10);
    EXPECT_EQ(seconds_until_stopped(80, 100), 10);
}

TEST(Sustained, OneQuietSecondBeginsAnew) {
    Sustained sustained(80);
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(sustained.add(100, 1s));
    EXPECT_FALSE(sustained.add(10, 1s));
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(sustained.add(100, 1s));
    EXPECT_TRUE(sustained.add(100, 1s));
}

TEST(Sustained, SecondsAreThoseThatPassed) {
    Sustained sustained(50);
    EXPECT_FALSE(sustained.add(60, 9999ms));
    EXPECT_TRUE(sustained.add(60, 1ms));
}

TEST(Sustained, WithoutALimitNothingIsTooMuch) {
    Sustained sustained(std::nullopt);
    EXPECT_FALSE(sustained.add(100, 3600s));
}

}  // namespace
}  // namespace husk::tool
