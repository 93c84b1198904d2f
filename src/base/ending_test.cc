#include <errno.h>
#include <gtest/gtest.h>

#include "husk/report.h"

using namespace std::literals;

namespace husk {
namespace {

TEST(Ending, HasAWordAndPerhapsAnExitCode) {
    struct Case {
        Ending ending;
        std::string_view word;
        std::optional<int> code;
    };
    const Case cases[] = {
        {Exited{0}, "exited", 0},
        {Exited{3}, "exited", 3},
        {Signaled{9}, "signaled", 137},
        {TimedOut{30s}, "timed_out", std::nullopt},
        {Cancelled{"by the caller"}, "cancelled", std::nullopt},
        {LimitExceeded{"output", 10, 12}, "limit_exceeded", std::nullopt},
        {Denied{"rm.root", "no"}, "denied", std::nullopt},
        {NotStarted{{"execve", ENOENT, "/bin/bash"}}, "not_started", std::nullopt},
        {Running{}, "running", std::nullopt},
        {Lost{"the machine restarted"}, "lost", std::nullopt},
    };
    for (const auto& [ending, word, code] : cases) {
        EXPECT_EQ(status_word(ending), word);
        EXPECT_EQ(exit_code(ending), code) << word;
    }
    EXPECT_EQ(std::size(cases), std::variant_size_v<Ending> + 1);  // none is forgotten
}

TEST(ErrorText, LeavesOutWhatIsEmpty) {
    EXPECT_EQ((Error{"openat", ENOENT, "/x"}.text()), "openat: No such file or directory: /x");
    EXPECT_EQ((Error{"fork", EAGAIN, ""}.text()), "fork: Resource temporarily unavailable");
    EXPECT_EQ((Error{"shell k3f9-2", 0, "not found"}.text()), "shell k3f9-2: not found");
    EXPECT_EQ((Error{"", 0, "only this"}.text()), "only this");
    EXPECT_EQ((Error{"", EACCES, ""}.text()), "Permission denied");
    EXPECT_EQ(Error{}.text(), "");
    EXPECT_EQ((Error{"x", 9999, ""}.text()), "x: error 9999");
    EXPECT_EQ((Error{"x", -1, ""}.text()), "x: error -1");
}

}  // namespace
}  // namespace husk
