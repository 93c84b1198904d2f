#include "cli/limit_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace std::literals;
using testing::HasSubstr;

namespace husk::cli {
namespace {

config::Settings with(std::initializer_list<std::string> limits) {
    config::Settings flags;
    for (const std::string& limit : limits) EXPECT_TRUE(set_limit(flags, limit)) << limit;
    return flags;
}

TEST(LimitOption, SetsWhatItNames) {
    const config::Settings flags =
        with({"cpu=1.5s", "memory=2G", "processes=100", "open_files=1024", "file_size=1g",
              "disk=5GiB", "output=10M", "idle=30s", "wall=5m"});
    EXPECT_EQ(flags.cpu.value, 1500ms);
    EXPECT_EQ(flags.memory.value, 2ULL << 30);
    EXPECT_EQ(flags.processes.value, 100U);
    EXPECT_EQ(flags.open_files.value, 1024U);
    EXPECT_EQ(flags.file_size.value, 1ULL << 30);
    EXPECT_EQ(flags.disk.value, 5ULL << 30);
    EXPECT_EQ(flags.output.value, 10ULL << 20);
    EXPECT_EQ(flags.idle.value, 30s);
    EXPECT_EQ(flags.timeout.value, 5min);
    EXPECT_EQ(to_text(flags.timeout.origin), "--limit");
}

TEST(LimitOption, NoneLiftsADefaultAndTheLastOneCounts) {
    const config::Settings flags = with(
        {"cpu=1s", "cpu=none", "memory=none", "processes=none", "open_files=none", "file_size=none",
         "disk=none", "output=1M", "output=none", "idle=1s", "idle=none", "wall=none", "wall=2s"});
    EXPECT_EQ(flags.cpu.value, std::nullopt);
    EXPECT_EQ(flags.idle.value, std::nullopt);
    EXPECT_EQ(flags.timeout.value, 2s);
    for (const auto* limit : {&flags.memory, &flags.processes, &flags.open_files, &flags.file_size,
                              &flags.disk, &flags.output}) {
        EXPECT_EQ(limit->value, std::nullopt);
        EXPECT_TRUE(limit->is_given());
    }
}

TEST(LimitOption, SaysWhatIsWrong) {
    struct Mistake {
        std::string text;
        std::vector<std::string> said;
    };
    const Mistake mistakes[] = {
        {"", {"--limit", "\"\"", "names no limit", "memory=2G"}},
        {"memory", {"\"memory\" has no value", "memory=2G"}},
        {"memory=", {"\"memory=\"", "a size", "memory=2G"}},
        {"memory=lots", {"\"memory=lots\"", "a size such as", "memory=2G"}},
        {"memory=0", {"more than 0"}},
        {"cpu=2G", {"\"cpu=2G\"", "a time such as", "cpu=10s"}},
        {"processes=2k", {"a number", "processes=100"}},
        {"processes=-1", {"a number"}},
        {"threads=3",
         {"\"threads=3\" names no limit", "cpu, memory, processes, open_files, file_size"}},
        {"Memory=2G", {"names no limit"}},
    };
    for (const auto& [text, said] : mistakes) {
        config::Settings flags;
        const auto done = set_limit(flags, text);
        ASSERT_FALSE(done) << text;
        for (const std::string& part : said)
            EXPECT_THAT(done.error().text(), HasSubstr(part)) << text;
    }
}

TEST(LimitOption, MayBeRepeatedAndLeavesTheCommandAlone) {
    CLI::App app;
    config::Settings flags;
    app.allow_extras();
    add_limit_option(app, flags);
    app.parse("--limit cpu=2s --limit memory=1G make");
    EXPECT_EQ(flags.cpu.value, 2s);
    EXPECT_EQ(flags.memory.value, 1ULL << 30);
    EXPECT_EQ(app.remaining(), std::vector<std::string>{"make"});
    EXPECT_THROW(app.parse("--limit memory=much"), CLI::ValidationError);
}

}  // namespace
}  // namespace husk::cli
