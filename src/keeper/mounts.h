// Objects and mounts by descriptor. A path is looked up once, no symbolic link on it is followed,
// and everything that happens to the object afterwards goes through the descriptor. A name that
// somebody swaps meanwhile leads to an error, never to another object.
#pragma once

#include <stdint.h>

#include "walls_wire.h"

namespace mounts {

// Opens (O_PATH) the object at `path`. -ELOOP if a directory on the path is a symbolic link;
// a link at the end is opened as a link. -ESTALE if it is another object than `identity` says.
long open(const char* path, const husk::wire::Identity& identity);

// The directory that holds the last name of `path`, and that name.
struct Slot {
    long directory = -1;  // or -errno; to be closed
    const char* name = nullptr;
};
Slot parent(const char* path);

enum class Below : uint8_t { Left, Taken };

// A detached copy of the mount at `object`, and of the mounts below it if they are taken too.
long clone(int object, Below below);
// Sets attributes (MOUNT_ATTR_*) of a mount that is known by its root.
long set_attributes(int root, uint64_t attributes, Below below);
// A detached, new file system; `options` as mount(8) takes them.
long make(const char* type, const char* options, uint64_t attributes);
// Attaches a detached mount to an object, or to the object at `path`, which must be no link.
long attach(int tree, int target);
long attach(int tree, const char* path);

// Mounts an empty, read-only directory, or /dev/null, over the object at `path`. A mount that is
// another object is an earlier cover, if there may be one. -ESTALE if it is another object than
// `identity` says, or no mount and has to be one.
struct ToCover {
    bool may_be_covered;
    bool must_be_mount;
};
long cover(const char* path, const husk::wire::Identity& identity, ToCover expected);
// Mounts an object on itself.
long mount_on_itself(int object, uint64_t attributes);

bool is_mounted(int object);
// Whether nothing can be written through the mount that the object is in.
bool is_read_only(int object);
bool is_link(int object);

}  // namespace mounts
