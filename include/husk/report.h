// What comes out: how a command ended, and everything that was measured on the way.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace husk {

// A call of the system that failed, and on what. Text is "openat: No such file: /x".
struct Error {
    std::string step;
    int code = 0;        // errno, or 0
    std::string detail;  // a path, or what to do about it

    std::string text() const;
};

// How it ended. What the kernel reported decides, never words in the output.
struct Exited {
    int code;
};
struct Signaled {
    int signal;
};
struct TimedOut {
    std::chrono::milliseconds limit;
    // The running time when the timeout was found, without the patience that followed.
    std::chrono::milliseconds reached{0};
};
struct Cancelled {
    std::string why;
};
struct LimitExceeded {
    std::string name;
    uint64_t value;
    uint64_t peak;
};
struct Denied {
    std::string rule;
    std::string reason;
};
struct NotStarted {
    Error cause;
};
struct Running {};  // still
struct Lost {       // nobody can know
    std::string why;
};
using Ending = std::variant<Exited, Signaled, TimedOut, Cancelled, LimitExceeded, Denied,
                            NotStarted, Running, Lost>;

// What of a stream's bytes is shown, and where the rest is.
struct Excerpt {
    uint64_t total_bytes = 0;
    uint64_t total_lines = 0;
    std::vector<std::pair<uint64_t, uint64_t>> shown;  // byte ranges of the stream
    std::filesystem::path log;
    bool complete = true;         // the log holds every byte
    uint64_t dropped_bytes = 0;   // that it does not hold
    std::string dropped_because;  // empty when complete
};

// Measured, or absent.
struct Usage {
    std::optional<double> user_ms;
    std::optional<double> system_ms;
    std::optional<uint64_t> peak_memory_bytes;
    std::string peak_memory_of;  // "largest process" or "tree"
    std::optional<uint64_t> read_bytes;
    std::optional<uint64_t> written_bytes;
    std::optional<uint64_t> processes;
};

// How long a command waited before it started. Measured, or absent.
struct Startup {
    // To build the session with its walls. Absent: the session existed already.
    std::optional<double> session_ms;
    std::optional<double> call_ms;  // all other time from the call to the start of the command
};

// A process that outlived the command.
struct Leftover {
    int pid = 0;
    std::string name;
    std::string reason;  // why it could not be killed, if that was tried
};

// Which walls stood.
struct Confinement {
    std::string mode = "open";
    std::string files = "open";
    std::string network = "open";
    std::string signals = "open";
    std::string processes = "host";
    std::string limits = "rlimits";
    std::vector<std::string> missing;
    std::vector<std::string> unwatched;  // kinds of attempts that are stopped and not noted
    std::vector<std::string> published;  // where this machine's browser finds ports of the session
};

// Something that a wall stopped.
struct Denial {
    std::string operation;  // write, create, remove, rename, link, metadata, connect, call
    std::string target;     // a path, an address, the name of a call
    std::optional<int> pid;
    std::string process;
    std::string allow_with;  // the setting; empty: there is none
    std::string reason;      // why there is none; empty: not known
    uint64_t count = 1;
};

// What was decided before anything was started.
struct Verdict {
    std::string decision = "allow";  // allow, ask, deny
    std::string rule;                // that decided; empty: none had a say
    std::string where;               // it stands: "husk.yaml:12", "built in: rm"
    std::string reason;
    std::string instead;                  // a safer way, where one is known
    std::vector<std::string> allow_with;  // rules that would allow it
    std::string risk = "low";             // low, medium, high, critical
};

struct Report {
    Ending ending = Running{};
    std::string shell_id;  // empty when nothing was started
    std::string session;
    std::string caller;  // as the context had it
    std::string command;
    std::string display;
    std::string output;  // merged; for split streams empty
    std::optional<std::string> out;
    std::optional<std::string> err;
    Excerpt excerpt;                       // of stdout when split
    std::optional<Excerpt> error_excerpt;  // of stderr when split
    uint64_t cursor = 0;                   // where reading goes on
    std::optional<double> duration_ms;
    std::optional<int> pid;  // of the main process, which leads its group
    bool in_background = false;
    std::vector<std::string> environment;  // names of the variables that it was given
    Usage usage;                           // so far, if the command is still running
    Startup startup;
    std::optional<Verdict> verdict;  // none when nothing was decided
    Confinement confinement;         // says nothing where nothing was started: without a shell_id
    std::vector<Denial> denials;
    uint64_t denials_total = 0;    // attempts, with those that are not listed
    bool denials_complete = true;  // every kind was watched, and nothing was dropped
    std::vector<Leftover> leftovers;
    std::optional<LimitExceeded> leftovers_ended_by;  // a limit, after the main process had ended
    std::vector<std::string> reverted;  // protected names that the command made, taken away again
    std::vector<std::string> notes;

    bool ended() const { return !std::holds_alternative<Running>(ending); }
};

// The word of the ending: "exited", "signaled", "timed_out" ...
const char* status_word(const Ending& ending);

// As a shell would have it: the code, or 128 + signal; nothing where there is none.
std::optional<int> exit_code(const Ending& ending);

}  // namespace husk
