// What is typed at husk's own terminal, for the command of one call.
#pragma once

#include <memory>
#include <thread>

#include "base/result.h"
#include "os/fd.h"

namespace husk::cli {

// Reads the terminal on standard input and passes it on through a pipe, until this goes away. The
// command never holds the terminal: what it leaves behind cannot read later keystrokes or change
// the terminal's settings. As husk reads itself, job control works as usual.
class TypedInput {
public:
    static Result<std::unique_ptr<TypedInput>> start();
    ~TypedInput();
    TypedInput(const TypedInput&) = delete;
    TypedInput& operator=(const TypedInput&) = delete;

    int for_command() const { return reading_.get(); }

private:
    TypedInput(os::Fd reading, os::Fd writing, os::Fd stop);
    void pass_on();
    bool wait_for(int fd, short events) const;  // false: it is over

    os::Fd reading_;
    os::Fd writing_;
    os::Fd stop_;
    std::thread thread_;
};

}  // namespace husk::cli
