// What `protect` names stays as it is: by name and by pattern, also what only comes to be.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Protect : public Walled, public testing::TestWithParam<std::tuple<Who, const char*>> {
protected:
    Protect() : Walled(std::get<0>(GetParam())), mode(std::get<1>(GetParam())) {}

    std::vector<std::string> protecting(const std::vector<std::string>& patterns) const {
        std::vector<std::string> options;
        for (const std::string& pattern : patterns) {
            options.emplace_back("--protect");
            options.push_back((work() / pattern).string());
        }
        return options;
    }
    nlohmann::json report(const std::string& command,
                          const std::vector<std::string>& patterns) const {
        return report_in(mode, command, protecting(patterns));
    }
    std::string path(const std::string& name) const { return (work() / name).string(); }

    std::string mode;
};

std::string protect_name(const testing::TestParamInfo<Protect::ParamType>& info) {
    return std::string(std::get<1>(info.param)) +
           (std::get<0>(info.param) == Who::Caller ? "Caller" : "OrdinaryUser");
}
INSTANTIATE_TEST_SUITE_P(, Protect, testing::Combine(both(), testing::Values("workspace", "open")),
                         protect_name);

TEST_P(Protect, HoldsWhatAPatternMatches) {
    const std::vector<std::string> held = {"a.env", ".env", "docs/one.md", "secret.txt",
                                           "deep/er/secret.txt"};
    const std::vector<std::string> free = {"env", "docs/two.txt", "deep/er/other"};
    for (const auto* names : {&held, &free})
        for (const std::string& name : *names) write(work() / name, "old\n");
    const auto told = report(
        "for f in a.env .env env docs/* secret.txt deep/er/*; do echo new > $f; done\n"
        "rm -rf a.env deep; mv docs d; mv secret.txt s",
        {"*.env", "docs/*.md", "**/secret.txt"});
    EXPECT_EQ(told["status"], "exited") << told;
    for (const std::string& name : held) EXPECT_EQ(read_text(work() / name), "old\n") << name;
    for (const std::string& name : free) EXPECT_NE(read_text(work() / name), "old\n") << name;
}

TEST_P(Protect, TakesAwayWhatComesToMatch) {
    write(work() / "old.env", "old\n");
    const auto told = report(
        "echo x > new.env; mkdir -p p/q; echo x > p/q/secret.txt; ln -s / link.env; mkdir d.env; "
        "echo x > later; echo kept > other",
        {"*.env", "**/secret.txt", "later"});
    EXPECT_THAT(told["reverted"].get<std::vector<std::string>>(),
                UnorderedElementsAre(path("new.env"), path("p/q/secret.txt"), path("link.env"),
                                     path("d.env"), path("later")));
    for (const char* name : {"new.env", "p/q/secret.txt", "link.env", "d.env", "later"})
        EXPECT_FALSE(fs::exists(fs::symlink_status(work() / name))) << name;
    EXPECT_EQ(read_text(work() / "other"), "kept\n");
    EXPECT_EQ(read_text(work() / "old.env"), "old\n");
}

// A pattern is looked at again before each call.
TEST_P(Protect, HoldsWhatHasComeSince) {
    auto options = protecting({"*.env"});
    options.insert(options.end(), {"--session", "s"});
    ASSERT_EQ(in(mode, "true", options).code, 0);
    write(work() / "users.env", "of the user\n");
    EXPECT_EQ(in(mode, "echo x > users.env; true", options).code, 0);
    EXPECT_EQ(read_text(work() / "users.env"), "of the user\n");
}

TEST_P(Protect, RefusesWhatItCannotHold) {
    write(work() / "real", "");
    fs::create_symlink("real", work() / "link.env");
    for (int i = 0; i < 300; ++i) write(work() / "many" / std::to_string(i), "");
    const std::vector<std::pair<const char*, const char*>> cases = {
        {"*.env", "which is a link"},
        {"many/?*", "more than 256 files"},
        {"*.{env,key}", "write one for each"},
        {"!x", "takes something out"},
    };
    for (const auto& [pattern, because] : cases) {
        const Ran ran = in(mode, "echo ran", protecting({pattern}));
        EXPECT_TRUE(is_refusal(ran)) << pattern;
        EXPECT_THAT(ran.err, HasSubstr(because)) << pattern;
        EXPECT_THAT(ran.err, HasSubstr(pattern));
    }
}

// Nobody waits for it any more, and a pattern has no one name that could be watched.
TEST_P(Protect, SaysWhatItDoesNotWatch) {
    const auto told = report("sleep 300 &", {"*.env"});
    ASSERT_EQ(told["notes"].size(), 1U) << told;
    EXPECT_THAT(told["notes"][0].get<std::string>(), HasSubstr("protected from the next call on"));
}

TEST_P(Protect, HoldsTheStartUpFilesOfShellsInAWorkspace) {
    if (mode == "open") return;
    const std::vector<std::string> names = {".bashrc",
                                            ".bash_profile",
                                            ".bash_login",
                                            ".bash_logout",
                                            ".profile",
                                            ".inputrc",
                                            ".zshrc",
                                            ".zshenv",
                                            ".zprofile",
                                            ".zlogin",
                                            ".config/fish/config.fish"};
    std::string spoil;
    for (const std::string& name : names) {
        write(home() / name, "old\n");
        write(home() / "below" / name, "old\n");
        spoil += "echo new > " + name + "; echo new > below/" + name + ";";
    }
    in(mode, spoil, {"--force"}, home().string());
    for (const std::string& name : names) {
        EXPECT_EQ(read_text(home() / name), "old\n") << name;
        EXPECT_EQ(read_text(home() / "below" / name), "new\n") << name;
    }
    const auto told = report("echo x > .bashrc; echo x > .profile; true", {});
    EXPECT_EQ(told["reverted"].size(), 2U) << told;
}

}  // namespace
}  // namespace husk::test
