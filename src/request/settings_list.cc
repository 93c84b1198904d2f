#include "request/settings_list.h"

#include <utility>

#include "request/setting_keys.h"

namespace husk::config {
namespace {

void add_rules(const RuleTexts& rules, std::vector<Line>& lines) {
    // A mode that nobody has given has no line.
    const Origin mode = rules.mode_where.line == 0 ? Origin{} : from_file(rules.mode_where);
    lines.push_back({"permissions.mode", rules.mode, mode});
    const std::pair<const char*, const std::vector<ShortRule>*> lists[] = {
        {"permissions.allow", &rules.allow},
        {"permissions.ask", &rules.ask},
        {"permissions.deny", &rules.deny}};
    for (const auto& [key, list] : lists)
        for (const ShortRule& rule : *list)
            lines.push_back({key, rule.text, from_file(rule.where)});
    for (const Approval& approval : rules.approved)
        lines.push_back({"permissions.approved", approval.command, from_file(approval.where)});
    for (const LongRule& rule : rules.rules)
        lines.push_back({"rules", rule.id + ": " + rule.verdict, from_file(rule.where)});
    for (const auto& [name, on] : rules.packs)
        lines.push_back(
            {"packs." + name, on ? "on" : "off", from_file(rules.packs_where.at(name))});
}

}  // namespace

std::vector<Line> lines_of(const Settings& settings) {
    std::vector<Line> lines;
    for (const Key& key : keys())
        lines.push_back({full_name(key.section, key.name), value_text(settings, key),
                         origin_of(settings, key)});
    for (const ListKey& key : list_keys())
        for (const auto& item : settings.*key.place)
            lines.push_back({full_name(key.section, key.name), item.value, item.origin});
    for (const auto& [name, variable] : settings.variables) {
        if (variable.value)
            lines.push_back({"environment.set." + name, *variable.value, variable.origin});
        else
            lines.push_back({"environment.unset", name, variable.origin});
    }
    add_rules(settings.rules, lines);
    return lines;
}

}  // namespace husk::config
