// The commands of the campaign. Each writes what it really does into a file beside it, so that what
// Husk says about it can be compared with the truth.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

namespace husk::test {

using Random = std::mt19937_64;

// A number in [low, high].
int between(Random& random, int low, int high);

enum class Doing {
    Quick,        // `true`: over before anybody can look
    Exits,        // after a while, with a code of its own
    KillsItself,  // with a signal
    Prints,       // a stream that is known byte for byte
    Leaves,       // a process that outlives it and is adopted
    LeavesToDie,  // the same, with `leftovers: kill`
    Stays,        // deaf to SIGTERM, until somebody ends it
    Fetches,      // through the proxy, from a server of the machine
};

struct Job {
    int number = 0;
    Doing doing = Doing::Quick;
    std::string mark = {};            // in the command lines or environments of all its processes
    std::string command = {};         // for bash -c
    int code = 0;                     // it exits with this, or is killed by this signal
    uint64_t bytes = 0;               // that it prints
    std::filesystem::path told = {};  // what it says about itself; empty: nothing
};

// What a job has written about itself.
struct Truth {
    bool started = false;
    bool fetched = false;        // something came through the proxy
    std::optional<int> exits;    // it was about to exit with this code
    std::optional<int> signals;  // it was about to send itself this signal
};

struct JobPlace {
    std::filesystem::path work;  // writable by the jobs
    std::string word;            // that no other process on the machine has
    uint16_t port = 0;           // of a server on the loopback of the machine
};

// `tells` is false where the job cannot write, in mode read-only.
Job make_job(Random& random, int number, Doing doing, bool tells, const JobPlace& place);
Truth truth_of(const Job& job);

}  // namespace husk::test
