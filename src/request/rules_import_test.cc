#include "request/rules_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "patience.h"
#include "request/starlark.h"

namespace husk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Imported imported(std::string_view text, const std::string& file) {
    auto read = import_rules(text, file);
    if (read) return *std::move(read);
    for (const Complaint& one : read.error())
        ADD_FAILURE() << to_text(one.where) << ": " << one.message;
    return {};
}

// "3 Bash(ls) => allow: Bash(ls) | note", with "=" for what is carried over as it is, "~" for
// what changes and "x" for what is left.
std::vector<std::string> told(const Imported& imported) {
    std::vector<std::string> lines;
    for (const ImportedEntry& entry : imported.entries) {
        const char* sign = entry.carried == ImportedEntry::Carried::Fully     ? "="
                           : entry.carried == ImportedEntry::Carried::Changed ? "~"
                                                                              : "x";
        lines.push_back(std::to_string(entry.where.line) + " " + sign + " " + entry.written +
                        " => " + entry.becomes + " | " + entry.note);
    }
    return lines;
}

std::vector<std::string> texts(const std::vector<ShortRule>& rules) {
    std::vector<std::string> all;
    for (const ShortRule& rule : rules) all.push_back(rule.text);
    return all;
}

TEST(RulesImport, KnowsTheFormatByNameOrContent) {
    struct Case {
        const char* name;
        const char* text;
        RulesFormat format;
    };
    const Case cases[] = {
        {"husk.yaml", "", RulesFormat::Husk},
        {"x.yml", R"({"permissions": {}})", RulesFormat::Husk},
        {"rules", "permissions: {}", RulesFormat::Husk},
        {"rules", "", RulesFormat::Husk},
        {"settings.json", R"({"permissions": {}})", RulesFormat::Claude},
        {"settings", " {\"permissions\": {}}", RulesFormat::Claude},
        {"opencode.jsonc", "// mine\n{\"permission\": \"ask\"}", RulesFormat::Opencode},
        {"default.rules", "", RulesFormat::Codex},
        {"policy", "# mine\nprefix_rule(pattern=[\"ls\"])", RulesFormat::Codex},
    };
    for (const auto& [name, text, format] : cases)
        EXPECT_STREQ(word(format_of(text, name)), word(format)) << name << ": " << text;
}

TEST(RulesImport, OurOwnFileIsReadAsItIs) {
    const Imported ours = imported("permissions: {deny: [Bash(rm)]}", "husk.yaml");
    EXPECT_THAT(texts(ours.rules.deny), ElementsAre("Bash(rm)"));
    EXPECT_THAT(ours.entries, IsEmpty());
}

TEST(RulesImport, ClaudeEntryByEntry) {
    const Imported claude = imported(R"json({
  "model": "x",
  "permissions": {
    "allow": [
      "Bash(npm run test:*)",
      "Bash(git log *)", "Bash(npm run build)",
      "Bash(npm run lint:fix:*)",
      "Read(~/.zshrc)"
    ],
    "deny": ["Bash(curl:*)", "WebFetch", "Bash(rm -rf /)"],
    "ask": ["Bash(git push:*)", "Bash(git commit -m \"a b\")", "Bash(a && b:*)", "Bash()", 3],
    "additionalDirectories": ["../x"]
}
})json",
                                     "settings.json");
    EXPECT_EQ(claude.format, RulesFormat::Claude);
    EXPECT_THAT(
        told(claude),
        ElementsAre(
            "5 = Bash(npm run test:*) => allow: Bash(npm run test:*) | ",
            "6 = Bash(git log *) => allow: Bash(git log *) | ",
            "6 ~ Bash(npm run build) => allow: Bash(npm run build) | there it is this command "
            "alone; here it is also this with more arguments",
            "7 = Bash(npm run lint:fix:*) => allow: Bash(npm run lint:fix:*) | ",
            "8 x Read(~/.zshrc) =>  | it is about Read, and Husk decides about shell commands only",
            "10 = Bash(curl:*) => deny: Bash(curl:*) | ",
            "10 x WebFetch =>  | it is about WebFetch, and Husk decides about shell commands only",
            "10 = Bash(rm -rf /) => deny: Bash(rm -rf /) | ",
            "11 = Bash(git push:*) => ask: Bash(git push:*) | ",
            "11 = Bash(git commit -m \"a b\") => ask: Bash(git commit -m a b) | ",
            HasSubstr("11 x Bash(a && b:*) =>  | here every command of a script is looked at"),
            "11 x Bash() =>  | its pattern is empty",
            "11 x 3 =>  | it is about 3, and Husk decides about shell commands only",
            "12 x additionalDirectories =>  | it is not about commands",
            HasSubstr("3 ~ defaultMode: default => mode: strict | there a command that no rule "
                      "matches is asked about; here it is denied")));
    EXPECT_EQ(claude.rules.mode, "strict");
    EXPECT_THAT(texts(claude.rules.allow),
                ElementsAre("Bash(npm run test:*)", "Bash(git log *)", "Bash(npm run build)",
                            "Bash(npm run lint:fix:*)"));
    EXPECT_THAT(texts(claude.rules.deny), ElementsAre("Bash(curl:*)", "Bash(rm -rf /)"));
    EXPECT_THAT(texts(claude.rules.ask),
                ElementsAre("Bash(git push:*)", "Bash(git commit -m a b)"));
    EXPECT_EQ(to_text(claude.rules.deny[0].where), "settings.json:10");
}

TEST(RulesImport, ClaudeModes) {
    struct Case {
        const char* permissions;
        const char* mode;
        const char* told;
    };
    const Case cases[] = {
        {R"("allow": ["Bash"])", "strict", "~ defaultMode: default => mode: strict"},
        {R"("deny": [])", "default", "= defaultMode: default => ask: Bash"},
        {R"("defaultMode": "acceptEdits")", "default", "= defaultMode: acceptEdits => ask: Bash"},
        {R"("defaultMode": "dontAsk")", "strict", "= defaultMode: dontAsk => mode: strict"},
        {R"("defaultMode": "bypassPermissions")", "default",
         "= defaultMode: bypassPermissions => mode: default | what no rule denies"},
        {R"("defaultMode": "plan")", "default", "x defaultMode: plan =>  | Husk has no such mode"},
    };
    for (const auto& [permissions, mode, line] : cases) {
        const Imported claude =
            imported("{\"permissions\": {" + std::string(permissions) + "}}", "settings.json");
        EXPECT_EQ(claude.rules.mode, mode) << permissions;
        EXPECT_THAT(told(claude), testing::Contains(HasSubstr(line)));
    }
}

TEST(RulesImport, OpencodeEntryByEntry) {
    struct Case {
        const char* permission;
        std::vector<const char*> told;
    };
    const Case cases[] = {
        {R"("ask")", {"= \"*\": \"ask\" => ask: Bash |"}},
        {R"("allow")", {"= \"*\": \"allow\" => mode: default |"}},
        {R"({"bash": "deny"})", {"= \"*\": \"deny\" => mode: strict |"}},
        {R"({"*": "ask", "edit": "deny"})",
         {"x edit =>  | it is about another tool", "= \"*\": \"ask\" => ask: Bash"}},
        // The usual way: what all get, and then the exceptions.
        {R"({"bash": {"*": "ask", "git *": "allow", "rm *": "deny"}})",
         {"= \"git *\": \"allow\" => allow: Bash(git *) | ",
          "= \"rm *\": \"deny\" => deny: Bash(rm *)",
          "~ \"*\": \"ask\" => mode: strict | there a command that no rule"}},
        {R"({"bash": {"*": "ask", "rm *": "deny"}})",
         {"= \"rm *\": \"deny\" => deny: Bash(rm *)", "= \"*\": \"ask\" => ask: Bash |"}},
        {R"({"bash": {"*": "deny", "git *": "allow"}})",
         {"= \"git *\": \"allow\" => allow: Bash(git *)", "= \"*\": \"deny\" => mode: strict"}},
        // A star that comes last makes all before it useless there.
        {R"({"bash": {"git *": "allow", "rm *": "deny", "*": "ask"}})",
         {"x \"git *\": \"allow\" =>  | \"*\" in line 1 comes later and decides there in its place",
          "~ \"rm *\": \"deny\" => deny: Bash(rm *) | \"*\" in line 1, which comes later, decides "
          "there in its place; here deny goes before ask",
          "= \"*\": \"ask\" => ask: Bash"}},
        // An exception of an exception: there the later one decides, here the stricter one.
        {R"({"bash": {"rm *": "deny", "rm -i *": "allow", "ls *": "allow"}})",
         {"= \"rm *\": \"deny\" => deny: Bash(rm *)",
          "~ \"rm -i *\": \"allow\" => allow: Bash(rm -i *) | for what \"rm *\" in line 1 matches "
          "too, this decides there, because it comes later; here deny goes before allow",
          "= \"ls *\": \"allow\" => allow: Bash(ls *) | "}},
        {R"({"bash": {"rm *": "deny", "ls*": "allow", "r": "allow", "* --help": "allow"}})",
         {"= \"rm *\"", "= \"ls*\": \"allow\" => allow: Bash(ls*) | ", "~ \"r\": \"allow\"",
          "~ \"* --help\": \"allow\" => allow: Bash(* --help) | for what \"rm *\" in line 1"}},
        {R"({"bash": {"git *": "allow", "git push *": "ask"}})",
         {"= \"git *\": \"allow\" => allow: Bash(git *) | ",
          "= \"git push *\": \"ask\" => ask: Bash(git push *) | "}},
        {R"({"bash": {"pwd": "allow", "l?": "allow", "r? *": "deny", "a | b": "deny", "x": "no"}})",
         {"x \"x\": \"no\" =>  | it says neither allow nor ask nor deny",
          "~ \"pwd\": \"allow\" => allow: Bash(pwd) | there it is this command alone",
          "x \"l?\": \"allow\" =>  | a ? for one character does not exist here",
          "~ \"r? *\": \"deny\" => deny: Bash(r* *) | a ? is a * here, which matches more",
          "x \"a | b\": \"deny\" =>  | here every command of a script is looked at by itself"}},
    };
    for (const auto& [permission, lines] : cases) {
        const Imported opencode =
            imported("{\"permission\": " + std::string(permission) + "}", "opencode.json");
        EXPECT_EQ(opencode.format, RulesFormat::Opencode);
        std::vector<testing::Matcher<std::string>> expected;
        for (const char* line : lines) expected.push_back(HasSubstr(line));
        EXPECT_THAT(told(opencode), testing::ElementsAreArray(expected)) << permission;
    }
}

TEST(RulesImport, OpencodeFilesMayBeHuge) {
    for (const char* before : {"tool", "*x", ""}) {
        std::string text = "{\"permission\": {\"bash\": {";
        for (int i = 0; i < 20'000; ++i)
            text += (i == 0 ? "\n\"" : ",\n\"") + std::string(before) + std::to_string(i) +
                    " *\": \"" + (i % 2 == 0 ? "deny" : "allow") + "\"";
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(imported(text + "}}}", "opencode.json").entries.size(), 20'000U);
        EXPECT_LT(std::chrono::steady_clock::now() - start, test::patient(std::chrono::seconds(10)))
            << before;
    }
}

TEST(RulesImport, OpencodeAgentsAreLeft) {
    const Imported opencode = imported(
        R"({"permission": "allow",
            "agent": {"build": {"permission": {"bash": "ask"}}, "plan": {}}})",
        "opencode.json");
    EXPECT_THAT(told(opencode),
                ElementsAre(HasSubstr("1 = \"*\": \"allow\""),
                            "2 x agent build =>  | rules for single agents do not exist here"));
}

TEST(RulesImport, CodexEntryByEntry) {
    const Imported codex = imported(R"rules(# what may be run
prefix_rule(
    pattern = ["git", ["push", "fetch"]],
    decision = "forbidden",   # never
    justification = "Ask \"us\" first.",
    match = ["git push origin", ["git", "fetch", "a b"]],
    not_match = [["git", "status"], "git commit -m push"],
)
prefix_rule(pattern=["ls"])
prefix_rule(pattern=["git", ["status", "log"]], decision="allow", match=["git log"])
prefix_rule(pattern=["cp", "*"], decision='prompt')
prefix_rule(pattern=["echo", "a b"])
prefix_rule(pattern=["x"], decision="maybe")
prefix_rule(pattern=[], decision="allow")
prefix_rule(pattern=TOOLS)
host_executable(name = "git", paths = ["/usr/bin/git"])
TOOLS = ["a",
  "b"]
def f(x):
    return x
prefix_rule(pattern=["pwd"])
)rules",
                                    "default.rules");
    EXPECT_EQ(codex.format, RulesFormat::Codex);
    EXPECT_THAT(
        told(codex),
        ElementsAre(
            testing::AllOf(
                HasSubstr("2 ~ prefix_rule( pattern = "),
                HasSubstr("=> rules: {id: codex-2, match: [\"git\", [\"push\", \"fetch\"]], "
                          "verdict: deny, reason: \"Ask \\\"us\\\" first.\", examples: {hits: "
                          "[\"git push origin\", \"git fetch 'a b'\"], misses: [\"git "
                          "status\"]}} | \"git commit -m push\" is matched here too")),
            "9 = prefix_rule(pattern=[\"ls\"]) => allow: Bash(ls) | ",
            HasSubstr("=> allow: Bash(git status) | "), HasSubstr("=> allow: Bash(git log) | "),
            HasSubstr("=> rules: {id: codex-11, match: [\"cp\", \"*\"], verdict: ask} | a * in a "
                      "word matches any text here"),
            HasSubstr("12 x prefix_rule(pattern=[\"echo\", \"a b\"]) =>  | a short rule cannot"),
            HasSubstr("13 x prefix_rule(pattern=[\"x\"], decision=\"maybe\") =>  | its decision"),
            HasSubstr("14 x prefix_rule(pattern=[], decision=\"allow\") =>  | its pattern must be"),
            HasSubstr("15 x prefix_rule(pattern=TOOLS) =>  | \"TOOLS\" is worked out there"),
            HasSubstr("16 x host_executable(name = \"git\", paths = [\"/usr/bin/git\"]) =>  | Husk "
                      "has nothing like host_executable"),
            HasSubstr("17 x TOOLS = [\"a\", \"b\"] =>  | only calls such as prefix_rule(...)"),
            HasSubstr("19 x def f(x): return x =>  | only calls"),
            "21 = prefix_rule(pattern=[\"pwd\"]) => allow: Bash(pwd) | "));

    ASSERT_EQ(codex.rules.rules.size(), 2U);
    const LongRule& push = codex.rules.rules[0];
    EXPECT_EQ(push.reason, "Ask \"us\" first.");
    EXPECT_THAT(push.match, ElementsAre(ElementsAre("git"), ElementsAre("push", "fetch")));
    EXPECT_THAT(push.hits, ElementsAre("git push origin", "git fetch 'a b'"));
    EXPECT_THAT(push.misses, ElementsAre("git status"));
    EXPECT_EQ(to_text(push.where), "default.rules:2");
    EXPECT_EQ(codex.rules.mode, "default");
    EXPECT_THAT(texts(codex.rules.allow),
                ElementsAre("Bash(ls)", "Bash(git status)", "Bash(git log)", "Bash(pwd)"));
}

TEST(Starlark, TextsAndLists) {
    const auto calls = read_starlark(
        "f('a' + \"b\", x = r'\\d', y = '''two\nlines''', z = (\"t\", [1, True, None]),)");
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].error, "");
    EXPECT_EQ(calls[0].arguments[0].value.text, "ab");
    EXPECT_EQ(calls[0].find("x")->text, "\\d");
    EXPECT_EQ(calls[0].find("y")->text, "two\nlines");
    EXPECT_EQ(calls[0].find("z")->items.size(), 2U);
    EXPECT_EQ(calls[0].find("nowhere"), nullptr);
}

TEST(Starlark, GoesOnBehindWhatItCannotRead) {
    for (const char* bad : {"f(", "f(x", "f(x =", "f('a", "f('a\n')", "f('\\q')", "f([1, 2)",
                            "f(a for a in b)", "f(g())", "x = 1", "if x:\n  f()", "@", "f)",
                            "f('a' + 1)", "load(':x', y)", "f(['a'],, 'b')"}) {
        const auto calls = read_starlark(std::string(bad) + "\ng('x')\n");
        ASSERT_EQ(calls.size(), 2U) << bad;
        EXPECT_NE(calls[0].error, "") << bad;
        EXPECT_EQ(calls[1].error, "") << bad;
        EXPECT_EQ(calls[1].name, "g") << bad;
    }
    EXPECT_THAT(read_starlark(std::string(100'000, '[')), testing::SizeIs(1));
    EXPECT_THAT(read_starlark("f(" + std::string(100'000, '[')), testing::SizeIs(1));
}

TEST(RulesImport, TellsWhatIsNoRulesFile) {
    struct Case {
        const char* text;
        size_t line;
        const char* words;
    };
    const Case cases[] = {
        {"{}", 0, "there are no rules in it"},
        {"[1]", 0, "there are no rules in it"},
        {"{\n\"permissions\": {,}}", 2, "this is not JSON: syntax error"},
        {"{\n\n\"permissions\": {}\n", 3, "this is not JSON: syntax error"},
        {"", 1, "this is not JSON"},
        {"{\"permissions\": \"\xff\"}", 1, "this is not UTF-8"},
    };
    for (const auto& [text, line, words] : cases) {
        const auto read = import_rules(text, "settings.json");
        ASSERT_FALSE(read) << text;
        ASSERT_EQ(read.error().size(), 1U);
        EXPECT_EQ(read.error()[0].where.line, line) << text;
        EXPECT_THAT(read.error()[0].message, HasSubstr(words)) << text;
    }
    const std::string deep = "{\"permissions\":" + std::string(100'000, '[');
    EXPECT_THAT(import_rules(deep, "x.json").error()[0].message, HasSubstr("nested more than 32"));
}

TEST(RulesImport, WhatStandsTwiceInJsonIsAsJavaScriptHasIt) {
    const Imported opencode =
        imported(R"({"permission": {"bash": {"ls *": "deny", "*": "allow", "ls *": "ask"}}})",
                 "opencode.json");
    EXPECT_THAT(told(opencode),
                ElementsAre(HasSubstr("~ \"ls *\": \"ask\" => ask: Bash(ls *) | \"*\""),
                            HasSubstr("\"*\": \"allow\" => mode: default")));
}

}  // namespace
}  // namespace husk
