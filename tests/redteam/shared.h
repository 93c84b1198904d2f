// Victims that no directory holds: System V and POSIX shared memory, semaphores and queues.
#pragma once

#include <sys/types.h>

#include <string>

namespace husk::redteam {

class SharedVictims {
public:
    // All hold `secret`, and belong to `owner`.
    SharedVictims(const std::string& secret, uid_t owner);
    ~SharedVictims();
    SharedVictims(const SharedVictims&) = delete;
    SharedVictims& operator=(const SharedVictims&) = delete;

    int key() const { return key_; }
    int free_key() const { return key_ + 1; }
    const std::string& queue() const { return queue_; }

    // Which exist, and the value of the semaphore.
    std::string snapshot() const;
    // Takes out what was written or sent.
    std::string contents() const;

private:
    int key_;
    std::string queue_;
};

}  // namespace husk::redteam
