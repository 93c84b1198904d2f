// HOME behind walls: nothing that appears to be saved is lost.
#include <gmock/gmock.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class HomeCopy : public testing::TestWithParam<Who>, protected Walled {
protected:
    HomeCopy() : Walled(GetParam()) {
        write(home() / "other" / "file", "old\n");
        write(home() / "notes.txt", "old\n");
        write(home() / ".tool" / "state", "old\n");
        write(home() / "go" / "pkg" / "one", "old\n");
    }

    static std::vector<std::string> targets(const json& report) {
        std::vector<std::string> found;
        for (const json& denial : report["denials"]) found.push_back(denial["target"]);
        return found;
    }
    static std::string notes(const json& report) { return report["notes"].dump(); }
};

INSTANTIATE_TEST_SUITE_P(, HomeCopy, both(), who_name);

TEST_P(HomeCopy, WhatWouldSeemSavedIsRefusedAndToldWithTheSetting) {
    for (const std::string change :
         {"echo new >~/other/file", "echo new >~/other/new", "mkdir ~/other/new",
          "cd ~/other && echo new >file", "ln -s x ~/other/new", "cp /etc/hostname ~/other/new"}) {
        const json report = report_in("workspace", change);
        SCOPED_TRACE(change + "\n" + report.dump());
        EXPECT_NE(report["exit_code"], 0);
        ASSERT_EQ(report["denials"].size(), 1U);
        EXPECT_EQ(report["denials"][0]["allow_with"],
                  "write: [\"" + (home() / "other").string() + "\"]");
        EXPECT_EQ(report["denials"][0]["reason"], nullptr);
    }
    EXPECT_EQ(read_text(home() / "other" / "file"), "old\n");
}

TEST_P(HomeCopy, TheSettingOfTheDenialWorks) {
    const json report = report_in("workspace", "echo new >~/other/file && mkdir ~/other/made",
                                  {"--write", (home() / "other").string()});
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_THAT(report["denials"], IsEmpty());
    EXPECT_EQ(read_text(home() / "other" / "file"), "new\n");
    EXPECT_TRUE(fs::exists(home() / "other" / "made"));
}

TEST_P(HomeCopy, NewNamesAreRefusedUnlessTheyAreOfTools) {
    for (const std::string change :
         {"echo new >~/new", "mkdir ~/new", "ln -s x ~/new", "ln ~/.tool/state ~/new",
          "mv ~/.tool/state ~/new", "cd ~ && echo new >new", "cd ~/.tool && echo new >../new",
          "ln -s ~ here && echo new >here/new", "echo new >~/notes.txt",
          "echo x >~/.new && mv ~/.new ~/notes.txt"}) {
        const json report = report_in("workspace", change);
        SCOPED_TRACE(change + "\n" + report.dump());
        EXPECT_NE(report["exit_code"], 0);
        EXPECT_EQ(report["denials"].size(), 1U);
        if (report["denials"].empty()) continue;
        EXPECT_EQ(report["denials"][0]["allow_with"], nullptr);
        EXPECT_THAT(report["denials"][0]["reason"].dump(), HasSubstr("home directory"));
        fs::remove(work() / "here");
    }
    EXPECT_EQ(in("workspace",
                 "set -e; echo x >~/.new; mkdir ~/.dir; echo x >~/.dir/f; mv ~/.dir/f ~/.tool/; "
                 "echo x >>~/.tool/state; echo x >~/go/pkg/two; rm ~/.tool/state; cat ~/.new")
                  .out,
              "x\n");
    EXPECT_FALSE(fs::exists(home() / ".new"));
    EXPECT_EQ(read_text(home() / ".tool" / "state"), "old\n");
}

TEST_P(HomeCopy, TheReadOnlyPartHolds) {
    const Ran ran = in("workspace",
                       "exec 2>/dev/null; mv ~/other ~/.moved; rmdir ~/other; rm -rf ~/other; mv "
                       "~/notes.txt ~/.n; "
                       "rm -f ~/notes.txt; chmod 700 ~/other; touch ~/other; ln ~/other/file "
                       "~/.hard && echo new >~/.hard; truncate -s 0 ~/notes.txt; "
                       "mkdir -p ~/.d/e && mv ~/.d ~/other/; cat ~/other/file ~/notes.txt");
    EXPECT_EQ(ran.out, "old\nold\n") << ran.err;
}

TEST_P(HomeCopy, ACommitElsewhereFailsClearly) {
    const fs::path repository = home() / "other";
    const Ran made = husk().script("cd '" + repository.string() + "' && HOME=" + home().string() +
                                   " && git init -q . && git add file && git commit -qm one");
    ASSERT_EQ(made.code, 0) << made.err;
    const json report = report_in("workspace", "cd ~/other && git commit -q --allow-empty -m two");
    EXPECT_NE(report["exit_code"], 0) << report;
    EXPECT_THAT(targets(report), Contains(HasSubstr("/other/.git/")));
    EXPECT_EQ(report["denials"][0]["allow_with"], "write: [\"" + repository.string() + "\"]");
    EXPECT_EQ(report_in("workspace", "cd ~/other && git commit -q --allow-empty -m two",
                        {"--write", repository.string()})["exit_code"],
              0);
}

TEST_P(HomeCopy, AWorkspaceInHomeIsWritable) {
    write(home() / "src" / "project" / "file", "old\n");
    const Ran ran = in("workspace", "echo new >file && mkdir made && echo x >../beside", {},
                       (home() / "src" / "project").string());
    EXPECT_NE(ran.code, 0);
    EXPECT_EQ(read_text(home() / "src" / "project" / "file"), "new\n");
    EXPECT_FALSE(fs::exists(home() / "src" / "beside"));
}

TEST_P(HomeCopy, TheFirstWriteToEachPartIsToldOnceInASession) {
    const std::vector<std::string> session = {"--session", "one"};
    const json first = report_in(
        "workspace", "echo x >~/.tool/state; mkdir -p ~/.config/foo; cd ~/.tool; echo x >new",
        session);
    EXPECT_THAT(notes(first), HasSubstr("copy of HOME"));
    EXPECT_THAT(notes(first), HasSubstr("~/.tool"));
    EXPECT_THAT(notes(first), HasSubstr("~/.config/foo"));
    EXPECT_THAT(notes(first), HasSubstr("`write`"));
    const json second =
        report_in("workspace", "echo x >~/.tool/more; echo x >~/.config/foo/x", session);
    EXPECT_THAT(notes(second), Not(HasSubstr("copy of HOME")));
    const json third = report_in("workspace", "echo x >~/.other", session);
    EXPECT_THAT(notes(third), HasSubstr("~/.other"));
    EXPECT_THAT(notes(third), Not(HasSubstr("~/.tool")));
    EXPECT_THAT(notes(report_in("workspace", "cat ~/.tool/state; echo x >file")),
                Not(HasSubstr("copy of HOME")));
}

// The mason refuses new names to be honest; no wall depends on it.
TEST_P(HomeCopy, WithoutAWitnessNewNamesAreCopies) {
    const std::vector<std::string> off = {"--denials", "off"};
    EXPECT_EQ(in("workspace", "echo x >~/new && cat ~/new", off).out, "x\n");
    EXPECT_FALSE(fs::exists(home() / "new"));
    EXPECT_NE(in("workspace", "echo x >~/other/file", off).code, 0);
}

TEST_P(HomeCopy, ALargeHomeStartsASessionQuickly) {
    for (int i = 0; i < 300; ++i) fs::create_directory(home() / ("entry" + std::to_string(i)));
    const json report = report_in("workspace", "echo x >~/entry299/x");
    EXPECT_THAT(targets(report), ElementsAre((home() / "entry299" / "x").string()));
}

}  // namespace
}  // namespace husk::test
