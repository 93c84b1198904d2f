// What the reaped part of a tree has used. Sums of wait4 are exact, double forks included,
// because the keeper is the tree's reaper.
#pragma once

#include <linux/resource.h>
#include <stdint.h>

#include "record.h"

namespace usage {

// What stands behind "name:" at the start of a line, or null.
const char* line_after(const char* text, const char* name);

// The number in the line "<name>: <number>" of a file of /proc.
bool number_after(const char* text, const char* name, uint64_t& value);

// Bytes of storage from /proc/<pid>/io; false when it may not be read.
bool read_io(int fd, uint64_t& read, uint64_t& written);

class Meter {
public:
    // Opens the keeper's own counters; needs to be dumpable at that moment.
    void open();
    void begin();
    void add(const rusage& reaped);
    // Fills in what is known; false when bytes could not be measured.
    bool read(husk::record::Usage& into);
    // Of what was reaped until now.
    uint64_t cpu_us() const { return sum_.user_us + sum_.system_us; }
    uint64_t written_bytes() const;

private:
    struct Bytes {
        uint64_t read;
        uint64_t written;
        bool known;
    };
    Bytes children_bytes() const;

    // The process's counters hold this thread and everything reaped; the thread's only itself.
    int process_io_ = -1;
    int thread_io_ = -1;
    Bytes before_{};
    husk::record::Usage sum_{};
};

}  // namespace usage
