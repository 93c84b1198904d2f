#include "confine/reading.h"

#include <gtest/gtest.h>

namespace husk::confine {
namespace {

TEST(IsWithin, APathLiesInItselfAndInEveryDirectoryAboveIt) {
    EXPECT_TRUE(is_within("/work/main", "/work/main"));
    EXPECT_TRUE(is_within("/work/main/src", "/work/main"));
    EXPECT_TRUE(is_within("/work/main/src", "/work"));
    EXPECT_TRUE(is_within("/work", "/"));
    EXPECT_TRUE(is_within("/", "/"));
}

TEST(IsWithin, ADirectoryIsNotTheBeginningOfALongerName) {
    EXPECT_FALSE(is_within("/workspace", "/work"));
    EXPECT_FALSE(is_within("/work", "/workspace"));
    EXPECT_FALSE(is_within("/work", "/work/main"));
    EXPECT_FALSE(is_within("/", "/work"));
}

TEST(IsWithin, SlashesThatAreRepeatedOrTrailMakeNoDifference) {
    EXPECT_TRUE(is_within("/work//main/", "/work/main"));
    EXPECT_TRUE(is_within("/work/main", "/work//main/"));
    EXPECT_TRUE(is_within("//work", "/work"));
}

TEST(IsWithin, ARelativePathLiesInNoAbsoluteOne) {
    EXPECT_FALSE(is_within("work/main", "/"));
    EXPECT_FALSE(is_within("/work/main", "work"));
    EXPECT_FALSE(is_within("", "/"));
    EXPECT_TRUE(is_within("work/main", "work"));
}

}  // namespace
}  // namespace husk::confine
