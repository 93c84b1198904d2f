// What scenarios are told with: the real program, real processes, and waiting for conditions.
#pragma once

#include <gtest/gtest.h>
#include <husk/husk.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace husk::test {

using namespace std::chrono_literals;

// A directory that goes away with everything in it.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// Who runs husk in a scenario. As root both can be had; as somebody else only that one.
enum class Who { Caller, OrdinaryUser };
inline constexpr uid_t ordinary_uid = 65534;

struct Ran {
    int code = -1;  // 128+S for a signal
    std::string out;
    std::string err;
    std::chrono::milliseconds took{0};

    nlohmann::json json() const;  // fails the test when `out` is none
};

// A state directory of its own, and the husk program on it. At the end every session in it is
// ended, so that no scenario leaves a process behind.
class Husk {
public:
    explicit Husk(Who who = Who::Caller);
    ~Husk();
    Husk(const Husk&) = delete;
    Husk& operator=(const Husk&) = delete;

    // Runs `husk ARGS...` and waits for it; killed after a minute.
    Ran operator()(std::vector<std::string> args, const std::string& input = "") const;
    // Starts it without waiting; the caller reaps the pid. Output goes to /dev/null.
    pid_t start(const std::vector<std::string>& args) const;
    // `husk run --json OPTIONS... -- COMMAND`, as the report.
    nlohmann::json report(const std::string& command, std::vector<std::string> options = {}) const;
    // `husk run --background -- COMMAND`: the id.
    std::string background(const std::string& command, std::vector<std::string> options = {}) const;
    // The report of a shell as it is now, without output.
    nlohmann::json shell(const std::string& id) const;

    const std::filesystem::path& state() const { return state_; }
    const std::filesystem::path& dir() const { return dir_.path(); }  // writable by whoever runs
    Settings settings() const { return {.state = state_}; }

private:
    std::vector<std::string> argv(std::vector<std::string> args) const;

    Who who_;
    TempDir dir_;
    std::filesystem::path state_;
};

// Runs any program, found by PATH, with standard input `input`.
Ran run_program(const std::vector<std::string>& argv, const std::string& input = "");

// Waits for a condition, looking every few milliseconds.
bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds within = 10s);

// Exists and is no zombie.
bool is_alive(pid_t pid);
// All living processes whose command line contains `text`.
std::vector<pid_t> processes_with(const std::string& text);

// A word that no other process on the machine has in its command line.
std::string unique_word();

std::string read_text(const std::filesystem::path& path);

// The programs of tests/programs.
std::string program(const std::string& name);

}  // namespace husk::test
