#include "confine/checks.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "temp_dir.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CheckedWorkspace : public testing::Test {
protected:
    CheckedWorkspace() {
        for (const char* name : {"work", "state/audit/deep", "home", "statement"})
            fs::create_directories(top / name);
        wanted.workspace = top / "work";
        wanted.state = top / "state";
        wanted.home = top / "home";
    }
    std::string refusal() const {
        const auto checked = check_workspace(resolved(wanted));
        return checked ? "" : checked.error().text();
    }

    const test::TempDir dir;
    const fs::path top = fs::canonical(dir.path());
    Wanted wanted;
};

TEST_F(CheckedWorkspace, IsNotInTheStateOfHusk) {
    fs::create_directory_symlink(top / "state" / "audit", top / "link");
    EXPECT_EQ(refusal(), "");
    for (const Mode mode : {Mode::ReadOnly, Mode::Workspace})
        for (const char* place : {"state", "state/audit", "state/audit/deep", "link"}) {
            wanted.mode = mode;
            wanted.workspace = top / place;
            EXPECT_THAT(refusal(), HasSubstr("belongs to the state of Husk itself")) << place;
            wanted.wide_workspace = true;
            EXPECT_THAT(refusal(), HasSubstr("belongs to the state of Husk itself")) << place;
            wanted.wide_workspace = false;
        }
    wanted.workspace = top / "statement";
    EXPECT_EQ(refusal(), "");
}

TEST_F(CheckedWorkspace, HasNoOtherRootInTheStateOfHusk) {
    wanted.writable = {top / "state" / "audit"};
    EXPECT_THAT(refusal(), HasSubstr((top / "state" / "audit").string() + " belongs to the state"));
}

TEST_F(CheckedWorkspace, IsComparedWithTheStateBehindItsLinks) {
    fs::create_directory_symlink(top / "state", top / "link");
    wanted.state = top / "link";
    wanted.workspace = top / "state" / "audit";
    EXPECT_THAT(refusal(), HasSubstr("belongs to the state of Husk itself"));
    wanted.state = top / "link" / "not" / "yet";
    wanted.workspace = top / "state" / "audit";
    EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace husk::confine
