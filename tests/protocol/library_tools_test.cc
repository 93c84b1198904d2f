// The tools of the library and those of `husk mcp` are the same: what they list, and what they
// answer.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "client.h"

namespace husk::test {
namespace {

struct Offered {
    const char* contract;
    const char* tool;
    Json more = Json::object();
};

std::ostream& operator<<(std::ostream& out, const Offered& one) { return out << one.contract; }

std::string offered_name(const testing::TestParamInfo<Offered>& test) {
    std::string name = test.param.contract;
    std::ranges::replace(name, '-', '_');
    return name;
}

class LibraryToolsByMcp : public testing::TestWithParam<Offered> {
protected:
    ToolSettings settings() const {
        return {.contract = GetParam().contract,
                .config = config_,
                .overrides = "mode: open",
                .state = husk_.state()};
    }
    ToolContext here() const { return {.working_dir = husk_.dir()}; }
    // Before the server starts, which reads it.
    static std::filesystem::path empty_file(std::filesystem::path path) {
        write_text(path, "");
        return path;
    }
    // What the library answers, and what the server answers.
    Json called(const std::string& tool, const Json& arguments) {
        const auto result = tools_.call(tool, arguments.dump(), here());
        const auto* text = std::get_if<std::string>(&result);
        EXPECT_NE(text, nullptr) << std::get<Error>(result).text();
        return text == nullptr ? Json() : Json::parse(*text);
    }
    Json asked(const std::string& tool, const Json& arguments) {
        return client_.ask(++id_, "tools/call",
                           {{"name", tool}, {"arguments", arguments}})["result"];
    }

    Husk husk_;
    std::filesystem::path config_ = empty_file(husk_.dir() / "husk.yaml");
    Tools tools_{settings()};
    Client client_{husk_, {"--contract", GetParam().contract, "--config", config_}};
    int id_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    , LibraryToolsByMcp,
    testing::Values(Offered{"phoenix", "bash"}, Offered{"codegen", "Bash", {{"description", "x"}}},
                    Offered{"docware", "Bash", {{"enable_shell_features", true}}},
                    Offered{"agentrail", "Bash"}, Offered{"yoi", "Bash"}, Offered{"husk", "bash"},
                    Offered{"anthropic", "bash"}, Offered{"claude-code", "Bash"}),
    offered_name);

// Names of all that a result holds, with the texts and truths that two calls have in common. What
// is measured or counted is left out, and so is what each call has of its own: ids, times, paths.
std::set<std::string> lasting(const Json& one, const Json& other) {
    std::set<std::string> facts;
    const Json first = one.flatten();
    const Json second = other.flatten();
    for (const auto& [name, value] : first.items()) {
        const bool counts =
            !value.is_number() || name.ends_with("xit_code") || name.ends_with("xitCode");
        const bool same = second.contains(name) && second[name] == value;
        facts.insert(counts && same ? name + " = " + value.dump() : name);
    }
    return facts;
}

TEST_P(LibraryToolsByMcp, ListTheSame) {
    client_.initialize("2025-06-18");  // later versions add which tools can be tasks
    const auto listed = tools_.list(here());
    ASSERT_TRUE(std::holds_alternative<std::string>(listed));
    EXPECT_EQ(Json::parse(std::get<std::string>(listed)),
              client_.ask(++id_, "tools/list")["result"]);
}

TEST_P(LibraryToolsByMcp, AnswerTheSame) {
    client_.initialize();
    const auto& [contract, tool, more] = GetParam();
    for (const char* text :
         {"echo one; echo two >&2", "echo one; (exit 3)", "git add -A", "echo (", ""}) {
        SCOPED_TRACE(text);
        Json arguments = more;
        arguments["command"] = text;
        const Json answer = asked(tool, arguments);
        const Json again = asked(tool, arguments);
        const Json answered = called(tool, arguments);
        EXPECT_EQ(lasting(answered, answer), lasting(again, answer)) << answered << "\n" << answer;
    }
    const Json wrong = {{"command", 5}};
    EXPECT_EQ(called(tool, wrong), asked(tool, wrong));
}

}  // namespace
}  // namespace husk::test
