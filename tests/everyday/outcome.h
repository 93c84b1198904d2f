// What a person would notice of a command: its exit status, its output, the files that it left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "case.h"

namespace husk::everyday {

struct Outcome {
    int status = -1;  // 128+S for a signal
    std::string output;
    std::string errors;                // shown, not compared
    std::string files;                 // one line for each
    std::vector<std::string> denials;  // what Husk reported; empty for a bare run
    std::vector<std::string> notes;
};

// `text` without what differs from run to run: times, process ids, temporary names, addresses.
// README.md lists them all. A number that stands alone is never changed.
std::string normalised(const std::string& text);

// The tree below `root`, or the file `root`, one line for each file: type, permissions, name, and a
// hash of the contents.
std::string files_below(const std::filesystem::path& root, const Case& one);

// What differs, as a text for people; empty if nothing does.
std::string difference(const Outcome& bare, const Outcome& walled, Output output);

}  // namespace husk::everyday
