// A command in a container, seen from this host: a process that stands for it, and is kept like any
// other command. What it is told, the command is told; what the command says, it says; it ends as
// the command does.
#pragma once

#include <string>
#include <vector>

#include "place/container.h"

namespace husk::place {

struct Errand {
    Container container;
    std::string directory;             // inside
    std::vector<std::string> env;      // NAME=value
    std::vector<std::string> command;  // program and arguments
};

// The exit code. While something of the command's tree lives on in the container, a child of this
// process does too; when both are killed, the tree in the container is.
int carry(const Errand& errand);

}  // namespace husk::place
