// What /proc tells of processes, read into memory that is there already.
#pragma once

#include <cstdint>

namespace proc {

struct Stat {
    char state;
    int parent;
    uint64_t own_ticks;  // of CPU time, in hundredths of a second
    uint64_t all_ticks;  // with what it has reaped
    uint64_t threads;
    uint64_t mapped;    // bytes
    uint64_t resident;  // pages
};

// Whether something could not be looked at for another reason than that the process is gone, or is
// not ours to look at: there are no descriptors left, or no memory. Until `see_again`.
bool is_blind();
void see_again();

// Each false when the process is gone, or hidden.
bool read_stat(int pid, Stat& stat);
bool read_text(int pid, const char* file, char* text, unsigned size);
// The same in the /proc that is open at `proc`, where the process has another number.
bool read_text_in(int proc, int pid, const char* file, char* text, unsigned size);
int open(int pid, const char* file);

// Reads the memory of a process up to the end of a string. False when it cannot be read, or the
// string is longer than the room.
bool read_string(int pid, uint64_t address, char* into, unsigned room);

// Memory that is not of files, and not meant to be shared; 0 when that cannot be known.
uint64_t own_pages(int pid);

// What getdents64 gives.
struct DirectoryEntry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[1];
};

struct Kin {
    int pid;
    int parent;
    int thread;  // a thread that has the memory and the descriptors of the process
};

// Processes, generation by generation; one list for whoever looks next, touched only as far as
// a tree reaches. What does not fit is met again when these are gone.
void forget_kin();
unsigned kin_count();
Kin kin(unsigned index);
// A thread of the process that lives, although its first one has ended; or the process.
int living_thread(int pid);
void look_through(unsigned index, int thread);
// Takes out those of whom it says so.
void spare_kin(bool (*spare)(int pid));

// Adds the children of a process that has this many threads; 0: not known.
void add_children(int pid, uint64_t threads);

}  // namespace proc
