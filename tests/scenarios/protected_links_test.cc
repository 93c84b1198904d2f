// Links in the place of protected names, and on the way to them.
#include <gmock/gmock.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class ProtectedLinks : public testing::TestWithParam<Who>, public Walled {
protected:
    ProtectedLinks() : Walled(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, ProtectedLinks, both(), who_name);

// No mount can hold a link: what is behind it is held, and the link comes back.
TEST_P(ProtectedLinks, AreKeptAndSoIsWhatIsBehind) {
    write(work() / "tools" / "claude" / "settings.json", "of the user");
    write(work() / "gh" / "file", "");
    fs::create_symlink("tools/claude", work() / ".claude");
    fs::create_symlink("gh", work() / ".github");
    fs::create_symlink("tools/mcp.json", work() / ".mcp.json");
    const auto links = [&] {
        return fs::read_symlink(work() / ".claude").string() + " " +
               fs::read_symlink(work() / ".github").string();
    };
    const nlohmann::json through =
        report_in("workspace",
                  "echo x > .claude/settings.json; echo x > .claude/more; mv tools other;"
                  "mkdir gh/copilot; echo x > tools/mcp.json; true");
    EXPECT_THAT(through["reverted"].get<std::vector<std::string>>(),
                UnorderedElementsAre((work() / "gh/copilot").string(),
                                     (work() / "tools/mcp.json").string()));
    EXPECT_EQ(read_text(work() / ".claude" / "settings.json"), "of the user");
    EXPECT_FALSE(fs::exists(work() / ".claude" / "more"));
    const nlohmann::json replaced =
        report_in("workspace",
                  "mkdir -p evil/copilot; rm .claude .github; ln -s evil .github; mv evil/copilot "
                  ".claude; mkdir evil/copilot");
    EXPECT_THAT(replaced["reverted"].get<std::vector<std::string>>(),
                UnorderedElementsAre((work() / ".claude").string(), (work() / ".github").string()));
    EXPECT_EQ(links(), "tools/claude gh");
}

TEST_P(ProtectedLinks, OfTheCommandAreTakenAway) {
    const nlohmann::json report =
        report_in("workspace", "mkdir -p gh/copilot; ln -s gh .github; touch gh/copilot/x");
    EXPECT_EQ(report["reverted"], nlohmann::json({(work() / ".github").string()})) << report;
    EXPECT_FALSE(fs::exists(fs::symlink_status(work() / ".github")));
    EXPECT_TRUE(fs::exists(work() / "gh/copilot/x"));
}

// A way to what is protected, and what a command does to lead it elsewhere.
struct Detour {
    std::string protect;
    std::string file;  // that is behind it
    std::string attack;
};

// docs/walls.md, "Links": a command can replace nothing on the way to a path of --protect.
TEST_P(ProtectedLinks, OnTheWayAreKeptInEveryMode) {
    const Detour detours[] = {
        {"l/*.md", "l/f.md", "rm l && mkdir l && echo evil > l/f.md"},
        {"l/*.md", "l/f.md", "mkdir evil && echo evil > evil/f.md && ln -sfn evil l"},
        {"l/**/*.md", "l/f.md", "rm l && mkdir l && echo evil > l/f.md"},
        {"a/l/[f].md", "a/l/f.md", "mv a b && mkdir -p a/l && echo evil > a/l/f.md"},
        {"l/f.md", "l/f.md", "rm l && mkdir l && echo evil > l/f.md"},
        {"l/*", "l/f.md", "rm l && mkdir l && echo evil > l/f.md"},
        {"x/../real", "x/../real/f.md",
         "mv x y && mkdir -p evil/d evil/real && echo evil > evil/real/f.md &&"
         "ln -s evil/d x"},
        {"x/../real/*.md", "x/../real/f.md",
         "mv x y && mkdir -p evil/d evil/real && echo evil > evil/real/f.md &&"
         "ln -s evil/d x"},
    };
    for (const char* mode : {"workspace", "open"})
        for (const Detour& detour : detours) {
            SCOPED_TRACE(std::string(mode) + " " + detour.protect + ": " + detour.attack);
            for (const char* made : {"real", "a", "b", "l", "x", "y", "evil"})
                fs::remove_all(work() / made);
            write(work() / "real/f.md", "of the user");
            write(work() / "a/file", "");
            write(work() / "x/file", "");
            fs::create_symlink("real", work() / "l");
            fs::create_symlink("../real", work() / "a/l");
            const std::vector<std::string> options = {"--protect", detour.protect};
            const Ran ran = in(mode, detour.attack, options);
            EXPECT_EQ(read_text(work() / detour.file), "of the user") << ran.err;
            in(mode, "echo evil > '" + detour.file + "'", options);
            EXPECT_EQ(read_text(work() / detour.file), "of the user") << "of the next call";
        }
}

// Where no mount holds anything, the mason makes the link again, and a note names what it left.
TEST_P(ProtectedLinks, OnTheWayAreKeptOrNamedWithoutMounts) {
    write(work() / "real/f.md", "of the user");
    write(work() / "x/file", "");
    fs::create_symlink("real", work() / "l");
    const nlohmann::json link =
        pretending("mountns=no", "open", "rm l && mkdir l && echo evil > l/f.md",
                   {"--json", "--protect", "l/*.md"})
            .json();
    EXPECT_EQ(link["reverted"], nlohmann::json({(work() / "l").string()})) << link;
    EXPECT_EQ(link["notes"], nlohmann::json::array());
    EXPECT_EQ(read_text(work() / "l/f.md"), "of the user");
    const nlohmann::json left = pretending("mountns=no", "open", "mv x y && ln -s /tmp x",
                                           {"--json", "--protect", "x/../real"})
                                    .json();
    EXPECT_THAT(left["notes"].dump(), testing::HasSubstr("/x was replaced")) << left;
}

// The directory that the path leaves can be used as before.
TEST_P(ProtectedLinks, LeaveTheDirectoryBeforeDotsWritable) {
    for (const char* mode : {"workspace", "open"}) {
        write(work() / "x/file", "");
        write(work() / "real/f", "of the user");
        const Ran ran = in(mode, "echo new > x/file && mkdir -p x/more && rmdir x/more",
                           {"--protect", "x/../real"});
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(read_text(work() / "x/file"), "new\n");
    }
}

}  // namespace
}  // namespace husk::test
