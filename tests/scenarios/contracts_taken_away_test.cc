// What Husk takes away, and what it does not let git write, stands in the text of the answer,
// whatever the contract: a model that only sees the exit code of its command is misled.
#include <gmock/gmock.h>

#include <ostream>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

struct Face {
    const char* contract;
    const char* tool;
    Json more = Json::object();
};

std::ostream& operator<<(std::ostream& out, const Face& face) { return out << face.contract; }

class TakenAway : public testing::TestWithParam<Face> {};

INSTANTIATE_TEST_SUITE_P(, TakenAway,
                         testing::Values(Face{"husk", "bash"},
                                         Face{"codegen", "Bash", {{"description", "it"}}},
                                         Face{"phoenix", "bash"},
                                         Face{"docware", "Bash", {{"enable_shell_features", true}}},
                                         Face{"agentrail", "Bash"}, Face{"yoi", "Bash"},
                                         Face{"claude-code", "Bash"}),
                         [](const auto& face) {
                             const std::string name = face.param.contract;
                             return name == "claude-code" ? "claude_code" : name;
                         });

TEST_P(TakenAway, IsSaidInTheText) {
    const Face& face = GetParam();
    const Conversation talk(face.contract, {"--mode", "workspace"});
    for (const char* code : {"0", "3"}) {
        Json arguments = face.more;
        arguments["command"] =
            std::string("mkdir .vscode; echo x > .vscode/tasks.json; echo x > .envrc; exit ") +
            code;
        const std::string text = text_of(talk.call(face.tool, arguments));
        EXPECT_THAT(text, HasSubstr((talk.work() + "/.envrc"))) << code;
        EXPECT_THAT(text, HasSubstr((talk.work() + "/.vscode"))) << code;
        EXPECT_THAT(text, HasSubstr("taken away")) << code;
    }
}

TEST_P(TakenAway, GitsSettingsAreExplained) {
    const Face& face = GetParam();
    const Conversation talk(face.contract, {"--mode", "workspace"});
    ASSERT_EQ(run_program({"git", "init", "-q", talk.work()}).code, 0);
    Json arguments = face.more;
    arguments["command"] = "git config core.hooksPath .husky/_; exit 1";
    EXPECT_THAT(text_of(talk.call(face.tool, arguments)),
                HasSubstr("git config core.hooksPath: this setting can run programs"));
}

// The exit code comes last.
TEST(TakenAwayFirst, AndThenTheExitCode) {
    const struct {
        Face face;
        const char* code;
    } faces[] = {{{"codegen", "Bash", {{"description", "it"}}}, "exit: 3"},
                 {{"husk", "bash"}, "exit 3"}};
    for (const auto& [face, code] : faces) {
        const Conversation talk(face.contract, {"--mode", "workspace"});
        Json arguments = face.more;
        arguments["command"] = "echo x > .envrc; exit 3";
        const std::string text = text_of(talk.call(face.tool, arguments));
        EXPECT_LT(text.find("taken away"), text.find(code)) << text;
    }
}

}  // namespace
}  // namespace husk::test
