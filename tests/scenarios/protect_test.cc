// What `protect` names stays as it is: by name and by pattern, also what only comes to be.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <ostream>
#include <thread>

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

// Behind which a mount has gone; the number of the file is often that of the one before.
struct Replacement {
    const char* name;
    const char* before;
    const char* between;
    const char* spoil;
};

void PrintTo(const Replacement& one, std::ostream* out) { *out << one.between; }

class ProtectAgain : public testing::TestWithParam<Replacement> {};

constexpr Replacement replacements[] = {
    {"SettingsOfGit", "git init -q", "git config a.b c; git config a.b d",
     "echo evil >> .git/config"},
    {"Hooks", "git init -q", "rm -rf .git/hooks; mkdir .git/hooks", "echo evil > .git/hooks/x"},
    {"AFile", "touch .envrc", "rm .envrc; touch .envrc", "echo evil > .envrc"},
    {"ADirectory", "mkdir .vscode", "rmdir .vscode; mkdir .vscode", "echo evil > .vscode/x"},
    {"WhatIsAboveIt", "mkdir -p .github/copilot",
     "mv .github old; mkdir .github; mv old/copilot .github",
     "mv .github gone; mkdir -p .github/copilot; echo evil > .github/copilot/x"},
};

INSTANTIATE_TEST_SUITE_P(, ProtectAgain, testing::ValuesIn(replacements),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(ProtectAgain, WhatTheUserHasReplaced) {
    const Walled place(Who::Caller);
    Bash bash(place.husk().settings());
    const ToolContext context{.working_dir = place.work(), .mode = Mode::Workspace};
    ASSERT_EQ(place.in("open", GetParam().before).code, 0);
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(150ms);  // files that were just changed are looked at anyway
        bash.run({.command = "true"}, context);
        ASSERT_EQ(place.in("open", GetParam().between).code, 0);
        const Report report = bash.run({.command = GetParam().spoil}, context);
        EXPECT_NE(exit_code(report.ending), 0) << report.output;
        EXPECT_EQ(place.in("open", "grep -rqs evil . && echo spoilt; true").out, "");
        ASSERT_EQ(place.in("open", "rm -rf old").code, 0);
    }
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
