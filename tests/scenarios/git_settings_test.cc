// Settings that git writes in everyday work behind walls, and those that it must not write.
#include <gmock/gmock.h>

#include <fstream>
#include <ostream>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* two_repositories =
    "git init -q --bare ../outside/up.git && git init -q . && git add file &&"
    "git commit -qm one && git remote add up ../outside/up.git && git push -q up HEAD:feature &&"
    "git fetch -q up && git -c protocol.file.allow=always clone -q . lib";

struct Work {
    const char* name;
    const char* command;
    const char* question;  // of the user's git, outside, afterwards
    const char* answer;
};

std::ostream& operator<<(std::ostream& out, const Work& work) { return out << work.name; }

const Work works[] = {
    {"PushesAndTracks",
     "git init -q --bare here.git && git remote add here \"$PWD/here.git\" && git push -qu here "
     "master",
     "git rev-parse --abbrev-ref master@{upstream}", "here/master\n"},
    {"ChecksOutABranchOfARemote", "git checkout -q feature",
     "git config branch.feature.merge; git branch --show-current", "refs/heads/feature\nfeature\n"},
    {"AddsARemote", "git remote add other https://example.org/x.git && git remote rename other o",
     "git remote get-url o", "https://example.org/x.git\n"},
    {"AddsARemoteOverSsh", "git remote add other git@example.org:some/x.git",
     "git remote get-url other", "git@example.org:some/x.git\n"},
    {"RenamesABranch", "git checkout -qt up/feature && git branch -m other",
     "git config branch.other.remote; git config branch.feature.remote", "up\n"},
    {"RemovesARemote", "git remote remove up", "git remote", ""},
    {"SaysWhoCommits", "git config user.name Other && git commit -qm two --allow-empty",
     "git log -1 --format=%an", "Other\n"},
    {"SeesAtOnceWhatItWrote",
     "for i in 1 2 3; do git config branch.x$i.description $i; git config --unset "
     "branch.x$i.description || exit 1; done; git config branch.a.description 7; git config "
     "branch.a.description",
     "git config branch.a.description", "7\n"},
    {"InitialisesASubmodule",
     "git -c protocol.file.allow=always submodule --quiet add \"$PWD/lib\" sub && git submodule "
     "status | cut -c1",
     "git config submodule.sub.active", "true\n"},
    {"MaintainsItsWorktrees",
     "git worktree add -q tree && cd tree && git config branch.tree.description mine",
     "git config branch.tree.description", "mine\n"},
};

class GitSettings : public testing::TestWithParam<std::tuple<Work, Who>> {};

TEST_P(GitSettings, AreWrittenIfTheyRunNothing) {
    const auto& [work, who] = GetParam();
    const Walled place(who);
    place.write(place.home() / ".gitconfig",
                "[user]\n\tname = Somebody\n\temail = s@example.org\n[init]\n\tdefaultBranch = "
                "master\n");
    const Ran prepared = place.in("open", two_repositories);
    ASSERT_EQ(prepared.code, 0) << prepared.out << prepared.err;
    const nlohmann::json report = place.report_in("workspace", work.command);
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_THAT(report["denials"], IsEmpty()) << report;
    EXPECT_THAT(report["reverted"], IsEmpty()) << report;
    for (const auto& note : report["notes"])
        EXPECT_THAT(note.get<std::string>(), Not(HasSubstr("was replaced"))) << report;
    EXPECT_EQ(place.in("open", work.question).out, work.answer);
    EXPECT_FALSE(fs::exists(place.work() / ".git" / "config.lock"));
}

std::string work_name(const testing::TestParamInfo<std::tuple<Work, Who>>& test) {
    return std::string(std::get<Work>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "AsOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, GitSettings, testing::Combine(testing::ValuesIn(works), both()),
                         work_name);

struct Refused {
    const char* name;
    const char* command;
    const char* note;
};

std::ostream& operator<<(std::ostream& out, const Refused& refused) { return out << refused.name; }

const Refused refused[] = {
    {"HooksPath", "git config core.hooksPath .husky/_", "git config core.hooksPath: "},
    {"Monitor", "git config core.fsmonitor 'touch x'", "git config core.fsmonitor: "},
    {"Alias", "git config alias.st '!touch x'", "git config alias.st: "},
    {"Include", "git config include.path ../x", "git config include.path: "},
    {"IncludeIf", "git config includeIf.gitdir:/.path ../x",
     "git config includeIf.gitdir:/.path: "},
    {"Filter", "git config filter.lfs.clean 'touch x'", "git config filter.lfs.clean: "},
    {"UploadPack", "git config remote.up.uploadpack 'touch x'",
     "git config remote.up.uploadpack: "},
    {"Helper", "git remote add other 'ext::touch x'", "git config remote.other.url: "},
    {"Option", "git config remote.up.url 'ssh://-oProxyCommand=touch/x'",
     "git config remote.up.url: "},
    {"Update", "git config submodule.x.update '!touch x'", "git config submodule.x.update: "},
    {"Worktree", "git config core.worktree /", "git config core.worktree: "},
    {"Removal", "git config --unset-all diff.x.command", "git config diff.x.command: "},
    {"Addition", "git config --add diff.x.command true", "git config diff.x.command: "},
    {"Order",
     "git config --list > /dev/null; printf '[core]\\n\\tbare = false\\n[diff \"x\"]\\n\\tcommand "
     "= "
     "b\\n\\tcommand = a\\n' > .git/config.lock; mv .git/config.lock .git/config",
     "git config diff.x.command: "},
    {"Form", "printf '[core]\\r\\n' > .git/config.lock; mv .git/config.lock .git/config",
     "does not understand"},
    {"Broken", "printf '[core' > .git/config.lock; mv .git/config.lock .git/config",
     "does not understand"},
    {"Long",
     "head -c 2000000 /dev/zero | tr '\\0' '#' > .git/config.lock; mv .git/config.lock .git/config",
     "does not understand"},
    {"Link", "ln -s ../file .git/config.lock; mv -f .git/config.lock .git/config",
     "no regular file"},
    {"Pipe", "mkfifo .git/config.lock; mv -f .git/config.lock .git/config", "no regular file"},
    {"Directory",
     "mkdir .git/config.lock; python3 -c 'import os; os.rename(\".git/config.lock\", "
     "\".git/config\")'",
     "no regular file"},
    {"NewFile",
     "git config --worktree core.bare false; git config extensions.worktreeConfig true;"
     "git sparse-checkout set x",
     "touch "},
};

class GitSettingsRefused : public testing::TestWithParam<std::tuple<Refused, Who>> {};

TEST_P(GitSettingsRefused, AreNamedWithTheReason) {
    const auto& [one, who] = GetParam();
    const Walled place(who);
    const Ran prepared =
        place.in("open", std::string(two_repositories) +
                             "; git config diff.x.command a && git config --add diff.x.command b");
    ASSERT_EQ(prepared.code, 0) << prepared.out << prepared.err;
    const std::string before = read_text(place.work() / ".git" / "config");
    const nlohmann::json report = place.report_in("workspace", one.command);
    EXPECT_NE(report["exit_code"], 0) << report;
    if (std::string(one.name) != "NewFile") {
        EXPECT_EQ(read_text(place.work() / ".git" / "config"), before);
    }
    EXPECT_THAT(report["notes"], Contains(HasSubstr(one.note))) << report;
    ASSERT_THAT(report["denials"], Not(IsEmpty())) << report;
    for (const auto& denial : report["denials"]) EXPECT_EQ(denial["allow_with"], nullptr) << report;
    EXPECT_EQ(place.in("open", "test ! -e x && git config -l").code, 0);
}

std::string refused_name(const testing::TestParamInfo<std::tuple<Refused, Who>>& test) {
    return std::string(std::get<Refused>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "AsOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, GitSettingsRefused, testing::Combine(testing::ValuesIn(refused), both()),
                         refused_name);

}  // namespace
}  // namespace husk::test
