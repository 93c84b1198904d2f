// The private memory of a session behind walls: /tmp, /var/tmp, /dev/shm and the copies in HOME are
// parts of one file system.
#pragma once

namespace scratch {

// A step of the walls names a directory in it. Keepers inherit what the nursery holds.
long hold(const char* directory);

// Whether no file in it can grow, or none can be made. False if nothing is held.
bool is_full();

}  // namespace scratch
