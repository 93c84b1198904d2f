// husk.yaml: read, written again, and changed in place.
#include "request/settings_file.h"

#include <algorithm>

#include "base/utf8.h"
#include "request/document.h"
#include "request/setting_keys.h"
#include "request/settings_layers.h"
#include "request/settings_list.h"
#include "request/yaml_edit.h"
#include "request/yaml_lines.h"
#include "target.h"

namespace husk::fuzz {
namespace of_settings {
namespace {

using config::Settings;

constexpr const char* own_file = "husk.yaml";

void check_complaints(const std::vector<Complaint>& complaints, std::string_view text) {
    const auto lines = static_cast<size_t>(std::ranges::count(text, '\n')) + 1;
    demand(!complaints.empty(), "a file that is refused has a complaint");
    for (const Complaint& complaint : complaints) {
        demand(!complaint.message.empty(), "a complaint has words");
        demand(complaint.where.line <= lines, "a complaint is about a line of the file");
    }
    demand(std::ranges::is_sorted(complaints, {}, [](const auto& one) { return one.where.line; }),
           "complaints come in the order of their lines");
}

// A value that was given reads as it is written.
void check_values(const Settings& settings) {
    for (const config::Key& key : config::keys()) {
        if (config::origin_of(settings, key).kind != config::Origin::Kind::File) continue;
        const std::string text = config::value_text(settings, key);
        Settings again;
        demand(config::set(again, key, text, {}).has_value(), "a value that was read can be set");
        demand(config::value_text(again, key) == text, "a value reads as it is written");
    }
    config::lines_of(settings);
}

// The file of a workspace only narrows, and narrowing again changes nothing.
void check_narrowing(const Settings& settings) {
    const auto once = config::narrowed_by(Settings(), settings);
    const auto twice = config::narrowed_by(once.settings, settings);
    for (const config::Key& key : config::keys())
        demand(config::value_text(once.settings, key) == config::value_text(twice.settings, key),
               "narrowing twice is narrowing once");
    demand(once.settings.rules.allow.empty(), "the file of a workspace allows nothing");
}

bool is_same(const DocumentNode& one, const DocumentNode& other);

bool is_same_entry(const DocumentEntry& one, const DocumentEntry& other) {
    return one.key == other.key && is_same(one.value, other.value);
}

// But for the lines.
bool is_same(const DocumentNode& one, const DocumentNode& other) {
    return one.kind == other.kind && one.text == other.text &&
           std::ranges::equal(one.items, other.items, is_same) &&
           std::ranges::equal(one.entries, other.entries, is_same_entry);
}

// A key that is read alone is what it is in the whole file.
void check_one_key(std::string_view text) {
    constexpr const char* name = "permissions";
    const auto whole = read_yaml(text);
    if (!whole || whole->find("<<") != nullptr) return;
    const auto alone = read_yaml_key(text, name);
    demand(alone.has_value(), "what can be read as a whole can be read in part");
    const DocumentNode* of_whole = whole->find(name);
    const DocumentNode* of_part = alone->find(name);
    demand((of_whole == nullptr) == (of_part == nullptr), "a key is there for both readers");
    if (of_whole != nullptr) demand(is_same(*of_whole, *of_part), "a key has one value");
}

void check_edits(std::string_view text) {
    const auto before = read_yaml(text);
    const auto edited = yaml::with_value(text, {"limits", "memory"}, "64M");
    if (edited) {
        const auto after = read_yaml(*edited);
        demand(after.has_value(), "an edited file can be read");
        const DocumentNode* limits = after->find("limits");
        const DocumentNode* memory = limits == nullptr ? nullptr : limits->find("memory");
        demand(memory != nullptr && memory->text == "64M", "an edited value is there");
        if (!before || before->find("limits") != nullptr) return;
        const auto removed = yaml::without(*edited, {"limits", "memory"});
        const auto back = removed ? read_yaml(*removed) : before;
        demand(back && is_same(*back, *before), "an edit that is taken back leaves nothing");
    }
    (void)yaml::with_item(text, {"permissions", "allow"}, "Bash(ls)");
}

void check_scalar(std::string_view text) {
    if (text.size() > 4096 || unreadable(text)) return;
    const auto read = read_yaml("key: " + yaml::scalar(std::string(text)) + "  # why\n");
    const DocumentNode* value = read ? read->find("key") : nullptr;
    demand(value != nullptr && value->text == text, "a text reads as it is written");
    const auto list = read_yaml("key: " + yaml::flow_list({std::string(text), "b"}) + "\n");
    const DocumentNode* items = list ? list->find("key") : nullptr;
    demand(items != nullptr && items->items.size() == 2 && items->items[0].text == text,
           "a text in a list reads as it is written");
}

}  // namespace
}  // namespace of_settings

void settings(std::string_view bytes) {
    using namespace of_settings;
    const auto read = config::read_settings(bytes, own_file);
    if (read) {
        check_values(*read);
        check_narrowing(*read);
    } else {
        check_complaints(read.error(), bytes);
    }
    check_one_key(bytes);
    check_edits(bytes);
    check_scalar(bytes);
}

}  // namespace husk::fuzz
