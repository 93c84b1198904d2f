// Walks a path of a call as the process that makes the call would: component by component, with the
// error that the kernel would give, and with `/proc/self` of that process. It lives in the mason
// and changes nothing; what it finds decides nothing that a wall has to decide.
#pragma once

#include <stdint.h>

#include "caller.h"

namespace walk {

enum class LastLink : uint8_t { Followed, Taken };

// Who makes the call, as the mason numbers processes, and the mason's descriptor of /proc.
struct Walker {
    int proc;
    int pid;
    const caller::Permissions& permissions;
};

// Where a path begins: a descriptor of the process, or at_working_directory.
inline constexpr int at_working_directory = -100;  // AT_FDCWD

// The end of a path. It owns its descriptors.
class End {
public:
    End() = default;
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End();

    long error = 0;   // -errno: the path does not lead to a directory that could hold the name
    int parent = -1;  // O_PATH; the directory that holds, or would hold, the last name
    int object = -1;  // O_PATH; -1: nothing has this name
    bool is_named = false;   // false: the path ends in "/", "." or ".."
    bool has_slash = false;  // behind the last name
    char name[256] = {};

    bool is_there() const { return object >= 0; }
};

// Searching a directory needs the rights of the user, not those of the mason.
void go(const Walker& walker, int start, const char* path, LastLink last, End& end);

}  // namespace walk
