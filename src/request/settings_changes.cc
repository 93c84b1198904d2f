#include "request/settings_changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/terminal_text.h"
#include "request/setting_keys.h"
#include "request/settings_list.h"

namespace husk::config {
namespace {

using Values = std::vector<std::string>;

std::map<std::string, Values> values_of(const Settings& settings) {
    std::map<std::string, Values> values;
    for (Line& line : lines_of(settings)) values[line.key].push_back(std::move(line.value));
    return values;
}

bool is_list(const std::string& key) {
    static const std::set<std::string> lists = [] {
        std::set<std::string> names = {"permissions.allow", "permissions.ask", "permissions.deny",
                                       "rules", "environment.unset"};
        for (const ListKey& one : list_keys()) names.insert(full_name(one.section, one.name));
        return names;
    }();
    return lists.contains(key);
}

bool is_private(const std::string& key) {
    return key.starts_with("environment.set.") || key == "permissions.approved";
}

// The entries of `all` that are not in `taken`. Repeated entries count one by one.
Values without(Values all, const Values& taken) {
    for (const std::string& one : taken)
        if (const auto found = std::ranges::find(all, one); found != all.end()) all.erase(found);
    return all;
}

std::string joined(const Values& values) {
    std::string text;
    for (const std::string& value : values)
        text += (text.empty() ? "" : ", ") + text::one_line(value);
    return text;
}

std::string entry(const std::string& text) {
    return text.empty() ? "an empty list, which allows nothing" : text::one_line(text);
}

void add_changes(const std::string& key, const Values& before, const Values& after,
                 std::vector<std::string>& all) {
    if (before == after) return;
    if (is_private(key)) return all.push_back(key + ": changed");
    if (is_list(key)) {
        const Values added = without(after, before);
        const Values removed = without(before, after);
        for (const std::string& one : added) all.push_back(key + ": added " + entry(one));
        for (const std::string& one : removed) all.push_back(key + ": removed " + entry(one));
        if (added.empty() && removed.empty()) all.push_back(key + ": in another order");
        return;
    }
    const auto told = [](const Values& values) {
        return values.empty() || values == Values{""} ? "not set" : joined(values);
    };
    all.push_back(key + ": " + told(after) + ", was " + told(before));
}

// A rule as it counts, wherever it stands in the file.
auto content_of(const LongRule& rule) {
    return std::tie(rule.id, rule.match, rule.writes, rule.verdict, rule.reason, rule.instead,
                    rule.hits, rule.misses);
}

// The lines of `husk config` show only the name and the verdict of a rule.
bool differ_inside(const RuleTexts& before, const RuleTexts& after) {
    return !std::ranges::equal(before.rules, after.rules, {}, content_of, content_of);
}

bool differ_in_directory(const RuleTexts& before, const RuleTexts& after) {
    const auto content = [](const Approval& one) { return std::tie(one.directory, one.command); };
    return !std::ranges::equal(before.approved, after.approved, {}, content, content);
}

}  // namespace

std::vector<std::string> changes(const Settings& before, const Settings& after) {
    const std::map<std::string, Values> old_values = values_of(before);
    const std::map<std::string, Values> new_values = values_of(after);
    std::set<std::string> keys;
    for (const auto* values : {&old_values, &new_values})
        for (const auto& [key, unused] : *values) keys.insert(key);
    const auto of = [](const auto& values, const std::string& key) {
        const auto found = values.find(key);
        return found == values.end() ? Values{} : found->second;
    };
    std::vector<std::string> all;
    for (const std::string& key : keys) {
        const size_t so_far = all.size();
        add_changes(key, of(old_values, key), of(new_values, key), all);
        const bool told = all.size() > so_far;
        if (told) continue;
        const bool inside = key == "rules" && differ_inside(before.rules, after.rules);
        const bool elsewhere =
            key == "permissions.approved" && differ_in_directory(before.rules, after.rules);
        if (inside || elsewhere) all.push_back(key + ": changed");
    }
    return all;
}

}  // namespace husk::config
