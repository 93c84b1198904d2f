// A command runs as bash would run it, and the report says what the kernel said.
#include "harness.h"

namespace husk::test {
namespace {

TEST(Running, GivesTheOutputAndTheExitCode) {
    const Husk husk;
    const Ran ran = husk({"run", "--", "echo hello; echo again >&2; exit 7"});
    EXPECT_EQ(ran.code, 7);
    EXPECT_EQ(ran.out, "hello\nagain\n");
    EXPECT_EQ(ran.err, "");
}

TEST(Running, QuotesSeveralWordsIntoOneCommand) {
    const Husk husk;
    EXPECT_EQ(husk({"run", "--", "printf", "[%s]", "a b", "$HOME", "x;y", "*"}).out,
              "[a b][$HOME][x;y][*]");
}

TEST(Running, ReportsASignalAsASignal) {
    const Husk husk;
    const auto report = husk.report("kill -9 $$");
    EXPECT_EQ(report["status"], "signaled");
    EXPECT_EQ(report["signal"], "SIGKILL");
    EXPECT_EQ(report["exit_code"], 137);
}

}  // namespace
}  // namespace husk::test
