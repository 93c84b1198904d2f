// What the mason takes from a process that waits for its answer: descriptors, and the rights to act
// with.
#pragma once

#include <stdint.h>

#include "sys.h"

namespace caller {

// A copy of a descriptor of the thread; or -errno.
long take_descriptor(int thread, int fd);

// Closes such a copy. The last one of a socket may have to wait until data has been sent: not here.
void let_go(int fd);

// What a thread may do, as far as files and sockets ask for it.
struct Rights {
    uint32_t user;
    uint32_t group;
    uint64_t capabilities;  // that are effective
    int group_count;
    static constexpr int most_groups = 64;
    uint32_t groups[most_groups];
};

// False if they cannot be read, or if there are more groups than fit. `proc` is the /proc in which
// the thread has this number.
bool read_rights(int proc, int thread, Rights& rights);

// While it lives, this process acts with these rights and no others. If it cannot get its own
// rights back, it ends.
class ActingAs {
public:
    explicit ActingAs(const Rights& rights);
    ~ActingAs();
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

    bool succeeded() const { return succeeded_; }

private:
    bool take_identity(const Rights& rights);

    bool succeeded_ = false;
    bool is_other_ = false;
    int own_group_count_ = 0;
    uint32_t own_groups_[Rights::most_groups];
    uint32_t own_group_ = 0;
    uint32_t own_user_ = 0;
    uint64_t own_capabilities_ = 0;  // permitted
};

// What a thread may do with objects, by their owners and modes. The mount is not asked.
class Permissions {
public:
    // Of a thread that is the same user as this process.
    Permissions() = default;
    Permissions(int proc, int thread);

    // `wanted` is R_OK | W_OK | X_OK.
    bool allow(int object, int wanted) const;

private:
    bool are_known_ = true;
    bool are_of_another_ = false;
    Rights rights_{};
};

}  // namespace caller
