#include "tool/allowed_paths.h"

#include <gtest/gtest.h>

#include "temp_dir.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

class AllowedPaths : public testing::Test {
protected:
    AllowedPaths() {
        for (const char* name : {"a/x", "b/c", "inside", "outside/x"})
            fs::create_directories(root_ / name);
        fs::create_directory_symlink(root_ / "outside", root_ / "inside/link");
    }

    // Commands can write nowhere.
    static std::optional<Directories> in(const AllowedLists& lists) {
        return allowed_by_all(lists, {});
    }

    const test::TempDir directory_;
    const fs::path root_ = fs::canonical(directory_.path());
};

TEST_F(AllowedPaths, AreAllThatIsAskedForWithoutAnotherList) {
    EXPECT_EQ(in({.call = {{root_ / "a", root_ / "b"}}}), (Directories{root_ / "a", root_ / "b"}));
    EXPECT_EQ(in({.call = {{root_ / "missing"}}}), Directories{});
    EXPECT_EQ(in({}), std::nullopt);
}

TEST_F(AllowedPaths, AreThoseThatAllListsAllow) {
    const Directories asked = {root_ / "a/x", root_ / "b", root_ / "inside", root_ / "a/x"};
    const Directories users = {root_ / "a", root_ / "b/c"};
    EXPECT_EQ(in({.call = asked, .configured = users}),
              (Directories{root_ / "a/x", root_ / "b/c"}));
    EXPECT_EQ(in({.call = asked, .conversations = users}),
              (Directories{root_ / "a/x", root_ / "b/c"}));
    EXPECT_EQ(in({.call = asked, .configured = users, .conversations = {{root_ / "a"}}}),
              Directories{root_ / "a/x"});
    EXPECT_EQ(in({.call = {{root_}}, .configured = {{}}}), Directories{});
    EXPECT_EQ(in({.call = {{}}, .configured = {{root_}}}), Directories{});
}

TEST_F(AllowedPaths, ALinkDoesNotLeadOutOfAnotherList) {
    EXPECT_EQ(in({.call = {{root_ / "inside/link"}}, .configured = {{root_ / "inside"}}}),
              Directories{});
    EXPECT_EQ(in({.call = {{root_ / "inside/link"}}}), Directories{root_ / "outside"});
}

// A command can have made the link where it can write.
TEST_F(AllowedPaths, AnEntryOfTheUsersAllowsNothingBehindALinkInAWritablePlace) {
    const Directories link = {root_ / "inside/link", root_ / "a"};
    for (const AllowedLists& lists :
         {AllowedLists{.configured = link}, AllowedLists{.call = {{root_}}, .configured = link},
          AllowedLists{.conversations = link}}) {
        EXPECT_EQ(allowed_by_all(lists, {root_ / "inside"}), Directories{root_ / "a"});
        EXPECT_EQ(allowed_by_all(lists, {root_}), Directories{root_ / "a"});
    }
    // This link lies where only the user can write.
    EXPECT_EQ(in({.call = {{root_ / "outside/x"}}, .configured = link}),
              Directories{root_ / "outside/x"});
}

}  // namespace
}  // namespace husk::tool
