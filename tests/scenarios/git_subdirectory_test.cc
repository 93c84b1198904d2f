// A workspace that is a directory in the checkout of a repository: git works there, and what lies
// around it stays as it is.
#include <gmock/gmock.h>

#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* settings =
    "[user]\n\tname = Somebody\n\temail = s@example.org\n[init]\n\tdefaultBranch = master\n";

class GitInASubdirectory : public testing::TestWithParam<Who>, public Walled {
protected:
    GitInASubdirectory() : Walled(GetParam()) {
        write(home() / ".gitconfig", settings);
        write(top() / "above", "one\n");
        write(below() / "file", "one\n");
        by_user(
            "git init -q . && git add . && git commit -qm one && git checkout -qb other && echo "
            "two > above && echo two > project/file && git commit -qam two && git checkout -q "
            "master && git init -q --bare ../up.git && echo /project/up.git > .git/info/exclude"
            " && mv ../up.git project");
    }
    fs::path top() const { return husk().dir() / "repository"; }
    fs::path below() const { return top() / "project"; }
    std::string by_user(const std::string& command) const {
        const Ran ran = in("open", command, {}, top());
        EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        return ran.out;
    }
    nlohmann::json call(const std::string& command, const std::string& mode = "workspace") const {
        return in(mode, command, {"--json"}, below()).json();
    }
};

INSTANTIATE_TEST_SUITE_P(, GitInASubdirectory, both(), who_name);

TEST_P(GitInASubdirectory, Works) {
    const nlohmann::json report = call(
        "git status --short && echo more >> file && git add file && git commit -qm more &&"
        "echo x >> file && git stash -q && git stash pop -q && git checkout -q file &&"
        "git checkout -qb mine && echo n > new && git add new && git commit -qm new &&"
        "git checkout -q master && echo m > m && git add m && git commit -qm m &&"
        "git rebase -q mine && git remote add up \"$PWD/up.git\" && git push -qu up master &&"
        "git gc -q && git log --oneline | wc -l");
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_EQ(report["output"], "4\n") << report;
    EXPECT_THAT(report["denials"], IsEmpty()) << report;
    EXPECT_THAT(report["reverted"], IsEmpty()) << report;
    EXPECT_EQ(by_user("git status --short; git rev-parse --abbrev-ref @{upstream}"), "up/master\n");
    EXPECT_EQ(by_user("git log --oneline | wc -l"), "4\n");
}

TEST_P(GitInASubdirectory, CanBeAskedWithoutWriting) {
    const nlohmann::json report = call("git log --oneline | wc -l; cat ../above", "read-only");
    EXPECT_EQ(report["output"], "1\none\n") << report;
}

TEST_P(GitInASubdirectory, LeavesWhatLiesAroundIt) {
    const nlohmann::json report = call("echo x > ../above; rm -f ../above; git checkout -q other");
    EXPECT_EQ(read_text(top() / "above"), "one\n");
    EXPECT_THAT(report["output"].get<std::string>(), HasSubstr("Read-only file system"));
    const std::string denials = report["denials"].dump();
    EXPECT_THAT(denials, HasSubstr(R"("operation":"remove")")) << report;
    EXPECT_THAT(denials, HasSubstr("write: [\\\"" + top().string() + "\\\"]")) << report;
}

TEST_P(GitInASubdirectory, ProtectsHooksAndSettings) {
    const nlohmann::json report = call(
        "echo x > ../.git/hooks/pre-commit; git config core.hooksPath x; echo x >> ../.git/config;"
        "echo x > ../.git/info/attributes; git -C .. config alias.x '!y'");
    EXPECT_FALSE(fs::exists(top() / ".git" / "hooks" / "pre-commit"));
    EXPECT_FALSE(fs::exists(top() / ".git" / "info" / "attributes"));
    EXPECT_THAT(read_text(top() / ".git" / "config"), Not(HasSubstr("x\n")));
    EXPECT_THAT(report["notes"], Contains(HasSubstr("git config core.hooksPath: "))) << report;
    EXPECT_THAT(report["notes"], Contains(HasSubstr("hooks/pre-commit is read-only"))) << report;
    EXPECT_THAT(report["denials"].dump(), Not(HasSubstr("write:"))) << report;
}

TEST_P(GitInASubdirectory, IsProtectedIfItsRepositoryIsGiven) {
    write(husk().dir() / "else" / "file", "");
    ASSERT_EQ(in("open", "git init -q .", {}, husk().dir() / "else").code, 0);
    const std::string git = (husk().dir() / "else" / ".git").string();
    const Ran ran =
        in("workspace", "cd " + git + "; touch x; echo x > hooks/pre-commit; echo x >> config",
           {"--write", git, "--json"}, below());
    EXPECT_TRUE(fs::exists(git + "/x"));
    EXPECT_FALSE(fs::exists(git + "/hooks/pre-commit"));
    EXPECT_THAT(ran.json()["denials"].dump(), Not(HasSubstr("write:"))) << ran.out;
}

TEST_P(GitInASubdirectory, NeverSuggestsToOpenARepository) {
    write(home() / "else" / "file", "");
    ASSERT_EQ(in("open", "git init -q .", {}, home() / "else").code, 0);
    write(husk().dir() / "far" / "file", "");
    const fs::path far = husk().dir() / "far";
    ASSERT_EQ(in("open", "git init -q .", {}, far).code, 0);
    for (const char* mode : {"workspace", "read-only"}) {
        const nlohmann::json report =
            call("echo x > " + far.string() + "/.git/x; echo x > ../.git/x", mode);
        EXPECT_THAT(report["denials"].dump(), Not(HasSubstr(".git\\\"]"))) << report;
    }
}

// Nothing that is withheld can be read because it lies in the checkout.
TEST_P(GitInASubdirectory, ShowsNoSecretOfTheCheckout) {
    const fs::path checkout = home() / ".config";
    write(checkout / "gh" / "hosts.yml", "the secret\n");
    write(checkout / "editor" / "file", "x\n");
    ASSERT_EQ(
        in("open", "git init -q . && git add editor && git commit -qm one", {}, checkout).code, 0);
    const Ran ran =
        in("workspace", "git log --oneline | wc -l; cat ../gh/hosts.yml", {}, checkout / "editor");
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("the secret"))) << ran.out;
}

TEST_P(GitInASubdirectory, DoesNotOpenARepositoryThatIsAHome) {
    write(home() / "project" / "file", "x\n");
    ASSERT_EQ(in("open", "git init -q . && git add project && git commit -qm one", {}, home()).code,
              0);
    const std::string before = read_text(home() / ".git" / "HEAD");
    const Ran ran = in("workspace", "git checkout -qb mine; echo x > ../.git/x; cat file", {},
                       home() / "project");
    EXPECT_THAT(ran.out, HasSubstr("x\n"));
    EXPECT_EQ(read_text(home() / ".git" / "HEAD"), before);
    EXPECT_FALSE(fs::exists(home() / ".git" / "x"));
}

TEST_P(GitInASubdirectory, DoesNotOpenTheRepositoryOfSomebodyElse) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to somebody else";
    constexpr uid_t somebody = 1;
    ASSERT_EQ(::chown((top() / ".git").c_str(), somebody, somebody), 0);
    call("echo x > ../.git/x; chmod 777 ../.git");
    EXPECT_FALSE(fs::exists(top() / ".git" / "x"));
}

}  // namespace
}  // namespace husk::test
