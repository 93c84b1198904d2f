#include "base/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <limits>

using namespace std::literals;

namespace husk {
namespace {

TEST(Signals, HaveNames) {
    EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
    EXPECT_EQ(signal_name(SIGKILL), "SIGKILL");
    EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
    EXPECT_EQ(signal_name(SIGRTMIN), "SIGRTMIN");
    EXPECT_EQ(signal_name(SIGRTMIN + 3), "SIGRTMIN+3");
    EXPECT_EQ(signal_name(77), "signal 77");
    EXPECT_EQ(signal_name(0), "signal 0");
    EXPECT_EQ(signal_name(-1), "signal -1");
    EXPECT_EQ(signal_name(std::numeric_limits<int>::max()), "signal 2147483647");
}

TEST(Signals, AreFoundByNameOrNumber) {
    struct Case {
        std::string_view name;
        int signal;
    };
    const Case cases[] = {
        {"TERM", SIGTERM},
        {"SIGTERM", SIGTERM},
        {"sigterm", SIGTERM},
        {"term", SIGTERM},
        {"15", SIGTERM},
        {"9", SIGKILL},
        {"64", 64},
        {"IO", SIGIO},
        {"SIGPOLL", SIGPOLL},
        {"SIGIOT", SIGABRT},
        {"RTMIN", SIGRTMIN},
        {"SIGRTMIN+3", SIGRTMIN + 3},
        {"RTMAX", SIGRTMAX},
        {"SIGRTMAX-1", SIGRTMAX - 1},
        {"RTMIN+0", SIGRTMIN},
        {"RTMIN+30", SIGRTMAX},
    };
    for (const auto& [name, signal] : cases) EXPECT_EQ(signal_number(name), signal) << name;
}

TEST(Signals, RefusesWhatIsNone) {
    for (const std::string_view name :
         {"", "SIG", "0", "-9", "+9", "65", "99999999999", "9 ", " TERM", "TERMS", "SIGSIGTERM",
          "RTMIN+31", "RTMIN-1", "RTMIN+", "RTMIN+-1", "RTMAX-99999999999", "KILL;"})
        EXPECT_FALSE(signal_number(name)) << name;
    EXPECT_FALSE(signal_number("TERM\0"sv));
}

TEST(Signals, EveryNameLeadsBack) {
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
        const std::string name = signal_name(signal);
        if (name.starts_with("signal ")) continue;
        EXPECT_EQ(signal_number(name), signal) << name;
    }
}

}  // namespace
}  // namespace husk
