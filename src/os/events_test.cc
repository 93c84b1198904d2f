#include "os/events.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace husk::os {
namespace {

// The kernel takes no more descriptors in one poll than a process may open.
TEST(WaitFor, TakesMoreDescriptorsThanMayBeOpened) {
    const auto bell = Bell::make();
    ASSERT_TRUE(bell);
    pollfd fds[] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}, {bell->fd(), POLLIN, 0}};
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit two{2, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &two), 0);
    const auto nothing = wait_for(fds, Clock::now() + std::chrono::milliseconds(20));
    bell->ring();
    const auto rung = wait_for(fds, std::nullopt);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_EQ(nothing.value_or(-1), 0);
    EXPECT_EQ(rung.value_or(-1), 1);
    EXPECT_EQ(fds[2].revents, POLLIN);
}

}  // namespace
}  // namespace husk::os
