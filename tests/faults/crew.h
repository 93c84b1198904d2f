// The processes of Husk that live on a state directory, found through its locks.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace husk::test {

struct Crew {
    struct Session {
        std::string id;
        std::string name = {};  // empty: private
        pid_t nursery = 0;
        pid_t mason = 0;  // 0: no walls. Where there is no PID namespace it is the guard.
        pid_t proxy = 0;  // 0: none
        std::vector<pid_t> keepers = {};  // also those that wait for work
    };
    std::vector<Session> sessions;
};

Crew crew_of(const std::filesystem::path& state);

// Every living process, other than this one, that has something of this directory open or mentions
// `word` in its command line or environment. Root sees all; others see their own.
std::vector<pid_t> processes_of(const std::filesystem::path& dir, const std::string& word);
// Those that mention the word.
std::vector<pid_t> processes_marked(const std::string& word);

std::string describe(pid_t pid);
// When the process was started, in ticks since the machine was; empty if it is gone. A process that
// has the same number later was born at another time.
std::string birth_of(pid_t pid);

}  // namespace husk::test
