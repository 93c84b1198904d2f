// What bash runs although it looks like text, asked of bash itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "asking.h"
#include "decide/decide.h"
#include "parse/script.h"
#include "temp_dir.h"

namespace husk::test {
namespace {

using parse::Command;
using parse::Script;

// The command can be seen, or the script says that something cannot.
bool is_noticed(const Script& script) {
    if (!script.understood()) return true;
    return std::ranges::any_of(script.commands, [](const Command& command) {
        const bool is_unknown = !command.words.empty() && !command.words.front().known();
        return command.program() == "touch" || is_unknown || !command.opaque.empty();
    });
}

TEST(HiddenOracle, WhatBashRunsIsNoticed) {
    size_t run = 0;
    for (const std::string& text : cases_in("hidden.txt")) {
        const TempDir directory;
        static_cast<void>(bash_output("cd '" + directory.path().string() + "'\n" + text));
        const bool was_run = std::filesystem::exists(directory.path() / "marker");
        if (!was_run) continue;
        ++run;
        EXPECT_TRUE(is_noticed(parse::parse(text))) << text;
    }
    EXPECT_GT(run, 50) << "bash runs hardly any of them: the cases are wrong";
}

// Every builtin is allowed, so that only the variable can be the reason.
decide::Rules all_builtins_allowed() {
    RuleTexts texts;
    texts.mode = "strict";
    for (const char* builtin :
         {"export", "declare", "printf", "read", "mapfile", "readarray", "let", "getopts", "echo",
          ":", "break", "unset", "exec", "true", "wait", "test"})
        texts.allow.push_back({"Bash(" + std::string(builtin) + " *)", {"husk.yaml", 1}});
    return decide::compile(texts).rules;
}

TEST(HiddenOracle, NothingThatSetsPathIsAllowedByARule) {
    const decide::Rules rules = all_builtins_allowed();
    const decide::Context context{.working_directory = "/srv", .home = "/home/me"};
    const auto is_allowed = [&](const std::string& text) {
        return decide::decide(parse::parse(text), rules, context).decision ==
               decide::Decision::Allow;
    };
    size_t set = 0;
    for (const std::string& text : cases_in("sets.txt")) {
        // The new value is not looked up: `[[` and `echo` are part of bash.
        const std::string output =
            bash_output("before=$PATH\n" + text +
                        "\n[[ ${PATH-unset} != \"$before\" ]] && echo PATH-was-set\n");
        if (!output.contains("PATH-was-set")) continue;
        ++set;
        EXPECT_FALSE(is_allowed(text)) << text;
    }
    EXPECT_GT(set, 25) << "hardly any of them sets PATH: the cases are wrong";
    for (const char* text :
         {"export FOO=x", "declare x=1", "printf -v x y", "read -r x <<< y",
          "mapfile -t lines <<< x", "getopts a o", "unset x", ": ${x:=y}", "echo $((x=1))"})
        EXPECT_TRUE(is_allowed(text)) << text;
}

}  // namespace
}  // namespace husk::test
