// The seed's syncFileStateAfterExecution, on real files.
#include "tool/file_states.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temp_dir.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> states_of(const FileStates& states) {
    std::vector<std::string> all;
    for (const contract::FileState& one : states.now()) all.push_back(one.state);
    return all;
}

TEST(FileStates, SayWhatBecameOfEach) {
    const test::TempDir dir;
    const auto at = [&](const char* name) { return (dir.path() / name).string(); };
    for (const char* name : {"changed", "removed", "unchanged", "replaced"})
        std::ofstream(at(name)) << "one";
    const FileStates states({{at("created"), "write"},
                             {at("changed"), "append"},
                             {at("removed"), "delete"},
                             {at("unchanged"), "read"},
                             {at("missing"), "read"},
                             {at("replaced"), "write"},
                             {at("unchanged") + "/below", "read"}},
                            {});
    EXPECT_EQ(states_of(states),
              (std::vector<std::string>{"missing", "unchanged", "unchanged", "unchanged", "missing",
                                        "unchanged", "missing"}));
    std::ofstream(at("created")) << "";
    std::ofstream(at("changed"), std::ios::app) << "two";
    fs::remove(at("removed"));
    std::ofstream(at("other")) << "one";
    fs::rename(at("other"), at("replaced"));
    EXPECT_EQ(states_of(states),
              (std::vector<std::string>{"created", "changed", "removed", "unchanged", "missing",
                                        "changed", "missing"}));
}

// The file that a link leads to is another one. Of the link itself it is known what became of it.
TEST(FileStates, AreUnknownBehindALinkThatIsThereBeforeAndAfter) {
    const test::TempDir dir;
    const auto at = [&](const char* name) { return (dir.path() / name).string(); };
    std::ofstream(at("file")) << "one";
    for (const char* name : {"link", "removed", "replaced"}) fs::create_symlink("file", at(name));
    for (const std::vector<fs::path>& roots : {std::vector<fs::path>{}, {dir.path()}}) {
        fs::remove(at("made"));
        if (!fs::is_symlink(at("removed"))) fs::create_symlink("file", at("removed"));
        const FileStates states({{at("link"), "append"},
                                 {at("removed"), "delete"},
                                 {at("replaced"), "write"},
                                 {at("made"), "write"}},
                                roots);
        std::ofstream(at("link"), std::ios::app) << "more";
        fs::remove(at("removed"));
        fs::create_symlink("other", at("other"));
        fs::rename(at("other"), at("replaced"));
        fs::create_symlink("file", at("made"));
        EXPECT_EQ(states_of(states),
                  (std::vector<std::string>{"unknown", "removed", "changed", "created"}));
    }
}

// A command may have another file there than this host.
TEST(FileStates, AreUnknownOutsideOfWhatTheCommandShares) {
    const test::TempDir dir;
    const fs::path root = dir.path() / "work";
    fs::create_directory(root);
    const FileStates states({{(dir.path() / "workspace").string(), "write"},
                             {(root / "x").string(), "write"},
                             {"/tmp/x", "write"}},
                            {root});
    std::ofstream(root / "x") << "";
    EXPECT_EQ(states_of(states), (std::vector<std::string>{"unknown", "created", "unknown"}));
}

// A link could lead to what is withheld from the command, and the state would tell of it.
TEST(FileStates, AreUnknownBehindALinkAndOutsideOfTheAllowedPaths) {
    const test::TempDir dir;
    const fs::path top = fs::canonical(dir.path());
    const fs::path root = top / "work";
    fs::create_directories(root / "in");
    fs::create_directories(top / "secret");
    fs::create_directory_symlink(top / "secret", root / "in/link");
    std::ofstream(top / "secret/there") << "";
    std::ofstream(root / "in/there") << "";
    std::ofstream(root / "beside") << "";
    const auto states = [&](std::optional<std::vector<fs::path>> allowed) {
        return states_of(FileStates({{(root / "in/link/there").string(), "read"},
                                     {(root / "in/link/none").string(), "read"},
                                     {(root / "in/../../secret/there").string(), "read"},
                                     {(root / "in/link").string(), "read"},
                                     {(root / "in/there").string(), "read"},
                                     {(root / "beside").string(), "read"}},
                                    {root}, std::move(allowed)));
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(states({}),
              (Words{"unknown", "unknown", "unknown", "unknown", "unchanged", "unchanged"}));
    EXPECT_EQ(states(std::vector{root / "in"}),
              (Words{"unknown", "unknown", "unknown", "unknown", "unchanged", "unknown"}));
}

}  // namespace
}  // namespace husk::tool
