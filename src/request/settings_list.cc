#include "request/settings_list.h"

#include <utility>

#include "request/setting_keys.h"
#include "request/settings_layers.h"

namespace husk::config {
namespace {

// What can be reached, which in an open mode is everything unless somebody says otherwise.
Line network_line(const Settings& settings) {
    const bool by_mode = settings.mode.value == Mode::Open && !settings.network.is_given();
    return {"network", to_text(reachable(settings)),
            by_mode ? settings.mode.origin : settings.network.origin};
}

void add_rules(const Settings& settings, std::vector<Line>& lines) {
    const RuleTexts& rules = settings.rules;
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
    for (const auto& [name, on] : rules.packs) {
        const auto where = rules.packs_where.find(name);
        lines.push_back(
            {"packs." + name, on ? "on" : "off",
             where == rules.packs_where.end() ? settings.packs_origin : from_file(where->second)});
    }
}

}  // namespace

std::vector<Line> lines_of(const Settings& settings) {
    std::vector<Line> lines;
    for (const Key& key : keys())
        lines.push_back(key.unit == Unit::Network
                            ? network_line(settings)
                            : Line{full_name(key.section, key.name), value_text(settings, key),
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
    add_rules(settings, lines);
    return lines;
}

}  // namespace husk::config
