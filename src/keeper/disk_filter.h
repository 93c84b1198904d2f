// Keeps a command to ways of filling a disk that are counted. Blocks that fallocate reserves are
// written by nobody, so /proc/<pid>/io does not show them.
#pragma once

namespace disk_filter {

// For this process and all that it starts: fallocate, and the calls of ioctl that do the same, are
// not supported, as on many file systems, unless they free blocks. io_uring, which no filter sees
// into, is not there. Only system calls: it is done between vfork and exec.
long install();

}  // namespace disk_filter
