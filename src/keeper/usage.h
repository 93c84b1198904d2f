// What the reaped part of a tree has used. Sums of wait4 are exact, double forks included,
// because the keeper is the tree's reaper.
#pragma once

#include <linux/resource.h>
#include <stdint.h>

#include "record.h"

namespace usage {

class Meter {
public:
    // Opens the keeper's own counters; needs to be dumpable at that moment.
    void open();
    void begin();
    void add(const rusage& reaped);
    // Fills in what is known; false when bytes could not be measured.
    bool read(husk::record::Usage& into);

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
