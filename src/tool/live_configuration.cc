#include "tool/live_configuration.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "os/events.h"
#include "request/settings_changes.h"

namespace husk::tool {
namespace {

using namespace std::chrono_literals;
using audit::ConfigurationChange;
using Outcome = ConfigurationChange::Outcome;

// A file that is rewritten in place is empty, and then half written, for a moment. A file that is
// replaced by way of a second name is missing for a moment.
constexpr std::chrono::milliseconds quiet_for = 100ms;
// Where the kernel does not tell whether a program has the file open for writing.
constexpr std::chrono::milliseconds quiet_if_unknown = 1900ms;
constexpr std::chrono::milliseconds longest_wait = 2s;
static_assert(quiet_if_unknown < longest_wait);
constexpr auto pause = 10ms;
// The clocks of file systems are this coarse at most.
constexpr auto settles_after = 3s;
constexpr size_t largest = (size_t{1} << 20) + 1;
constexpr int most_tries = 3;

// A key that a running server cannot change.
struct KeyOfTheStart {
    std::string_view name;
    // Puts the value of the start into `flags`, as if the user had typed it.
    void (*pin)(config::Settings& flags, const Deployment& first);
};

config::Origin the_start() { return config::from_flag("the start"); }

template <auto key>
void pin(config::Settings& flags, const Deployment& first) {
    flags.*key = {(first.configured.*key).value, the_start()};
}

void pin_state(config::Settings& flags, const Deployment& first) {
    flags.state = {first.settings.state.string(), the_start()};
}

void pin_workspace(config::Settings& flags, const Deployment& first) {
    flags.working_directory = {first.walls.workspace.string(), the_start()};
}

constexpr auto keys_of_the_start = std::to_array<KeyOfTheStart>({
    {"contract", pin<&config::Settings::contract>},
    {"state", pin_state},
    {"working_directory", pin_workspace},
    {"docware.default_working_directory", pin_workspace},
    {"retention.quota", pin<&config::Settings::quota>},
    {"session.linger", pin<&config::Settings::linger>},
    {"session.max_lifetime", pin<&config::Settings::max_lifetime>},
    {"yoi.output_dir", pin<&config::Settings::output_dir>},
});

bool is_of_the_start(const std::string& change) {
    return std::ranges::any_of(keys_of_the_start, [&](const KeyOfTheStart& key) {
        return change.starts_with(key.name) && change.substr(key.name.size()).starts_with(": ");
    });
}

DeploymentRequest pinned(DeploymentRequest request, const Deployment& first) {
    for (const KeyOfTheStart& key : keys_of_the_start) key.pin(request.flags, first);
    return request;
}

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

LiveConfiguration::LiveConfiguration(DeploymentRequest request, std::vector<SourceFile> sources,
                                     const Deployment& first)
    : request_(std::move(request)),
      pinned_(pinned(request_, first)),
      in_force_(first.configured),
      started_(first.configured) {
    follow(std::move(sources));
}

// Starts from the texts that were read when these files were obeyed.
void LiveConfiguration::follow(std::vector<SourceFile> sources) {
    // A pipe that --config named has been read, and cannot be read again.
    std::erase_if(sources, [](const SourceFile& source) {
        return source.text && source.stamp.exists() && !source.stamp.is_regular();
    });
    sources_ = std::move(sources);
    seen_.clear();
    for (const SourceFile& source : sources_) {
        Found found{.stamp = source.stamp, .text = source.text};
        // The text of the list of trusted files was not kept, so it is read again.
        const bool is_list =
            source.kind == SourceFile::Kind::Trust && os::stamp_of(source.path) == source.stamp;
        if (is_list || !source.stamp.exists()) read_into(found, source.path);
        seen_.push_back(std::move(found));
    }
    applied_ = seen_;
    is_settled_ = false;
}

std::vector<os::FileStamp> LiveConfiguration::stamps() const {
    std::vector<os::FileStamp> all;
    for (const SourceFile& source : sources_) all.push_back(os::stamp_of(source.path));
    return all;
}

std::optional<LiveConfiguration::News> LiveConfiguration::look() {
    const std::vector<os::FileStamp> now = stamps();
    const bool same = std::ranges::equal(now, seen_, {}, {}, &Found::stamp);
    if (same && is_settled_) return std::nullopt;
    if (!same && !wait_until_quiet()) return tell_busy();
    auto found = find_files();
    if (!found) return tell_busy();
    return take(*std::move(found));
}

os::FileWriter LiveConfiguration::writer_of_any(const std::vector<os::FileStamp>& now) const {
    os::FileWriter found = os::FileWriter::None;
    for (size_t i = 0; i < now.size(); ++i) {
        if (now[i] == seen_[i].stamp || !now[i].is_regular()) continue;
        const os::FileWriter writer = os::writer_of(sources_[i].path);
        if (writer == os::FileWriter::Some) return writer;
        if (writer == os::FileWriter::Unknown) found = writer;
    }
    return found;
}

// False for a missing file, because it has no time of its last change.
bool LiveConfiguration::is_older_than(std::chrono::milliseconds age,
                                      const std::vector<os::FileStamp>& now) const {
    for (size_t i = 0; i < now.size(); ++i)
        if (now[i] != seen_[i].stamp && !(now[i].exists() && now[i].is_older_than(age)))
            return false;
    return true;
}

// If an earlier wait for a writer was in vain, later calls wait only shortly, or not at all.
bool LiveConfiguration::wait_until_quiet() const {
    const os::Clock::time_point began = os::Clock::now();
    os::Clock::time_point changed = began;
    for (std::vector<os::FileStamp> last = stamps();;) {
        const os::Clock::time_point now = os::Clock::now();
        const os::FileWriter writer = writer_of_any(last);
        const auto quiet = writer == os::FileWriter::Unknown ? quiet_if_unknown : quiet_for;
        const bool is_quiet = is_older_than(quiet, last) || now - changed >= quiet;
        if (writer != os::FileWriter::Some && is_quiet) return true;
        const auto patience = !is_busy_                        ? longest_wait
                              : writer == os::FileWriter::None ? 3 * quiet_for
                                                               : 0ms;
        if (now - began >= patience) return false;
        std::this_thread::sleep_for(pause);
        std::vector<os::FileStamp> fresh = stamps();
        if (fresh == last) continue;
        changed = os::Clock::now();
        last = std::move(fresh);
    }
}

// A missing file is no trouble. Any other error is, because the file may exist.
void LiveConfiguration::read_into(Found& found, const std::filesystem::path& path) {
    const int error = found.stamp.error;
    if (error == ENOENT) return;
    if (error != 0) {
        found.trouble = std::generic_category().message(error);
        return;
    }
    auto text = os::read_regular_file(path, largest);
    if (text)
        found.text = *std::move(text);
    else if (text.error().code == EINVAL)
        found.trouble = "it is no regular file";
    else
        found.trouble = std::generic_category().message(text.error().code);
}

// All files as they are at one moment; nothing if they change all the time.
std::optional<LiveConfiguration::FoundFiles> LiveConfiguration::find_files() const {
    for (int tries = 0; tries < most_tries; ++tries) {
        FoundFiles all;
        for (const SourceFile& source : sources_) {
            Found found{.stamp = os::stamp_of(source.path)};
            read_into(found, source.path);
            all.push_back(std::move(found));
        }
        if (std::ranges::equal(stamps(), all, {}, {}, &Found::stamp)) return all;
    }
    return std::nullopt;
}

std::optional<LiveConfiguration::News> LiveConfiguration::tell_busy() {
    if (std::exchange(is_busy_, true)) return std::nullopt;
    was_refused_ = true;
    ConfigurationChange change;
    change.outcome = Outcome::Refused;
    const std::vector<os::FileStamp> now = stamps();
    for (size_t i = 0; i < now.size(); ++i)
        if (!(now[i] == seen_[i].stamp)) change.files.push_back({sources_[i].path, ""});
    change.why =
        "it is still being written; it counts as soon as the program that writes it is done";
    return News{.change = std::move(change)};
}

std::optional<LiveConfiguration::News> LiveConfiguration::take(FoundFiles found) {
    ConfigurationChange change;
    for (size_t i = 0; i < found.size(); ++i)
        if (!found[i].says_the_same(seen_[i]))
            change.files.push_back(
                {sources_[i].path, found[i].text ? sha256(*found[i].text) : std::string()});
    if (!is_busy_ && change.files.empty()) {
        note(std::move(found));
        return std::nullopt;
    }
    auto result = load(found);
    if (std::holds_alternative<StillChanging>(result)) return tell_busy();
    is_busy_ = false;
    note(std::move(found));
    if (auto* refused = std::get_if<Refused>(&result))
        return refuse(std::move(*refused), std::move(change));
    return apply(std::get<Loaded>(std::move(result)), std::move(change));
}

LiveConfiguration::News LiveConfiguration::refuse(Refused refused, ConfigurationChange change) {
    was_refused_ = true;
    change.outcome = Outcome::Refused;
    change.why = std::move(refused.why);
    return News{.change = std::move(change)};
}

void LiveConfiguration::note(FoundFiles found) {
    // A file that could not be read may be readable at the next call.
    is_settled_ = std::ranges::all_of(found, [](const Found& one) {
        const bool is_old = !one.stamp.exists() || one.stamp.is_older_than(settles_after);
        return is_old && one.trouble.empty();
    });
    seen_ = std::move(found);
}

// The list of trusted files holds those of other workspaces too.
bool LiveConfiguration::is_about_trust(const ConfigurationChange& change) const {
    return std::ranges::all_of(change.files, [&](const ConfigurationChange::File& file) {
        const auto source = std::ranges::find(sources_, file.path, &SourceFile::path);
        return source != sources_.end() && source->kind == SourceFile::Kind::Trust;
    });
}

// Why the found files are refused without reading their settings; empty if they are read.
std::string LiveConfiguration::refusal_of(const FoundFiles& found) const {
    for (size_t i = 0; i < found.size(); ++i) {
        const std::string path = sources_[i].path.string();
        if (found[i].says_the_same(applied_[i])) continue;
        if (!found[i].trouble.empty()) return path + ": " + found[i].trouble;
        if (!sources_[i].fixed_because.empty()) return path + ": " + sources_[i].fixed_because;
        const bool emptied = found[i].text && is_blank(*found[i].text) && applied_[i].text &&
                             !is_blank(*applied_[i].text) &&
                             found[i].stamp.inode == applied_[i].stamp.inode;
        if (emptied && sources_[i].kind == SourceFile::Kind::Settings)
            return path +
                   ": it is empty now, and a program may be about to write it; for a configuration "
                   "without settings, remove the file or put a comment into it";
    }
    return "";
}

// Reads the files in the same way as at the start.
std::variant<LiveConfiguration::Loaded, LiveConfiguration::Refused,
             LiveConfiguration::StillChanging>
LiveConfiguration::load(const FoundFiles& found) const {
    if (std::string why = refusal_of(found); !why.empty()) return Refused{std::move(why)};
    std::vector<std::string> after_restart;
    auto fresh = deploy(request_);
    if (fresh) {
        after_restart = config::changes(started_, fresh->deployment.configured);
        std::erase_if(after_restart, [](const std::string& one) { return !is_of_the_start(one); });
        if (!after_restart.empty()) fresh = deploy(pinned_);
    }
    if (!std::ranges::equal(stamps(), found, {}, {}, &Found::stamp)) return StillChanging{};
    if (!fresh) return Refused{to_text(fresh.error())};
    if (!says_what_is_found(*fresh, found)) return StillChanging{};
    if (const auto able = check_deployment(fresh->deployment); !able)
        return Refused{able.error().text()};
    return Loaded{.deployed = *std::move(fresh), .after_restart = std::move(after_restart)};
}

// False if a file was changed between the two times it was read.
bool LiveConfiguration::says_what_is_found(const Deployed& fresh, const FoundFiles& found) const {
    for (size_t i = 0; i < sources_.size(); ++i) {
        if (sources_[i].kind == SourceFile::Kind::Trust) continue;
        const auto read = std::ranges::find(fresh.sources, sources_[i].path, &SourceFile::path);
        if (read != fresh.sources.end() && read->text != found[i].text) return false;
    }
    return true;
}

LiveConfiguration::News LiveConfiguration::apply(Loaded fresh, ConfigurationChange change) {
    Deployed& deployed = fresh.deployed;
    change.outcome = Outcome::Applied;
    change.changed = config::changes(in_force_, deployed.deployment.configured);
    std::erase_if(change.changed, is_of_the_start);
    if (after_restart_ != fresh.after_restart) change.after_restart = fresh.after_restart;
    after_restart_ = std::move(fresh.after_restart);
    change.warnings = std::move(deployed.warnings);
    in_force_ = deployed.deployment.configured;
    applied_ = seen_;
    const bool was_refused = std::exchange(was_refused_, false);
    const bool silent = !was_refused && change.changed.empty() && is_about_trust(change);
    // A file in another place may have become one of the configuration's.
    const bool others =
        !std::ranges::equal(sources_, deployed.sources, {}, &SourceFile::path, &SourceFile::path);
    if (others) follow(std::move(deployed.sources));
    News news{.change = std::nullopt, .deployment = std::move(deployed.deployment)};
    if (!silent) news.change = std::move(change);
    return news;
}

std::expected<Deployed, std::vector<Complaint>> deploy_live(const DeploymentRequest& request) {
    Deployed deployed = TRY(deploy(request));
    deployed.deployment.live =
        std::make_shared<LiveConfiguration>(request, deployed.sources, deployed.deployment);
    return deployed;
}

}  // namespace husk::tool
