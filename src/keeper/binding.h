// Calls of bind that give a unix socket a name: a file that the kernel makes, or an abstract one.
#pragma once

#include <linux/seccomp.h>

namespace binding {

struct Name {
    const char* text = nullptr;  // null: the call gives no name; "@name" is abstract
    bool is_path = false;
    bool is_of_datagrams = false;
};

// Valid until the next call.
Name read(const seccomp_notif& asked);

}  // namespace binding
