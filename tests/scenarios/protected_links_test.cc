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

}  // namespace
}  // namespace husk::test
