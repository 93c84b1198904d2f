#include "confine/checks.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "confine/secrets.h"
#include "temp_dir.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
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

TEST_F(CheckedWorkspace, IsNoHomeThatHomeDoesNotName) {
    for (const fs::path& home : homes_of_people()) {
        wanted.workspace = home;
        if (!open_working_directory(home)) continue;
        EXPECT_THAT(refusal(), HasSubstr(home.string() + " ")) << home;
        wanted.wide_workspace = true;
        EXPECT_EQ(refusal(), "") << home;
        wanted.wide_workspace = false;
    }
}

TEST(HomesOfPeople, AreThoseOfUsersWhoCanLogIn) {
    EXPECT_THAT(homes_of_people("root:x:0:0:root:/root:/bin/bash\n"
                                "toor:x:0:0::/:/bin/sh\n"
                                "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
                                "postgres:x:110:115::/var/lib/postgresql:/bin/bash\n"
                                "me:x:1000:1000:Me,,,:/srv/people/me:/bin/zsh\n"
                                "shell:x:1001:1001::/data/shell:\n"
                                "mailer:x:1002:1002::/data/mail:/bin/false\n"
                                "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
                                "broken:x:1003\n"),
                ElementsAre("/root", "/srv/people/me", "/data/shell"));
}

}  // namespace
}  // namespace husk::confine
