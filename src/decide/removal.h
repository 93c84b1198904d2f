// What an rm command would take away.
#pragma once

#include <optional>
#include <vector>

#include "decide/context.h"
#include "decide/path.h"
#include "parse/script.h"

namespace husk::decide {

// How sure it is that nothing stops it halfway.
enum class Force : uint8_t { No, Perhaps, Yes };

struct Removal {
    Force recursive_and_forced = Force::No;
    std::vector<parse::Word> targets = {};
};

// Of `rm`; also of a program that may turn out to be rm, if it is given such options.
std::optional<Removal> removal_of(const parse::Command& command);

// The root of the file system, or everything in it.
bool is_root(const Path& path, const Context& context);

// A directory that nobody means to lose: the root, a home, .git, the working directory and those
// above it, the first level of the system; or everything in one of them.
bool is_critical(const Path& path, const Context& context);

// What an rm would take away that is given this word.
Path target_of(const parse::Word& word, const Context& context);

}  // namespace husk::decide
