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

// Commands can make links in the roots, and then the user's setting would name what they choose.
TEST(Wanted, RefusesPathsThroughALinkInARoot) {
    const test::TempDir dir;
    const fs::path top = fs::canonical(dir.path());
    for (const char* name : {"work/real", "more", "elsewhere"}) fs::create_directories(top / name);
    fs::create_directory_symlink(top / "elsewhere", top / "work/link");
    fs::create_directory_symlink("real", top / "work/alias");
    fs::create_directory_symlink(top / "nowhere", top / "work/dangling");
    fs::create_directory_symlink(top / "elsewhere", top / "more/link");
    fs::create_directory_symlink(top / "more", top / "users");
    const auto refused = [&](const Paths& writable, const Paths& readable) {
        Wanted wanted;
        wanted.workspace = top / "work";
        wanted.writable = writable;
        wanted.readable = readable;
        const auto found = resolved(std::move(wanted)).refused;
        return found ? found->text() : "";
    };
    const auto leads = [&](const char* setting, const char* from, const char* to) {
        return std::string(setting) + ": " + (top / from).string() + " leads through a link to " +
               (top / to).string() + "; give that path if it is meant";
    };
    EXPECT_EQ(refused({top / "work/link"}, {}), leads("write", "work/link", "elsewhere"));
    EXPECT_EQ(refused({}, {top / "work/link/x"}), leads("read", "work/link/x", "elsewhere/x"));
    EXPECT_EQ(refused({}, {top / "work/alias"}), leads("read", "work/alias", "work/real"));
    EXPECT_NE(refused({}, {top / "work/dangling"}), "");
    EXPECT_EQ(refused({top / "more"}, {top / "more/link"}),
              leads("read", "more/link", "elsewhere"));
    EXPECT_EQ(refused({top / "users"}, {top / "users/link"}),
              leads("read", "users/link", "elsewhere"));
    // Links outside of the roots are the user's own.
    EXPECT_EQ(refused({top / "users"}, {top / "work/real", top / "elsewhere", top / "missing/"}),
              "");
    EXPECT_EQ(refused({}, {top / "users/link"}), "");
}

}  // namespace
}  // namespace husk::confine
