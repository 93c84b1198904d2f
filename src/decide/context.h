// What a decision depends on beside the script and the rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace husk::decide {

// How the pack `system` reads its list of programs.
enum class Denylist : uint8_t {
    Harmful,  // what changes nothing passes: `mount -l`, `sudo --version`, `mkfs.ext4 test.img`
    Literal,  // every call of a listed program is denied
};

struct Context {
    std::string working_directory;            // absolute, or empty when it is not known
    std::string home;                         // what ~ and $HOME mean; empty when it is not known
    std::vector<std::string> variables = {};  // that the call sets before the script
    // Something else than its text and its directory decides what the script does: variables of
    // the call, its standard input, what a shell that goes on was told before.
    bool has_more_than_text = false;
    Denylist denylist = Denylist::Harmful;
};

}  // namespace husk::decide
