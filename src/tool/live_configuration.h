// The configuration of a running server: read again when one of its files changes.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "record/configuration_entry.h"
#include "tool/configuration.h"
#include "tool/deployment.h"

namespace husk::tool {

// A changed file is obeyed as a whole, or the configuration from before stays in force. It counts
// for exactly as much as it would when the server is started again. One thread at a time.
class LiveConfiguration {
public:
    // `sources` are the files that `first` was made of.
    LiveConfiguration(DeploymentRequest request, std::vector<SourceFile> sources,
                      const Deployment& first);

    struct News {
        // Nothing to report: the list of trusted files changed only for other workspaces.
        std::optional<audit::ConfigurationChange> change;
        std::optional<Deployment> deployment = {};  // in force from now on; none if refused
    };
    // Costs a few system calls while nothing changes. Waits up to two seconds for a file that may
    // still be being written.
    std::optional<News> look();

private:
    struct Found {
        os::FileStamp stamp;
        std::optional<std::string> text = {};
        std::string trouble = {};  // why it cannot be read

        bool says_the_same(const Found& other) const {
            return text == other.text && trouble == other.trouble;
        }
    };
    using FoundFiles = std::vector<Found>;

    std::vector<os::FileStamp> stamps() const;
    os::FileWriter writer_of_any(const std::vector<os::FileStamp>& now) const;
    bool is_older_than(std::chrono::milliseconds age, const std::vector<os::FileStamp>& now) const;
    bool wait_until_quiet() const;
    static void read_into(Found& found, const std::filesystem::path& path);
    std::optional<FoundFiles> find_files() const;
    std::string refusal_of(const FoundFiles& found) const;
    std::optional<News> tell_busy();
    std::optional<News> take(FoundFiles found);
    struct Loaded {
        Deployed deployed;
        std::vector<std::string> after_restart = {};  // changed keys that count at the next start
    };
    struct Refused {
        std::string why;
    };
    struct StillChanging {};
    std::variant<Loaded, Refused, StillChanging> load(const FoundFiles& found) const;
    News refuse(Refused refused, audit::ConfigurationChange change);
    News apply(Loaded fresh, audit::ConfigurationChange change);
    void note(FoundFiles found);
    bool is_about_trust(const audit::ConfigurationChange& change) const;
    void follow(std::vector<SourceFile> sources);
    bool says_what_is_found(const Deployed& fresh, const FoundFiles& found) const;

    DeploymentRequest request_;
    DeploymentRequest pinned_;  // the same, with what only a start can change
    std::vector<SourceFile> sources_;
    FoundFiles seen_;          // at the last look, one for each source
    FoundFiles applied_;       // when they were obeyed
    bool is_settled_ = false;  // an equal stamp means an equal file
    bool is_busy_ = false;     // "still being written" was reported
    bool was_refused_ = false;
    // The settings in force, and those of the start: a running server cannot change some of them.
    config::Settings in_force_;
    config::Settings started_;
    std::vector<std::string> after_restart_;  // as last reported
};

// Like deploy; the result reads its files again when they change.
std::expected<Deployed, std::vector<Complaint>> deploy_live(const DeploymentRequest& request);

}  // namespace husk::tool
