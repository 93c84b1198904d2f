// Tokens beside bash itself: a script that is put together again from its tokens is the same
// script.
#include <gmock/gmock.h>

#include <algorithm>

#include "asking.h"
#include "parse/script.h"
#include "parse/tokens.h"

namespace husk::test {
namespace {

using parse::Token;

// As bash prints the script when it has read it, and empty where bash cannot read it. Nothing of it
// is run: it is the body of a function.
std::string as_bash_reads_it(const std::string& script) {
    const std::string body = "f() {\n" + script + "\n}";
    return bash_accepts(body) ? bash_output(body + "\ndeclare -f f") : "";
}

bool has_document(const std::vector<Token>& tokens) {
    return std::ranges::any_of(
        tokens, [](const Token& token) { return token.kind == Token::Kind::Document; });
}

std::string text_of(const std::string& script, const Token& token) {
    return script.substr(token.range.begin, token.range.end - token.range.begin);
}

// With one blank between two of them, or the newlines that were there.
std::string put_together(const std::string& script, const std::vector<Token>& tokens) {
    std::string text;
    size_t at = 0;
    for (const Token& token : tokens) {
        const std::string_view between =
            std::string_view(script).substr(at, token.range.begin - at);
        const bool joined = between.empty();
        const bool on_next_line = between.find('\n') != std::string_view::npos &&
                                  !between.ends_with("\\\n") && between != "\\\n";
        text += (on_next_line ? "\n" : joined ? "" : " ") + text_of(script, token);
        at = token.range.end;
    }
    return text;
}

TEST(TokensOracle, AScriptIsTheSameWhenItIsPutTogetherFromItsTokens) {
    size_t compared = 0;
    for (const std::string& script : script_cases()) {
        const parse::Script read = parse::parse(script);
        if (read.error || !read.understood()) continue;
        const std::vector<Token> tokens = parse::tokens(script);
        if (has_document(tokens)) continue;  // their places are tested below
        const std::string wanted = as_bash_reads_it(script);
        if (wanted.empty()) continue;
        ++compared;
        EXPECT_EQ(as_bash_reads_it(put_together(script, tokens)), wanted) << script;
    }
    EXPECT_GT(compared, 50U);
}

// No two of them share a byte, and between them nothing is left that means something.
TEST(TokensOracle, CoverEverythingButBlanksAndComments) {
    for (const std::string& script : script_cases()) {
        const parse::Script read = parse::parse(script);
        if (read.error || !read.understood()) continue;
        size_t at = 0;
        for (const Token& token : parse::tokens(script)) {
            ASSERT_GE(token.range.begin, at) << script;
            ASSERT_GT(token.range.end, token.range.begin) << script;
            const std::string between = script.substr(at, token.range.begin - at);
            const size_t first = between.find_first_not_of(" \t\n\\");
            EXPECT_TRUE(first == std::string::npos || between[first] == '#')
                << script << "\nbetween: " << between;
            at = token.range.end;
        }
    }
}

}  // namespace
}  // namespace husk::test
