// A verdict for people: the script as a short tree, with the answer at each command and the
// reason in plain words.
#pragma once

#include <cstddef>
#include <string>

#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::render {

struct Look {
    enum class Colours { None, Terminal };
    Colours colours = Colours::None;
    size_t width = 0;  // commands are cut to fit, reasons are not; 0 means no limit
};

std::string verdict_text(const parse::Script& script, const decide::Verdict& verdict,
                         const Look& look);

// Why it is not simply allowed, and what can be done about it, on one line.
std::string explanation(const decide::Verdict& verdict);

// Why nothing was started, and what can be done about it, on one line. An ask is refused where
// nobody can be asked.
std::string refusal(const decide::Verdict& verdict);

}  // namespace husk::render
