// The comparison finds what a person would notice, and nothing is normalised away that matters.
#include "outcome.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "temp_dir.h"

namespace husk::everyday {
namespace {

const Outcome good{
    .status = 0, .output = "42\n", .errors = "", .files = "", .denials = {}, .notes = {}};

TEST(EverydayOutcomes, TheExitStatusIsComparedAsItIs) {
    for (const int status : {1, 2, 124, 137}) {
        Outcome other = good;
        other.status = status;
        EXPECT_NE(difference(good, other, Output::Ignored), "") << status;
    }
}

TEST(EverydayOutcomes, OutputsThatMeanSomethingElseDiffer) {
    const std::pair<std::string, std::string> pairs[] = {
        {"42\n", "43\n"},
        {"1 passed", "0 passed"},
        {"1 passed in 0.1s", "0 passed in 0.1s"},
        {"", "Permission denied\n"},
        {"hello\n", ""},
        {"exit 1", "exit 0"},
        {"/tmp/file", "/srv/file"},
        {"pid 1", "pid none"},
        {"2024-05-01T12:00:00Z ok", "2024-05-01T12:00:00Z failed"},
        {"127.0.0.1", "127.0.0.2"},
    };
    for (const auto& [bare, walled] : pairs) {
        Outcome left = good, right = good;
        left.output = bare;
        right.output = walled;
        EXPECT_NE(difference(left, right, Output::AsWritten), "") << bare << " and " << walled;
        EXPECT_NE(difference(left, right, Output::Sorted), "") << bare << " and " << walled;
    }
}

TEST(EverydayOutcomes, TimesAndTemporaryNamesDoNot) {
    const std::pair<std::string, std::string> pairs[] = {
        {"done in 1.5s", "done in 2.25s"},
        {"took 20 ms", "took 3 ms"},
        {"2024-05-01 12:00:00", "2025-06-02 13:01:02"},
        {"at 12:00:00", "at 12:00:01"},
        {"pid 12", "pid 1234"},
        {"/tmp/tool.Ab3dE9", "/tmp/tool.zZ9yX1"},
        {"at 0x7f12ab34", "at 0x55aa0011"},
        {"a\r\n", "a\n"},
    };
    for (const auto& [one, other] : pairs) EXPECT_EQ(normalised(one), normalised(other));
}

TEST(EverydayOutcomes, TheOrderOfLinesCountsUnlessTheCaseSaysOtherwise) {
    Outcome other = good, two = good;
    two.output = "a\nb\n";
    other.output = "b\na\n";
    EXPECT_NE(difference(two, other, Output::AsWritten), "");
    EXPECT_EQ(difference(two, other, Output::Sorted), "");
}

TEST(EverydayOutcomes, FilesAreComparedByNamePermissionsAndContents) {
    const test::TempDir dir;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(dir.path() / name) << text;
    };
    Case one;
    write("a", "1");
    const std::string before = files_below(dir.path(), one);
    write("a", "2");
    EXPECT_NE(files_below(dir.path(), one), before);
    write("a", "1");
    EXPECT_EQ(files_below(dir.path(), one), before);
    ::chmod((dir.path() / "a").c_str(), 0755);
    EXPECT_NE(files_below(dir.path(), one), before);
    ::chmod((dir.path() / "a").c_str(), 0644);
    write("b", "");
    EXPECT_NE(files_below(dir.path(), one), before);
    one.ignored = {"b"};
    EXPECT_EQ(files_below(dir.path(), one), before);
    one.unstable = {"a"};
    const std::string names_only = files_below(dir.path(), one);
    write("a", "3");
    EXPECT_EQ(files_below(dir.path(), one), names_only);
}

}  // namespace
}  // namespace husk::everyday
