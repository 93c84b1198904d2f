// Where a case runs: a HOME with a workspace in it, made anew for each run, and always at the same
// path, so that paths in outputs are the same.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "case.h"
#include "outcome.h"

namespace husk::everyday {

class Place {
public:
    Place(const Case& one, User user);
    // Kills what was started in the place, and removes it.
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    Outcome run_bare();
    // As `husk run --mode workspace SETTINGS...` does.
    Outcome run_walled(const std::vector<std::string>& settings);
    // If the place could not be made or a setup failed: why. The case then proves nothing.
    const std::string& failure() const { return failure_; }

private:
    struct Ended {
        int status = -1;
        std::string out;
        std::string err;
    };
    void make_anew();
    void set_up();
    Ended run(std::vector<std::string> words) const;
    std::vector<std::string> environment() const;
    std::vector<std::string> become() const;
    std::vector<std::string> bare(const std::string& script) const;
    std::vector<std::string> walled(std::vector<std::string> settings) const;
    std::filesystem::path home() const { return path_ / "home"; }
    std::filesystem::path workspace() const { return home() / case_.workspace; }
    std::filesystem::path state() const { return path_ / "state"; }
    std::string files() const;
    void end_sessions() const;

    const Case& case_;
    User user_;
    std::filesystem::path path_;
    std::string port_;
    std::string failure_;
};

// The folder with `node_modules` and `venv` that `./dev test everyday` makes.
std::filesystem::path tools_folder();

}  // namespace husk::everyday
