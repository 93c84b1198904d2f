// CVE-2026-50548, CVE-2026-50549: a model chooses the working directory of its calls, and makes the
// links on the path to it. Neither moves the walls, in any contract.
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "arena.h"
#include "scenarios/harness.h"
#include "snapshot.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Face {
    const char* contract;
    const char* tool;
    const char* argument;  // that names the directory; null where a model can only use cd
};

std::ostream& operator<<(std::ostream& out, const Face& face) { return out << face.contract; }

const Face faces[] = {
    {"phoenix", "bash", nullptr},     {"codegen", "Bash", nullptr},
    {"docware", "Bash", "cwd"},       {"agentrail", "Bash", "working_directory"},
    {"yoi", "Bash", nullptr},         {"husk", "bash", "working_directory"},
    {"claude-code", "Bash", nullptr}, {"anthropic", "bash", nullptr},
};

struct Chooser {
    Face face;
    Attacker attacker;
};

std::ostream& operator<<(std::ostream& out, const Chooser& one) { return out << one.face; }

enum class Naming { Any, ByArgument };

std::vector<Chooser> choosers(Naming naming) {
    std::vector<Chooser> all;
    for (const Face& face : faces) {
        if (naming == Naming::ByArgument && face.argument == nullptr) continue;
        if (::geteuid() == 0) all.push_back({face, Attacker::Root});
        all.push_back({face, Attacker::User});
    }
    return all;
}

class AWorkingDirectory : public testing::TestWithParam<Chooser> {
protected:
    AWorkingDirectory() {
        fs::create_directory_symlink(victim.dir, arena.workspace() / "link");
        fs::create_directories(arena.workspace() / "real/inner");
        fs::create_symlink("link", arena.workspace() / "chain");
        ::setenv("TMPDIR", arena.path().c_str(), 1);
        husk.emplace(GetParam().attacker == Attacker::User ? test::Who::OrdinaryUser
                                                           : test::Who::Caller);
        ::unsetenv("TMPDIR");
    }

    // Everything that leads out of the workspace; one of them has a secret in it.
    std::vector<std::string> ways_out() const {
        const std::string outside = victim.dir;
        const std::string work = arena.workspace();
        const std::string home = arena.home();
        return {outside,
                work + "/link",
                work + "/chain",
                work + "/link/dir/..",
                work + "/real/../../outside/" + victim.dir.filename().string(),
                "/proc/self/root" + outside,
                "/proc/self/cwd/../outside/" + victim.dir.filename().string(),
                "/proc/self/fd/34",
                arena.path(),
                home + "/.ssh",
                husk->state(),
                "/",
                std::string("real") + '\0' + "/../../outside"};
    }

    Json call(const std::string& mode, const std::string& directory, const std::string& script,
              const std::string& session) const {
        const auto& [face, attacker] = GetParam();
        Json arguments = {{"command", script}};
        if (face.argument != nullptr) arguments[face.argument] = directory;
        if (face.argument == nullptr)
            arguments["command"] = "cd -- " + quoted(directory) + "; " + script;
        if (std::string_view(face.contract) == "codegen") arguments["description"] = "a probe";
        if (std::string_view(face.contract) == "docware") arguments["enable_shell_features"] = true;
        std::vector<std::string> words = {"env", "HOME=" + arena.home().string()};
        const auto rest =
            husk->argv({"call", "--contract", face.contract, "--mode", mode, "--session", session,
                        "--cwd", arena.workspace(), face.tool, arguments.dump()});
        words.insert(words.end(), rest.begin(), rest.end());
        return test::run_program(words).json();
    }
    static std::string quoted(std::string text) {
        std::erase(text, '\0');  // no command has one
        return "'" + text + "'";
    }

    const std::string command =
        "echo spoiled >file; echo spoiled >../dir/inner; rm -rf dir; cat id_test";
    Arena arena{GetParam().attacker};
    Victim victim = arena.make_victim(read_probes('F').front());
    std::optional<test::Husk> husk;
};

std::string chooser_name(const testing::TestParamInfo<Chooser>& test) {
    std::string name = test.param.face.contract;
    std::erase(name, '-');
    return name + (test.param.attacker == Attacker::Root ? "Root" : "User");
}

// Of the contracts in which the model names the directory in an argument.
class ANamedDirectory : public AWorkingDirectory {};

INSTANTIATE_TEST_SUITE_P(, AWorkingDirectory, testing::ValuesIn(choosers(Naming::Any)),
                         chooser_name);
INSTANTIATE_TEST_SUITE_P(, ANamedDirectory, testing::ValuesIn(choosers(Naming::ByArgument)),
                         chooser_name);

TEST_P(AWorkingDirectory, ChosenByAModelMovesNoWall) {
    const std::string key = arena.home() / ".ssh/id_test";
    for (const std::string& directory : ways_out()) {
        const std::string said = call("workspace", directory, command, "one").dump();
        EXPECT_EQ(tree_snapshot(victim.dir), victim.tree_before) << directory << "\n" << said;
        EXPECT_FALSE(said.contains(arena.secret())) << directory << "\n" << said;
    }
    EXPECT_FALSE(
        call("workspace", "/", "cat '" + key + "'", "one").dump().contains(arena.secret()));
}

// Else nothing above would mean anything.
TEST_P(AWorkingDirectory, IsEnteredWhereThereAreNoWalls) {
    call("open", victim.dir, "echo spoiled >file", "two");
    EXPECT_NE(tree_snapshot(victim.dir), victim.tree_before);
}

TEST_P(ANamedDirectory, ThatChangesPlacesWithALinkLeadsNowhereElse) {
    const std::string work = arena.workspace();
    call("workspace", work,
         "cd '" + work +
             "' && (for ((i = 0; i < 2000; i++)); do ln -sfn real flip; "
             "ln -sfn link flip; done) >/dev/null 2>&1 </dev/null &",
         "one");
    for (int i = 0; i < 8; ++i) {
        call("workspace", work + "/flip", command, "one");
        EXPECT_EQ(tree_snapshot(victim.dir), victim.tree_before);
    }
    // The first call of a session is the one that builds its walls.
    for (const std::string& directory : {work + "/flip", work + "/link", victim.dir.string()}) {
        call("workspace", directory, command, "first-" + std::to_string(directory.size()));
        EXPECT_EQ(tree_snapshot(victim.dir), victim.tree_before) << directory;
    }
}

}  // namespace
}  // namespace husk::redteam
