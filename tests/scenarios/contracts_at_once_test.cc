// Calls of one conversation at the same time: each has its own answer, whatever the contract.
#include <gmock/gmock.h>

#include <ostream>
#include <thread>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Face {
    const char* contract;
    const char* tool;
    Json more = Json::object();
};

std::ostream& operator<<(std::ostream& out, const Face& face) { return out << face.contract; }

class AtOnce : public testing::TestWithParam<Face> {};

// Of anthropic, which has one bash for all, see Anthropic.CallsAtOnceTakeTurns.
INSTANTIATE_TEST_SUITE_P(, AtOnce,
                         testing::Values(Face{"phoenix", "bash"},
                                         Face{"docware", "Bash", {{"enable_shell_features", true}}},
                                         Face{"agentrail", "Bash"}, Face{"yoi", "Bash"},
                                         Face{"claude-code", "Bash"}),
                         [](const auto& face) {
                             const std::string name = face.param.contract;
                             return name == "claude-code" ? "claude_code" : name;
                         });

TEST_P(AtOnce, CallsDoNotMeet) {
    const Face& face = GetParam();
    const Conversation talk(face.contract);
    std::vector<Json> results(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < results.size(); ++i)
        threads.emplace_back([&, i] {
            Json arguments = face.more;
            // All of them have begun when one ends.
            arguments["command"] = ": > begun-" + std::to_string(i) +
                                   "; for n in 0 1 2 3 4 5 6 7; do until [ -e begun-$n ]; do sleep "
                                   "0.02; done; done; echo said-$((" +
                                   std::to_string(i) + " * 11))-; exit " + std::to_string(i);
            results[i] = talk.call(face.tool, arguments);
        });
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < results.size(); ++i) {
        const std::string text = text_of(results[i]);
        for (size_t other = 0; other < results.size(); ++other) {
            const std::string word = "said-" + std::to_string(other * 11) + "-";
            if (other == i)
                EXPECT_THAT(text, HasSubstr(word));
            else
                EXPECT_THAT(text, Not(HasSubstr(word)));
        }
    }
}

}  // namespace
}  // namespace husk::test
