// Programs that run another program: where its words begin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

// What a command hands on to be run, besides what stands in the script.
struct Carried {
    enum class Kind : uint8_t {
        Words,      // words [first, last) are a command
        Code,       // words [first, last), joined by spaces, are a script
        Remote,     // the same, for another machine
        Elsewhere,  // words [first, last) are a command, for another machine or a container
    };
    Kind kind = Kind::Words;
    size_t first = 0;
    size_t last = 0;
    bool more_words = false;            // others follow that only running it tells (xargs, find)
    size_t skip = 0;                    // so many letters of the first word are no code: -S of -Sx
    std::string_view prefix = {};       // stands in front of the code: "git " of alias.x=log
    size_t length = std::string::npos;  // the code has at most so many letters
    bool unsure = false;                // something else may be run instead of it, or besides it
};

std::vector<Carried> carried_by(const Command& command);

// ssh HOST without a command: the other machine runs what ssh reads.
bool is_ssh_without_command(const std::vector<Word>& words);

// The text that xargs replaces by its input: {} unless -I says otherwise.
std::string placeholder_of_xargs(const Command& xargs);

}  // namespace husk::parse
