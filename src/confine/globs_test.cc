#include "confine/globs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Globs : public testing::Test {
protected:
    Globs() {
        std::string name = (fs::temp_directory_path() / "husk-globs-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        root_ = fs::canonical(name);
    }
    ~Globs() override { fs::remove_all(root_); }

    void make(const std::string& file) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << "x";
    }
    Result<std::vector<fs::path>> found(const std::string& pattern, Mode mode = Mode::Workspace,
                                        Links links = Links::Refused) const {
        Wanted wanted;
        wanted.mode = mode;
        wanted.workspace = root_;
        wanted.protect = {pattern.starts_with('/') ? fs::path(pattern) : root_ / pattern};
        return find_matches(wanted, links);
    }
    // Below the root, sorted.
    std::vector<std::string> names(const std::string& pattern, Mode mode = Mode::Workspace,
                                   Links links = Links::Refused) const {
        const auto all = found(pattern, mode, links);
        EXPECT_TRUE(all) << all.error().text();
        std::vector<std::string> relative;
        for (const fs::path& path : all.value_or(std::vector<fs::path>()))
            relative.push_back(path.lexically_relative(root_).string());
        std::ranges::sort(relative);
        return relative;
    }
    std::string refusal(const std::string& pattern) const {
        const auto all = found(pattern);
        return all ? "" : all.error().text();
    }

    fs::path root_;
};

TEST_F(Globs, AreAboutWhatIsThere) {
    for (const char* file : {"a.env", "b.env", ".env", "env", "docs/one.md", "docs/two.txt",
                             "docs/in/three.md", "secret.txt", "x/secret.txt", "x/y/secret.txt",
                             "x/y/z/other", "app/[id]/page", "app/i/page"})
        make(file);
    struct Case {
        const char* pattern;
        std::vector<std::string> names;
    };
    const std::vector<Case> cases = {
        {"*.env", {".env", "a.env", "b.env"}},
        {"?.env", {"a.env", "b.env"}},
        {"[a]*.env", {"a.env"}},
        {"docs/*.md", {"docs/one.md"}},
        {"docs/**/*.md", {"docs/in/three.md", "docs/one.md"}},
        {"**/secret.txt", {"secret.txt", "x/secret.txt", "x/y/secret.txt"}},
        {"**/y/**/secret.txt", {"x/y/secret.txt"}},
        {"**/**/secret.txt", {"secret.txt", "x/secret.txt", "x/y/secret.txt"}},
        {"*/y", {"x/y"}},
        {"*/y/**", {"x/y"}},
        {"app/[id]/page", {"app/[id]/page", "app/i/page"}},
        {"*.nothing", {}},
        {"nosuch/*.env", {}},
    };
    for (const auto& [pattern, wanted] : cases) {
        EXPECT_EQ(names(pattern), wanted) << pattern;
        EXPECT_EQ(names(pattern, Mode::Open), wanted) << pattern;
        EXPECT_THAT(names(pattern, Mode::ReadOnly), IsEmpty()) << pattern;
    }
}

TEST_F(Globs, WhoseStarsAreLastAreWholeDirectories) {
    for (const char* path : {"/x/memo", "/x/memo/", "/x/memo/*", "/x/memo/**", "/x/memo/**/*"}) {
        EXPECT_EQ(without_stars(path), "/x/memo") << path;
        EXPECT_FALSE(is_glob(path)) << path;
    }
    for (const char* path : {"/x/*.a", "/x/*/a", "/x/**/a", "/x/a?", "/x/[ab]", "/x/*/a/**"})
        EXPECT_TRUE(is_glob(path)) << path;
}

TEST_F(Globs, LookForNothingOutsideOfTheWorkspace) {
    make("a/secret.txt");
    EXPECT_THAT(names("/**/" + root_.filename().string() + "/a/secret.txt"),
                ElementsAre("a/secret.txt"));
    EXPECT_THAT(names("/etc/*.conf"), IsEmpty());
}

TEST_F(Globs, FollowNoLinks) {
    make("real/secret.txt");
    fs::create_symlink(root_ / "real", root_ / "way");
    EXPECT_THAT(names("*/secret.txt"), ElementsAre("real/secret.txt"));
    fs::create_symlink("nowhere", root_ / "a.env");
    EXPECT_THAT(refusal("*.env"), HasSubstr("a.env, which is a link"));
    EXPECT_THAT(names("*.env", Mode::Workspace, Links::Told), ElementsAre("a.env"));
}

TEST_F(Globs, HaveBounds) {
    for (int i = 0; i < 256; ++i) make("f" + std::to_string(i) + ".env");
    EXPECT_EQ(names("*.env").size(), 256U);
    make("one-more.env");
    EXPECT_THAT(refusal("*.env"), HasSubstr("*.env matches more than 256 files"));
}

TEST(GlobsAsWritten, ThatWouldBeTakenForSomethingElseAreRefused) {
    const std::vector<std::pair<const char*, const char*>> cases = {
        {"/w/*.{env,key}", "write one for each"},
        {"/w/!keep", "takes something out"},
        {"/w/*/../x", ".. behind a wildcard"},
    };
    for (const auto& [text, why] : cases) {
        const auto checked = check_globs({text});
        ASSERT_FALSE(checked) << text;
        EXPECT_THAT(checked.error().text(), HasSubstr(why));
        EXPECT_THAT(checked.error().text(), HasSubstr(text));
    }
    for (const char* text : {"/w/x", "/w/**", "/w/*.env", "/w/{x}", "/w/a!b", "/w/../x/*.a"})
        EXPECT_TRUE(check_globs({text})) << text;
}

}  // namespace
}  // namespace husk::confine
