#include "tool/configuration_edit.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "os/file.h"
#include "request/settings_file.h"
#include "tool/configuration.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

std::unexpected<std::string> unusable(const std::vector<Complaint>& complaints) {
    return std::unexpected(complaints.empty() ? std::string("it would not be usable")
                                              : complaints[0].message);
}

std::expected<void, std::string> check(const std::string& text, const fs::path& file) {
    const auto settings = config::read_settings(text, file.string());
    if (!settings) return unusable(settings.error());
    const auto rules = usable_rules(settings->rules);
    if (!rules) return unusable(rules.error());
    return {};
}

yaml::Edited approved(std::string_view text, const std::string& directory,
                      const std::string& command) {
    return yaml::with_item(text, {"permissions", "approved", directory}, command);
}

yaml::Edited with_items(yaml::Edited text, const std::string& key, const config::Texts& items) {
    for (const auto& item : items)
        if (text) text = yaml::with_item(*text, {key}, item.value);
    return text;
}

yaml::Edited with_network(std::string_view text, const Network& before, const Network& wanted) {
    using enum Network::Kind;
    if (wanted.kind == None || before.kind == Open) return std::string(text);
    if (wanted.kind == Open) return yaml::with_value(text, {"network"}, std::string("open"));
    if (before.kind == None) return yaml::with_value(text, {"network"}, wanted.hosts);
    yaml::Edited all = std::string(text);
    for (const std::string& host : wanted.hosts)
        if (all) all = yaml::with_item(*all, {"network"}, host);
    return all;
}

}  // namespace

std::expected<void, std::string> edit_configuration(
    const fs::path& file, const std::function<yaml::Edited(std::string_view)>& edit) {
    if (file.empty()) return std::unexpected("there is no home directory to keep it in");
    std::error_code failed;
    fs::create_directories(fs::absolute(file).parent_path(), failed);
    const auto dir = os::open(fs::absolute(file).parent_path(), O_RDONLY | O_DIRECTORY);
    if (!dir) return std::unexpected(dir.error().text());
    // On the directory, because the file is replaced.
    if (::flock(dir->get(), LOCK_EX) != 0)
        return std::unexpected(Error{"flock", errno, file.string()}.text());
    const auto before = os::read_file(file);
    if (!before && before.error().code != ENOENT) return std::unexpected(before.error().text());
    const yaml::Edited after = edit(before.value_or(""));
    if (!after) return std::unexpected(after.error());
    if (const auto usable = check(*after, file); !usable) return usable;
    if (before && *before == *after) return {};
    if (const auto written = os::replace_file(file, *after, 0600); !written)
        return std::unexpected(written.error().text());
    return {};
}

std::expected<void, std::string> approve_always(const fs::path& file, const std::string& directory,
                                                const std::string& command) {
    return edit_configuration(
        file, [&](std::string_view text) { return approved(text, directory, command); });
}

std::expected<void, std::string> widen_always(const fs::path& file, const std::string& text) {
    const auto wanted = config::read_settings(text, "the answer");
    if (!wanted) return unusable(wanted.error());
    return edit_configuration(file, [&](std::string_view before) -> yaml::Edited {
        const auto settings = config::read_settings(before, file.string());
        if (!settings) return unusable(settings.error());
        yaml::Edited all = with_network(before, settings->network.value, wanted->network.value);
        all = with_items(std::move(all), "write", wanted->write);
        return with_items(std::move(all), "sockets", wanted->sockets);
    });
}

std::string approval_text(const std::string& directory, const std::string& command) {
    return approved("", directory, command).value_or("");
}

}  // namespace husk::tool
