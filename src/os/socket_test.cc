#include "os/socket.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>

namespace husk::os {
namespace {

// A connection that arrives without what it stands on is not one.
TEST(Message, WithoutRoomForItsDescriptorsIsAnError) {
    const auto pair = socket_pair(SOCK_SEQPACKET);
    ASSERT_TRUE(pair);
    const auto& [ours, theirs] = *pair;
    ASSERT_TRUE(send_message(theirs, "x", std::array{0, 1, 2}));
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    const Fd next(::dup(0));
    const rlimit room_for_one{static_cast<rlim_t>(next.get()) + 2, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &room_for_one), 0);
    const auto message = receive_message(ours, 1);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().code, EMFILE);
}

}  // namespace
}  // namespace husk::os
