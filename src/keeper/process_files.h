// Files of the session's own processes below /proc, which is read-only as a whole, because it holds
// settings of the kernel. The mason has a /proc of its own and opens a few of these files in the
// place of a process that wants to write them, if the kernel lets that process trace their owner:
// names of threads, and what debuggers and runtimes of languages set about memory.
#pragma once

#include <linux/seccomp.h>

namespace process_files {

// Takes the /proc, in which processes have the numbers that the session knows.
void begin(int given);

// Who has called `open`, and what the mason knows it by.
struct Asker {
    int proc;  // of the mason
    int listener;
};

// `path` has no links. False if this is no such file, or if the caller may not write it.
bool is_one(const char* path);

// Opens the file and puts it into the process: returns the number that it has there, or -errno.
// -EROFS if it stays read-only: the memory of a process that the caller does not trace.
long give(const Asker& asker, const seccomp_notif& asked, const char* path, unsigned long flags);

}  // namespace process_files
