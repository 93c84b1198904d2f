// A directory for caches that sessions share, where the user's own settings name one.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

class SharedCache : public ::testing::TestWithParam<Who> {
protected:
    Ran run(const std::string& mode, const std::string& command, const fs::path& shared) const {
        const fs::path settings = walled.home() / "cache.yaml";
        walled.write(settings, "cache: " + shared.string() + "\n");
        return walled.in(mode, command, {"--config", settings});
    }

    Walled walled{GetParam()};
    fs::path cache = walled.home() / "caches" / "agents";
};

TEST_P(SharedCache, WhatOneSessionPutsThereAnotherFinds) {
    EXPECT_EQ(run("workspace", "echo built > $XDG_CACHE_HOME/thing", cache).code, 0);
    const Ran found = run("workspace", "cat $XDG_CACHE_HOME/thing; npm config get cache", cache);
    EXPECT_EQ(found.out, "built\n" + (cache / "npm").string() + "\n") << found.err;
    struct stat made{};
    ASSERT_EQ(::stat(cache.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 07777U, 0700U);
    EXPECT_EQ(made.st_uid, walled.uid());
}

// Settings change while the session of a contract's calls still stands.
TEST_P(SharedCache, CanBeNamedAndLeftOutFromOneCallToTheNext) {
    const fs::path settings = walled.home() / "cache.yaml";
    const auto call = [&](const std::string& text) {
        walled.write(settings, text);
        return walled.husk()({"call", "bash", R"({"command": "echo ${XDG_CACHE_HOME-unset}"})",
                              "--config", settings, "--cwd", walled.work(), "--mode", "workspace"});
    };
    for (const std::string& named : {cache.string(), std::string(), cache.string() + "2"}) {
        const Ran ran = call(named.empty() ? "{}\n" : "cache: " + named + "\n");
        EXPECT_THAT(ran.out, ::testing::HasSubstr(named.empty() ? "unset" : named)) << ran.err;
    }
}

TEST_P(SharedCache, WithoutItCachesGoWithTheSession) {
    const std::string command =
        "mkdir -p ~/.cache && echo built > ~/.cache/thing; echo ${XDG_CACHE_HOME-unset}";
    EXPECT_EQ(walled.in("workspace", command).out, "unset\n");
    EXPECT_NE(walled.in("workspace", "cat ~/.cache/thing").code, 0);
}

TEST_P(SharedCache, IsNotOfReadOnlyAndGivesWayToWhatACallSays) {
    EXPECT_EQ(run("read-only", "echo ${XDG_CACHE_HOME-unset}", cache).out, "unset\n");
    EXPECT_FALSE(fs::exists(cache));
    const fs::path settings = walled.home() / "cache.yaml";
    EXPECT_EQ(walled
                  .in("workspace", "echo $XDG_CACHE_HOME",
                      {"--config", settings, "--env", "XDG_CACHE_HOME=/elsewhere"})
                  .out,
              "/elsewhere\n");
}

TEST_P(SharedCache, ThatIsNoneIsRefusedByName) {
    walled.write(walled.home() / "file", "");
    const Ran refused = run("workspace", "echo ran", walled.home() / "file");
    EXPECT_EQ(refused.code, 125);
    EXPECT_THAT(refused.err, ::testing::HasSubstr("cache"));
    EXPECT_EQ(refused.out, "");
}

TEST(SharedCacheOfAnother, IsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make what belongs to another";
    const Walled walled(Who::OrdinaryUser);
    const fs::path roots = walled.husk().dir() / "roots";
    fs::create_directory(roots);
    ASSERT_EQ(::chmod(roots.c_str(), 0777), 0);
    const fs::path settings = walled.home() / "cache.yaml";
    walled.write(settings, "cache: " + roots.string() + "\n");
    const Ran refused = walled.in("workspace", "echo ran", {"--config", settings});
    EXPECT_EQ(refused.code, 125);
    EXPECT_THAT(refused.err, ::testing::HasSubstr("somebody else"));
}

INSTANTIATE_TEST_SUITE_P(, SharedCache, both(), who_name);

}  // namespace
}  // namespace husk::test
