#include "request/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "request/setting_keys.h"
#include "request/settings_list.h"

using namespace std::literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace husk::config {
namespace {

Settings settings_of(std::string_view text) {
    auto settings = read_settings(text, "husk.yaml");
    if (settings) return *std::move(settings);
    ADD_FAILURE() << text << ": " << settings.error()[0].message;
    return {};
}

std::vector<std::string> complaints_of(std::string_view text) {
    const auto settings = read_settings(text, "husk.yaml");
    std::vector<std::string> complaints;
    if (!settings)
        for (const Complaint& one : settings.error())
            complaints.push_back(std::to_string(one.where.line) + ": " + one.message);
    return complaints;
}

// "VALUE from ORIGIN" of a key; of a list all of them.
std::vector<std::string> shown(const Settings& settings, const std::string& key) {
    std::vector<std::string> values;
    for (const Line& line : lines_of(settings))
        if (line.key == key) values.push_back(line.value + " from " + to_text(line.origin));
    return values;
}

TEST(SettingsFile, ReadsEveryKeyAndKnowsItsLine) {
    struct Case {
        const char* text;
        const char* key;
        const char* shown;
    };
    const Case cases[] = {
        {"contract: phoenix", "contract", "phoenix from husk.yaml:1"},
        {"tools: full", "tools", "full from husk.yaml:1"},
        {"# x\n\nmode: read-only", "mode", "read-only from husk.yaml:3"},
        {"network: none", "network", "none from husk.yaml:1"},
        {"network: open", "network", "open from husk.yaml:1"},
        {"network: a.org", "network", "a.org from husk.yaml:1"},
        {"network: [a.org, '*.b.org:443']", "network", "a.org,*.b.org:443 from husk.yaml:1"},
        {"network: {hosts: [a.org]}", "network", "a.org from husk.yaml:1"},
        {"network: []", "network", "none from husk.yaml:1"},
        {"write: [~/.cargo]", "write", "~/.cargo from husk.yaml:1"},
        {"read:\n- ~/.npmrc", "read", "~/.npmrc from husk.yaml:2"},
        {"protect: [memo/**]", "protect", "memo/** from husk.yaml:1"},
        {"accept: [signals]", "accept", "signals from husk.yaml:1"},
        {"limits:\n  cpu: 90s", "limits.cpu", "90s from husk.yaml:2"},
        {"limits: {memory: 1.5G}", "limits.memory", "1536M from husk.yaml:1"},
        {"limits: {memory: none}", "limits.memory", "none from husk.yaml:1"},
        {"limits: {processes: 10}", "limits.processes", "10 from husk.yaml:1"},
        {"limits: {open_files: 10}", "limits.open_files", "10 from husk.yaml:1"},
        {"limits: {file_size: 1k}", "limits.file_size", "1K from husk.yaml:1"},
        {"limits: {disk: 1}", "limits.disk", "1 from husk.yaml:1"},
        {"limits: {output: 10M}", "limits.output", "10M from husk.yaml:1"},
        {"limits: {idle: 1h}", "limits.idle", "1h from husk.yaml:1"},
        {"timeouts: {default: 120}", "timeouts.default", "2m from husk.yaml:1"},
        {"timeouts: {maximum: 10m}", "timeouts.maximum", "10m from husk.yaml:1"},
        {"output: {shown: 0}", "output.shown", "0 from husk.yaml:1"},
        {"output: {kept: 1M}", "output.kept", "1M from husk.yaml:1"},
        {"cache: ~/.cache/agents", "cache", "~/.cache/agents from husk.yaml:1"},
        {"working_directory: /srv", "working_directory", "/srv from husk.yaml:1"},
        {"environment: {pass: [GH_TOKEN]}", "environment.pass", "GH_TOKEN from husk.yaml:1"},
        {"environment:\n  set:\n    CC: clang", "environment.set.CC", "clang from husk.yaml:3"},
        {"environment: {unset: [PAGER]}", "environment.unset", "PAGER from husk.yaml:1"},
        {"state: ~/s", "state", "~/s from husk.yaml:1"},
        {"retention: {quota: 5G}", "retention.quota", "5G from husk.yaml:1"},
        {"session: {linger: 500ms}", "session.linger", "500ms from husk.yaml:1"},
        {"session: {max_lifetime: 2d}", "session.max_lifetime", "48h from husk.yaml:1"},
        {"permissions: {mode: strict}", "permissions.mode", "strict from husk.yaml:1"},
        {"permissions: {deny: [Bash(rm)]}", "permissions.deny", "Bash(rm) from husk.yaml:1"},
        {"packs: {git: off}", "packs.git", "off from husk.yaml:1"},
    };
    for (const auto& [text, key, expected] : cases)
        EXPECT_THAT(shown(settings_of(text), key), ElementsAre(expected)) << text;
}

TEST(SettingsFile, WhatItDoesNotSayIsBuiltIn) {
    for (const char* text : {"", "# nothing\n", "limits:\n", "limits: {}\nwrite:\n"}) {
        const Settings settings = settings_of(text);
        EXPECT_THAT(shown(settings, "mode"), ElementsAre("workspace from built in")) << text;
        EXPECT_THAT(shown(settings, "limits.cpu"), ElementsAre(testing::EndsWith(" from built in")))
            << text;
        EXPECT_THAT(shown(settings, "environment.set.PAGER"), ElementsAre("cat from built in"));
        for (const Line& line : lines_of(settings))
            EXPECT_EQ(to_text(line.origin), "built in") << line.key;
    }
}

TEST(SettingsFile, TellsWhatIsWrongAndWhere) {
    const std::pair<const char*, const char*> cases[] = {
        // unknown keys
        {"mod: open", R"(1: unknown key "mod" in this file; did you mean "mode"?)"},
        {"\nnetwrok: none", R"(2: unknown key "netwrok" in this file; did you mean "network"?)"},
        {"limits: {memroy: 1}", R"(1: unknown key "memroy" in limits; did you mean "memory"?)"},
        {"limits: {wall: 1s}", "1: unknown key \"wall\" in limits; did you mean timeouts.default?"},
        {"limits: {x: 1}", "it has cpu, memory, processes, open_files, file_size"},
        {"timeouts: {max: 1}", "1: unknown key \"max\" in timeouts"},
        {"environment: {sets: {}}", "did you mean \"set\"?"},
        {"network: {host: [a]}", R"(1: unknown key "host" in network; did you mean "hosts"?)"},
        {"serve: {}", "1: unknown key \"serve\""},
        // given twice
        {"mode: open\nmode: open", "2: \"mode\" is given twice, in line 1 and in line 2"},
        {"limits:\n  cpu: 1\n  cpu: 2", "3: \"cpu\" is given twice"},
        // wrong types
        {"mode: [open]", "1: mode must be one of read-only, workspace, open, and here is a list"},
        {"mode:", "1: mode must be one of read-only, workspace, open, and here is nothing"},
        {"limits: 3", "1: limits must be a map, and here is a text"},
        {"limits: {memory: {a: 1}}", "1: limits.memory must be a size such as"},
        {"write: ~/x", "1: write must be a list, and here is a text"},
        {"write: [[a]]", "1: an entry of write must be a text, and here is a list"},
        {"environment: {set: [A]}", "1: environment.set must be a map, and here is a list"},
        {"- a", "1: this file must be a map, and here is a list"},
        // wrong values
        {"mode: closed", "1: mode: \"closed\" is not one of read-only, workspace, open"},
        {"contract: bash", "1: contract: \"bash\" is not one of husk, phoenix, codegen"},
        {"tools: all", "1: tools: \"all\" is not one of few, full"},
        {"limits: {memory: lots}", "\"lots\" is not a size such as 256K, 64M or 2G, more than 0"},
        {"limits: {memory: 0}", "more than 0, or none"},
        {"limits: {cpu: 2G}", "\"2G\" is not a time such as 500ms, 30s, 5m or 1h"},
        {"limits: {processes: 2k}", "\"2k\" is not a number"},
        {"session: {linger: none}", "\"none\" is not a time"},
        {"network: [open]", "1: \"open\" is no host"},
        {"network: ''", "\"\" is not none, open, or hosts"},
        {"write: ['']", "1: write: a path must not be empty"},
        {"accept: [everything]", "is no hole that could stay open; those are signals"},
        {"environment: {pass: [A=1]}", "\"A=1\" is no name of a variable"},
        {"environment: {set: {1A: x}}", "\"1A\" is no name of a variable"},
        {"environment: {unset: ['']}", "\"\" is no name of a variable"},
    };
    for (const auto& [text, said] : cases)
        EXPECT_THAT(complaints_of(text), ElementsAre(HasSubstr(said))) << text;
}

TEST(SettingsFile, TellsAllThatIsWrongAtOnce) {
    EXPECT_THAT(complaints_of("permissions: {alow: []}\nlimits: {cpu: x}\nmod: 1\n"),
                ElementsAre(HasSubstr("1: "), HasSubstr("2: "), HasSubstr("3: ")));
}

TEST(SettingsFile, IsDescribedWithEveryKeyAndAnExampleThatWorks) {
    std::ifstream file(HUSK_SOURCE_DIR "/docs/configuration.md");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    for (const Key& key : keys())
        EXPECT_THAT(page, HasSubstr("`" + full_name(key.section, key.name) + "`"));
    for (const ListKey& key : list_keys())
        EXPECT_THAT(page, HasSubstr("`" + full_name(key.section, key.name) + "`"));
    const size_t start = page.find("```yaml\n") + 8;
    const Settings settings = settings_of(page.substr(start, page.find("```", start) - start));
    EXPECT_EQ(settings.memory.value, 4ULL << 30);
    EXPECT_THAT(shown(settings, "environment.pass"), ElementsAre(HasSubstr("GH_TOKEN")));
}

// What is shown can be written into a file again.
TEST(SettingsFile, AValueIsShownAsItIsWritten) {
    const Settings settings;
    for (const Key& key : keys()) {
        const std::string text = value_text(settings, key);
        Settings again;
        const bool done = set(again, key, text, from_flag("--x")).has_value();
        EXPECT_TRUE(done || key.unit == Unit::Path || key.unit == Unit::Name)
            << key.name << " " << text;
        EXPECT_EQ(value_text(again, key), text) << key.name;
    }
}

// Permissions: the rest of the file belongs to the agent.
TEST(AgentsFile, HoldsPermissionsAndKeysOfOthers) {
    const auto file = read_agents_file(
        "# agentrail.yaml\n"
        "mode: whatever\n"
        "packs: 5\n"
        "limits: [a, {b: c}]\n"
        "permissions:\n"
        "  mode: default\n"
        "  deny:\n"
        "    - \"Bash(rm:*)\"\n"
        "  allow: [\"Bash(git:*)\", \"Bash(npm:*)\"]\n",
        "agentrail.yaml");
    ASSERT_TRUE(file);
    EXPECT_EQ(shown(*file, "permissions.deny"),
              std::vector<std::string>{"Bash(rm:*) from agentrail.yaml:8"});
    EXPECT_EQ(file->rules.allow.size(), 2U);
    EXPECT_EQ(file->mode.origin, Origin{});
    EXPECT_TRUE(file->rules.packs.empty());
}

// Whatever YAML its other keys use.
TEST(AgentsFile, LeavesKeysOfOthersAlone) {
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    for (const std::string other :
         {"a: &x {b: !tag c}\nd: *x\n", "a: 1\na: 2\n", "? {a: b}\n: c\n",
          "? [a]\n: {permissions: {x: y}}\n", "~: x\n", "a: {permissions: {deny: 5}}\n",
          "a:\n  <<: {b: c}\n", "a: permissions\n", "a: [permissions, {deny: x}]\n"}) {
        for (const bool first : {true, false}) {
            const std::string own = "permissions: {deny: [\"Bash(rm:*)\"]}\n";
            const auto file = read_agents_file(first ? own + other : other + own, "agentrail.yaml");
            ASSERT_TRUE(file) << other << file.error()[0].message;
            EXPECT_EQ(file->rules.deny.size(), 1U) << other;
        }
        EXPECT_TRUE(read_agents_file("deep: " + deep + "\n" + other, "agentrail.yaml")) << other;
    }
}

// What could bring permissions that Husk would not see, or see otherwise.
TEST(AgentsFile, RefusesPermissionsThatItCouldMistake) {
    for (const char* text :
         {"a: &x {permissions: {deny: [Bash]}}\n<<: *x\n",
          "a: &x permissions\n*x : {deny: [Bash]}\n", "a: &x [Bash]\npermissions: {deny: *x}\n",
          "permissions: &x {deny: [Bash]}\n", "permissions: {deny: !y [Bash]}\n",
          "a: b\n---\npermissions: {deny: [Bash]}\n"})
        EXPECT_FALSE(read_agents_file(text, "agentrail.yaml")) << text;
    for (const size_t depth : {size_t{201}, size_t{100'000}})
        EXPECT_FALSE(read_agents_file("a: " + std::string(depth, '['), "agentrail.yaml"));
    const auto file = read_agents_file("\"permissions\": {deny: [Bash]}\n", "agentrail.yaml");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->rules.deny.size(), 1U);
}

TEST(AgentsFile, MayBeEmpty) {
    for (const char* text : {"", "# nothing\n", "model: x\n", "permissions:\n"})
        EXPECT_TRUE(read_agents_file(text, "agentrail.yaml")) << text;
}

TEST(AgentsFile, SaysWhatIsWrongWithItsPermissions) {
    for (const char* text :
         {"permissions: {denny: []}\n", "permissions: [deny]\n", "- x\n", "a: [\n",
          "permissions: {deny: {}}\n", "permissions: {}\npermissions: {}\n"})
        EXPECT_FALSE(read_agents_file(text, "agentrail.yaml")) << text;
}

}  // namespace
}  // namespace husk::config
