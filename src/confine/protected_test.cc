// What is protected is remembered from call to call only while nothing can have changed it.
#include "confine/protected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "patience.h"
#include "temp_dir.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Husk's user, who does what he likes between two calls.
void user_does(const fs::path& where, const std::string& script) {
    const std::string all = "cd '" + where.string() + "' && export HOME=/nonexistent && { " +
                            script + "; } >/dev/null 2>&1";
    ASSERT_EQ(std::system(all.c_str()), 0) << script;
}

Protected found_in(const fs::path& root, const std::vector<fs::path>& protect = {}) {
    Wanted wanted;
    wanted.workspace = fs::canonical(root);
    for (const fs::path& one : protect) wanted.protect.push_back(wanted.workspace / one);
    auto found = find_protected(wanted);
    EXPECT_TRUE(found) << found.error().text();
    return found.value_or(Protected());
}

// The names that are there, of a workspace that is `work` below the place, with a home beside it.
std::vector<std::string> present_in(const fs::path& place) {
    Wanted wanted;
    wanted.workspace = fs::canonical(place / "work");
    wanted.home = fs::canonical(place / "home");
    auto found = find_protected(wanted);
    EXPECT_TRUE(found) << found.error().text();
    std::vector<std::string> names;
    for (const auto& [path, name] : found.value_or(Protected()).names)
        if (name.state == State::Present)
            names.push_back(fs::path(path).lexically_relative(wanted.workspace));
    return names;
}

// Files that have just been changed prove nothing; after a moment they do.
Protected settled(const fs::path& root, const std::vector<fs::path>& protect = {}) {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + test::patient(10s);
    Protected found = found_in(root, protect);
    while (!is_still_so(found) && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(20ms);
        found = found_in(root, protect);
    }
    return found;
}

constexpr auto repository =
    "git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m m && "
    "git config core.editor true && rm -rf .git/info";

struct Change {
    const char* name;
    std::string before;
    std::string between;
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.between; }

class Noticed : public testing::TestWithParam<Change> {};

TEST_P(Noticed, Always) {
    const test::TempDir dir;
    user_does(dir.path(), GetParam().before);
    const Protected before = settled(dir.path());
    ASSERT_TRUE(is_still_so(before)) << "nothing has changed";
    user_does(dir.path(), GetParam().between);
    EXPECT_FALSE(is_still_so(before));
}

const Change changes[] = {
    {"ANameComes", "true", "mkdir .vscode"},
    {"ANameGoes", "touch .envrc", "rm .envrc"},
    {"AFileIsReplaced", "echo a > .envrc", "echo b > new; mv new .envrc"},
    {"AFileIsMadeAnewWithTheSameNumber", "echo a > .envrc", "rm .envrc; echo a > .envrc"},
    {"GitIsConfiguredTwice", repository, "git config a.b c; git config a.b d"},
    {"AnInnerNameBecomesALink", "mkdir .github; touch .github/copilot x",
     "rm .github/copilot; ln -s ../x .github/copilot"},
    {"AnInnerWayBecomesALink", std::string(repository) + " && mkdir .git/info other",
     "rmdir .git/info; ln -s ../other .git/info"},
    {"ANameIsMovedToANewPlace", "mkdir -p .github/copilot",
     "mv .github old; mkdir .github; mv old/copilot .github"},
    {"ANameBecomesALink", "touch .envrc x", "ln -sf x .envrc"},
    {"ANameComesFurtherDown", "mkdir .github", "mkdir .github/copilot"},
    {"TheWayBecomesALink", "mkdir .github other", "rmdir .github; ln -s other .github"},
    {"ARepositoryComes", "true", "git init -q"},
    {"ARepositoryGoes", repository, "rm -rf .git"},
    {"ARepositoryIsReplaced", repository, "cp -r .git new; rm -rf .git; mv new .git"},
    {"ARepositoryMovesAway", repository, "mv .git away; echo gitdir: away > .git"},
    {"GitIsConfigured", repository, "git config user.name other"},
    {"HooksLieElsewhere", repository, "git config core.hooksPath .husky"},
    {"HooksComeElsewhere", std::string(repository) + " && git config core.hooksPath .husky/_",
     "mkdir .husky"},
    {"HooksGo", repository, "rm -r .git/hooks"},
    {"AHookIsALink", repository, "ln -s ../../run .git/hooks/post-checkout"},
    {"AnIncludeComes", std::string(repository) + " && git config include.path more",
     "touch .git/more"},
    {"AWorktreesConfigComes", repository, "touch .git/config.worktree"},
    {"AttributesCome", std::string(repository) + " && mkdir .git/info",
     "touch .git/info/attributes"},
    {"TheirPlaceIsALink", repository, "mkdir other; ln -s ../other .git/info"},
    {"AnotherRepositoryIsShared", repository, "echo ../other > .git/commondir"},
    {"AModuleComes", repository, "mkdir -p .git/modules/m"},
    {"AWorktreeComes", repository, "git worktree add -q --detach tree"},
    {"TheIndexLeadsFurther", repository,
     "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub"},
};

INSTANTIATE_TEST_SUITE_P(, Noticed, testing::ValuesIn(changes),
                         [](const auto& tested) { return std::string(tested.param.name); });

struct Place {
    const char* name;
    std::string script;
    std::vector<fs::path> protect = {};
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.script; }

class LookedAtAgain : public testing::TestWithParam<Place> {};

TEST_P(LookedAtAgain, Always) {
    const test::TempDir dir;
    user_does(dir.path(), GetParam().script);
    // However long ago it was changed.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(is_still_so(found_in(dir.path(), GetParam().protect)));
}

const Place places[] = {
    {"WithAPattern", "true", {"*.pem"}},
    {"WithALink", "ln -s x .envrc"},
    {"WithALinkOnTheWay", "mkdir x && ln -s x .github"},
    {"WithALinkedHook", std::string(repository) + " && ln -s ../../run .git/hooks/post-checkout"},
    {"WithModules", std::string(repository) + " && mkdir -p .git/modules/deep"},
    {"WithWorktrees", std::string(repository) + " && git worktree add -q --detach tree"},
    {"WithGitlinks", std::string(repository) +
                         " && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub"},
    {"WithAnIndexInTwoParts",
     std::string(repository) + " && touch a && git add a && git update-index --split-index"},
    {"WithAGitFile",
     "git init -q --separate-git-dir=away && rm -rf .git && echo gitdir: away > .git"},
};

INSTANTIATE_TEST_SUITE_P(, LookedAtAgain, testing::ValuesIn(places),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(FoundProtected, HasTemplatesOfNewRepositories) {
    const test::TempDir dir;
    user_does(dir.path(),
              "mkdir -p home work/tools/template/hooks work/other work/third && cd work &&"
              "export HOME=$PWD/../home && git init -q && git config init.templateDir third &&"
              "git config --global init.templateDir $PWD/tools/template/ &&"
              "git config -f $HOME/more init.templateDir $PWD/other &&"
              "git config --global include.path more && echo > run &&"
              "ln -s ../../../run tools/template/hooks/pre-commit");
    const std::vector<std::string> names = present_in(dir.path());
    for (const char* name : {"tools/template", "other", "third", "run"})
        EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

TEST(FoundProtected, HasHooksThatVariablesAndThePrefixOfGitName) {
    const test::TempDir dir;
    user_does(dir.path(), "mkdir -p home work/one work/two && cd work && git init -q");
    const std::vector<std::pair<const char*, std::string>> variables = {
        {"GIT_CONFIG_COUNT", "2"},
        {"GIT_CONFIG_KEY_0", "Core.HooksPath"},
        {"GIT_CONFIG_VALUE_0", "one"},
        {"GIT_CONFIG_KEY_1", "core.hooksPath"},
        {"GIT_CONFIG_VALUE_1", "%(prefix)/.." + (dir.path() / "work" / "two").string()}};
    for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
    const std::vector<std::string> names = present_in(dir.path());
    for (const auto& [name, value] : variables) ::unsetenv(name);
    for (const char* name : {"one", "two"})
        EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

TEST(FoundProtected, IsAnErrorIfSettingsCannotBeRead) {
    const test::TempDir dir;
    user_does(dir.path(), std::string(repository) + " && truncate -s 2M .git/config");
    Wanted wanted;
    wanted.workspace = fs::canonical(dir.path());
    const auto found = find_protected(wanted);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text().find(".git/config, but Husk cannot"), std::string::npos)
        << found.error().text();
}

// Every directory above a name is pinned, and the session takes no larger message.
TEST(FoundProtected, FitsIntoTheMessageWithTheWalls) {
    const test::TempDir dir;
    user_does(dir.path(),
              std::string(repository) +
                  " && deep=$(seq 1200 | sed 's/.*/d/' | tr '\\n' /) && mkdir -p $deep &&"
                  "touch $deep/.git &&"
                  "id=$(git rev-parse HEAD) &&"
                  "git update-index --add --cacheinfo 160000,$id,${deep%/}"
                  " --add --cacheinfo 160000,$id,a && touch .git/config.worktree");
    Wanted wanted;
    wanted.workspace = fs::canonical(dir.path());
    const auto found = find_protected(wanted);
    ASSERT_TRUE(found) << found.error().text();
    Steps steps;
    add_protection(wanted, found->names, steps);
    EXPECT_LT(steps.encode().size(), wire::max_walls);
    for (const char* name : {"config", "hooks", "config.worktree", "commondir"})
        EXPECT_TRUE(found->names.contains((wanted.workspace / ".git" / name).native())) << name;
    const auto& checkouts = found->git.checkouts;
    const auto unread = std::ranges::find(checkouts, Checkout::Unread, &Checkout::kind);
    ASSERT_NE(unread, checkouts.end());
    EXPECT_EQ(unread->git, wanted.workspace / ".git" / "index");
    EXPECT_EQ(unread->risk, "there are too many repositories, or they lie too deep");
}

TEST(FoundProtected, StaysWhileNothingHappens) {
    const test::TempDir dir;
    user_does(dir.path(),
              std::string(repository) + " && mkdir -p .github src lib && touch husk.yaml");
    const Protected before = settled(dir.path(), {"src", "secret/key"});
    user_does(dir.path(), "touch lib/one .git/lock && rm .git/lock");
    EXPECT_TRUE(is_still_so(before));
    user_does(dir.path(), "mkdir secret && touch secret/key");
    EXPECT_FALSE(is_still_so(before));
}

TEST(FoundProtected, StaysWhileNoLinkComesIntoMemo) {
    const test::TempDir dir;
    user_does(dir.path(), "mkdir -p memo/user/deep memo/session real && touch memo/user/USER.md");
    const Protected before = settled(dir.path(), {"memo"});
    user_does(dir.path(), "echo x > memo/user/USER.md && touch real/file");
    EXPECT_TRUE(is_still_so(before));
    user_does(dir.path(), "ln -s ../../../real memo/user/deep/link");
    EXPECT_FALSE(is_still_so(before));
    const Protected after = found_in(dir.path(), {"memo"});
    EXPECT_TRUE(after.names.contains(fs::canonical(dir.path() / "real").native()));
    EXPECT_FALSE(is_still_so(after)) << "nothing tells that the target stays the same";
}

TEST(FoundProtected, IsAnErrorIfMemoHasTooManyLinks) {
    const test::TempDir dir;
    user_does(dir.path(), "mkdir memo && for i in $(seq 256); do ln -s /x$i memo/$i; done");
    Wanted wanted;
    wanted.workspace = fs::canonical(dir.path());
    wanted.protect = {wanted.workspace / "memo"};
    EXPECT_TRUE(find_protected(wanted));
    user_does(dir.path(), "ln -s /x memo/more");
    const auto found = find_protected(wanted);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text().find("memo leads through more than 256 links"),
              std::string::npos)
        << found.error().text();
}

TEST(FoundProtected, ProvesNothingAboutNothing) { EXPECT_FALSE(is_still_so(Protected())); }

}  // namespace
}  // namespace husk::confine
