#include "render/shell_list.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace std::literals;

namespace husk::render {
namespace {

Report shell(const char* id, Ending ending, const char* command) {
    Report report;
    report.shell_id = id;
    report.session = "default";
    report.ending = std::move(ending);
    report.command = command;
    return report;
}

TEST(ShellList, IsATableForPeople) {
    std::vector<Report> shells = {
        shell("k3f9-3", Running{}, "npm run dev"), shell("k3f9-2", Exited{0}, "cd /w && make"),
        shell("k3f9-1", Signaled{9}, "stress\n--hard"), shell("", TimedOut{1s}, "sleep 9")};
    shells[0].duration_ms = 65'000;
    shells[0].excerpt.total_bytes = 2048;
    shells[1].display = "make";
    shells[1].duration_ms = 12.7;
    shells[1].leftovers = {{.pid = 1, .name = "x", .reason = ""}};
    shells[1].error_excerpt.emplace().total_bytes = 1;
    shells[2].session = "";
    EXPECT_EQ(shell_list(shells, 0),
              "ID      SESSION  STATUS            TIME       OUTPUT   COMMAND\n"
              "k3f9-3  default  running           1 min 5 s  2 KiB    npm run dev\n"
              "k3f9-2  default  exited 0, 1 left  12 ms      1 byte   make\n"
              "k3f9-1  -        signaled SIGKILL  -          0 bytes  stress --hard\n"
              "-       default  timed out         -          0 bytes  sleep 9\n");
}

TEST(ShellList, CutsLongCommands) {
    EXPECT_EQ(shell_list({shell("a", Exited{1}, "echo one two three four")}, 54),
              "ID  SESSION  STATUS    TIME  OUTPUT   COMMAND\n"
              "a   default  exited 1  -     0 bytes  echo one two th…\n");
}

TEST(ShellList, ShowsNoTimeThatCannotBe) {
    for (const double time : {std::nan(""), HUGE_VAL, 1e300}) {
        Report report = shell("a", Running{}, "x");
        report.duration_ms = time;
        EXPECT_NE(shell_list({report}, 0).find("running  -  "), std::string::npos) << time;
    }
}

TEST(ShellList, OfNothingIsItsHeader) {
    EXPECT_EQ(shell_list({}, 80), "ID  SESSION  STATUS  TIME  OUTPUT  COMMAND\n");
}

}  // namespace
}  // namespace husk::render
