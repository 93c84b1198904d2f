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

// The last number of a line: that of the innermost namespace.
uint64_t last_number(const char* at);

// Bytes of storage from /proc/<pid>/io; false when it may not be read.
bool read_io(int fd, uint64_t& read, uint64_t& written);

inline constexpr uint64_t us_in_ms = 1000;
// Rounded up: who has used a part of a millisecond more than a limit is above it.
constexpr uint64_t whole_ms(uint64_t us) { return us / us_in_ms + (us % us_in_ms != 0 ? 1 : 0); }

class Meter {
public:
    // Finds out whether this kernel counts bytes of storage.
    void open();
    void begin() { sum_ = {}; }
    void add(const rusage& reaped);
    // Fills in what is known; false when bytes could not be measured.
    bool read(husk::record::Usage& into) const;
    // Of what was reaped until now.
    uint64_t cpu_us() const { return sum_.user_us + sum_.system_us; }
    uint64_t written_bytes() const { return sum_.written_bytes; }
    uint64_t peak_process_bytes() const { return sum_.peak_process_bytes; }

private:
    bool counts_bytes_ = false;
    husk::record::Usage sum_{};
};

}  // namespace usage
