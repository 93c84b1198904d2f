#include "os/file_stamp.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "temp_dir.h"

using namespace std::chrono_literals;

namespace husk::os {
namespace {

class FileStamps : public testing::Test {
protected:
    void write(const std::string& text) const { std::ofstream(file_) << text; }

    test::TempDir dir_;
    std::filesystem::path file_ = dir_.path() / "file";
};

TEST_F(FileStamps, TellOneFileFromAnother) {
    const FileStamp nothing = stamp_of(file_);
    EXPECT_FALSE(nothing.exists());
    EXPECT_EQ(nothing.error, ENOENT);
    write("one");
    const FileStamp one = stamp_of(file_);
    EXPECT_TRUE(one.is_regular());
    EXPECT_EQ(one, stamp_of(file_));
    write("three");
    EXPECT_NE(one, stamp_of(file_));
    // The same text, in a file of its own.
    const std::filesystem::path other = dir_.path() / "other";
    std::ofstream(other) << "three";
    const FileStamp before = stamp_of(file_);
    std::filesystem::rename(other, file_);
    EXPECT_NE(before, stamp_of(file_));
}

TEST_F(FileStamps, KnowTheirAgeWhateverTheFileClaims) {
    write("new");
    const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), long_ago, 0), 0);
    EXPECT_FALSE(stamp_of(file_).is_older_than(1h));
    EXPECT_TRUE(stamp_of("/proc/self/exe").is_older_than(0ns));
}

TEST_F(FileStamps, ReadRegularFilesAndNothingElse) {
    write("text");
    EXPECT_EQ(read_regular_file(file_, 100).value_or(""), "text");
    EXPECT_EQ(read_regular_file(file_, 2).value_or(""), "te");
    const std::filesystem::path fifo = dir_.path() / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    for (const std::filesystem::path& path :
         {fifo, dir_.path(), std::filesystem::path("/dev/zero")}) {
        const auto read = read_regular_file(path, 100);
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().code, EINVAL) << path;
    }
}

TEST_F(FileStamps, KnowWhetherSomebodyWrites) {
    write("text");
    EXPECT_EQ(writer_of(file_), FileWriter::None);
    const int reader = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(writer_of(file_), FileWriter::None);
    const int writer = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(writer_of(file_), FileWriter::Some);
    ::close(writer);
    EXPECT_EQ(writer_of(file_), FileWriter::None);
    ::close(reader);
    EXPECT_EQ(writer_of(dir_.path() / "nothing"), FileWriter::None);
}

// About a file of root, the kernel tells an ordinary user nothing.
TEST_F(FileStamps, DoNotClaimThatNobodyWritesWhereTheKernelDoesNotTell) {
    constexpr uid_t ordinary = 65534;
    const uid_t own = ::geteuid();
    if (own == 0) {
        ASSERT_EQ(::seteuid(ordinary), 0);
    }
    const FileWriter writer = writer_of("/etc/passwd");
    ASSERT_EQ(::seteuid(own), 0);
    EXPECT_EQ(writer, FileWriter::Unknown);
}

}  // namespace
}  // namespace husk::os
