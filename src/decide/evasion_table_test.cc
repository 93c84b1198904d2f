// The lines of testdata/evasions.table, each a script and what is decided about it.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "decide/verdict_table.h"
#include "patience.h"

namespace husk::decide {
namespace {

struct Line {
    std::string decision;
    std::string script;
};

// "deny  touch x" in each line; # starts a heading.
std::vector<Line> lines_of_table() {
    constexpr size_t start_of_script = 6;
    std::ifstream file(HUSK_SOURCE_DIR "/src/decide/testdata/evasions.table");
    std::vector<Line> lines;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with("# ")) continue;
        lines.push_back({line.substr(0, line.find(' ')), line.substr(start_of_script)});
    }
    return lines;
}

Rules deny_rules() {
    return rules_of(
        {.allow = {"Bash"},
         .deny = {"Bash(touch:*)", "Bash(git push:*)", "Bash(npm publish:*)", "Bash(pip install:*)",
                  "Bash(cargo publish:*)", "Bash(apt-get remove:*)", "Bash(ip link:*)",
                  "Bash(gcloud compute:*)", "Bash(pnpm publish:*)"}});
}

// Mode strict, where all programs are allowed that stand in the script itself.
Rules outer_programs_allowed(const std::string& script) {
    ShortTexts texts{.mode = "strict"};
    for (const parse::Command& command : parse::parse(script).commands)
        if (command.depth == 0 && !command.words.empty())
            texts.allow.push_back("Bash(" + command.words.front().shown() + ":*)");
    return rules_of(texts);
}

TEST(EvasionTable, IsDecidedAsItSays) {
    const Rules rules = deny_rules();
    const std::vector<Line> lines = lines_of_table();
    EXPECT_GT(lines.size(), 10U);
    for (const auto& [decision, script] : lines) {
        const Verdict verdict = verdict_of(script, rules);
        EXPECT_EQ(word(verdict.decision), decision) << script << "\n" << verdict.reason;
    }
}

TEST(EvasionTable, AllowingTheOuterProgramAllowsNoHiddenCommand) {
    for (const auto& [decision, script] : lines_of_table()) {
        if (decision == "allow" || !script.contains("touch")) continue;
        EXPECT_NE(verdict_of(script, outer_programs_allowed(script)).decision, Decision::Allow)
            << script;
    }
}

// Each would take minutes if every start were tried up to the end of the text.
TEST(EvasionTable, LongTextsAreDecidedSoon) {
    const auto repeated = [](std::string_view text) {
        std::string result;
        while (result.size() < 200'000) result += text;
        return result;
    };
    const Rules rules = deny_rules();
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& script :
         {"awk '" + repeated("a)/[)/]") + "'", "awk '" + repeated("/[[:a:]") + "'",
          "awk '" + repeated("[") + "'", "sed '/" + repeated("[[:a:]") + "'",
          "sudo " + repeated("--a ") + "x", "npx " + repeated("-a x "),
          "printf -v x " + repeated("a ")})
        static_cast<void>(verdict_of(script, rules));
    EXPECT_LT(std::chrono::steady_clock::now() - start, test::patient(std::chrono::seconds(20)));
}

}  // namespace
}  // namespace husk::decide
