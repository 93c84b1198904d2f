// The comparison itself can fail: it finds differences that the walls make on purpose, and files of
// cases that cannot be understood end the program.
#include "place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "temp_dir.h"

namespace husk::everyday {
namespace {

User somebody() { return ::geteuid() == 0 ? User::Root : User::Ordinary; }

std::string difference_of(const Case& one) {
    Place place(one, somebody());
    const Outcome bare = place.run_bare();
    const Outcome walled = place.run_walled({});
    EXPECT_EQ(place.failure(), "");
    return difference(bare, walled, one.output);
}

TEST(EverydayPlaces, FindWhatAnOutputTells) {
    Case one;
    one.run = "echo $$";  // small in a PID namespace
    EXPECT_NE(difference_of(one), "");
    one.run = "echo the same";
    EXPECT_EQ(difference_of(one), "");
}

TEST(EverydayPlaces, FindAFileThatIsLost) {
    Case one;
    one.run = "echo kept >~/.tool-settings";
    EXPECT_EQ(difference_of(one), "");
    one.also = {".tool-settings"};
    EXPECT_NE(difference_of(one), "");
}

TEST(EverydayPlaces, BothRunsBeginFromTheSameState) {
    Case one;
    one.setup = "echo 1 >file";
    one.run = "cat file ~/.left /tmp/left; echo 2 >>file; echo 3 >~/.left; echo 4 >/tmp/left";
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives a bare run a /tmp of its own";
    EXPECT_EQ(difference_of(one), "");
}

TEST(EverydayPlaces, ASetupThatFailsProvesNothing) {
    Case one;
    one.setup = "false";
    one.run = "true";
    Place place(one, somebody());
    place.run_bare();
    EXPECT_NE(place.failure(), "");
}

TEST(EverydayPlaces, NothingThatACaseStartedOutlivesIt) {
    Case one;
    one.run = "setsid sleep 987654 >/dev/null 2>&1 & echo $! >pid; cat pid";
    Place place(one, somebody());
    const Outcome bare = place.run_bare();
    EXPECT_EQ(::kill(std::stoi(bare.output), 0), -1);
}

TEST(EverydayCases, AnUnknownKeyEndsTheProgram) {
    const test::TempDir dir;
    std::ofstream(dir.path() / "x.txt") << "case a\nfast: yes\nrun:\n    true\n";
    EXPECT_EXIT(read_cases(dir.path()), testing::ExitedWithCode(1), "unknown key fast");
}

TEST(EverydayCases, ACaseWithoutAScriptEndsTheProgram) {
    const test::TempDir dir;
    std::ofstream(dir.path() / "x.txt") << "case a\nslow: yes\n";
    EXPECT_EXIT(read_cases(dir.path()), testing::ExitedWithCode(1), "nothing to run");
}

}  // namespace
}  // namespace husk::everyday
