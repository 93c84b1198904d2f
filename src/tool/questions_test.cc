#include "tool/questions.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace husk::tool {
namespace {

TEST(Questions, OfACancelledCallReachNobody) {
    Questions questions;
    std::stop_source stop;
    stop.request_stop();
    int asked = 0;
    std::vector<std::optional<Answer>> settled;
    questions.ask([&](const Question&, const std::function<void(Answer)>&) { ++asked; }, {},
                  stop.get_token(),
                  [&](const std::optional<Answer>& said) { settled.push_back(said); });
    EXPECT_EQ(asked, 0);
    ASSERT_EQ(settled.size(), 1U);
    EXPECT_FALSE(settled.front());
}

}  // namespace
}  // namespace husk::tool
