// For tests: tables of commands, and what shall be decided about them.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "decide/decide.h"

namespace husk::decide {

struct Row {
    std::string_view decision;  // allow ask deny
    std::string_view rule;      // "" where no rule has a say
    std::string_view command;
};

inline const Context test_context = {.working_directory = "/home/user/app", .home = "/home/user"};

struct ShortTexts {
    const char* mode = "default";
    std::vector<std::string> allow = {};
    std::vector<std::string> ask = {};
    std::vector<std::string> deny = {};
};

// As they would stand in a file, each list from its own line on: allow 11, ask 21, deny 31.
inline RuleTexts texts_of(const ShortTexts& rules) {
    RuleTexts texts;
    texts.mode = rules.mode;
    texts.mode_where = {"husk.yaml", 1};
    const auto fill = [](std::vector<ShortRule>& list, const std::vector<std::string>& from,
                         size_t line) {
        for (const std::string& text : from) list.push_back({text, {"husk.yaml", line++}});
    };
    fill(texts.allow, rules.allow, 11);
    fill(texts.ask, rules.ask, 21);
    fill(texts.deny, rules.deny, 31);
    return texts;
}

// Throws what is wrong with them.
inline Rules compiled(const RuleTexts& texts) {
    const Compiled compiled = compile(texts);
    if (!compiled.problems.empty()) throw std::invalid_argument(compiled.problems[0].message);
    return compiled.rules;
}

inline Rules rules_of(const ShortTexts& rules) { return compiled(texts_of(rules)); }

// Only these packs are on, and there are no rules.
inline Rules only_packs(std::initializer_list<const char*> packs) {
    Rules rules;
    rules.packs.insert(packs.begin(), packs.end());
    return rules;
}

inline Verdict verdict_of(std::string_view command, const Rules& rules) {
    return decide(parse::parse(command), rules, test_context);
}

// One line for each row that is decided otherwise; "" when all is as it should be.
inline std::string mistakes(const Rules& rules, std::initializer_list<Row> table) {
    std::string out;
    for (const auto& [decision, rule, command] : table) {
        const Verdict verdict = verdict_of(command, rules);
        if (word(verdict.decision) == decision && verdict.rule == rule) continue;
        out += std::string(command) + ": " + word(verdict.decision) + " " + verdict.rule +
               " and not " + std::string(decision) + " " + std::string(rule) + "\n";
    }
    return out;
}

}  // namespace husk::decide
