#include "decide/rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "decide/check.h"
#include "decide/working_directory.h"
#include "parse/script.h"

namespace husk::decide {
namespace {

struct NamedMode {
    std::string_view name;
    Mode mode;
};
constexpr std::array modes = {
    NamedMode{"default", Mode::Default},
    NamedMode{"strict", Mode::Strict},
    NamedMode{"dontAsk", Mode::DontAsk},
    NamedMode{"acceptEdits", Mode::AcceptEdits},
    NamedMode{"bypassPermissions", Mode::BypassPermissions},
};

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string closest = text::closest(word, candidates);
    if (!closest.empty()) return "; did you mean \"" + closest + "\"?";
    std::string all;
    for (const std::string_view candidate : candidates)
        all += (all.empty() ? "; there are " : ", ") + std::string(candidate);
    return all;
}

std::optional<Decision> decision_named(std::string_view name) {
    for (const Decision decision : {Decision::Allow, Decision::Ask, Decision::Deny}) {
        if (name == word(decision)) return decision;
    }
    return std::nullopt;
}

class Compiler {
public:
    Compiled compile(const RuleTexts& texts) {
        read_mode(texts);
        read_list(texts.allow, Decision::Allow);
        read_list(texts.ask, Decision::Ask);
        read_list(texts.deny, Decision::Deny);
        for (const LongRule& rule : texts.rules) read_long(rule);
        made_.rules.approved = texts.approved;
        read_packs(texts);
        return std::move(made_);
    }

private:
    void refuse(const Where& where, std::string message) {
        made_.problems.push_back({.where = where, .message = std::move(message), .fatal = true});
    }

    void read_mode(const RuleTexts& texts) {
        made_.rules.mode_where = text_of(texts.mode_where);
        const auto* found = std::ranges::find(modes, texts.mode, &NamedMode::name);
        if (found != modes.end()) {
            made_.rules.mode = found->mode;
            return;
        }
        std::array<std::string_view, modes.size()> names;
        std::ranges::transform(modes, names.begin(), &NamedMode::name);
        refuse(texts.mode_where,
               "there is no mode \"" + texts.mode + "\"" + did_you_mean(texts.mode, names));
    }

    void read_list(const std::vector<ShortRule>& list, Decision decision) {
        for (size_t i = 0; i < list.size(); ++i) {
            auto pattern = read_short_rule(list[i].text);
            if (!pattern) {
                refuse(list[i].where, "Permission rule at index " + std::to_string(i) +
                                          " is invalid: " + pattern.error());
            } else if (pattern->tool == "Bash") {  // the others are somebody else's tools
                made_.rules.rules.push_back({.decision = decision,
                                             .name = list[i].text,
                                             .where = text_of(list[i].where),
                                             .pattern = *std::move(pattern)});
            }
        }
    }

    void read_long(const LongRule& text) {
        const auto decision = decision_named(text.verdict);
        if (text.id.empty()) return refuse(text.where, "a rule needs an id");
        if (!decision)
            return refuse(text.where, "rule \"" + text.id + "\": the verdict \"" + text.verdict +
                                          "\" is none of allow, ask, deny");
        if (text.match.empty() && text.writes.empty())
            return refuse(text.where, "rule \"" + text.id + "\" has neither match nor writes");
        const auto is_empty = [](const auto& alternatives) { return alternatives.empty(); };
        if (std::ranges::any_of(text.match, is_empty))
            return refuse(text.where, "rule \"" + text.id + "\": a word of match has no text");

        Rule rule{.decision = *decision,
                  .name = text.id,
                  .where = text_of(text.where),
                  .reason = text.reason,
                  .instead = text.instead,
                  .pattern = LongPattern{.words = {}, .writes = text.writes}};
        auto& words = std::get<LongPattern>(rule.pattern).words;
        for (const auto& element : text.match) words.emplace_back(element.begin(), element.end());
        check_examples(text, rule);
        made_.rules.rules.push_back(std::move(rule));
    }

    void check_examples(const LongRule& text, const Rule& rule) {
        const auto contradiction = [&](const std::string& example, std::string_view claim) {
            refuse(text.where, "rule \"" + text.id + "\" " + std::string(claim) +
                                   " its own example \"" + example + "\"");
        };
        for (const std::string& example : text.hits) {
            if (!hits(rule, example)) contradiction(example, "does not match");
        }
        for (const std::string& example : text.misses) {
            if (hits(rule, example)) contradiction(example, "must not match but matches");
        }
    }

    static bool hits(const Rule& rule, const std::string& example) {
        // Examples are about no machine in particular.
        const Context context = {.working_directory = "/workspace", .home = "/home/user"};
        Context here = context;
        const parse::Script script = parse::parse(example);
        for (size_t i = 0; i < script.commands.size(); ++i) {
            if (match(rule, Subject(script, i, context, here)) != Match::No) return true;
            here = context_after(script.commands[i], std::move(here));
        }
        return false;
    }

    void read_packs(const RuleTexts& texts) {
        std::vector<std::string_view> names;
        for (const Pack* pack : all_packs()) {
            names.push_back(pack->name);
            if (pack->on_by_default) made_.rules.packs.emplace(pack->name);
        }
        for (const auto& [name, on] : texts.packs) {
            const auto where = texts.packs_where.find(name);
            if (std::ranges::find(names, name) == names.end())
                refuse(where == texts.packs_where.end() ? Where{} : where->second,
                       "there is no pack \"" + name + "\"" + did_you_mean(name, names));
            else if (on)
                made_.rules.packs.insert(name);
            else
                made_.rules.packs.erase(name);
        }
    }

    Compiled made_;
};

}  // namespace

std::string text_of(const Where& where) {
    const std::string file = where.file.empty() ? "command line" : where.file;
    return where.line == 0 ? file : file + ":" + std::to_string(where.line);
}

Match match(const Rule& rule, const Subject& subject) {
    return std::visit(
        [&](const auto& pattern) {
            if (rule.decision != Decision::Allow) return may_match(pattern, subject);
            return surely_matches(pattern, subject) ? Match::Yes : Match::No;
        },
        rule.pattern);
}

bool Compiled::usable() const {
    return std::ranges::none_of(problems, [](const Problem& problem) { return problem.fatal; });
}

Compiled compile(const RuleTexts& texts) { return Compiler().compile(texts); }

}  // namespace husk::decide
