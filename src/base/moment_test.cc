#include "base/moment.h"

#include <gtest/gtest.h>

namespace husk::text {
namespace {

TEST(Moment, IsADurationAgoADateOrMilliseconds) {
    constexpr int64_t now = 1'800'000'000'000;
    EXPECT_EQ(parse_moment("2h", now), now - 7'200'000);
    EXPECT_EQ(parse_moment("90", now), now - 90'000);
    EXPECT_EQ(parse_moment("1790000000123", now), 1'790'000'000'123);
    EXPECT_EQ(parse_moment("1970-01-02Z", now), 86'400'000);
    EXPECT_EQ(parse_moment("1970-01-02 00:01Z", now), 86'460'000);
    EXPECT_EQ(parse_moment("1970-01-02T00:01:01Z", now), 86'461'000);
    for (const char* wrong : {"", "soon", "2026-13-01", "2026-11-15x", "2026-11-15 14", "-1h"})
        EXPECT_EQ(parse_moment(wrong, now), std::nullopt) << wrong;
}

TEST(Moment, IsReadAsItIsWritten) {
    constexpr int64_t moment = 1'790'000'000'000;
    EXPECT_EQ(parse_moment(format_moment(moment), 0), moment);
}

}  // namespace
}  // namespace husk::text
