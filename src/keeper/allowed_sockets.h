// Unix sockets outside of the session that its commands may connect to all the same. Their
// directories were opened in the host's view, before there was any command.
#pragma once

#include <stdint.h>

#include "walls_wire.h"

namespace allowed_sockets {

// Opens the directory of a socket, before there are namespaces. `path` is the socket's, without
// links, in which the name starts at `name`. If `only_this`, the socket that is there now is the
// only one: the session can write to the directory. Returns 0 or -errno.
struct Wanted {
    const char* directory;
    const char* name;
    const char* path;
    bool only_this;
};
long hold(const Wanted& wanted, const husk::wire::Identity& directory);

// As those of sweep.h, for the mason and for all others.
void lift(int above);
int settle(int first);
void let_go();

// The socket that a call means, opened (O_PATH) through what is held: by the path that the caller
// gave, by the name of the object that the session sees there, or by the object itself. -1 if there
// is none; to be closed. Without an object, `object` is -1 and `name` is empty.
int open(const char* path, int object, const char* name);

}  // namespace allowed_sockets
