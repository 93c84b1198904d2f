// What a pattern is compared with, and how that can end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decide/command_text.h"
#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

enum class Match : uint8_t { No, Maybe, Yes };

// A command, as rules see it.
struct Subject {
    const parse::Script& script;
    size_t index;  // in script.commands
    const parse::Command& command;
    const Context& context;  // of the script
    const Context& here;     // after each `cd` in front of the command
    CommandText text;

    Subject(const parse::Script& of_script, size_t at, const Context& of_context,
            const Context& moved)
        : script(of_script),
          index(at),
          command(of_script.commands[at]),
          context(of_context),
          here(moved),
          text(command_text(of_script, at)) {}
};

}  // namespace husk::decide
