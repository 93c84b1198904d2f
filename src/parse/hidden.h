// What bash runs or reads differently although nobody can see it in the script's commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

bool has_substitution(std::string_view text);

// name[ ... $( ... : evaluated as arithmetic, bash runs what stands in the brackets. Where the
// brackets end is not worked out: quotes and expansions may stand in them. A bracket at the start
// counts, because another text may put the name before it.
bool is_subscript_with_substitution(std::string_view text);
// The same of a word after quote removal. An expansion may be the name before the bracket.
bool is_subscript_with_substitution(const Word& word);

// The word as it is without expansions, and where no file matches.
std::string literal_text(const Word& word);

// name[ ... $x ... , where an expansion in the script fills in what stands in the brackets, and
// name[ at the end, which the next text fills in.
bool is_subscript_to_fill(const Word& word);
bool is_subscript_to_fill(std::string_view arithmetic);

struct Hidden {
    std::vector<std::string> reasons;
    bool aliases_made = false;
    bool aliases_work = false;
    // x='a[$(b)]' runs b once x is taken for a number.
    bool subscript_in_text = false;
    bool arithmetic = false;
    // `test $x 'a[...]'` is arithmetic too if $x is -v.
    bool may_read_names = false;
    bool bracket_in_text = false;
    // y='$(b)' runs b once "a[$y]" is taken for a number.
    bool substitution_in_text = false;
    bool subscript_to_fill = false;
    // x='PATH=1' sets PATH then.
    bool assignment_in_text = false;
    // ~ and `cd` are not what they seem once these variables are changed.
    bool sets_home = false;
    bool uses_home = false;
    bool sets_search_of_cd = false;
    bool uses_cd = false;

    void note(const Command& command);
    void note_loop(const Loop& loop);
    // All reasons, those that only several commands together give among them.
    std::vector<std::string> all_reasons() const;

private:
    void add(const std::string& reason);
    void note_texts(const Command& command);
    void note_text(const Word& word);
    void note_variables(const Command& command);
    void note_set(const std::string& name, const Word* value);
    void note_home(const Command& command);
    void note_aliases(const Command& command);
    void note_options(const Command& command);
    void note_history(const Command& command);
    void note_completion(const Command& command);
};

}  // namespace husk::parse
