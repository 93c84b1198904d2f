// The state directory does not outgrow its quota: what is finished goes first, oldest first, and
// what lives never.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "harness.h"
#include "render/ending_line.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t mib = 1 << 20;

class Quota : public testing::Test {
protected:
    static Settings settings(const Husk& of) {
        Settings chosen = of.settings();
        chosen.state_quota = 8 * mib;
        chosen.early_end = 20ms;
        return chosen;
    }

    // Writes so much and may keep so much.
    Report run(uint64_t bytes, uint64_t keep, const ToolContext& context = {},
               const std::string& lines = program("out_lines")) {
        return bash.run({.command = lines + " " + std::to_string(bytes), .keep_output_bytes = keep},
                        context);
    }
    // Lives until the end of the scenario.
    Report start(uint64_t keep, Streams streams = Streams::Merged) {
        return bash.run({.command = "echo alive; sleep 60",
                         .background = true,
                         .streams = streams,
                         .keep_output_bytes = keep});
    }

    std::set<std::string> ids() const {
        std::set<std::string> found;
        for (const Report& shell : listed(Shells(husk.settings()))) found.insert(shell.shell_id);
        return found;
    }
    bool has(const Report& report) const { return ids().contains(report.shell_id); }

    // Calls that need all there is, so that everything goes that may. Not every one of them
    // sweeps: that would be slow.
    bool press_until(const std::function<bool()>& condition) {
        Bash other(settings(husk));
        return eventually([&] {
            other.run({.command = "true", .keep_output_bytes = 8 * mib});
            return condition();
        });
    }

    fs::path session_dir(const Report& report) const {
        return husk.state() / "sessions" / report.shell_id.substr(0, report.shell_id.find('-'));
    }
    static void age(const fs::path& path) {
        const timespec long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), long_ago, 0), 0);
    }

    Husk husk;
    Bash bash{settings(husk)};
};

TEST_F(Quota, WhatLivesLeavesLessForTheNext) {
    EXPECT_THAT(start(6 * mib).notes, IsEmpty());
    const Report reduced = run(4 * mib, 6 * mib);
    ASSERT_THAT(reduced.notes, SizeIs(1));
    EXPECT_THAT(reduced.notes[0], HasSubstr("quota"));
    EXPECT_EQ(exit_code(reduced.ending), 0);
    EXPECT_EQ(reduced.excerpt.total_bytes, 4 * mib);
    EXPECT_FALSE(reduced.excerpt.complete);
    EXPECT_LE(reduced.excerpt.total_bytes - reduced.excerpt.dropped_bytes, 2 * mib);
}

// A command of its session may have it open for ever, and would read along.
TEST_F(Quota, ALogThatCommandsCouldReadIsNeverTheFileOfAnother) {
    const auto inodes = [](const fs::path& directory) {
        std::set<ino_t> found;
        for (const auto& file : fs::directory_iterator(directory)) {
            struct stat info{};
            if (::stat(file.path().c_str(), &info) == 0) found.insert(info.st_ino);
        }
        return found;
    };
    fs::create_directory(husk.dir() / "work");
    const std::string lines = program_in(husk.dir() / "work", "out_lines");
    std::set<ino_t> logs;
    std::vector<Report> reports;
    for (int i = 0; i < 3; ++i) {
        reports.push_back(
            run(mib, mib, {.working_dir = husk.dir() / "work", .mode = Mode::ReadOnly}, lines));
        ASSERT_EQ(exit_code(reports.back().ending), 0) << reports.back().output;
    }
    logs.merge(inodes(session_dir(reports[0]) / "log"));
    ASSERT_GE(logs.size(), reports.size());
    ASSERT_TRUE(press_until([&] { return !has(reports[0]) && !has(reports[1]); }));
    const std::set<ino_t> reused = inodes(husk.state() / "blank");
    EXPECT_FALSE(reused.empty());  // their records are
    for (const ino_t log : logs) EXPECT_FALSE(reused.contains(log)) << log;
}

TEST_F(Quota, TwoStreamsCountTwice) {
    EXPECT_THAT(start(3 * mib, Streams::Split).notes, IsEmpty());
    EXPECT_THAT(start(mib).notes, IsEmpty());
    EXPECT_THAT(start(2 * mib).notes, SizeIs(1));
}

// At the usual quota of 1 GiB, each of these shells may write 128 MiB.
TEST_F(Quota, ShellsThatWriteNothingTakeNothingFromOthers) {
    Settings usual = settings(husk);
    usual.state_quota = 1024 * mib;
    Bash roomy(usual);
    const Report before = roomy.run({.command = "echo precious"});
    for (int i = 0; i < 24; ++i) {
        const Report idle =
            roomy.run({.command = "sleep 60", .background = true, .streams = Streams::Split});
        EXPECT_THAT(idle.notes, IsEmpty()) << i;
    }
    const Report report =
        roomy.run({.command = program("out_lines") + " " + std::to_string(4 * mib),
                   .streams = Streams::Split,
                   .keep_output_bytes = 64 * mib});
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_TRUE(report.excerpt.complete);
    EXPECT_EQ(report.excerpt.total_bytes, 4 * mib);
    EXPECT_TRUE(has(before)) << "the output of a finished shell is gone";
}

TEST_F(Quota, WhatAShellHasWrittenCounts) {
    Settings usual = settings(husk);
    usual.state_quota = 64 * mib;
    Bash roomy(usual);
    for (int i = 0; i < 2; ++i)
        roomy.run({.command = program("out_lines") + " " + std::to_string(28 * mib) + "; sleep 60",
                   .background = true,
                   .keep_output_bytes = 32 * mib});
    ASSERT_TRUE(eventually([&] {
        const auto all = listed(Shells(husk.settings()));
        return std::ranges::all_of(
            all, [](const Report& shell) { return shell.excerpt.total_bytes == 28 * mib; });
    }));
    const Report reduced = roomy.run({.command = "true", .keep_output_bytes = 32 * mib});
    ASSERT_THAT(reduced.notes, SizeIs(1));
    EXPECT_THAT(reduced.notes[0], HasSubstr("quota"));
}

TEST_F(Quota, FinishedShellsStayBesideManyThatWriteNothing) {
    Settings usual = settings(husk);
    usual.state_quota = 128 * mib;
    Bash roomy(usual);
    const Report finished = roomy.run({.command = "echo precious"});
    for (int i = 0; i < 8; ++i)
        roomy.run({.command = "sleep 60", .background = true, .keep_output_bytes = 64 * mib});
    EXPECT_TRUE(has(finished));
}

TEST_F(Quota, NothingFinishedGoesInVain) {
    start(8 * mib);
    const Report finished = run(mib / 8, mib / 4);
    for (int i = 0; i < 8; ++i) run(16, 8 * mib);
    EXPECT_TRUE(has(finished)) << "nothing that is finished makes room beside what lives";
}

TEST_F(Quota, ALittleIsAlwaysKept) {
    for (int i = 0; i < 4; ++i) start(8 * mib);
    const Report report = run(mib, 8 * mib);
    EXPECT_THAT(report.notes, SizeIs(1));
    EXPECT_EQ(report.excerpt.total_bytes, mib);
    EXPECT_GE(report.excerpt.total_bytes - report.excerpt.dropped_bytes, 192 * 1024);
}

TEST_F(Quota, TheOldestFinishedGoFirst) {
    std::vector<Report> reports;
    reports.reserve(5);
    for (int i = 0; i < 5; ++i) reports.push_back(run(3 * mib / 2, 3 * mib / 2));
    const Report last = run(16, 4 * mib);
    EXPECT_THAT(last.notes, IsEmpty());
    EXPECT_TRUE(has(last));
    EXPECT_FALSE(has(reports[0]));
    for (size_t i = 1; i < reports.size(); ++i)
        EXPECT_TRUE(has(reports[i]) || !has(reports[i - 1]))
            << i << " went before the one before it";
    EXPECT_TRUE(std::holds_alternative<Error>(
        Shells(husk.settings()).output(reports[0].shell_id, Whole{})));
    EXPECT_FALSE(fs::exists(reports[0].excerpt.log));
}

TEST_F(Quota, WhatLivesNeverGoes) {
    const Report living = start(6 * mib);
    const Report finished = run(mib, mib);
    run(mib, mib);
    EXPECT_TRUE(press_until([&] { return !has(finished); }));
    ASSERT_TRUE(has(living));
    const auto answer = Shells(husk.settings()).output(living.shell_id, Whole{});
    EXPECT_EQ(std::get<Report>(answer).output, "alive\n");
    EXPECT_FALSE(std::get<Report>(answer).ended());
}

TEST_F(Quota, AFullDirectoryIsNoReasonToComplain) {
    for (int i = 0; i < 8; ++i) run(mib, mib);
    // All of it is finished, so all of it can go, for however many calls in a row.
    for (int i = 0; i < 8; ++i) {
        const Report report = run(mib / 2, mib);
        EXPECT_THAT(report.notes, IsEmpty()) << "call " << i;
        EXPECT_TRUE(report.excerpt.complete) << "call " << i;
    }
}

TEST_F(Quota, FinishedBackgroundCommandsHoldNothing) {
    for (int i = 0; i < 8; ++i) {
        const Report report =
            bash.run({.command = "sleep 0.05", .background = true, .keep_output_bytes = 4 * mib});
        EXPECT_THAT(report.notes, IsEmpty()) << "call " << i;
        ASSERT_TRUE(eventually([&] {
            const auto waited = Shells(husk.settings()).wait(report.shell_id, {.gone = true}, 10s);
            return std::get<Waited>(waited).met == "gone";
        }));
    }
}

TEST_F(Quota, CallsThatWereNotStartedHoldNothing) {
    for (int i = 0; i < 20; ++i)
        bash.run(
            {.command = "true", .working_dir = "/no/such/directory", .keep_output_bytes = mib});
    EXPECT_THAT(run(16, mib).notes, IsEmpty());
}

TEST_F(Quota, AKilledCallerHoldsNothingForLong) {
    const Report first = run(16, mib);
    const fs::path ledger = husk.state() / "ledger";
    for (const char byte : {'\xff', '\x7f', '\x00'}) {
        write_text(ledger, std::string(fs::file_size(ledger), byte));
        EXPECT_TRUE(eventually([&] { return run(16, mib).notes.empty(); }, 3s))
            << "nobody has these bytes: " << static_cast<int>(byte);
    }
}

TEST_F(Quota, AnIdIsNeverGivenTwice) {
    const ToolContext named{.session = "s"};
    std::set<std::string> seen;
    for (const bool ends : {false, true, false}) {
        std::vector<Report> reports;
        for (int i = 0; i < 3; ++i) {
            reports.push_back(run(16, mib, named));
            EXPECT_TRUE(seen.insert(reports.back().shell_id).second) << reports.back().shell_id;
        }
        if (ends) {
            ASSERT_EQ(husk({"session", "end", "s"}).code, 0);
        }
        EXPECT_TRUE(press_until([&] { return !has(reports[0]) && !has(reports[1]); }));
    }
}

TEST_F(Quota, DirectoriesOfEndedSessionsDisappear) {
    Report ended;
    {
        Bash other(settings(husk));
        ended = other.run({.command = "echo over"});
    }
    const Report young = [&] { return Bash(settings(husk)).run({.command = "echo young"}); }();
    const Report living = start(mib);
    ASSERT_TRUE(eventually(
        [&] { return husk({"session", "list", "--json"}).json()["sessions"].size() == 1; }));
    age(session_dir(ended));
    age(session_dir(living));
    EXPECT_TRUE(press_until([&] { return !fs::exists(session_dir(ended)); }));
    EXPECT_TRUE(fs::exists(session_dir(young))) << "a session this young may still be on its way";
    EXPECT_TRUE(has(living));
}

TEST_F(Quota, ANamedSessionWhoseDirectoryDisappearedStartsAnew) {
    const ToolContext named{.session = "s"};
    const Report before = run(16, mib, named);
    ASSERT_EQ(husk({"session", "end", "s"}).code, 0);
    age(session_dir(before));
    EXPECT_TRUE(press_until([&] { return !fs::exists(session_dir(before)); }));
    const Report after = run(16, mib, named);
    EXPECT_EQ(after.output, numbered(0, 16));
    EXPECT_NE(after.shell_id, before.shell_id);
}

TEST_F(Quota, WhatWasTakenAwayFromCommandsHasAPartOfIt) {
    const fs::path work = husk.dir() / "work";
    fs::create_directory(work);
    const auto plant = [&](uint64_t bytes) {
        const Report report =
            bash.run({.command = "mkdir .claude; head -c " + std::to_string(bytes) +
                                 " /dev/urandom >.claude/settings.json"},
                     {.working_dir = work, .mode = Mode::Workspace});
        EXPECT_FALSE(report.reverted.empty()) << report.output;
    };
    const auto kept = [&] {
        uint64_t bytes = 0;
        for (const auto& file : fs::recursive_directory_iterator(husk.state() / "reverted"))
            if (file.is_regular_file()) bytes += file.file_size();
        return bytes;
    };
    plant(mib);
    plant(6 * mib);
    EXPECT_EQ(kept(), 7 * mib);
    run(16, mib);
    EXPECT_EQ(kept(), mib);
    for (int i = 0; i < 6; ++i) plant(mib);
    run(16, mib);
    EXPECT_GE(kept(), 2 * mib);
    EXPECT_LE(kept(), 4 * mib);
}

// A nursery that exits lets go of its lock first and of its connections later. In between, others
// may clear the session's directory away.
TEST_F(Quota, ANamedSessionWhoseConnectionOutlivedItsDirectoryStartsAnew) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can hold the nursery's connections";
    const ToolContext named{.session = "s"};
    const Report before = run(16, mib, named);
    const auto nursery = static_cast<int>(::syscall(SYS_pidfd_open, nursery_of(husk, "s"), 0));
    ASSERT_GE(nursery, 0);
    std::vector<int> held;
    for (int fd = 4; fd < 64; ++fd)
        held.push_back(static_cast<int>(::syscall(SYS_pidfd_getfd, nursery, fd, 0)));
    ASSERT_EQ(husk({"session", "end", "s"}).code, 0);
    age(session_dir(before));
    EXPECT_TRUE(press_until([&] { return !fs::exists(session_dir(before)); }));
    const Report after = run(16, mib, named);
    EXPECT_EQ(after.output, numbered(0, 16)) << render::ending_line(after);
    EXPECT_NE(after.shell_id, before.shell_id);
    for (const int fd : held) ::close(fd);
    ::close(nursery);
}

// Each a process of its own, because it must not die.
TEST(QuotaDeathTest, AnAccountThatCannotBeOpenedIsAnErrorEveryTime) {
    const Husk husk;
    fs::create_directories(husk.state() / "ledger");
    EXPECT_EXIT(
        {
            Bash bash(husk.settings());
            for (int i = 0; i < 3; ++i) {
                const Report report = bash.run({.command = "true"});
                if (!std::holds_alternative<NotStarted>(report.ending)) std::exit(1);
            }
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace husk::test
