// Worktrees that a command adds: they work, or nothing is left of them.
#include <gmock/gmock.h>

#include "walled.h"

namespace husk::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Worktrees : public testing::TestWithParam<Who>, public Walled {
protected:
    Worktrees() : Walled(GetParam()) {
        EXPECT_EQ(in("open", "git init -q . && git add file && git commit -qm one").code, 0);
    }
    std::string known() const { return in("open", "git worktree list --porcelain").out; }
};

INSTANTIATE_TEST_SUITE_P(, Worktrees, both(), who_name);

TEST_P(Worktrees, WorkInTheWorkspace) {
    const nlohmann::json report = report_in("workspace",
                                            "git worktree add -q tree && git -C tree "
                                            "commit -q --allow-empty -m two");
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_THAT(report["reverted"], IsEmpty()) << report;
    EXPECT_THAT(known(), HasSubstr("/tree\n"));
    EXPECT_EQ(in("open", "git -C tree log --oneline | wc -l").out, "2\n");
}

// The tests may lie in /tmp, where a session has its own directories.
TEST_P(Worktrees, LeaveNothingIfNobodyElseSeesThem) {
    const std::string before = known();
    const nlohmann::json report = report_in("workspace", "git worktree add -q ../tree");
    EXPECT_EQ(known(), before);
    EXPECT_FALSE(std::filesystem::exists(work() / ".git" / "worktrees" / "tree"));
    if (report["exit_code"] == 0) {
        EXPECT_THAT(report["reverted"], Contains((work() / ".git/worktrees/tree").string()));
        EXPECT_THAT(report["notes"], Contains(HasSubstr("only this session sees its files")));
    } else {
        EXPECT_THAT(report["output"].get<std::string>(), HasSubstr("Read-only file system"));
    }
    const nlohmann::json next = report_in("workspace", "git worktree add -q /tmp/tree");
    EXPECT_THAT(next["notes"], Contains(HasSubstr("only this session sees its files"))) << next;
    EXPECT_EQ(known(), before);
}

}  // namespace
}  // namespace husk::test
