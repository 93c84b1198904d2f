// What a careless caller leaves lying about: open descriptors, and a terminal.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace husk::redteam {

// A descriptor with this number, in this process and all that it starts. While there is nothing to
// leak the number is taken by something harmless, so that nobody else gets it.
class Leak {
public:
    explicit Leak(int number) : number_(number) { stop(); }
    ~Leak();
    Leak(const Leak&) = delete;
    Leak& operator=(const Leak&) = delete;

    void start(int fd) const;
    void stop() const;

private:
    int number_;
};

class Leaks {
public:
    // A file and its directory, a socket, a pipe, and a file without a name that holds a secret.
    void start(const std::filesystem::path& file, int socket, int pipe,
               const std::string& secret) const;
    void stop() const;

private:
    Leak file_{33}, dir_{34}, socket_{35}, pipe_{36}, nameless_{38}, again_{233};
};

// A terminal on which the secret was typed.
class Terminal {
public:
    Terminal(const std::string& secret, uid_t owner);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    const std::string& path() const { return path_; }
    int hear() const;  // a descriptor of its other side
    bool has_shrunk() const;

private:
    int master_ = -1;
    int slave_ = -1;
    std::string path_;
};

}  // namespace husk::redteam
