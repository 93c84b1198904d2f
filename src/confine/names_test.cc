// Protected names as one walk sees them.
#include "confine/names.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "temp_dir.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

class NameWalks : public testing::Test {
protected:
    Names found(const std::vector<fs::path>& names) const {
        NameWalk walk({root});
        for (const fs::path& name : names) walk.add(root / name);
        return std::move(walk).take();
    }
    static State state(const Names& names, const fs::path& path) {
        const auto one = names.find(path.native());
        EXPECT_NE(one, names.end()) << path;
        return one == names.end() ? State::Foreign : one->second.state;
    }

    test::TempDir dir;
    fs::path root = fs::canonical(dir.path());
};

// A command can replace the link in the root, so the path keeps it.
TEST_F(NameWalks, KeepLinksInRoots) {
    fs::create_directories(root / "outside");
    fs::create_directories(root / "work/v1");
    fs::create_directory_symlink(root / "work/cur", root / "outside/link");
    fs::create_directory_symlink("v1", root / "work/cur");
    const std::vector<fs::path> roots = {root / "work"};
    const auto up_to_roots = [&](const char* path) {
        return resolved_up_to_roots(root / path, roots).lexically_relative(root);
    };
    EXPECT_EQ(up_to_roots("outside/link/h.yaml"), "work/cur/h.yaml");
    EXPECT_EQ(resolved_up_to_roots(root / "outside/link/../h.yaml", roots).native(),
              (root / "work/cur/../h.yaml").native());
    EXPECT_EQ(up_to_roots("work/cur"), "work/cur");
    EXPECT_EQ(up_to_roots("outside/../work/none"), "work/none");
    NameWalk walk(roots);
    walk.add(root / "work/cur/h.yaml");
    const Names names = std::move(walk).take();
    EXPECT_EQ(state(names, root / "work/cur"), State::Link);
    EXPECT_EQ(state(names, root / "work/v1/h.yaml"), State::Absent);
}

// A command can replace a directory that a path leaves by `..`.
TEST_F(NameWalks, PinWhatAPathLeaves) {
    fs::create_directories(root / "work/x");
    fs::create_directories(root / "work/conf");
    fs::create_symlink("x/../conf", root / "work/l");
    const std::vector<fs::path> roots = {root / "work"};
    EXPECT_EQ(resolved_up_to_roots(root / "work/x/../conf", roots).native(),
              (root / "work/x/../conf").native());
    for (const char* path : {"work/x/../conf", "work/l", "work/none/../conf"}) {
        NameWalk walk(roots);
        walk.add(root / path);
        const Names names = std::move(walk).take();
        EXPECT_EQ(state(names, root / "work/conf"), State::Present) << path;
        if (path == std::string("work/none/../conf"))
            EXPECT_EQ(state(names, root / "work/none"), State::Absent);
        else
            EXPECT_EQ(state(names, root / "work/x"), State::Pinned) << path;
    }
}

// What is protected stays protected if another path only passes through it.
TEST_F(NameWalks, PinNothingThatIsProtected) {
    fs::create_directories(root / "x");
    fs::create_directories(root / "conf");
    EXPECT_EQ(state(found({"x", "x/../conf"}), root / "x"), State::Present);
    EXPECT_EQ(state(found({"x/../conf", "x"}), root / "x"), State::Present);
    Names names = found({"x/../conf"});
    EXPECT_EQ(state(names, root / "x"), State::Pinned);
    merge(names, found({"x"}));
    EXPECT_EQ(state(names, root / "x"), State::Present);
}

TEST_F(NameWalks, TellWhatIsThere) {
    std::ofstream(root / "file") << "x";
    const Names names = found({"file", "none", "file/inner", "none/deeper"});
    EXPECT_EQ(state(names, root / "file"), State::Present);
    for (const char* name : {"none", "file/inner", "none/deeper"})
        EXPECT_EQ(state(names, root / name), State::Absent) << name;
}

// No mount can hold a link, so the name behind it is protected as well.
TEST_F(NameWalks, KeepLinksAndLookBehindThem) {
    fs::create_directories(root / "real" / "inner");
    fs::create_symlink("real", root / "way");
    fs::create_symlink("real/nothing", root / "last");
    fs::create_symlink("/", root / "out");
    const Names names = found({"way/inner", "last", "out/etc"});
    EXPECT_EQ(state(names, root / "way"), State::Link);
    EXPECT_EQ(names.at((root / "way").native()).target, "real");
    EXPECT_EQ(state(names, root / "real" / "inner"), State::Present);
    EXPECT_EQ(state(names, root / "last"), State::Link);
    EXPECT_EQ(state(names, root / "real" / "nothing"), State::Absent);
    EXPECT_EQ(state(names, root / "out"), State::Link);
    EXPECT_EQ(names.size(), 5U)
        << "a link on the path, or what is outside of the roots, is no name";
}

TEST_F(NameWalks, DoNotEnterRepositoriesThroughLinks) {
    fs::create_directories(root / "real" / ".git");
    fs::create_symlink("real", root / "way");
    const Names names = found({"way/.git"});
    EXPECT_EQ(state(names, root / "way" / ".git"), State::Absent);
    EXPECT_EQ(names.size(), 1U);
}

// A command can make a path that has more parts than a process can have descriptors.
TEST_F(NameWalks, NeedFewDescriptors) {
    fs::path deep;
    for (int i = 0; i < 300; ++i) deep /= "d";
    fs::create_directories(root / deep);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 100;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const Names names = found({deep / "none", deep});
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(state(names, root / deep), State::Present);
    EXPECT_EQ(state(names, root / deep / "none"), State::Absent);
}

}  // namespace
}  // namespace husk::confine
