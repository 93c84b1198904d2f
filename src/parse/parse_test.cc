#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parse/listing.h"
#include "parse/script.h"

namespace husk::parse {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Listing : public testing::TestWithParam<Row> {};

TEST_P(Listing, IsComplete) { EXPECT_EQ(listing(GetParam().text), GetParam().commands); }

INSTANTIATE_TEST_SUITE_P(
    Words, Listing,
    testing::Values(Row{"git  push \"-f\" 'origin' +main", "s git push -f origin +main\n"},
                    Row{"g\\it r\"\"m 'a'\"b\"c", "s git rm abc\n"},
                    Row{"$'\\x72\\x6d' -rf /", "s rm -rf /\n"}, Row{"r\\\nm x", "s rm x\n"},
                    Row{"{rm,-rf,/}", "s rm -rf /\n"}, Row{"rm -{r,f} {~,/}", "s rm -r -f ?~ /\n"},
                    Row{"echo {1..3} {a,b}{c,d}", "s echo 1 2 3 ac ad bc bd\n"},
                    Row{"echo $x \"$y z\" ${a[1]} $1 $@", "s echo ?$x ?$y z ?${a[1]} ?$1 ?$@\n"},
                    Row{"ls *.c a? [ab]c", "s ls ?*.c ?a? ?[ab]c\n"},
                    Row{"ls '*' \\* [ ]", "s ls * * [ ]\n"},
                    Row{"cd ~ ~/x ~me a~ '~'", "s cd ?~ ?~/x ?~me a~ ~\n"},
                    Row{"echo $((1+2)) $[3]", "s echo ?$((1+2)) ?$[3]\n"},
                    Row{"a # b\nc", "s a\ns c\n"}, Row{"a#b", "s a#b\n"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, Listing,
    testing::Values(
        Row{"", ""}, Row{"# nothing", ""},
        Row{"a; b & c && d || e\nf", "s a\ns b\ns c\ns d\ns e\ns f\n"},
        Row{"a | b |& c", "s a\ns b\ns c\n"}, Row{"! a; time -p b | c; time", "s a\ns b\ns c\n"},
        Row{"(a; b) > x", "s a\ns b\ns <1>\n"}, Row{"{ a; } 2>&1 | b", "s a\ns <2>\ns b\n"},
        Row{"if a; then b; elif c; then d; else e; fi", "s a\ns b\ns c\ns d\ns e\n"},
        Row{"while a; do b; done; until c; do d; done", "s a\ns b\ns c\ns d\n"},
        Row{"for x in 1 $(a) 2; do b $x; done < f", "$ a\ns b ?$x\ns <0>\n"},
        Row{"for x do a; done", "s a\n"}, Row{"for ((i=$(a);i<3;i++)); do b; done", "$ a\ns b\n"},
        Row{"case $(a) in x|$(b)) c;; (y) d;& *) e;;& z) esac", "$ a\n$ b\ns c\ns d\ns e\n"},
        Row{"select x in a; do b; done", "s b\n"},
        Row{"f() { a; }; function g { b; }; h () (c)", "s a\ns b\ns c\n"},
        Row{"coproc a; coproc X { b; }", "s a\ns b\n"},
        Row{"[[ -f $(a) && ( $x == *`b`* || ! y =~ ^(c|$(d))$ ) ]]", "$ a\n$ b\n$ d\n"},
        Row{"(( x = $(a) + y[$(b)] ))", "$ a\n$ b\n"}, Row{"((a); b)", "s a\ns b\n"},
        Row{"x=1 y=$(a) b", "s x=1 y=$(a) b\n  $ a\n"},
        Row{"x=(a $(b)); x[$(c)]=d; declare -a y=($(e))",
            "s x=a $(b)\n  $ b\ns x=d\n  $ c\ns declare -a ?y=$(e)\n  $ e\n"},
        Row{":(){ :|:& };:", "s :\ns :\ns :\n"}));

INSTANTIATE_TEST_SUITE_P(
    Substitutions, Listing,
    testing::Values(
        Row{"echo $(a; b | c) `d`", "s echo ?$(a; b | c) ?`d`\n  $ a\n  $ b\n  $ c\n  $ d\n"},
        Row{"echo `a \\`b \\\\\\`c\\\\\\`\\``",
            "s echo ?`a \\`b \\\\\\`c\\\\\\`\\``\n  $ a ?`b \\`c\\``\n    $ b ?`c`\n      $ c\n"},
        Row{"a \"$(b \"$(c)\")\"", "s a ?$(b \"$(c)\")\n  $ b ?$(c)\n    $ c\n"},
        Row{"a <(b) > >(c)", "s a ?<(b) <1>\n  $ b\n  $ c\n"},
        Row{"a ${x:-`b`} ${x:=$(c)} \"${x:+`d`}\"",
            "s a ?${x:-`b`} ?${x:=$(c)} ?${x:+`d`}\n"
            "  $ b\n  $ c\n  $ d\n"},
        Row{"a ${x#`b`} ${x##$(c)} ${x/d/`e`} ${x^^$(f)} ${x:$(g)}",
            "s a ?${x#`b`} ?${x##$(c)} ?${x/d/`e`} ?${x^^$(f)} ?${x:$(g)}\n"
            "  $ b\n  $ c\n  $ e\n  $ f\n  $ g\n"},
        Row{"a \"${x:-'$(b)'}\" ${x:-'$(c)'}", "s a ?${x:-'$(b)'} ?${x:-'$(c)'}\n  $ b\n"},
        Row{"a ${x[$(b)]} ${!y[`c`]}", "s a ?${x[$(b)]} ?${!y[`c`]}\n  $ b\n  $ c\n"},
        Row{"a $(( $(b) + `c` ))", "s a ?$(( $(b) + `c` ))\n  $ b\n  $ c\n"},
        Row{"a $( (b) ) $((c); d)", "s a ?$( (b) ) ?$((c); d)\n  $ b\n  $ c\n  $ d\n"},
        Row{"cat <<E\n$(a) `b` ${x:-$(c)} \\$(d)\nE\ne", "s cat <0>\n  $ a\n  $ b\n  $ c\ns e\n"},
        Row{"cat <<'E'\n$(a)\nE", "s cat <0>\n"},
        Row{"cat <<\"a\\$b\"\na$b\nc", "s cat <0>\ns c\n"},
        Row{"cat <<E\n`a \\\"; b; c \\\"`\nE", "s cat <0>\n  $ a \"\n  $ b\n  $ c \"\n"},
        Row{"a['$(b)']=1; c ${d['$(e)']} ${f:'$(g)'}",
            "s a=1\n  $ b\ns c ?${d['$(e)']} ?${f:'$(g)'}\n  $ e\n  $ g\n"},
        Row{"a=(1)true b", "s a=1 b\n"}, Row{"a[\n0]=1 b", "s a=1 b\n"},
        Row{"$'\\x{74}ouch' $'a\\c@b'", "s touch a\n"},
        Row{"cat <<-E; b\n\t$(a)\n\tE\nc", "s cat <0>\n  $ a\ns b\ns c\n"},
        Row{"a $(cat <<E\n)\nE\n) b", "s a ?$(cat <<E\n)\nE\n) b\n  $ cat <0>\n"},
        Row{"a <<< $(b)", "s a <0>\n  $ b\n"},
        Row{"echo '$(a) `b`' \\$(c) \"\\$(d) \\`e\\`\"",
            "s echo $(a) `b` $\nerror: syntax error near unexpected token `('\n"}));

INSTANTIATE_TEST_SUITE_P(
    WhatCannotBeSeen, Listing,
    testing::Values(
        Row{"x='a[$(b)]'; echo $((x))",
            "s x=a[$(b)]\ns echo ?$((x))\nnot: arithmetic may run what stands in brackets\n"},
        Row{"x='a[$(b)]'; let x",
            "s x=a[$(b)]\ns let x\nnot: arithmetic may run what stands in "
            "brackets\n"},
        Row{"x='a[$(b)]'; read $x",
            "s x=a[$(b)]\ns read ?$x\nnot: arithmetic may run what stands in brackets\n"},
        Row{"x='a[$(b)]'", "s x=a[$(b)]\n"},
        Row{"MSG='see a[`x`]'; git commit -m \"$MSG\"",
            "s MSG=see a[`x`]\ns git commit -m ?$MSG\n"},
        Row{"unset 'a[`b`]'", "s unset a[`b`]\nnot: arithmetic may run what stands in brackets\n"},
        Row{"[[ 'a[$(b)]' -eq 0 ]]", "not: arithmetic may run what stands in brackets\n"},
        Row{"for x in 'a[$(b)]'; do ((x)); done",
            "not: arithmetic may run what stands in brackets\n"},
        Row{"cat <<E\na", "s cat <0>\nnot: a here-document does not end\n"},
        Row{"cat <<${x y}\na",
            "s cat <0>\nnot: a here-document ends with a word that is hard to read\n"},
        Row{"export PS4='$(a)'", "s export PS4=$(a)\nnot: PS4 is a text that bash runs\n"},
        Row{"for PATH in x; do a; done", "s a\nnot: a loop sets PATH\n"},
        Row{"PS4='$(a)'", "s PS4=$(a)\nnot: PS4 is a text that bash runs\n"},
        Row{"echo ${x@P}", "s echo ?${x@P}\nnot: ${x@P} runs what is in a variable\n"},
        Row{"shopt -s expand_aliases\nalias a=b\na",
            "s shopt -s expand_aliases\ns alias a=b\ns a\nnot: aliases change what its "
            "words mean\n"},
        Row{"echo ${ a; }",
            "s echo \nnot: ${ } holds a command, which only some versions of bash run\n"}));

TEST(Parse, RangesPointIntoTheSource) {
    const Script script = parse("a && sudo rm  -rf 'x y' >log; c $(d e)");
    const auto at = [&](size_t i) {
        const Range& range = script.commands[i].range;
        return script.source.substr(range.begin, range.end - range.begin);
    };
    EXPECT_EQ(at(1), "sudo rm  -rf 'x y' >log");
    EXPECT_EQ(at(2), "rm  -rf 'x y'");
    EXPECT_EQ(at(3), "c $(d e)");
    EXPECT_EQ(at(4), "d e");
    for (const Command& command : script.commands) {
        EXPECT_EQ(command.text, script.source.substr(command.range.begin,
                                                     command.range.end - command.range.begin));
    }
}

// Nothing of a text that is run as a script may be longer than the source that it comes from.
TEST(Parse, RangesOfADerivedTextLieInTheSource) {
    for (const char* text :
         {"{,,,,}eval a=1 b=2 'c >d'", "{,,,,}eval 'for x in a b c; do d; done'", "EDITOR='a b' c",
          "bash -c 'bash -c \"sudo a >b\"'", "echo a b | bash", "{,,,}xargs a"}) {
        const Script script = parse(text);
        const auto expect_inside = [&](const Range& range) {
            EXPECT_LE(range.begin, range.end) << text;
            EXPECT_LE(range.end, script.source.size()) << text;
        };
        for (const Command& command : script.commands) {
            expect_inside(command.range);
            for (const Word& word : command.words) expect_inside(word.range);
            for (const Assignment& assignment : command.assignments) {
                expect_inside(assignment.range);
                expect_inside(assignment.value.range);
            }
            for (const Redirect& redirect : command.redirects) {
                expect_inside(redirect.range);
                expect_inside(redirect.target.range);
            }
        }
        for (const Loop& loop : script.loops)
            for (const Word& word : loop.words) expect_inside(word.range);
    }
}

TEST(Parse, WordsOfADerivedTextStandWhereTheTextStands) {
    const Script script = parse("x; bash -c 'a b >c'");
    ASSERT_EQ(script.commands.size(), 3);
    const Command& inner = script.commands[2];
    const Range code = script.commands[1].words[2].range;
    EXPECT_EQ(inner.words[1].range, code);
    EXPECT_EQ(inner.redirects[0].target.range, code);
}

TEST(Parse, StagesOfAPipelineHoldTheirCommands) {
    const Script script = parse("a $(b) | sudo c | { d; e; }");
    ASSERT_EQ(script.pipelines.size(), 1);
    const auto& stages = script.pipelines[0].stages;
    ASSERT_EQ(stages.size(), 3);
    EXPECT_EQ(stages[0].first, 0);
    EXPECT_EQ(stages[0].last, 2);
    EXPECT_EQ(stages[1].last, 4);
    EXPECT_EQ(stages[2].last, 6);
}

TEST(Parse, LoopsKnowTheirWordsAndTheirBody) {
    const Script script = parse("a; for x in / {b,c} $(d); do e; done; for y; do f; done; g");
    ASSERT_EQ(script.loops.size(), 2);
    const Loop& loop = script.loops[0];
    EXPECT_EQ(loop.name, "x");
    std::vector<std::string> words;
    for (const Word& word : loop.words) words.push_back(word.shown());
    EXPECT_THAT(words, testing::ElementsAre("/", "b", "c", "$(d)"));
    EXPECT_EQ(script.commands.at(loop.first).text, "e");
    EXPECT_EQ(loop.last, loop.first + 1);
    EXPECT_EQ(script.loops[1].words.at(0).shown(), "$@");
    const Script inside = parse("bash -c 'for x in /; do e; done'");
    ASSERT_EQ(inside.loops.size(), 1);
    EXPECT_EQ(inside.commands.at(inside.loops[0].first).text, "e");
}

TEST(Parse, ACommandKnowsThatNobodyWaitsForIt) {
    const auto waiting = [](const char* text) {
        std::string all;
        for (const Command& command : parse(text).commands)
            all += command.text + (command.background ? "& " : " ");
        return all;
    };
    EXPECT_EQ(waiting("a & b"), "a& b ");
    EXPECT_EQ(waiting("a; b && c & d"), "a b& c& d ");
    EXPECT_EQ(waiting("a | b &"), "a& b& ");
    EXPECT_EQ(waiting("{ a; b; } & c"), "a& b& c ");
    EXPECT_EQ(waiting("(a & b)"), "a& b ");
    EXPECT_EQ(waiting("nohup a &"), "nohup a& a& ");
    EXPECT_EQ(waiting("a &> x; b >&2"), "a &> x b >&2 ");
    EXPECT_EQ(waiting("f() { a & }; f"), "a& f ");
}

TEST(Parse, AssignmentsSayWhatKindTheyAre) {
    const Script script = parse("a=1 b+=2 c=(3 4) d+=(5)");
    std::string kinds;
    for (const Assignment& assignment : script.commands.at(0).assignments)
        kinds += assignment.name + (assignment.appends ? "+" : "") + (assignment.array ? "()" : "");
    EXPECT_EQ(kinds, "ab+c()d+()");
}

TEST(Parse, ASubscriptThatNothingClosesIsNoScript) {
    for (const char* text : {"x[", "x[1", "x[ a", "x[=1", "FOO=1 x[ b", ">f x[", "x[ ; b"})
        EXPECT_EQ(parse(text).error.value_or(SyntaxError{}).message,
                  "unexpected EOF while looking for matching `]'")
            << text;
    for (const char* text :
         {"echo x[", "a x[1", "declare x[", "x[1 ]=2", "x=( y[ )", "[ a ]", "ls a["})
        EXPECT_FALSE(parse(text).error) << text;
}

TEST(Parse, FunctionsKnowTheirBody) {
    const Script script = parse("a; f() { b; c | f; }; f");
    ASSERT_EQ(script.functions.size(), 1);
    EXPECT_EQ(script.functions[0].name, "f");
    EXPECT_EQ(script.functions[0].first, 1);
    EXPECT_EQ(script.functions[0].last, 4);
}

TEST(Parse, RedirectsSayWhatTheyDo) {
    using Kind = Redirect::Kind;
    const Script script = parse("a <b >c 2>>d <>e >&2 &>f >&g {h}>i <<<j 3<&-");
    std::vector<std::tuple<Kind, int, std::string>> found;
    for (const Redirect& redirect : script.commands.at(0).redirects)
        found.emplace_back(redirect.kind, redirect.descriptor, redirect.target.shown());
    const std::vector<std::tuple<Kind, int, std::string>> expected = {
        {Kind::Read, 0, "b"},      {Kind::Write, 1, "c"},     {Kind::Append, 2, "d"},
        {Kind::ReadWrite, 0, "e"}, {Kind::Duplicate, 1, "2"}, {Kind::Write, 1, "f"},
        {Kind::Write, 1, "g"},     {Kind::Write, -1, "i"},    {Kind::HereString, 0, "j"},
        {Kind::Duplicate, 3, "-"}};
    EXPECT_EQ(found, expected);
}

TEST(Parse, ErrorsHaveBashsWordsAndTheLine) {
    const Script script = parse("a\nb )");
    ASSERT_TRUE(script.error);
    EXPECT_EQ(script.error->message, "syntax error near unexpected token `)'");
    EXPECT_EQ(script.error->line, 2);
    EXPECT_EQ(parse("echo 'x").error->message, "unexpected EOF while looking for matching `''");
    EXPECT_EQ(parse("if a").error->message, "syntax error: unexpected end of file");
    EXPECT_TRUE(parse(std::string("a\0b", 3)).error);
}

TEST(Parse, GlobsOfExtglobAreWordsOnlyOnceItIsSwitchedOn) {
    EXPECT_TRUE(parse("echo @(a|b)").error);
    EXPECT_TRUE(parse("shopt -s extglob; echo @(a|b)").error);
    EXPECT_TRUE(parse("shopt -s extglob\necho @(a|b) !($(c))").understood());
    EXPECT_EQ(listing("shopt -s extglob\necho !($(c))"),
              "s shopt -s extglob\ns echo ?!($(c))\n  $ c\n");
    EXPECT_TRUE(parse("[[ x == @(a|b) ]]").understood());
}

// bash reads a whole command before it runs any of it.
TEST(Parse, ExtglobHasNoEffectInsideTheCommandThatSwitchesItOn) {
    for (const char* text :
         {"shopt -s extglob && ls !(a)", "shopt -s extglob &&\nls !(a)",
          "shopt -s extglob; ls !(a)", "if true; then\nshopt -s extglob\nls !(a)\nfi",
          "{ shopt -s extglob\nls !(a)\n}", "f() {\nshopt -s extglob\nls !(a)\n}\nf",
          "echo $(shopt -s extglob\nls !(a))"})
        EXPECT_TRUE(parse(text).error) << text;
    for (const char* text :
         {"shopt -s extglob;\nls !(a)", "shopt -s extglob # on\n\nls !(a)",
          "{ shopt -s extglob\n}\nls !(a)", "shopt -s extglob\nif true; then\nls !(a)\nfi"})
        EXPECT_TRUE(parse(text).understood()) << text;
}

TEST(Parse, TransparentWrappersOnlyChangeHowAnotherIsRun) {
    const auto transparent = [](const char* text) {
        return is_transparent_wrapper(parse(text).commands.at(0));
    };
    for (const char* yes : {"time -p a; /usr/bin/time a", "nice a", "ionice -c 3 a", "nohup a",
                            "timeout 5 a", "stdbuf -o0 a", "command a", "builtin a"}) {
        if (std::string(yes).starts_with("time")) continue;  // a keyword: no command at all
        EXPECT_TRUE(transparent(yes)) << yes;
    }
    for (const char* no : {"sudo a", "env a", "xargs a", "command -v a", "nice", "bash -c a"})
        EXPECT_FALSE(transparent(no)) << no;
}

TEST(Parse, AFunctionWhoseNameIsMadeByCommandsIsGivenUp) {
    for (const char* text :
         {"a>(b | c)d() { e; }", "a$(b | c)() { e; }", "a$(f() { b; })() { e; }"})
        EXPECT_THAT(parse(text).not_understood,
                    Contains("the name of a function is made by other commands"))
            << text;
}

TEST(Parse, AnErrorInWhatWasTakenForArithmeticLeavesNothingBehind) {
    EXPECT_TRUE(parse("$((}$(a[*; b").error);
    EXPECT_TRUE(parse("x $(( $(a[ ) ; $(b").error);
}

// 1 MB of anything is answered or given up; none may run the stack over or take for ever.
TEST(Parse, HostileTextsAreGivenUp) {
    constexpr size_t size = 1 << 20;
    for (const char* piece : {"$((",
                              "(",
                              "$(",
                              "`",
                              "`\\",
                              "{",
                              "{a,",
                              "[",
                              "a[",
                              "a[ ",
                              "<<E\n",
                              "\"${x:-",
                              "${#",
                              "a|",
                              "<<<>>&&||;;",
                              "nice ",
                              "env -S ",
                              "eval ",
                              "bash -c ",
                              "'",
                              "\"",
                              "\\",
                              "\n",
                              "if a; then ",
                              "case x in a) ",
                              "f() {",
                              "cat <<A <<B\n",
                              "*",
                              "x=(",
                              "find -exec a \\; ",
                              "$(cat <<E\n",
                              "$x",
                              "! ",
                              "time ",
                              "coproc ",
                              "[[ ( ",
                              "[[ ! ",
                              "function f ",
                              "&&",
                              "a;"}) {
        std::string text;
        while (text.size() < size) text += piece;
        text.resize(size);
        const Script script = parse(text);
        EXPECT_LE(script.commands.size(), 60'000) << piece;
    }
    const Script large = parse(std::string(size + 1, 'a'));
    EXPECT_THAT(large.not_understood, Contains(HasSubstr("more than 1048576 bytes")));
}

}  // namespace
}  // namespace husk::parse
