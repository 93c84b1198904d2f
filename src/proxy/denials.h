// What a refused client is told, and the log from which the report's denials come.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "os/fd.h"
#include "proxy/address.h"
#include "proxy/target.h"

namespace husk::proxy {

struct Denial {
    Target target;
    std::optional<Address> led_to;  // the name is allowed, but not the address that it led to
};

// The setting that would allow it: "network: [host:port]".
std::string allow_with(const Denial& denial);

// For the person or the model that reads the answer.
std::string explanation(const Denial& denial);

// One line of JSON with its line end (docs/proxy.md).
std::string log_line(const Denial& denial, std::chrono::system_clock::time_point time);

// Appends lines to a file, up to so many that the file stays small. Without a file, nothing.
class DenialLog {
public:
    DenialLog(os::Fd file, size_t most_lines) : file_(std::move(file)), left_(most_lines) {}
    void note(const Denial& denial);
    // Of a name that was looked up, and is not listed.
    void note_name(const std::string& name);

private:
    void write(const std::string& line);

    os::Fd file_;
    size_t left_;
};

}  // namespace husk::proxy
