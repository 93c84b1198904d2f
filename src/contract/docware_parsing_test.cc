// The seed's 智能命令解析: what debug_info.command_parsing says of a command.
#include <gtest/gtest.h>

#include "contract/docware_cases.h"

namespace husk::contract::docware_parsing_test {
namespace {

Json parsing_of(const std::string& arguments) {
    const Answer answer = docware_answer_to(arguments, {.ending = Exited{0}});
    return (*answer.structured)["debug_info"]["command_parsing"];
}

// "type value", each.
std::string tokens_of(const Json& parsing) {
    std::string all;
    for (const Json& token : parsing["tokens"])
        all += (all.empty() ? "" : ", ") + token["type"].get<std::string>() + " " +
               token["value"].get<std::string>();
    return all;
}

TEST(Docware, Parsing_TokensHaveTheTypesOfTheSeed) {
    const std::pair<const char*, const char*> rows[] = {
        {"git commit -m 'a b'", "command git, argument commit, option -m, string a b"},
        {"cat src/main.cc $file", "command cat, path src/main.cc, variable $file"},
        {"echo x > log", "command echo, argument x, operator >, argument log"},
        {"sort < in | uniq", "command sort, operator <, argument in, operator |, command uniq"},
        {"a && b || c; d & e",
         "command a, operator &&, command b, operator ||, command c, operator ;, command d, "
         "operator &, command e"},
        {"make >>log 2>&1", "command make, operator >>, argument log, operator >&, argument 1"},
        {"x=1 make", "assignment x=1, command make"},
        {"if a; then (b); fi",
         "keyword if, command a, operator ;, keyword then, operator (, command b, operator ), "
         "operator ;, keyword fi"},
        {"echo \"$(a | b)\"", "command echo, string $(a | b)"},
        {R"(echo 'a; b' "c|d" e\;f)", "command echo, string a; b, string c|d, argument e;f"},
        {"ls # | x", "command ls"},
    };
    for (const auto& [command, tokens] : rows)
        EXPECT_EQ(tokens_of(parsing_of(as_shell_command(command))), tokens) << command;
}

TEST(Docware, Parsing_TokensKeepTheirQuotesAndPlaces) {
    const std::string command = R"(echo "a b" 'c' d"e" && cat < 'f g'|wc -l 2>x)";
    const Json tokens = parsing_of(as_shell_command(command))["tokens"];
    std::vector<std::string> texts;
    for (const Json& token : tokens) {
        const auto start = token["start"].get<size_t>();
        const auto end = token["end"].get<size_t>();
        EXPECT_EQ(command.substr(start, end - start), token["text"].get<std::string>());
        texts.push_back(token["text"]);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"echo", "\"a b\"", "'c'", "d\"e\"", "&&", "cat", "<",
                                               "'f g'", "|", "wc", "-l", "2>", "x"}));
    EXPECT_EQ(tokens[1]["value"], "a b");
    EXPECT_EQ(tokens[1]["quoted"], true);
    EXPECT_EQ(tokens[1]["quoteType"], "\"");
    EXPECT_EQ(tokens[2]["quoteType"], "'");
    EXPECT_EQ(tokens[3]["value"], "de");
    EXPECT_EQ(tokens[3]["quoted"], true);
    EXPECT_FALSE(tokens[3].contains("quoteType"));
    EXPECT_FALSE(tokens[0].contains("quoted"));
    EXPECT_EQ(tokens[11]["value"], ">");
}

TEST(Docware, Parsing_TokensInOnePairOfQuotesNameIt) {
    const auto quotes_of = [](const std::string& word) {
        return parsing_of(as_shell_command("echo " + word))["tokens"][1].value("quoteType", "");
    };
    for (const char* word :
         {R"("a b")", R"("$x")", R"x("x$(ls)y")x", R"("`ls "a"`")", R"("${x:-"a"}")", R"("a\"b")",
          R"x("$(echo "a" 'b"' \))")x", R"x("$((1+(2)))")x", R"("")"})
        EXPECT_EQ(quotes_of(word), "\"") << word;
    for (const char* word : {"'a'", "'$x'", "'a\"b'"}) EXPECT_EQ(quotes_of(word), "'") << word;
    for (const char* word : {R"("a""b")", R"("$x""$y")", R"("$x"y"z")", R"('a'"b")", R"(a"b")",
                             R"('a''b')", R"($'a')", R"($"a")", "a"})
        EXPECT_EQ(quotes_of(word), "") << word;
    const std::string deep(200'000, '(');
    EXPECT_EQ(quotes_of("\"$" + deep + "\""), "");
}

TEST(Docware, Parsing_WhatIsNotUnderstoodIsNotSecure) {
    EXPECT_EQ(parsing_of(as_shell_command("ls; if"))["isSecure"], false);
}

TEST(Docware, Parsing_FindsEveryCommand) {
    const Json parsing = parsing_of(as_shell_command("cd x && timeout 5 make -j2 | tee $(date)"));
    EXPECT_EQ(parsing["originalCommand"], "cd x && timeout 5 make -j2 | tee $(date)");
    EXPECT_EQ(parsing["ast"]["type"], "pipeline");
    std::vector<std::string> found;
    for (const Json& command : parsing["ast"]["commands"])
        found.push_back(command["name"].get<std::string>() + " by " +
                        command["via"].get<std::string>());
    std::ranges::sort(found);
    EXPECT_EQ(found,
              (std::vector<std::string>{"cd by script", "date by substitution", "make by wrapper",
                                        "tee by script", "timeout by script"}));
    EXPECT_EQ(parsing["executionPlan"]["mode"], "shell");
    EXPECT_EQ(parsing["securityAnalysis"]["understood"], true);
    EXPECT_EQ(parsing["isSecure"], true);
}

// Nothing in an argument is an operator.
TEST(Docware, Parsing_OfAnArgumentVectorIsOneCommand) {
    const Json parsing = parsing_of(R"({"command": "echo", "args": ["a | b", "; rm -rf /"]})");
    ASSERT_EQ(parsing["ast"]["commands"].size(), 1U);
    EXPECT_EQ(parsing["ast"]["commands"][0]["args"], Json({"a | b", "; rm -rf /"}));
    EXPECT_EQ(parsing["executionPlan"]["mode"], "argv");
}

TEST(Docware, Parsing_IsBounded) {
    std::string command = "true";
    for (int i = 0; i < 99; ++i) command += "; true";
    const Json parsing = parsing_of(as_shell_command(command));
    EXPECT_EQ(parsing["ast"]["commands"].size(), 50U);
    EXPECT_EQ(parsing["commandsLeftOut"], 50);
    EXPECT_FALSE(parsing.contains("tokensLeftOut"));
    for (int i = 0; i < 600; ++i) command += " x";
    const Json more = parsing_of(as_shell_command("echo " + command));
    EXPECT_EQ(more["tokens"].size(), 500U);
    EXPECT_GT(more["tokensLeftOut"], 0);
}

}  // namespace
}  // namespace husk::contract::docware_parsing_test
