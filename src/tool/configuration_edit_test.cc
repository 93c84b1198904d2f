#include "tool/configuration_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "os/file.h"
#include "tool/trust.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Edited : public testing::Test {
protected:
    Edited() {
        std::string name = (fs::temp_directory_path() / "husk-edit-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        dir_ = name;
        file_ = dir_ / "config" / "husk.yaml";
    }
    ~Edited() override { fs::remove_all(dir_); }

    std::string text() const { return os::read_file(file_).value_or("(none)"); }
    void write(const std::string& text) const {
        fs::create_directories(file_.parent_path());
        EXPECT_TRUE(os::replace_file(file_, text, 0644));
    }

    fs::path dir_;
    fs::path file_;
};

TEST_F(Edited, IsMadeWhereThereIsNone) {
    ASSERT_TRUE(approve_always(file_, "/w", "git push"));
    EXPECT_EQ(text(), "permissions:\n  approved:\n    /w: [\"git push\"]\n");
    EXPECT_EQ(text(), approval_text("/w", "git push"));
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Edited, KeepsCommentsPermissionsAndLinks) {
    write("# mine\npermissions:\n  approved:\n    /w:\n    - ls  # harmless\n");
    fs::rename(file_, dir_ / "real.yaml");
    fs::create_symlink("../real.yaml", file_);
    for (const char* command : {"a b", "c", "ls"})
        ASSERT_TRUE(approve_always(file_, "/w", command));
    EXPECT_EQ(text(),
              "# mine\npermissions:\n  approved:\n    /w:\n    - ls  # harmless\n    - \"a b\"\n"
              "    - c\n");
    EXPECT_TRUE(fs::is_symlink(file_));
    struct stat info{};
    ASSERT_EQ(::stat(file_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0644U);
    // Nothing is left beside it.
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 2);
}

TEST_F(Edited, IsNotWrittenWhenItCouldNotBeUsed) {
    for (const std::string before : {"mod: open\n", "permissions: {approved: a}\n", "a: [\n"}) {
        write(before);
        EXPECT_FALSE(approve_always(file_, "/w", "a")) << before;
        EXPECT_EQ(text(), before);
    }
    write("mode: open\n");
    EXPECT_FALSE(approve_always(file_, "w", "a"));  // nobody knows from where
    EXPECT_EQ(text(), "mode: open\n");
    EXPECT_FALSE(approve_always("", "/w", "a"));
}

TEST_F(Edited, LosesNothingWhenManyWriteAtOnce) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back(
            [&, i] { EXPECT_TRUE(approve_always(file_, "/w", "p" + std::to_string(i))); });
    threads.clear();
    for (int i = 0; i < 8; ++i) EXPECT_THAT(text(), HasSubstr("p" + std::to_string(i)));
}

TEST_F(Edited, AndTrustedAreOnlyThePathWithItsContent) {
    write("mode: open\n");
    const fs::path state = dir_ / "state";
    EXPECT_FALSE(is_trusted(state, file_, "mode: open\n"));
    ASSERT_TRUE(trust(state, file_, "mode: open\n"));
    EXPECT_TRUE(is_trusted(state, file_, "mode: open\n"));
    EXPECT_FALSE(is_trusted(state, file_, "mode: open"));
    EXPECT_FALSE(is_trusted(state, dir_ / "other.yaml", "mode: open\n"));
    ASSERT_TRUE(trust(state, file_, "mode: workspace\n"));
    EXPECT_FALSE(is_trusted(state, file_, "mode: open\n"));
    EXPECT_EQ(list_trusted(state)->size(), 1U);
    EXPECT_EQ(revoke(state, file_), true);
    EXPECT_EQ(revoke(state, file_), false);
    EXPECT_FALSE(is_trusted(state, file_, "mode: workspace\n"));
}

TEST_F(Edited, AndADamagedListOfTrustIsNone) {
    const fs::path state = dir_ / "state";
    ASSERT_TRUE(trust(state, "/x", "a"));
    for (const std::string list : {"x\n", "0123 /x\n", "\n"}) {
        ASSERT_TRUE(os::replace_file(state / "trusted", list, 0600));
        EXPECT_FALSE(list_trusted(state)) << list;
        EXPECT_FALSE(is_trusted(state, "/x", "a")) << list;
    }
}

}  // namespace
}  // namespace husk::tool
