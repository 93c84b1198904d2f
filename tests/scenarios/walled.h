// Where scenarios behind walls take place: a workspace, a home with a secret in it, and something
// outside of both.
#pragma once

#include "harness.h"

namespace husk::test {

class Walled {
public:
    explicit Walled(Who who);

    // `husk run --mode MODE OPTIONS... -- COMMAND` there, unchecked.
    Ran in(const std::string& mode, const std::string& command,
           std::vector<std::string> options = {}, const std::string& cwd = "") const;
    nlohmann::json report_in(const std::string& mode, const std::string& command,
                             std::vector<std::string> options = {}) const;
    // The same, believing that something is missing on this machine.
    Ran pretending(const std::string& missing, const std::string& mode, const std::string& command,
                   const std::vector<std::string>& options = {}) const;
    // Made for the one who runs the commands.
    void write(const std::filesystem::path& path, const std::string& text) const;

    const Husk& husk() const { return husk_; }
    const std::filesystem::path& work() const { return work_; }
    const std::filesystem::path& home() const { return home_; }
    const std::filesystem::path& outside() const { return outside_; }
    uid_t uid() const;

private:
    Who who_;
    Husk husk_;
    std::filesystem::path work_ = husk_.dir() / "work";
    std::filesystem::path home_ = husk_.dir() / "home";
    std::filesystem::path outside_ = husk_.dir() / "outside";
};

}  // namespace husk::test
