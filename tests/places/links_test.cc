// What a workspace holds is written by commands, names and links too: none of it may lead a mount
// of the container to somewhere else.
#include <gmock/gmock.h>

#include "in_container.h"
#include "meddler.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Links : public InContainer {
protected:
    Links() {
        fs::create_directories(outside());
        write_text(outside() + "/key", "# secret of the host\n");
        fs::create_directories(outside() + "/copilot");
    }

    // Of the host, beside the workspace.
    std::string outside() const { return talk_.husk().dir() / "outside"; }
    static void make_link(const fs::path& name, const fs::path& target) {
        fs::create_directories(name.parent_path());
        fs::create_symlink(target, name);
    }
    // What a call is answered with that tries to read and write behind the name.
    std::string tried(const std::string& name) const {
        const std::string inside = "/workspace/" + name;
        return text_of(call("cat " + inside + "/key " + inside + "; echo planted > " + inside +
                            "/planted; echo planted > /workspace/" + name));
    }
    void expect_outside_untouched() const {
        EXPECT_FALSE(fs::exists(outside() + "/planted"));
        EXPECT_EQ(read_text(outside() + "/key"), "# secret of the host\n");
    }
};

TEST_F(Links, NoneIsFollowedToWhatIsProtected) {
    struct Case {
        std::string link;
        std::string target;  // below the directory outside
        std::string tried;
    };
    const Case cases[] = {
        {".git", "", ".git"},
        {".vscode", "", ".vscode"},
        {".github", "", ".github"},
        {".git/hooks", "", ".git/hooks"},
        {"husk.yaml", "key", "husk.yaml"},
        {"memo", "", "memo"},
        {"memo", "not-there", "memo"},
        {"own", "", "own"},
        {"own/deep", "", "own/deep"},
    };
    configure("mode: workspace\nprotect: [own/deep/copilot]\n");
    fs::create_directories(outside() + "/hooks");
    fs::create_directories(outside() + "/deep/copilot");
    for (const Case& one : cases) {
        SCOPED_TRACE(one.link + " -> " + one.target);
        fs::remove_all(talk_.work());
        make_link(work(one.link), fs::path(outside()) / one.target);
        const std::string answer = tried(one.tried);
        EXPECT_THAT(answer, AllOf(HasSubstr(work(one.link)), HasSubstr("symbolic link")));
        EXPECT_EQ(lines_of(answer).size(), 1U);
        expect_outside_untouched();
        EXPECT_FALSE(fs::exists(outside() + "/not-there"));
    }
}

TEST_F(Links, OneThatACommandMakesDoesNotHelpTheNext) {
    const Json report = talk_.husk().report("ln -s " + outside() + " .vscode",
                                            {"--mode", "workspace", "--cwd", talk_.work()});
    EXPECT_EQ(report["exit_code"], 0) << report;
    const Ran next = husk(
        {"run", "--mode", "workspace", "--cwd", talk_.work(), "--", "cat /workspace/.vscode/key"});
    EXPECT_TRUE(is_refusal(next)) << next.out << next.err;
    EXPECT_THAT(next.err, HasSubstr("symbolic link"));
}

TEST_F(Links, OthersAreFollowedInsideOnly) {
    configure("mode: workspace\n");
    make_link(work("elsewhere"), outside());
    EXPECT_NE(ran("cat elsewhere/key")["exit_code"], 0);
    // Read-only as a whole there is nothing to mount on top of it.
    make_link(work(".vscode"), outside());
    const Ran read = husk({"run", "--mode", "read-only", "--cwd", talk_.work(), "cat .vscode/key"});
    EXPECT_EQ(read.code, 1) << read.err;
}

// A workspace may be named through a link: it is the user who names it.
TEST_F(Links, WhatIsProtectedIsSoByWhateverName) {
    fs::create_directories(work("kept"));
    const std::string other = talk_.husk().dir() / "other-name";
    make_link(other, talk_.work());
    configure("mode: open\nprotect: [" + other + "/kept]\n");
    EXPECT_EQ(those_that_work({"touch kept/x", "mv kept gone"}), "");
    husk({"session", "end", session()});
    configure("mode: open\nprotect: [.]\n");
    EXPECT_EQ(those_that_work({"touch kept/x", "touch y"}), "");
    husk({"session", "end", session()});
    configure("mode: open\nprotect: [" + other + "/kept]\n");
    talk_.move_to(other);
    EXPECT_EQ(those_that_work({"touch kept/x", "mv kept gone", "touch y"}), "touch y\n");
}

// A link in the place of `x` would lead the path elsewhere.
TEST_F(Links, NoneComesInThePlaceOfADirectoryBeforeDots) {
    fs::create_directories(work("x"));
    fs::create_directories(work("kept"));
    for (const char* mode : {"open", "workspace"}) {
        configure("mode: " + std::string(mode) + "\nprotect: [x/../kept]\n");
        EXPECT_EQ(those_that_work({"touch kept/x", "mv x gone", "rm -r x", "touch x/file"}),
                  "touch x/file\n");
        husk({"session", "end", session()});
    }
}

TEST_F(Links, WhatIsHusksOwnIsNoWorkspace) {
    const auto refused = [&](const std::string& workspace) {
        const Ran ran = husk({"run", "--cwd", workspace, "true"});
        EXPECT_TRUE(is_refusal(ran)) << ran.out << ran.err;
        return ran.err;
    };
    EXPECT_THAT(refused(talk_.husk().dir()), HasSubstr(talk_.husk().state()));
    EXPECT_THAT(refused(talk_.husk().state()), HasSubstr(talk_.husk().state()));
    EXPECT_THAT(refused(fs::path(test_engine().socket()).parent_path()),
                HasSubstr(test_engine().socket()));
}

// ---- names that change while the container is made

class Meddled : public Links {
protected:
    Meddled() {
        fs::create_directories(work(".vscode"));
        fs::create_directories(work("other"));
    }

    // Everything that a command of a container reads and writes that was made meanwhile.
    std::string while_meddled_with(const Meddler::Deeds& deeds) {
        const Meddler meddler(test_engine().socket(), deeds);
        talk_.configure("place: container\nmode: workspace\ncontainer: {socket: " +
                        meddler.socket() + ", image: " + image_name + "}\n");
        const Json result = call(
            "cat /workspace/.vscode/key /workspace/key; for place in .vscode .; do echo "
            "planted > /workspace/$place/planted; done");
        const Json& ran = result.value("structuredContent", Json::object());
        EXPECT_NE(ran.value("exit_code", 1), 0) << result;
        expect_outside_untouched();
        EXPECT_FALSE(fs::exists(work(".vscode/planted")));
        return text_of(result);
    }
    void put_link(const std::string& name, const fs::path& target) const {
        fs::rename(name, aside());
        make_link(name, target);
    }
    void put_back(const std::string& name) const {
        fs::remove(name);
        fs::rename(aside(), name);
    }
    std::string aside() const { return talk_.husk().dir() / "aside"; }
};

TEST_F(Meddled, AProtectedNameThatBecomesALink) {
    const std::string answer =
        while_meddled_with({.before_start = [&] { put_link(work(".vscode"), outside()); }});
    EXPECT_THAT(answer, testing::Not(HasSubstr("secret of the host")));
}

TEST_F(Meddled, OneThatIsALinkOnlyForAMoment) {
    // The engine has mounted `other`, where the link led, and the name itself is not held.
    const std::string answer =
        while_meddled_with({.before_start = [&] { put_link(work(".vscode"), "other"); },
                            .after_start = [&] { put_back(work(".vscode")); }});
    EXPECT_THAT(answer, HasSubstr("/workspace/.vscode"));
}

TEST_F(Meddled, OneThatBecomesAnotherDirectory) {
    while_meddled_with({.before_start =
                            [&] {
                                fs::rename(work(".vscode"), aside());
                                fs::rename(outside(), work(".vscode"));
                            },
                        .after_start =
                            [&] {
                                fs::rename(work(".vscode"), outside());
                                fs::rename(aside(), work(".vscode"));
                            }});
}

TEST_F(Meddled, TheWorkspaceItself) {
    fs::remove(work(".vscode"));
    fs::create_directories(outside() + "/memo");
    while_meddled_with({.before_start = [&] { put_link(talk_.work(), outside()); },
                        .after_start = [&] { put_back(talk_.work()); }});
}

TEST_F(Meddled, NothingOfItMattersToAWorkspaceThatStays) {
    const Meddler meddler(test_engine().socket(), {});
    talk_.configure("place: container\nmode: workspace\ncontainer: {socket: " + meddler.socket() +
                    ", image: " + image_name + "}\n");
    EXPECT_EQ(those_that_work({"touch .vscode/x", "touch x"}), "touch x\n");
}

// Replacing a file, as git and editors do, takes away the mount that held it.
TEST_F(Links, AProtectedFileThatIsReplacedOutsideIsNotHeldAnyMore) {
    configure("mode: workspace\n");
    write_text(work("husk.yaml"), "# first\n");
    EXPECT_EQ(those_that_work({"echo x > husk.yaml"}), "");
    write_text(work("new"), "# second\n");
    fs::rename(work("new"), work("husk.yaml"));
    const std::string answer = tried("husk.yaml");
    EXPECT_THAT(answer, HasSubstr("husk session end"));
    EXPECT_EQ(read_text(work("husk.yaml")), "# second\n");
}

}  // namespace
}  // namespace husk::test
