// A program that is started, and talked to on its standard input and output.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace husk::bench {

class Child {
public:
    explicit Child(std::vector<std::string> argv);
    ~Child();  // asks it to end, and waits
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t pid() const { return pid_; }
    void say(std::string_view text) const;
    // Without its end; empty when it says no more.
    std::string line();

private:
    pid_t pid_ = -1;
    int in_ = -1;
    int out_ = -1;
    std::string read_;
};

// Ends what outlives the servers of a state directory.
void end_sessions(const std::filesystem::path& state);

// Of a process, in MiB.
double resident_mib(pid_t pid);

}  // namespace husk::bench
