// Answers questions about names in a session that reaches no other host: there is no such host. It
// lives in the session's mason and notes each name that a command asked for.
#pragma once

#include <stdint.h>

#include "denial_log.h"

namespace resolver {

class Resolver {
public:
    // `proc` is where this process finds /proc.
    explicit Resolver(int proc) : proc_(proc) {}

    // Takes the socket, which the session's resolv.conf names.
    void begin(int socket);
    int socket() const { return socket_; }
    // Called when the socket has something: answers a few questions and returns.
    void answer();

private:
    bool answer_one();

    int proc_;
    int socket_ = -1;
    char machine_[65] = {};  // what this machine is called
};

// A process is about to ask from this port of the loopback: `who` are the members of a line of the
// log that name it. If the port is not known (0), the next questions are taken to be its own.
void expect(const denial_log::Call& call, const char* who, unsigned length, uint16_t port);

}  // namespace resolver
