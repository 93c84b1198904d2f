// The tools of the library, by every contract.
#include <gmock/gmock.h>

#include <algorithm>
#include <future>
#include <ostream>

#include "library_calls.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

struct Faced {
    const char* contract;
    const char* tool;
    Json more = Json::object();
};

std::ostream& operator<<(std::ostream& out, const Faced& one) { return out << one.contract; }

std::string faced_name(const testing::TestParamInfo<Faced>& test) {
    std::string name = test.param.contract;
    std::ranges::replace(name, '-', '_');
    return name;
}

class LibraryToolsOf : public LibraryTools, public testing::WithParamInterface<Faced> {};

INSTANTIATE_TEST_SUITE_P(
    , LibraryToolsOf,
    testing::Values(Faced{"phoenix", "bash"}, Faced{"codegen", "Bash", {{"description", "x"}}},
                    Faced{"docware", "Bash", {{"enable_shell_features", true}}},
                    Faced{"agentrail", "Bash"}, Faced{"yoi", "Bash"}, Faced{"husk", "bash"},
                    Faced{"anthropic", "bash"}, Faced{"claude-code", "Bash"}),
    faced_name);

TEST_P(LibraryToolsOf, GiveOutputAsItComes) {
    const auto& [contract, tool, more] = GetParam();
    Tools tools(settings(contract));
    std::string shell;
    std::string seen;
    ToolContext context = here();
    context.on_start = [&](const std::string& id) { shell = id; };
    // The command ends only when its first output has been seen.
    context.on_output = [&](const OutputPiece& piece) {
        EXPECT_FALSE(shell.empty());
        EXPECT_EQ(piece.offset, seen.size());
        EXPECT_EQ(piece.dropped_before, 0U);
        seen += piece.bytes;
        write_text(made(), "");
    };
    const std::string text = "echo first; until [ -e made ]; do sleep 0.02; done; echo last";
    const Json result = json_of(tools.call(tool, command(text, more), context));
    EXPECT_EQ(seen, "first\nlast\n");
    EXPECT_THAT(result.dump(), AllOf(HasSubstr("first"), HasSubstr("last")));
}

TEST_P(LibraryToolsOf, AnswerManyCallsAtOnce) {
    const auto& [contract, tool, more] = GetParam();
    Tools tools(settings(contract));
    std::vector<std::promise<Text>> answers(8);
    for (size_t i = 0; i < answers.size(); ++i)
        tools.call(tool, command("echo said-$((" + std::to_string(i) + " * 11))-", more), here(),
                   [&answers, i](Text result) { answers[i].set_value(std::move(result)); });
    for (size_t i = 0; i < answers.size(); ++i)
        EXPECT_THAT(text_of(json_of(answers[i].get_future().get())),
                    HasSubstr("said-" + std::to_string(i * 11) + "-"));
}

TEST_P(LibraryToolsOf, RefuseWhatARuleDenies) {
    const auto& [contract, tool, more] = GetParam();
    ToolSettings denying = settings(contract);
    denying.overrides = "permissions: {deny: [\"Bash(touch:*)\"]}\n";
    Tools tools(denying);
    const Json result = json_of(tools.call(tool, command("touch made", more), here()));
    EXPECT_TRUE(is_error(result));
    EXPECT_FALSE(fs::exists(made()));
}

// A call of the contract's own stream.
TEST_F(LibraryTools, Streaming_DocwareRecordsComeWhileTheCommandRuns) {
    Tools tools(settings("docware"));
    Json records = Json::array();
    ToolContext context = here();
    context.on_record = [&](const std::string& record) {
        records.push_back(Json::parse(record));
        if (records.back()["type"] == "stdout") write_text(made(), "");
    };
    const std::string text = "echo first; until [ -e made ]; do sleep 0.02; done";
    const Json more = {{"enable_shell_features", true}, {"stream_output", true}};
    const Json result = json_of(tools.call("Bash", command(text, more), context));
    EXPECT_EQ(records, result["_meta"]["docware/stream"]);
}

}  // namespace
}  // namespace husk::test
