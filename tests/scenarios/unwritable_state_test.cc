// A state directory that is full, read-only or not ours to read: the command that runs goes on, and
// the next one is told what to do.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

// A file system of one megabyte, seen by this script alone.
std::string on_a_small_disk(const Husk& husk, const std::string& script) {
    const std::string state = husk.state();
    return "unshare -m bash -c 'mkdir -p " + state + " && mount -t tmpfs -o size=1M none " + state +
           " && { " + script + "; }'";
}

bool can_mount() {
    return run_program({"unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"}).code == 0;
}

void expect_counted_but_not_kept(const nlohmann::json& report, uint64_t total, const char* reason) {
    EXPECT_EQ(report["exit_code"], 0);
    const auto& excerpt = report["excerpt"];
    EXPECT_EQ(excerpt["total_bytes"], total);
    EXPECT_EQ(excerpt["total_lines"], total / 16);
    EXPECT_EQ(excerpt["complete"], false);
    EXPECT_GT(excerpt["dropped_bytes"], 0);
    EXPECT_LT(excerpt["dropped_bytes"], total);
    EXPECT_THAT(report.dump(), HasSubstr(reason)) << "why it is not complete";
}

TEST(FullDisk, TheCommandGoesOnAndTheNextCallSaysWhatToDo) {
    if (!can_mount()) GTEST_SKIP() << "only root can mount";
    const Husk husk;
    const Ran ran = husk.script(on_a_small_disk(
        husk, "$HUSK run --mode open --json -- " + program("out_lines") + " 8000000; " +
                  "$HUSK run --mode open -- echo next; echo $?; $HUSK shells --json; " +
                  "find $HUSK_STATE -name 1.log -delete; $HUSK run --mode open -- echo room"));
    const auto lines = lines_of(ran.out);
    ASSERT_EQ(lines.size(), 4) << ran.out << ran.err;
    expect_counted_but_not_kept(nlohmann::json::parse(lines[0]), 8'000'000, "No space left");
    EXPECT_EQ(lines[1], "125");
    EXPECT_THAT(ran.err, HasSubstr(husk.state().string()));
    EXPECT_THAT(ran.err, HasSubstr("make room"));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_EQ(nlohmann::json::parse(lines[2])["shells"].size(), 1);
    EXPECT_EQ(lines[3], "room");
}

// The same for somebody who cannot mount: no file may grow beyond 100 KiB.
TEST(FullDisk, CountsGoOnWhenTheLogCannotGrow) {
    const Husk husk(Who::OrdinaryUser);
    const Ran ran = husk.script("ulimit -f 200; $HUSK run --mode open --json -- " +
                                program("out_lines") + " 8000000");
    const auto report = ran.json();
    expect_counted_but_not_kept(report, 8'000'000, "File too large");
    const std::string id = report["shell_id"];
    const Ran raw = husk({"output", id});
    EXPECT_EQ(raw.out, numbered(0, 200 * 1024));
    EXPECT_THAT(raw.err, HasSubstr(std::to_string(8'000'000 - 200 * 1024)))
        << "a reader is told what is missing at the end, too";
    const Ran plain =
        husk.script("ulimit -f 200; $HUSK run --mode open -- " + program("out_lines") + " 8000000");
    EXPECT_EQ(plain.code, 0);
    EXPECT_THAT(plain.err, HasSubstr("File too large"));
}

TEST(ReadOnlyState, ForbidsNewCommandsAndShowsTheOldOnes) {
    if (!can_mount()) GTEST_SKIP() << "only root can mount";
    const Husk husk;
    const std::string id = husk.report("echo old")["shell_id"];
    const std::string state = husk.state();
    const std::string read_only = "unshare -m bash -c 'mount --bind " + state + " " + state +
                                  " && mount -o remount,ro,bind " + state + " && ";
    for (const std::string options : {"", "--session s"}) {
        const Ran refused =
            husk.script(read_only + "$HUSK run --mode open " + options + " -- echo hi'");
        EXPECT_TRUE(is_refusal(refused)) << options;
        EXPECT_THAT(refused.err, HasSubstr(state)) << options;
        EXPECT_THAT(refused.err, HasSubstr("--state")) << "what to do " << options;
    }
    const Ran listed = husk.script(read_only + "$HUSK shells --json'");
    EXPECT_EQ(listed.json()["shells"][0]["shell_id"], id);
    EXPECT_EQ(husk.script(read_only + "$HUSK output " + id + "'").out, "old\n");
    EXPECT_EQ(husk.script(read_only + "$HUSK wait " + id + "'").code, 0);
    EXPECT_EQ(husk.script(read_only + "$HUSK kill " + id + "'").code, 0);
}

TEST(ReadOnlyState, OfAnOrdinaryUserIsNamed) {
    const Husk husk(Who::OrdinaryUser);
    const std::string id = husk.report("echo old")["shell_id"];
    ASSERT_EQ(husk.script("find $HUSK_STATE -type d -exec chmod 0555 {} +").code, 0);
    for (const std::string options : {"--streams=merged", "--session=s"}) {
        const Ran refused = husk({"run", options, "--", "echo hi"});
        EXPECT_TRUE(is_refusal(refused)) << options;
        EXPECT_THAT(refused.err, HasSubstr(husk.state().string())) << options;
        EXPECT_THAT(refused.err, HasSubstr("--state")) << options;
    }
    EXPECT_EQ(husk({"shells", "--json"}).json()["shells"][0]["shell_id"], id);
    EXPECT_EQ(husk({"output", id}).out, "old\n");
    husk.script("find $HUSK_STATE -type d -exec chmod 0755 {} +");
}

TEST(UnreadableState, IsAnErrorAndNotAnEmptyList) {
    const Husk husk(Who::OrdinaryUser);
    husk.report("echo old");
    ASSERT_EQ(husk.script("chmod 0 $HUSK_STATE").code, 0);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"shells"},
                                                  {"output", "abc-1"},
                                                  {"run", "--", "echo hi"},
                                                  {"session", "list"}}) {
        const Ran ran = husk(words);
        EXPECT_TRUE(is_refusal(ran)) << words[0];
        EXPECT_THAT(ran.err, HasSubstr(husk.state().string())) << words[0];
    }
    husk.script("chmod 0755 $HUSK_STATE");
}
}  // namespace
}  // namespace husk::test
