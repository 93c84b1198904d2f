#include "cli/limit_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace std::literals;
using testing::HasSubstr;

namespace husk::cli {
namespace {

Request with(std::initializer_list<std::string> limits) {
    Request request;
    for (const std::string& limit : limits) EXPECT_TRUE(set_limit(request, limit)) << limit;
    return request;
}

TEST(LimitOption, SetsWhatItNames) {
    const Request request =
        with({"cpu=1.5s", "memory=2G", "processes=100", "files=1024", "file_size=1g", "disk=5GiB",
              "output=10M", "idle=30s", "wall=5m"});
    EXPECT_EQ(request.limits.cpu, 1500ms);
    EXPECT_EQ(request.limits.memory, 2ULL << 30);
    EXPECT_EQ(request.limits.processes, 100U);
    EXPECT_EQ(request.limits.open_files, 1024U);
    EXPECT_EQ(request.limits.file_size, 1ULL << 30);
    EXPECT_EQ(request.limits.disk, 5ULL << 30);
    EXPECT_EQ(request.output_limit, 10ULL << 20);
    EXPECT_EQ(request.idle_timeout, 30s);
    EXPECT_EQ(request.timeout, 5min);
}

TEST(LimitOption, NoneLiftsADefaultAndTheLastOneCounts) {
    const Request request = with({"cpu=1s", "cpu=none", "memory=none", "processes=none",
                                  "files=none", "file_size=none", "disk=none", "output=1M",
                                  "output=none", "idle=1s", "idle=none", "wall=none", "wall=2s"});
    EXPECT_EQ(request.limits.cpu, 0ms);
    EXPECT_EQ(request.limits.memory, 0U);
    EXPECT_EQ(request.limits.processes, 0U);
    EXPECT_EQ(request.limits.open_files, 0U);
    EXPECT_EQ(request.limits.file_size, 0U);
    EXPECT_EQ(request.limits.disk, 0U);
    EXPECT_EQ(request.output_limit, std::nullopt);
    EXPECT_EQ(request.idle_timeout, std::nullopt);
    EXPECT_EQ(request.timeout, 2s);
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
        {"threads=3", {"\"threads=3\" names no limit", "cpu, memory, processes, files, file_size"}},
        {"Memory=2G", {"names no limit"}},
    };
    for (const auto& [text, said] : mistakes) {
        Request request;
        const auto done = set_limit(request, text);
        ASSERT_FALSE(done) << text;
        for (const std::string& part : said)
            EXPECT_THAT(done.error().text(), HasSubstr(part)) << text;
    }
}

TEST(LimitOption, MayBeRepeatedAndLeavesTheCommandAlone) {
    CLI::App app;
    Request request;
    app.allow_extras();
    add_limit_option(app, request);
    app.parse("--limit cpu=2s --limit memory=1G make");
    EXPECT_EQ(request.limits.cpu, 2s);
    EXPECT_EQ(request.limits.memory, 1ULL << 30);
    EXPECT_EQ(app.remaining(), std::vector<std::string>{"make"});
    EXPECT_THROW(app.parse("--limit memory=much"), CLI::ValidationError);
}

}  // namespace
}  // namespace husk::cli
