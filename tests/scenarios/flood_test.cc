// A command that writes without end costs a bounded piece of disk and a little memory, and
// nobody has to wait for it.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "harness.h"
#include "keeper/record.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uint64_t cap = 64 << 20;
constexpr uint64_t disk_slack = 1 << 20;
constexpr uint64_t most_keeper_memory = 2 << 20;
constexpr uint64_t sure_of_the_end = 1 << 20;  // however fast it came

// A multiple of a line's 16 bytes.
uint64_t flood_size() {
    const bool at_length =
        std::getenv("HUSK_LONG_TESTS") != nullptr;  // NOLINT(concurrency-mt-unsafe)
    return at_length ? 10'000'000'000 : 1'000'000'000;
}

std::string flood(uint64_t bytes) { return program("out_lines") + " " + std::to_string(bytes); }

// More than anybody waits for; it ends with its scenario.
constexpr uint64_t endless = 1ULL << 50;

uint64_t disk_use(const fs::path& directory) {
    uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
        struct stat info{};
        if (::lstat(entry.path().c_str(), &info) == 0)
            bytes += static_cast<uint64_t>(info.st_blocks) * 512;
    }
    return bytes;
}

// The number behind "name:" in /proc/<pid>/status.
uint64_t status_number(pid_t pid, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1));
    return 0;
}

TEST(AloneFlood, IsCountedExactlyWithBoundedDiskAndFlatMemory) {
    const Husk husk;
    const uint64_t total = flood_size();
    const std::string id = husk.background(flood(total));
    const pid_t keeper = parent_of(husk.shell(id)["pid"]);
    uint64_t most_disk = 0;
    uint64_t memory = 0;
    while (husk.shell(id)["status"] == "running") {
        most_disk = std::max(most_disk, disk_use(husk.state()));
        memory = std::max(memory, status_number(keeper, "VmHWM") * 1024);
    }
    EXPECT_LE(most_disk, cap + disk_slack);
    EXPECT_LE(disk_use(husk.state()), cap + disk_slack);
    EXPECT_GT(memory, 0);
    EXPECT_LT(memory, most_keeper_memory);

    const auto report = husk({"output", id, "--json"}).json();
    const auto& excerpt = report["excerpt"];
    EXPECT_EQ(report["exit_code"], 0);
    EXPECT_EQ(excerpt["total_bytes"], total);
    EXPECT_EQ(excerpt["total_lines"], total / 16);
    EXPECT_EQ(excerpt["complete"], false);
    const auto dropped = excerpt["dropped_bytes"].get<uint64_t>();
    EXPECT_LE(total - dropped, cap);
    EXPECT_GE(total - dropped, cap / 2 + sure_of_the_end);

    const uint64_t head = 2 * record::drop_unit(cap);
    const Ran raw = husk({"output", id});
    EXPECT_TRUE(raw.out == numbered(0, head) + numbered(head + dropped, total));
    EXPECT_EQ(husk({"output", id, "--tail", "2"}).out, numbered(total - 32, total));
    EXPECT_EQ(husk({"output", id, "--lines", "3:4"}).out, numbered(32, 64));

    // Whoever asks for the middle is told that it is gone.
    const Ran middle = husk({"output", id, "--since", std::to_string(total / 2)});
    const uint64_t tail = head + dropped;
    EXPECT_TRUE(middle.out == numbered(tail, total));
    EXPECT_EQ(middle.err,
              "husk: " + std::to_string(tail - total / 2) + " bytes before this were not kept\n");
    const auto answer = husk({"output", id, "--since", std::to_string(total / 2), "--json"}).json();
    EXPECT_THAT(answer["output"].get<std::string>(), HasSubstr("left out"));
    EXPECT_GE(answer["excerpt"]["shown"][0][0].get<uint64_t>(), tail);
}

// What comes at a pace that a disk can follow is kept up to the cap, not only its last megabyte.
TEST(AloneFlood, AtAModeratePaceKeepsAllOfItsTail) {
    const Husk husk;
    constexpr uint64_t small_cap = 1 << 20;
    const auto report = husk({"run", "--json", "--keep-output", "1M", "--",
                              "for i in $(seq 160); do head -c 131072 /dev/zero; sleep 0.01; done"})
                            .json();
    const auto& excerpt = report["excerpt"];
    EXPECT_EQ(excerpt["total_bytes"], 160 * 131072);
    EXPECT_GE(160 * 131072 - excerpt["dropped_bytes"].get<uint64_t>(), small_cap * 3 / 4);
}

// While bytes are dropped under their eyes, readers get what was written or nothing.
class AloneFloodBeingRead : public testing::Test {
protected:
    AloneFloodBeingRead() : id(husk.background(flood(endless), {"--keep-output", "16K"})) {
        EXPECT_TRUE(eventually([&] { return !read({"--tail", "1"}).empty(); }));
    }

    std::string read(std::vector<std::string> options) const {
        std::vector<std::string> words = {"output", id};
        words.insert(words.end(), options.begin(), options.end());
        return husk(words).out;
    }

    Husk husk;
    std::string id;
};

bool is_a_line(const std::string& line) {
    return line.size() == 15 && line.find_first_not_of("0123456789") == std::string::npos;
}

TEST_F(AloneFloodBeingRead, ItsLastLinesAreWholeLines) {
    for (int i = 0; i < 50; ++i) {
        const auto lines = lines_of(read({"--tail", "300"}));
        ASSERT_FALSE(lines.empty());
        // The first may have lost its beginning to the gap before it.
        for (size_t at = 1; at < lines.size(); ++at) {
            ASSERT_TRUE(is_a_line(lines[at])) << "line " << at << ": " << lines[at];
            if (at == 1) continue;
            ASSERT_EQ(std::stoull(lines[at]), std::stoull(lines[at - 1]) + 1);
        }
    }
}

TEST_F(AloneFloodBeingRead, LinesThatMatchHaveTheirNumbers) {
    for (int i = 0; i < 50; ++i) {
        for (const std::string& line : lines_of(read({"--grep", "^0[0-9]*7$"}))) {
            const size_t colon = line.find(':');
            ASSERT_NE(colon, std::string::npos) << line;
            ASSERT_EQ(std::stoull(line.substr(0, colon)), std::stoull(line.substr(colon + 1)))
                << line;
        }
    }
}

TEST_F(AloneFloodBeingRead, AReportShowsExactlyItsRanges) {
    for (int i = 0; i < 50; ++i) {
        const auto report = husk({"output", id, "--json", "--since", "0"}).json();
        const std::string text = report["output"];
        for (const auto& range : report["excerpt"]["shown"]) {
            const std::string expected = numbered(range[0], range[1]);
            ASSERT_NE(text.find(expected), std::string::npos) << range << " is not in:\n" << text;
        }
    }
}

TEST_F(AloneFloodBeingRead, CanBeKilled) {
    const Ran killed = husk({"kill", id});
    EXPECT_EQ(killed.code, 0) << killed.err;
    EXPECT_LT(killed.took, patient(5s));
    EXPECT_EQ(husk.shell(id)["signal"], "SIGTERM");
}

// A terminal shows far less than a command can write, and ^C must work there above all.
class AloneFloodOnATerminal : public testing::TestWithParam<const char*> {
protected:
    std::vector<std::string> run(const std::string& command) const {
        return {"run", GetParam(), "--keep-output", "1M", "--", command + " # " + mark.word()};
    }

    // So that whoever passes its output on has to wait for the reader.
    bool is_far_ahead() const {
        const auto list = husk({"shells", "--json"}).json();
        return list["shells"][0]["excerpt"]["total_bytes"] > 4 << 20;
    }

    Mark mark;
    Husk husk;
};

INSTANTIATE_TEST_SUITE_P(, AloneFloodOnATerminal,
                         testing::Values("--streams=merged", "--stream-json"),
                         [](const auto& format) {
                             return std::string(format.param) == "--stream-json" ? "Events"
                                                                                 : "Plain";
                         });

TEST_P(AloneFloodOnATerminal, EndsWhenAskedHoweverSlowlyItIsRead) {
    Live live(husk, run(flood(endless)));
    ASSERT_TRUE(live.line());
    ASSERT_TRUE(eventually([&] { return is_far_ahead(); }));
    live.signal(SIGTERM);
    EXPECT_TRUE(eventually([&] { return live.skip(), live.code(0ms).has_value(); }, 8s));
    EXPECT_EQ(live.code(0ms), 143);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 2s));
}

TEST_P(AloneFloodOnATerminal, EndsWhenAskedEvenIfNobodyReads) {
    Live live(husk, run(flood(endless)));
    ASSERT_TRUE(live.line());
    ASSERT_TRUE(eventually([&] { return is_far_ahead(); }));
    live.signal(SIGTERM);
    EXPECT_EQ(live.code(8s), 143);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }, 2s));
}

TEST_P(AloneFloodOnATerminal, OfALeftoverDoesNotHoldUpTheAnswer) {
    Live live(husk, run(flood(endless) + " & echo hi; exit 3"));
    EXPECT_TRUE(eventually([&] { return live.skip(), live.code(0ms).has_value(); }, 8s));
    EXPECT_EQ(live.code(0ms), 3);
}

}  // namespace
}  // namespace husk::test
