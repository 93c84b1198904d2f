#include "serve/configuration_news.h"

#include <chrono>

#include "base/text.h"
#include "base/utf8.h"
#include "os/thread.h"
#include "render/text_or_null.h"

namespace husk::serve {
namespace {

using audit::ConfigurationChange;

constexpr std::chrono::seconds interval(1);

Json texts_json(const std::vector<std::string>& texts) {
    Json all = Json::array();
    for (const std::string& one : texts) all.push_back(text::to_utf8(one));
    return all;
}

std::string names_of(const ConfigurationChange& change) {
    std::vector<std::string> names;
    for (const ConfigurationChange::File& file : change.files) names.push_back(file.path.string());
    return names.empty() ? "the configuration" : text::join(names, " and ");
}

}  // namespace

Json configuration_json(const ConfigurationChange& change) {
    Json files = Json::array();
    for (const ConfigurationChange::File& file : change.files)
        files.push_back({{"path", text::to_utf8(file.path.string())},
                         {"sha256", render::text_or_null(file.digest)}});
    return {{"outcome", audit::word(change.outcome)},
            {"files", std::move(files)},
            {"changed", texts_json(change.changed)},
            {"after_restart", texts_json(change.after_restart)},
            {"warnings", texts_json(change.warnings)},
            {"why", render::text_or_null(change.why)}};
}

LogEntry entry_about(const ConfigurationChange& change) {
    const bool applied = change.outcome == ConfigurationChange::Outcome::Applied;
    return {applied ? Level::Notice : Level::Error, "configuration", configuration_json(change)};
}

std::vector<std::string> lines_about(const ConfigurationChange& change) {
    const std::string names = names_of(change);
    std::vector<std::string> lines;
    if (change.outcome == ConfigurationChange::Outcome::Refused)
        lines.push_back(names +
                        " changed and is not obeyed, so the configuration from before "
                        "stays in force: " +
                        change.why);
    else if (!change.changed.empty())
        lines.push_back(names + " changed and counts from the next call on: " +
                        text::join(change.changed, "; "));
    else if (change.after_restart.empty())
        lines.push_back(names + " was read again; the configuration in force is the same");
    if (!change.after_restart.empty())
        lines.push_back(
            names + ": takes effect after a restart: " + text::join(change.after_restart, "; "));
    lines.insert(lines.end(), change.warnings.begin(), change.warnings.end());
    return lines;
}

ConfigurationWatch::ConfigurationWatch(tool::Toolbox& toolbox) : toolbox_(toolbox) {
    if (!toolbox.can_change()) return;
    // Each call looks by itself. Without the thread, idle clients hear of a change later.
    if (auto started = os::start_thread<std::thread>([this] { loop(); }))
        thread_ = *std::move(started);
}

ConfigurationWatch::~ConfigurationWatch() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void ConfigurationWatch::loop() {
    std::unique_lock lock(guard_);
    while (!changed_.wait_for(lock, interval, [this] { return closing_; })) {
        lock.unlock();
        toolbox_.look_at_configuration();
        lock.lock();
    }
}

}  // namespace husk::serve
