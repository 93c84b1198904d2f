// `git submodule update --init` makes a .git that git enters by itself. It stays if git runs
// nothing because of it.
#include <gmock/gmock.h>

#include "planted_git.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Submodules : public testing::TestWithParam<Who>, public Walled {
protected:
    Submodules() : Walled(GetParam()) {
        write(home() / ".gitconfig", std::string(git_settings) +
                                         "[protocol \"file\"]\n\tallow = "
                                         "always\n");
        EXPECT_EQ(in("open", std::string(words) + empty_submodule).code, 0);
    }
    nlohmann::json call(const std::string& command) const {
        return report_in("workspace", std::string(words) + command,
                         {"--env", "TRAP=" + (outside() / "trap").string()});
    }
    std::string by_user(const std::string& command) const { return in("open", command).out; }
};

INSTANTIATE_TEST_SUITE_P(, Submodules, both(), who_name);

TEST_P(Submodules, AreCheckedOut) {
    // Longer than the mason waits before it looks.
    const nlohmann::json report = call(
        "git submodule --quiet update --init && for i in {1..8}; do touch file; sleep 0.1; "
        "done; git submodule status | cut -c1");
    EXPECT_EQ(report["output"], " \n") << report;
    EXPECT_THAT(report["reverted"], IsEmpty()) << report;
    EXPECT_EQ(by_user("git submodule status | cut -c1; git -C sub log --oneline | wc -l"),
              " \n1\n");
    const nlohmann::json next =
        call("git -C sub commit -q --allow-empty -m two && git add sub && git commit -qm two");
    EXPECT_EQ(next["exit_code"], 0) << next;
    EXPECT_THAT(next["reverted"], IsEmpty()) << next;
    EXPECT_EQ(by_user("git submodule status | cut -c1"), " \n");
}

TEST_P(Submodules, AreTakenAwayIfGitWouldRunSomething) {
    for (const char* evil :
         {"trap_in .git/modules/sub", "hook_in .git/modules/sub",
          "rm sub/.git; mv .git/modules/sub "
          "evil; trap_in evil; echo 'gitdir: ../evil' > sub/.git",
          "mv .git/modules/sub evil; trap_in evil; ln -s ../../evil .git/modules/sub"}) {
        const nlohmann::json report =
            call(std::string("git submodule --quiet update --init; ") + evil);
        EXPECT_THAT(report["reverted"], Contains((work() / "sub" / ".git").string()))
            << evil << report;
        by_user("touch sub/x; git status; git submodule status");
        EXPECT_FALSE(fs::exists(outside() / "trap")) << evil;
        by_user(
            "rm -rf sub evil .git/modules; mkdir sub; git config --remove-section "
            "submodule.sub");
    }
}

}  // namespace
}  // namespace husk::test
