#include "tool/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace husk::tool {
namespace {

TEST(Workers, WorkSideBySide) {
    Workers workers(3);
    std::latch together(3);
    for (int i = 0; i < 3; ++i) workers.post([&] { together.arrive_and_wait(); });
    together.wait();
}

TEST(Workers, FinishWhatWasPosted) {
    std::atomic<int> done = 0;
    {
        Workers workers(2);
        for (int i = 0; i < 100; ++i) workers.post([&] { ++done; });
    }
    EXPECT_EQ(done, 100);
}

TEST(Turnstile, LetsInWhoeverWaitsWhenSomebodyLeaves) {
    Turnstile turnstile(2);
    std::string entered;
    const auto enter = [&](char letter) {
        const auto work = [&entered, letter] { entered += letter; };
        if (turnstile.enter(work)) work();
    };
    for (const char letter : {'a', 'b', 'c', 'd'}) enter(letter);
    EXPECT_EQ(entered, "ab");
    turnstile.leave();
    EXPECT_EQ(entered, "abc");
    turnstile.leave();
    turnstile.leave();
    turnstile.leave();
    EXPECT_EQ(entered, "abcd");
    enter('e');
    EXPECT_EQ(entered, "abcde");
}

}  // namespace
}  // namespace husk::tool
