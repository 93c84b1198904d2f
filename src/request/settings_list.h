// Settings as a list of lines, for people and programs that want to see them.
#pragma once

#include <string>
#include <vector>

#include "request/settings.h"

namespace husk::config {

struct Line {
    std::string key;    // "limits.memory", "permissions.allow"
    std::string value;  // as it would be written
    Origin origin;
};

// Of a list one line for each entry. Packs that nobody speaks of are not here.
std::vector<Line> lines_of(const Settings& settings);

}  // namespace husk::config
