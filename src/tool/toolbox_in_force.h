// The configuration of a call, from its beginning to its end. Only for the files of the toolbox.
#pragma once

#include <string>
#include <vector>

#include "tool/toolbox.h"

namespace husk::tool {

// Never changed: a changed configuration makes a new one.
struct Toolbox::InForce {
    explicit InForce(Deployment what);

    Deployment deployment;
    contract::Situation situation;
    std::vector<std::string> names;  // of the tools
    std::vector<std::string> tasks;  // those that can be one

    contract::Json tools() const;
    // Where the conversation is; a call may name a directory below it.
    const std::filesystem::path& start_directory() const;
    // A directory of a container by the name that it has on this host, where rules and people know
    // it.
    std::filesystem::path seen_here(const Request& request) const;
};

}  // namespace husk::tool
