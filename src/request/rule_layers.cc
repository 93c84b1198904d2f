#include "request/rule_layers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/terminal_text.h"

namespace husk {
namespace {

// From the mode that refuses least. One that does not exist comes last, so that it is found out.
size_t severity(std::string_view mode) {
    constexpr std::array<std::string_view, 5> modes = {"bypassPermissions", "acceptEdits",
                                                       "default", "dontAsk", "strict"};
    return static_cast<size_t>(std::ranges::find(modes, mode) - modes.begin());
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Narrowed narrowed(const RuleTexts& rules) {
    Narrowed result;
    const auto ignore = [&](const Where& where, const std::string& what) {
        result.ignored.push_back({where, what});
    };
    result.rules.ask = rules.ask;
    result.rules.deny = rules.deny;
    for (const ShortRule& rule : rules.allow) ignore(rule.where, "permissions.allow: " + rule.text);
    for (const LongRule& rule : rules.rules) {
        if (rule.verdict == "allow")
            ignore(rule.where, "rule \"" + rule.id + "\", which allows");
        else
            result.rules.rules.push_back(rule);
    }
    for (const Approval& approval : rules.approved)
        ignore(approval.where, "permissions.approved: " + text::one_line(approval.command));
    for (const auto& [name, on] : rules.packs) {
        const auto found = rules.packs_where.find(name);
        const Where where = found == rules.packs_where.end() ? Where{} : found->second;
        if (!on) {
            ignore(where, "the pack \"" + name + "\" switched off");
            continue;
        }
        result.rules.packs[name] = true;
        result.rules.packs_where[name] = where;
    }
    if (severity(rules.mode) > severity("default")) {
        result.rules.mode = rules.mode;
        result.rules.mode_where = rules.mode_where;
    } else if (rules.mode != "default") {
        ignore(rules.mode_where, "permissions.mode: " + rules.mode);
    }
    return result;
}

RuleTexts together(RuleTexts rules, const RuleTexts& narrowing) {
    const bool milder = severity(narrowing.mode) <= severity(rules.mode);
    const std::pair before(rules.mode, rules.mode_where);
    rules = on_top(std::move(rules), narrowing);
    if (milder) std::tie(rules.mode, rules.mode_where) = before;
    return rules;
}

RuleTexts on_top(RuleTexts rules, const RuleTexts& over) {
    append(rules.allow, over.allow);
    append(rules.ask, over.ask);
    append(rules.deny, over.deny);
    append(rules.rules, over.rules);
    append(rules.approved, over.approved);
    for (const auto& [name, on] : over.packs) rules.packs[name] = on;
    for (const auto& [name, where] : over.packs_where) rules.packs_where[name] = where;
    const bool says_something = over.mode_where.line > 0;
    if (says_something) {
        rules.mode = over.mode;
        rules.mode_where = over.mode_where;
    }
    return rules;
}

}  // namespace husk
