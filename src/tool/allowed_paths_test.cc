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

    const test::TempDir directory_;
    const fs::path root_ = fs::canonical(directory_.path());
};

TEST_F(AllowedPaths, AreAllThatIsAskedForWithoutBounds) {
    EXPECT_EQ(resolved_in_both({root_ / "a", root_ / "b"}, std::nullopt),
              (Directories{root_ / "a", root_ / "b"}));
    EXPECT_EQ(resolved_in_both({root_ / "missing"}, std::nullopt), Directories{});
}

TEST_F(AllowedPaths, AreThoseThatBothAllow) {
    EXPECT_EQ(resolved_in_both({root_ / "a/x", root_ / "b", root_ / "inside", root_ / "a/x"},
                               Directories{root_ / "a", root_ / "b/c"}),
              (Directories{root_ / "a/x", root_ / "b/c"}));
    EXPECT_EQ(resolved_in_both({root_}, Directories{}), Directories{});
    EXPECT_EQ(resolved_in_both({}, Directories{root_}), Directories{});
}

TEST_F(AllowedPaths, ALinkDoesNotLeadOutOfTheBounds) {
    EXPECT_EQ(resolved_in_both({root_ / "inside/link"}, Directories{root_ / "inside"}),
              Directories{});
    EXPECT_EQ(resolved_in_both({root_ / "outside/x"}, Directories{root_ / "inside/link"}),
              Directories{root_ / "outside/x"});
}

}  // namespace
}  // namespace husk::tool
