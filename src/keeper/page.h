// The record of the command in hand: a copy in memory, written back in parts. Not a mapping:
// a store into one may meet a full disk as SIGBUS, costs a fault in the file system, and
// inotify tells nobody about it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "sys.h"

namespace keeper {

class Page {
public:
    // False when the file does not hold a record that waits for a keeper.
    bool load(int fd) {
        fd_ = fd;
        const long got = sys::pread(fd, &record_, sizeof record_, 0);
        return got == sizeof record_ && record_.magic == husk::record::magic &&
               record_.version == husk::record::version &&
               record_.state == husk::record::State::Prepared;
    }

    husk::record::Record& operator*() { return record_; }
    husk::record::Record* operator->() { return &record_; }

    void set(husk::record::Flag flag) { record_.flags |= flag; }

    // Before there is a command: from here on nobody can take it back.
    void save_start() {
        record_.state = husk::record::State::Running;
        save(offsetof(husk::record::Record, state), offsetof(husk::record::Record, out));
    }
    void save_counts() {
        save(offsetof(husk::record::Record, flags), offsetof(husk::record::Record, reason));
    }
    void save_ending() {
        save(offsetof(husk::record::Record, flags), offsetof(husk::record::Record, told_out));
    }
    // Last, and alone: whoever sees the state may believe all that was saved before it.
    void save_state(husk::record::State state) {
        record_.state = state;
        save(offsetof(husk::record::Record, state),
             offsetof(husk::record::Record, state) + sizeof record_.state);
    }

private:
    void save(size_t from, size_t to) {
        const char* bytes = reinterpret_cast<const char*>(&record_);
        sys::pwrite(fd_, bytes + from, to - from, static_cast<int64_t>(from));
    }

    husk::record::Record record_{};
    int fd_ = -1;
};

}  // namespace keeper
