// The parser beside bash itself, and beside another reader of bash.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "asking.h"
#include "parse/script.h"

namespace husk::test {
namespace {

using parse::Command;
using parse::Script;
using parse::Via;

TEST(ParseOracle, BashAndHuskAgreeOnWhatIsAScript) {
    for (const std::string& text : script_cases()) {
        const Script script = parse::parse(text);
        EXPECT_EQ(!script.error.has_value(), bash_accepts(text))
            << text << "\nHusk: " << (script.error ? script.error->message : "fine");
    }
}

// `bash -n` runs no `shopt`, so bash runs these. It runs nothing of a command that it cannot parse.
TEST(ParseOracle, BashAndHuskAgreeOnWhereExtglobIsOn) {
    for (const std::string text : {
             "echo ran !(a)",
             "shopt -s extglob; echo ran !(a)",
             "shopt -s extglob && echo ran !(a)",
             "shopt -s extglob &&\necho ran !(a)",
             "shopt -s extglob\necho ran !(a)",
             "shopt -s extglob;\necho ran !(a)",
             "shopt -s extglob # on\n\necho ran !(a)",
             "shopt -s extglob\nif true; then\necho ran !(a)\nfi",
             "if true; then\nshopt -s extglob\necho ran !(a)\nfi",
             "{ shopt -s extglob\necho ran !(a)\n}",
             "{ shopt -s extglob\n}\necho ran !(a)",
             "f() {\nshopt -s extglob\necho ran !(a)\n}\nf",
             "echo $(shopt -s extglob\necho ran !(a))",
         })
        EXPECT_EQ(parse::parse(text).error.has_value(), !bash_output(text).contains("ran")) << text;
}

// Texts that nobody would write. A here-document that a backquote never ends is left out: bash
// notices such a thing only when it runs it.
TEST(ParseOracle, BashAndHuskAgreeOnNonsense) {
    const std::vector<std::string> tokens = {
        "a",       "b ",          "echo ",  "$x",    "\"$y\"", "'z'",       "$(a)",
        "${x:-y}", "${x:-$(a)}",  "((1))",  "(",     ")",      "{ ",        "}",
        " }",      ";",           "; ",     "\n",    "&",      "&&",        "||",
        "|",       "|&",          " ",      "if ",   "then ",  "else ",     "elif ",
        "fi",      "fi ",         "while ", "do ",   "done",   "for x in ", "for x ",
        "for ",    "case x in ",  "a) ",    ";;",    ";&",     "esac",      "! ",
        "time ",   "function f ", "f() ",   "<",     ">",      ">>",        "<<<",
        "2>",      ">&1",         "<(a)",   ">(b)",  "&>",     "x=",        "x=(",
        "x=1 ",    "x[1]=",       "#c\n",   " #c\n", "\\\n",   "*",         "[a]",
        "{a,b}",   "~",           "until ", "in ",   "$[1]",   "$'a'",      "$\"b\"",
        "3<>f ",   "{v}>f "};
    std::mt19937 random(20240229);  // always the same nonsense
    int texts = 0;
    int disagreements = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text;
        const size_t length = 1 + random() % 8;
        for (size_t i = 0; i < length; ++i) text += tokens[random() % tokens.size()];
        const Script script = parse::parse(text);
        if (!script.not_understood.empty()) continue;
        ++texts;
        if (script.error.has_value() == bash_accepts(text)) {
            ++disagreements;
            ADD_FAILURE() << "they disagree on: " << text
                          << "\nHusk: " << (script.error ? script.error->message : "fine");
        }
    }
    EXPECT_GT(texts, 1400);
    EXPECT_EQ(disagreements, 0);
}

TEST(ParseOracle, WordsHaveTheValueThatBashGivesThem) {
    const std::vector<std::string> words = {
        R"(a)",
        R"('a b')",
        R"("a b")",
        R"(a\ b)",
        R"(a'b'"c"\d)",
        R"('')",
        R"("")",
        R"(a''b)",
        R"('a\b')",
        R"("a\b\\\"\$\`")",
        R"($'a\nb\tc\\\'\"')",
        R"($'\x41\102\u00e9\U1F600\e\cA')",
        R"($'a\0b')",
        R"($'\xZ\q')",
        R"($"hello")",
        "a\\\nb",
        "\"a\\\nb\"",
        "'a\\\nb'",
        R"(a{b,c}d)",
        R"({a,b}{c,d})",
        R"({1..5})",
        R"({5..1})",
        R"({01..10..3})",
        R"({a..e..2})",
        R"({-2..2})",
        R"({a,b{c,d}})",
        R"({a})",
        R"({})",
        R"({a,})",
        R"({,a})",
        R"(a{,b}c)",
        R"("{a,b}")",
        R"({'a,b',c})",
        R"(\{a,b})",
        R"({a,b)",
        R"(a,b})",
        R"({a{b,c})",
        R"({1..x})",
        R"({1..3..0})",
        R"(x{1..3}y{a,b})",
        R"([a]b c]d)",
        R"(a=b --x=y)",
        R"(a#b)",
        R"(a~b)",
        R"(-rf)",
        R"({r,''}m)",
        R"(+(a))",
    };
    for (const std::string& text : words) {
        if (text == "+(a)") continue;  // a pattern only after shopt -s extglob
        const Script script = parse::parse("printf " + text);
        ASSERT_EQ(script.commands.size(), 1) << text;
        std::vector<std::string> values;
        for (size_t i = 1; i < script.commands[0].words.size(); ++i)
            values.push_back(script.commands[0].words[i].shown());
        EXPECT_EQ(values, bash_words(text)) << text;
    }
}

// Those that are in the text: not those that strings, wrappers and here-documents bring.
size_t commands_in_text(const Script& script) {
    size_t count = 0;
    for (const Command& command : script.commands) {
        bool in_text = command.via == Via::Script || command.via == Via::Substitution;
        for (size_t at = command.carrier; in_text && at != Command::none;
             at = script.commands[at].carrier) {
            const Via via = script.commands[at].via;
            in_text = via != Via::Code && via != Via::Remote;
        }
        if (in_text && !(command.words.empty() && command.assignments.empty())) ++count;
    }
    return count;
}

// What no reader of a text can know, and autotools, completions and the like do. How many of these
// there are depends on what is installed.
bool nobody_could_know(const Script& script) {
    const std::vector<std::string> reasons = {
        "aliases change what its words mean",
        "CDPATH changes where cd leads",
        "ENV is a text that bash runs",
        "it changes what ~ and $HOME mean",
        "compgen runs what stands in its words",
        "arithmetic may run what stands in brackets",
        "arithmetic may run what a variable puts into brackets"};
    return !script.not_understood.empty() &&
           std::ranges::all_of(script.not_understood, [&](const std::string& one) {
               return std::ranges::find(reasons, one) != reasons.end();
           });
}

TEST(ParseOracle, ScriptsOfThisMachineAreUnderstoodAndNoCommandIsMissed) {
    size_t accepted = 0;
    size_t understood = 0;
    size_t compared = 0;
    for (const std::string& path : scripts_of_this_machine()) {
        const std::string text = read_file(path);
        if (!bash_accepts(text)) continue;
        const Script script = parse::parse(text);
        if (!nobody_could_know(script)) ++accepted;
        EXPECT_FALSE(script.error)
            << path << ":" << script.error->line << ": " << script.error->message;
        if (!script.understood()) continue;
        ++understood;
        const auto others = shfmt_commands(text);
        if (!others) continue;
        ++compared;
        EXPECT_GE(commands_in_text(script), *others) << path;
        // Where Husk finds more, bash is right: shfmt takes '$(x)' in "${y:-'$(x)'}" for text.
        EXPECT_LE(commands_in_text(script), *others + *others / 50 + 4) << path;
    }
    EXPECT_GT(accepted, 50) << "there are hardly any scripts here";
    EXPECT_GE(static_cast<double>(understood), 0.99 * static_cast<double>(accepted));
    EXPECT_GE(static_cast<double>(compared), 0.95 * static_cast<double>(understood));
    RecordProperty("scripts", static_cast<int>(accepted));
    RecordProperty("understood", static_cast<int>(understood));
}

TEST(ParseOracle, ShfmtSeesNothingInTheCasesThatHuskDoesNot) {
    for (const std::string& text : script_cases()) {
        const Script script = parse::parse(text);
        if (!script.understood()) continue;
        const auto others = shfmt_commands(text);
        if (!others) continue;
        EXPECT_GE(commands_in_text(script), *others) << text;
    }
}

}  // namespace
}  // namespace husk::test
