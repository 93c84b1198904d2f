// What bash runs or reads differently although nobody can see it in the script's commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

bool has_substitution(std::string_view text);

// name[ ... $( ... : evaluated as arithmetic, bash runs what stands in the brackets.
bool is_subscript_with_substitution(std::string_view text);

struct Hidden {
    std::vector<std::string> reasons;
    bool aliases_made = false;
    bool aliases_work = false;
    // x='a[$(b)]' runs b once x is taken for a number.
    bool subscript_in_text = false;
    bool arithmetic = false;

    void note(const Command& command);

private:
    void note_texts(const Command& command);
    void note_aliases(const Command& command);
};

}  // namespace husk::parse
