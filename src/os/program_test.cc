#include "os/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "temp_dir.h"

namespace husk::os {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

TEST(OpenProgram, OpensAProgramOfTheSystem) {
    const auto bash = open_bash();
    ASSERT_TRUE(bash) << bash.error().text();
    EXPECT_EQ(fs::canonical("/bin/bash"), bash->path);
    struct stat opened{};
    struct stat there{};
    ASSERT_EQ(::fstat(bash->file.get(), &opened), 0);
    ASSERT_EQ(::stat("/bin/bash", &there), 0);
    EXPECT_EQ(opened.st_ino, there.st_ino);
}

TEST(OpenProgram, FollowsLinksOfRoot) {
    // A link in /etc/alternatives is between this name and the file.
    if (!fs::exists("/usr/bin/awk")) GTEST_SKIP() << "there is no awk";
    const auto awk = open_program("/usr/bin/awk");
    ASSERT_TRUE(awk) << awk.error().text();
    EXPECT_EQ(fs::canonical("/usr/bin/awk"), awk->path);
}

TEST(OpenProgram, SaysWhatIsNotThere) {
    EXPECT_EQ(open_program("/usr/bin/no-such-program").error().code, ENOENT);
    EXPECT_EQ(open_program("/usr/bin/bash/x").error().code, ENOTDIR);
}

TEST(OpenProgram, TakesNoRelativePath) {
    for (const char* path : {"", "bash", "./bash", "bin/bash"})
        EXPECT_FALSE(open_program(path)) << path;
}

TEST(OpenProgram, TakesNothingButAProgram) {
    for (const char* path : {"/", "/usr/bin", "/dev/null", "/etc/passwd"})
        EXPECT_FALSE(open_program(path)) << path;
}

class Planted : public testing::Test {
protected:
    fs::path program(const std::string& name, fs::perms mode) const {
        const fs::path path = dir_.path() / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << "#!/bin/sh\n";
        fs::permissions(path, mode);
        return path;
    }
    static std::string refusal(const fs::path& path) {
        const auto opened = open_program(path);
        return opened ? "" : opened.error().text();
    }

    test::TempDir dir_;
};

constexpr auto usual = static_cast<fs::perms>(0755);

TEST_F(Planted, AProgramThatOthersCanWriteIsRefused) {
    EXPECT_THAT(refusal(program("all", static_cast<fs::perms>(0777))),
                HasSubstr("others than root can change"));
    EXPECT_THAT(refusal(program("group", static_cast<fs::perms>(0775))),
                HasSubstr("others than root can change"));
}

TEST_F(Planted, AProgramOfAnotherUserIsRefused) {
    const fs::path path = program("mine", usual);
    const bool given = ::geteuid() == 0;
    EXPECT_EQ(given ? ::chown(path.c_str(), 65534, 65534) : 0, 0);
    EXPECT_THAT(refusal(path), HasSubstr("others than root can change"));
}

TEST_F(Planted, ADirectoryThatOthersCanWriteIsRefused) {
    const fs::path path = program("open/program", usual);
    fs::permissions(path.parent_path(), static_cast<fs::perms>(0777));
    EXPECT_THAT(refusal(path), HasSubstr("others than root can change"));
}

TEST_F(Planted, ALinkThroughADirectoryOfOthersIsRefused) {
    const fs::path open = dir_.path() / "open";
    fs::create_directories(open);
    fs::create_symlink("/usr/bin/bash", open / "bash");
    fs::permissions(open, static_cast<fs::perms>(0777));
    fs::create_symlink(open / "bash", dir_.path() / "link");
    EXPECT_THAT(refusal(dir_.path() / "link"), HasSubstr("others than root can change"));
}

TEST_F(Planted, ALoopOfLinksEnds) {
    fs::create_symlink("b", dir_.path() / "a");
    fs::create_symlink("a", dir_.path() / "b");
    EXPECT_NE(refusal(dir_.path() / "a"), "");
}

}  // namespace
}  // namespace husk::os
