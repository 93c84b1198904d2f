// What scenarios are told with: the real program, real processes, and waiting for conditions.
#pragma once

#include <gtest/gtest.h>
#include <husk/husk.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patience.h"
#include "temp_dir.h"

namespace husk::test {

using namespace std::chrono_literals;

// Who runs husk in a scenario. As root both can be had; as somebody else only that one.
enum class Who { Caller, OrdinaryUser };
inline constexpr uid_t ordinary_uid = 65534;

// The mode of a `husk run` that names none: most scenarios are about the engine, which is the same
// in all. As shipped it is the one that is built in, in a workspace of the scenario's own.
enum class Unsaid { MeansOpen, AsShipped };

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
    explicit Husk(Who who = Who::Caller, Unsaid unsaid = Unsaid::MeansOpen);
    ~Husk();
    Husk(const Husk&) = delete;
    Husk& operator=(const Husk&) = delete;

    // Runs `husk ARGS...` and waits for it; killed after a minute (see patience.h, as all times
    // here).
    Ran operator()(std::vector<std::string> args, const std::string& input = "") const;
    // Starts it without waiting; the caller reaps the pid. Output goes to /dev/null.
    pid_t start(const std::vector<std::string>& args) const;
    // `husk run --json OPTIONS... -- COMMAND`, as the report.
    nlohmann::json report(const std::string& command, std::vector<std::string> options = {}) const;
    // `husk run --background -- COMMAND`: the id.
    std::string background(const std::string& command, std::vector<std::string> options = {}) const;
    // The report of a shell as it is now, without output.
    nlohmann::json shell(const std::string& id) const;
    // A bash script on the same state directory, by the same user; husk is $HUSK in it.
    Ran script(const std::string& text) const;
    // What runs `husk ARGS...` so.
    std::vector<std::string> argv(std::vector<std::string> args) const;

    const std::filesystem::path& state() const { return state_; }
    const std::filesystem::path& dir() const { return dir_.path(); }  // writable by whoever runs
    // Where husk is started, if as shipped.
    const std::filesystem::path& work() const { return work_; }
    Settings settings() const { return {.state = state_}; }
    // As with `--checks off`.
    Settings unchecked_settings() const { return {.state = state_, .checks = std::nullopt}; }

private:
    std::vector<std::string> surroundings() const;

    Who who_;
    Unsaid unsaid_;
    TempDir dir_;
    std::filesystem::path state_;
    std::filesystem::path work_;
};

// A husk under way, its standard output read line by line as it comes. Killed at the end of
// its life if it has not ended.
class Live {
public:
    Live(const Husk& husk, std::vector<std::string> args);
    ~Live();
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    // The next line without its newline; nothing when none comes in time.
    std::optional<std::string> line(std::chrono::milliseconds within = 10s);
    // Takes and forgets what has come, 64 KiB at most; false when nothing has.
    bool skip(std::chrono::milliseconds within = 1ms);
    void signal(int number) const;
    pid_t pid() const { return pid_; }
    // Its exit code, 128+S for a signal; nothing when it has not ended in time.
    std::optional<int> code(std::chrono::milliseconds within = 10s);

private:
    bool read_more(std::chrono::milliseconds within);

    pid_t pid_ = -1;
    int out_ = -1;
    std::string buffer_;
    std::optional<int> code_;
};

// So many processes that only compute, while it lives; half a minute at most.
class Load {
public:
    explicit Load(int processes);
    ~Load();
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

private:
    std::vector<pid_t> pids_;
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
void write_text(const std::filesystem::path& path, std::string_view text);
// Without their newlines.
std::vector<std::string> lines_of(const std::string& text);

// Husk said no: exit 125, one line on stderr that starts with "husk: ", nothing on stdout.
testing::AssertionResult is_refusal(const Ran& ran);

// Bytes [from, to) of what tests/programs/out_lines writes: its lines have 16 bytes each and
// hold their number, counted from 1.
std::string numbered(uint64_t from, uint64_t to);

// Waits for a child of this process: its exit code, 128+S for a signal. One that takes longer is
// killed, and the test fails.
int exit_code_of(pid_t child, std::chrono::milliseconds within = 30s);

// The parent of a process; 0 when there is none to be seen.
pid_t parent_of(pid_t pid);

// The nursery of the session of this name or id, or of any that has one; 0 when there is none.
pid_t nursery_of(const Husk& husk, const std::string& name_or_id = "");

// For scenarios that are told of both: INSTANTIATE_TEST_SUITE_P(, Suite, both(), who_name).
inline auto both() { return testing::Values(Who::Caller, Who::OrdinaryUser); }
inline std::string who_name(const testing::TestParamInfo<Who>& info) {
    return info.param == Who::Caller ? "Caller" : "OrdinaryUser";
}

// A word in the command lines of what a scenario starts. What still bears it at the end is killed,
// so that a test that fails leaves nothing behind.
class Mark {
public:
    Mark() : word_(unique_word()) {}
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    const std::string& word() const { return word_; }
    std::vector<pid_t> bearers() const { return processes_with(word_); }

private:
    std::string word_;
};

// A pipe with a name. A command that starts with `opening()` holds it open, and so does all that
// it starts: the reader is at the end when nothing of it lives, whatever it is called.
class Witness {
public:
    explicit Witness(const std::filesystem::path& dir);
    ~Witness();
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

    std::string opening() const { return "exec 9>" + path_.string() + "\n"; }
    // Whether somebody has written this into it (`echo up >&9`).
    bool hears(const std::string& text, std::chrono::milliseconds within = 20s);
    const std::string& heard() const { return heard_; }
    bool is_alone(std::chrono::milliseconds within = 10s);

private:
    bool read_all();  // false at the end

    std::filesystem::path path_;
    int fd_ = -1;
    std::string heard_;
};

// The programs of tests/programs.
std::string program(const std::string& name);
// The same, copied into a directory that a session sees: the tests may have been built below /tmp,
// which is private behind walls.
std::string program_in(const std::filesystem::path& dir, const std::string& name);

// All shells; fails the test when they cannot be listed.
std::vector<Report> listed(const Shells& shells);

}  // namespace husk::test
