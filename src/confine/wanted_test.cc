// What a list of allowed paths leaves of the roots.
#include "confine/wanted.h"

#include <gtest/gtest.h>

#include "confine/view.h"
#include "temp_dir.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

class AllowedPaths : public testing::Test {
protected:
    AllowedPaths() {
        for (const char* name : {"work/in/deep", "given/part", "elsewhere"})
            fs::create_directories(top_ / name);
        fs::create_directory_symlink(top_ / "elsewhere", top_ / "work/link");
        fs::create_directory_symlink(top_ / "work", top_ / "name");
    }
    Wanted with(const Paths& allowed) const {
        Wanted wanted;
        wanted.workspace = top_ / "work";
        wanted.readable = {top_ / "given"};
        wanted.allowed = allowed;
        return resolved(std::move(wanted));
    }

    const test::TempDir dir_;
    const fs::path top_ = fs::canonical(dir_.path());
};

TEST_F(AllowedPaths, AreTheRootsWhereTheyOverlap) {
    const Wanted wanted = with({top_ / "work/in/", top_ / "elsewhere"});
    EXPECT_EQ(writable_roots(wanted), Paths{top_ / "work/in"});
    EXPECT_EQ(shown_roots(wanted), Paths{top_ / "work/in"});
    EXPECT_EQ(wanted.narrowed, Paths{top_ / "work"});
    EXPECT_EQ(with({top_ / "name/in"}).workspace, top_ / "work/in");
}

TEST_F(AllowedPaths, OutsideOfTheRootsShowNothing) {
    const Wanted wanted = with({top_ / "elsewhere"});
    EXPECT_EQ(wanted.mode, Mode::ReadOnly);
    EXPECT_EQ(writable_roots(wanted), Paths());
    EXPECT_EQ(shown_roots(wanted), Paths());
    EXPECT_EQ(wanted.readable, Paths());
    EXPECT_EQ(with({top_ / "given/part"}).readable, Paths{top_ / "given/part"});
}

// A command can have made the link.
TEST_F(AllowedPaths, BehindALinkInARootAllowNothing) {
    EXPECT_EQ(with({top_ / "work/link"}).allowed, Paths());
    EXPECT_EQ(with({top_ / "work/link/../work/in"}).allowed, Paths());
    EXPECT_EQ(with({top_ / "name/link"}).allowed, Paths());
}

}  // namespace
}  // namespace husk::confine
