// The commands of a state directory, by id, from any process of the same user.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bash.h"

namespace husk {

// What to read of a shell's output. Exactly one way; the default is what is new since the
// last answer about this shell.
struct SinceLast {};
struct Since {
    uint64_t offset;
};
struct LastLines {
    uint64_t count;
};
struct LineRange {
    uint64_t first;  // from 1
    uint64_t last;
};
struct Grep {
    std::string pattern;  // RE2
};
struct Whole {};
using Range = std::variant<SinceLast, Since, LastLines, LineRange, Grep, Whole>;

// What to wait for; always also for the end of the command.
struct Until {
    bool gone = false;                      // not only main: the whole tree
    std::optional<std::string> match = {};  // RE2, on complete lines
    std::optional<std::string> exclude = {};
    std::optional<std::chrono::milliseconds> quiet = {};
    std::optional<int> port = {};  // open in the session's network
    std::optional<std::filesystem::path> file = {};
};

struct Waited {
    Report report;     // with what is new
    std::string met;   // "exit", "gone", "match", "quiet", "port", "file", "timeout"
    std::string line;  // that matched
};

class Shells {
public:
    explicit Shells(Settings settings = {});

    // Live ones first, newest first. Reports without output.
    std::variant<std::vector<Report>, Error> list() const;

    // Errors name the shell and say what to do.
    std::variant<Report, Error> output(const std::string& id, const Range& range,
                                       uint64_t max_bytes = 30'000) const;
    std::variant<Waited, Error> wait(const std::string& id, const Until& until,
                                     std::optional<std::chrono::milliseconds> timeout,
                                     std::stop_token cancel = {}) const;
    // Stops the whole tree and waits for it. On an ended shell nothing happens. The report
    // has what is new of the output, if some is wanted.
    std::variant<Report, Error> kill(const std::string& id, const StopLadder& ladder = {},
                                     uint64_t max_bytes = 30'000) const;

private:
    Settings settings_;
};

}  // namespace husk
