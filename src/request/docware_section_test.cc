// The section `docware` of husk.yaml: every key of BashConfiguration.
#include "request/docware_section.h"

#include <gmock/gmock.h>

#include "request/setting_keys.h"
#include "request/settings_file.h"

namespace husk::config::docware_section_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Settings settings_with(const std::string& text) {
    auto settings = read_settings(text, "husk.yaml");
    if (!settings) throw std::logic_error(settings.error()[0].message);
    return *std::move(settings);
}

std::string complaint_about(const std::string& text) {
    const auto settings = read_settings(text, "husk.yaml");
    return settings ? "" : settings.error()[0].message;
}

std::string in_section(const std::string& key, const std::string& value) {
    return "docware: {" + key + ": " + value + "}";
}

// BashConfiguration with its defaults, as the document spells it; a list has no value here.
const std::pair<const char*, const char*> bash_configuration[] = {
    {"enableSandbox", "true"},
    {"commandWhitelist", "[git]"},
    {"allowedPaths", "[/workspace]"},
    {"securityLevel", "HIGH"},
    {"defaultTimeout", "30000"},
    {"maxOutputSize", "10485760"},
    {"enableStreaming", "true"},
    {"maxMemoryUsage", "1073741824"},
    {"maxCpuUsage", "80"},
    {"maxProcesses", "10"},
    {"maxFileDescriptors", "1000"},
    {"preserveEnvironment", "false"},
    {"defaultWorkingDirectory", "/workspace"},
    {"defaultShell", "/bin/bash"},
    {"enableMonitoring", "true"},
    {"enableAuditing", "true"},
    {"logLevel", "info"},
};

TEST(Docware, Configuration_HasEveryKeyOfBashConfiguration) {
    std::string all = "docware:\n";
    for (const auto& [key, value] : bash_configuration) {
        EXPECT_EQ(complaint_about(in_section(key, value)), "") << key;
        all += "  " + std::string(key) + ": " + value + "\n";
    }
    const Settings given = settings_with(all);
    const Settings built_in;
    for (const Key& key : keys()) {
        if (key.section != "docware" || key.name == "threats") continue;
        EXPECT_EQ(origin_of(given, key).kind, Origin::Kind::File) << key.name;
        const bool same = key.name != "log_level" && key.name != "default_working_directory";
        if (same) {
            EXPECT_EQ(value_text(given, key), value_text(built_in, key)) << key.name;
        }
    }
    EXPECT_EQ(given.command_whitelist.size(), 1U);
    EXPECT_EQ(given.allowed_paths.size(), 1U);
}

TEST(Docware, Configuration_IsReadInBothSpellingsButNotTwice) {
    EXPECT_EQ(settings_with(in_section("max_memory_usage", "64M")).docware_memory.value, 64U << 20);
    EXPECT_EQ(settings_with(in_section("maxMemoryUsage", "64M")).docware_memory.value, 64U << 20);
    EXPECT_EQ(settings_with(in_section("streaming", "off")).streaming.value, "off");
    EXPECT_EQ(settings_with(in_section("logLevel", "WARN")).docware_log_level.value, "warning");
    EXPECT_EQ(settings_with(in_section("defaultTimeout", "500")).docware_timeout.value,
              std::chrono::milliseconds(500));
    EXPECT_EQ(settings_with(in_section("defaultTimeout", "5s")).docware_timeout.value,
              std::chrono::seconds(5));
    EXPECT_THAT(complaint_about("docware: {maxProcesses: 1, max_processes: 2}"),
                HasSubstr("another spelling of \"max_processes\""));
}

TEST(Docware, Configuration_SaysWhyAValueIsRefused) {
    EXPECT_THAT(complaint_about(in_section("defaultShell", "/bin/zsh")),
                AllOf(HasSubstr("docware.default_shell"), HasSubstr("Husk parses bash only")));
    EXPECT_THAT(complaint_about(in_section("enableMonitoring", "false")),
                HasSubstr("limits hold because each command is watched"));
    EXPECT_THAT(complaint_about(in_section("enableAuditing", "false")),
                HasSubstr("every call is recorded"));
    EXPECT_THAT(complaint_about(in_section("securityLevel", "paranoid")),
                HasSubstr("one of high, medium, low, none"));
    EXPECT_THAT(complaint_about(in_section("logLevel", "loud")), HasSubstr("one of off, debug"));
    EXPECT_THAT(complaint_about(in_section("maxProcesses", "0")), HasSubstr("more than 0"));
    EXPECT_THAT(complaint_about(in_section("maxCpuUsage", "101")), HasSubstr("up to 100"));
    EXPECT_EQ(complaint_about(in_section("maxCpuUsage", "100")), "");
    EXPECT_THAT(complaint_about(in_section("maxProcesses", "none")), HasSubstr("a number"));
    for (const char* text : {"1500.5", "1.5", "2.", ".5", "-1", "99999999999999999999", "0"})
        EXPECT_THAT(complaint_about(in_section("defaultTimeout", text)),
                    HasSubstr("milliseconds such as 30000, or a time such as 30s"))
            << text;
    EXPECT_EQ(complaint_about(in_section("defaultTimeout", "1.5s")), "");
    EXPECT_THAT(complaint_about(in_section("maxMemry", "1G")), HasSubstr("max_memory_usage"));
}

TEST(Docware, Configuration_AnEmptyListIsAList) {
    EXPECT_EQ(settings_with(in_section("command_whitelist", "[]")).command_whitelist.size(), 1U);
    EXPECT_EQ(settings_with(in_section("allowedPaths", "[]")).allowed_paths.size(), 1U);
    EXPECT_TRUE(settings_with("docware:\n  command_whitelist:\n").command_whitelist.empty());
    EXPECT_TRUE(settings_with("protect: []").protect.empty());
}

TEST(Docware, Configuration_TakesThePlaceOfWhatTheFileSaysOfAllContracts) {
    Settings file = settings_with(
        "limits: {memory: 8G, processes: 100}\n"
        "docware: {maxMemoryUsage: 64M, defaultTimeout: 2000, defaultWorkingDirectory: /w,\n"
        "          maxOutputSize: 1K, maxFileDescriptors: 32, enableSandbox: false}\n");
    ASSERT_TRUE(apply_docware_section(file));
    EXPECT_EQ(file.memory.value, 64U << 20);
    EXPECT_EQ(file.memory.origin.line, 2U);
    EXPECT_EQ(file.processes.value, 100U);
    EXPECT_EQ(file.timeout.value, std::chrono::seconds(2));
    EXPECT_EQ(file.output.value, 1024U);
    EXPECT_EQ(file.open_files.value, 32U);
    EXPECT_EQ(file.working_directory.value, "/w");
    EXPECT_EQ(file.mode.value, Mode::Open);
    ASSERT_TRUE(apply_docware_section(file)) << "a second time changes nothing";
    complete_docware_section(file);
    EXPECT_EQ(file.docware_processes.value, 100U);
    EXPECT_EQ(file.docware_sandbox.value, "off");
}

TEST(Docware, Configuration_ASandboxCannotContradictTheMode) {
    const auto complaint = [](const std::string& text) {
        Settings file = settings_with(text);
        const auto applied = apply_docware_section(file);
        return applied ? "" : applied.error()[0].message;
    };
    EXPECT_THAT(complaint("mode: open\ndocware: {enableSandbox: true}"),
                HasSubstr("contradicts `mode` in line 1"));
    EXPECT_THAT(complaint("mode: workspace\ndocware: {enableSandbox: false}"),
                HasSubstr("contradicts"));
    EXPECT_EQ(complaint("mode: open\ndocware: {enableSandbox: false}"), "");
    EXPECT_EQ(complaint("mode: read-only\ndocware: {enableSandbox: true}"), "");
}

}  // namespace
}  // namespace husk::config::docware_section_test
