#include "request/rules_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace husk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RuleTexts rules_of(std::string_view text) {
    auto read = read_rules(text, "husk.yaml");
    if (read) return *std::move(read);
    for (const Complaint& one : read.error())
        ADD_FAILURE() << to_text(one.where) << ": " << one.message;
    return {};
}

// "7: what is wrong", for each complaint.
std::vector<std::string> complaints_of(std::string_view text) {
    const auto read = read_rules(text, "husk.yaml");
    std::vector<std::string> told;
    if (read) return told;
    for (const Complaint& one : read.error())
        told.push_back(std::to_string(one.where.line) + ": " + one.message);
    return told;
}

std::vector<std::string> with_lines(const std::vector<ShortRule>& rules) {
    std::vector<std::string> told;
    for (const ShortRule& rule : rules) told.push_back(to_text(rule.where) + " " + rule.text);
    return told;
}

TEST(RulesFile, EveryEntryKnowsItsLine) {
    const RuleTexts texts = rules_of(R"yaml(# what the agent may do
permissions:
  mode: strict
  allow: ["Bash(git:*)", "Bash(npm run *)"]
  ask:
    - Bash(git push:*)
  deny:
    - "Bash(rm:*)"

    - Bash
rules:
  - id: no-prod-db
    match: ["psql", ["-h", "--host"], "*prod*"]
    verdict: deny
    reason: "The production database is off limits."
    instead: Use the staging replica.
    examples: {hits: ["psql -h db.prod.example"], misses: ["psql -h localhost"]}
  -
    id: no-env
    writes: ["**/.env"]
    verdict: ask
packs:
  rm: off
  git: on
  system: true
  destroyers: false
)yaml");
    EXPECT_EQ(texts.mode, "strict");
    EXPECT_EQ(to_text(texts.mode_where), "husk.yaml:3");
    EXPECT_THAT(with_lines(texts.allow),
                ElementsAre("husk.yaml:4 Bash(git:*)", "husk.yaml:4 Bash(npm run *)"));
    EXPECT_THAT(with_lines(texts.ask), ElementsAre("husk.yaml:6 Bash(git push:*)"));
    EXPECT_THAT(with_lines(texts.deny), ElementsAre("husk.yaml:8 Bash(rm:*)", "husk.yaml:10 Bash"));

    ASSERT_EQ(texts.rules.size(), 2U);
    const LongRule& database = texts.rules[0];
    EXPECT_EQ(database.id, "no-prod-db");
    EXPECT_THAT(database.match, ElementsAre(ElementsAre("psql"), ElementsAre("-h", "--host"),
                                            ElementsAre("*prod*")));
    EXPECT_EQ(database.verdict, "deny");
    EXPECT_EQ(database.reason, "The production database is off limits.");
    EXPECT_EQ(database.instead, "Use the staging replica.");
    EXPECT_THAT(database.hits, ElementsAre("psql -h db.prod.example"));
    EXPECT_THAT(database.misses, ElementsAre("psql -h localhost"));
    EXPECT_EQ(to_text(database.where), "husk.yaml:12");
    EXPECT_THAT(texts.rules[1].writes, ElementsAre("**/.env"));
    EXPECT_EQ(to_text(texts.rules[1].where), "husk.yaml:19");

    const std::map<std::string, bool> packs = {
        {"rm", false}, {"git", true}, {"system", true}, {"destroyers", false}};
    EXPECT_EQ(texts.packs, packs);
    EXPECT_EQ(to_text(texts.packs_where.at("system")), "husk.yaml:25");
}

TEST(RulesFile, ApprovalsAreOfADirectory) {
    const auto read = read_rules(
        "permissions:\n  approved:\n    /a b:\n    - ls\n    - |\n"
        "      two\n      lines\n    /c:\n",
        "husk.yaml");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->approved.size(), 2U);
    EXPECT_EQ(read->approved[0].directory, "/a b");
    EXPECT_EQ(read->approved[0].command, "ls");
    EXPECT_EQ(read->approved[0].where.line, 4U);
    EXPECT_EQ(read->approved[1].command, "two\nlines\n");
    for (const char* wrong :
         {"permissions: {approved: [ls]}", "permissions: {approved: {a: [ls]}}",
          "permissions: {approved: {/a: ls}}", "permissions: {approved: {/a: [{x: y}]}}"})
        EXPECT_FALSE(read_rules(wrong, "husk.yaml")) << wrong;
}

TEST(RulesFile, PacksCanBeAList) {
    const RuleTexts texts = rules_of("packs: [rm,\n  git]");
    EXPECT_EQ(texts.packs, (std::map<std::string, bool>{{"rm", true}, {"git", true}}));
    EXPECT_EQ(to_text(texts.packs_where.at("git")), "husk.yaml:2");
}

TEST(RulesFile, NumbersAndWordsOfYamlAreTexts) {
    const RuleTexts texts =
        rules_of("rules: [{id: 7, match: [kill, -9, 1, true, no, 0x10, '~'], verdict: deny}]\n");
    ASSERT_EQ(texts.rules.size(), 1U);
    EXPECT_EQ(texts.rules[0].id, "7");
    EXPECT_THAT(
        texts.rules[0].match,
        ElementsAre(ElementsAre("kill"), ElementsAre("-9"), ElementsAre("1"), ElementsAre("true"),
                    ElementsAre("no"), ElementsAre("0x10"), ElementsAre("~")));
}

TEST(RulesFile, WhatSaysNothingIsFine) {
    for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF", "{}",
                             "permissions:\n", "permissions: {allow: , deny: []}\n", "rules:\n",
                             "rules: []", "packs:\n", "permissions:\r\n  ask: []\r\n"}) {
        const RuleTexts texts = rules_of(text);
        EXPECT_EQ(texts.mode, "default");
        EXPECT_TRUE(texts.allow.empty() && texts.rules.empty() && texts.packs.empty()) << text;
    }
}

TEST(RulesFile, TellsWhatIsWrongAndWhere) {
    struct Case {
        const char* text;
        const char* line_and_words;
    };
    const Case cases[] = {
        // unknown keys
        {"permision:\n", "1: unknown key \"permision\" in this file; did you mean"},
        {"\n\nx: 1\n", "3: unknown key \"x\" in this file; it has contract, tools, mode"},
        {"permissions:\n  alow: []\n",
         "2: unknown key \"alow\" in permissions; did you mean \"allow\"?"},
        {"rules:\n- id: a\n  match: [a]\n  verdict: deny\n  reasn: x\n",
         "5: unknown key \"reasn\" in a rule; did you mean \"reason\"?"},
        {"rules: [{id: a, match: [a], verdict: deny, examples: {\nhit: []}}]",
         "2: unknown key \"hit\" in examples; did you mean \"hits\"?"},
        // keys given twice
        {"packs:\n  rm: on\n  git: on\n  rm: off\n",
         "4: \"rm\" is given twice, in line 2 and in line 4"},
        {"permissions: {}\nrules: []\npermissions: {}\n",
         "3: \"permissions\" is given twice, in line 1 and in line 3"},
        {"rules:\n- {id: a, match: [a], verdict: ask,\n   id: b}\n",
         "3: \"id\" is given twice, in line 2 and in line 3"},
        {"x: [{y: {z: 1,\n z: 2}}]", "2: \"z\" is given twice, in line 1 and in line 2"},
        // wrong types
        {"- permissions\n", "1: this file must be a map, and here is a list"},
        {"just words", "1: this file must be a map, and here is a text"},
        {"permissions: yes", "1: permissions must be a map, and here is a text"},
        {"permissions:\n  mode: [strict]", "2: mode must be a text, and here is a list"},
        {"permissions:\n  allow: Bash(git:*)", "2: allow must be a list, and here is a text"},
        {"permissions:\n  deny:\n  - {Bash: rm}",
         "3: an entry of deny must be a text, and here is a map"},
        {"permissions:\n  deny:\n  - \n  - Bash",
         "an entry of deny must be a text, and here is nothing"},
        {"rules: {id: x}", "1: rules must be a list, and here is a map"},
        {"rules:\n- Bash(rm)", "2: a rule must be a map, and here is a text"},
        {"rules:\n- {id: a, verdict: deny, match: psql}",
         "2: match must be a list, and here is a text"},
        {"rules:\n- {id: a, verdict: deny, match: [psql, []]}", "2: an empty list in match"},
        {"rules:\n- {id: a, verdict: deny, match: [psql, [{}]]}",
         "2: an entry of match must be a text, and here is a map"},
        {"rules:\n- {id: a, verdict: deny, match: [~]}",
         "2: an entry of match must be a text, and here is nothing"},
        {"rules:\n- {id: a, verdict: deny, match: [a], examples: [a]}",
         "2: examples must be a map, and here is a list"},
        {"packs: rm",
         "1: packs must be a map of names to on or off, or a list of names, and here is a text"},
        {"packs:\n  rm: maybe", "2: a pack is switched on or off; \"rm\" is given neither"},
        {"packs:\n  rm:", "2: a pack is switched on or off; \"rm\" is given neither"},
        {"packs: [[rm]]", "1: an entry of packs must be a text, and here is a list"},
        // what a rule needs
        {"rules:\n\n- {verdict: deny, match: [a]}", "3: this rule has no id"},
        {"rules:\n- {id: a, match: [a]}", "2: this rule has no verdict"},
        {"rules:\n- {id: a, verdict: deny}", "2: this rule has neither match nor writes"},
        // no YAML
        {"permissions:\n\tallow: []\n", "2: there is a tab in the indentation; YAML wants spaces"},
        {"permissions:\n  allow:\n\t- Bash\n",
         "3: there is a tab in the indentation; YAML wants spaces"},
        {"packs: [rm\n", ": this is not YAML: a [ is never closed"},
        {"packs: {rm: on\n", ": this is not YAML: a { is never closed"},
        {"packs: \"rm\n", ": this is not YAML: a quote is never closed"},
        {"rules:\n- {id: a, reason: \"never closed, verdict: deny}\npacks: {}\n\n",
         ": this is not YAML: a quote is never closed"},
        {"permissions:\n  mode:\n  deny: []\n", "2: mode must be a text, and here is nothing"},
        {"a: b: c", "1: this is not YAML: there is a colon too many"},
        {"rules: []\npacks: @rm", "2: this is not YAML: this character must be in quotes"},
        {"packs: \"\\uD83D\"", "1: this is not YAML: "},
        // YAML that we do without
        {"packs: &all [rm]\n", "1: anchors (&name) are not used here"},
        {"rules: []\npacks: *all\n", "2: this is not YAML: a star must be in quotes"},
        {"rules:\n- {id: &x a, match: [*x], verdict: deny}",
         "2: anchors (&name) are not used here"},
        {"rules:\n- {id: a, match: [git, *], verdict: deny}",
         "2: this is not YAML: a star must be in quotes"},
        {"packs: !!map {rm: on}", "1: tags (!name) are not used here"},
        {"packs: {rm: !on x}", "1: tags (!name) are not used here"},
        {"packs: {<<: {rm: on}}", "1: a pack is switched on or off"},
        {"packs: {}\n---\npacks: {}\n", "2: a second document begins here"},
        {"- a\npacks: {}\n",
         "2: a second document begins here; is the indentation of this line right?"},
        {"? [a, b]\n: c\n", "1: a key must be a text"},
        {": c\n", "1: there is no key before the colon"},
        // no text
        {"packs: {}\n# caf\xE9\n", "2: this is not UTF-8; save the file as UTF-8"},
        {"\xFF\xFEp\x01", "1: this is not UTF-8"},
    };
    for (const auto& [text, line_and_words] : cases)
        EXPECT_THAT(complaints_of(text), ElementsAre(HasSubstr(line_and_words))) << text;
}

TEST(RulesFile, TellsAllThatIsWrongAtOnce) {
    EXPECT_THAT(complaints_of("packs: {rm: 3}\n"
                              "rules:\n"
                              "- {match: [a], verdict: deny}\n"
                              "permissions:\n"
                              "  alow: []\n"
                              "  mode: {}\n"),
                ElementsAre(HasSubstr("1: a pack"), HasSubstr("3: this rule has no id"),
                            HasSubstr("5: unknown key \"alow\""), HasSubstr("6: mode must be")));
}

TEST(RulesFile, ANulIsNoText) {
    using namespace std::literals;
    EXPECT_THAT(complaints_of("packs: {}\n\n\0"sv), ElementsAre(HasSubstr("3: there is a NUL")));
}

TEST(RulesFile, HasALimitInSize) {
    const std::string comment = "#" + std::string((1 << 20) - 1, 'x');
    EXPECT_THAT(complaints_of(comment), IsEmpty());
    EXPECT_THAT(complaints_of(comment + "x"),
                ElementsAre(HasSubstr("0: it has more than 1048576")));
}

TEST(RulesFile, HasALimitInDepth) {
    for (const char* opening : {"[", "{a: ", "- ", "[{", "? "}) {
        std::string text = "packs: ";
        if (opening[0] == '-' || opening[0] == '?') text.clear();
        while (text.size() < 500'000) text += opening;
        EXPECT_THAT(complaints_of(text), testing::SizeIs(1)) << opening;
    }
    EXPECT_THAT(complaints_of("packs: " + std::string(40, '[') + std::string(40, ']')),
                ElementsAre(HasSubstr("1: lists and maps are nested more than 32 deep here")));
}

TEST(RulesFile, AKeyOfAnySortIsToldOnOneLine) {
    EXPECT_THAT(complaints_of("\"a\\nb\\e[31m\": 1"),
                ElementsAre(HasSubstr("1: unknown key \"a b\\x1b[31m\" in this file")));
}

}  // namespace
}  // namespace husk
