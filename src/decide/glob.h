// Patterns with stars, and texts of which parts are not known before running. Both are chains
// of letters: a byte stands for itself, and what is above a byte stands for many texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decide/positions.h"
#include "parse/script.h"

namespace husk::decide {

Letters letters(std::string_view text);
Letters letters(const parse::Word& word);  // every unknown part is any_text

// Text in which each * is any text.
Letters starred(std::string_view pattern);

// A text as patterns see it.
class Text {
public:
    Text() = default;
    explicit Text(Letters letters);

    const Letters& letters() const { return letters_; }
    bool is_known() const { return letters_.empty() || !bytes_.empty(); }
    const std::string& bytes() const { return bytes_; }  // if it is known

private:
    Letters letters_;
    std::string bytes_;
};

// A pattern, ready to be compared with many texts. A comparison takes time in proportion to the
// length of the text, whatever the pattern is.
class Glob {
public:
    Glob() : Glob(Letters()) {}
    explicit Glob(const Letters& pattern);

    // Whatever the unknown parts of the text turn out to be, the pattern matches.
    bool covers(const Text& text) const;
    // They may turn out so that the pattern matches.
    bool meets(const Text& text) const;

private:
    // A pattern whose only symbol is any_text: pieces of text with any text between them.
    struct Plain {
        std::vector<std::string> parts;
        bool matches(std::string_view text) const;
    };

    void add_plain(Letters pattern);
    bool matches_known(std::string_view text) const;
    bool starts_differently(const Text& text) const;

    Letters start_;             // the letters in front of the first symbol
    std::vector<Plain> plain_;  // one of these has to match; empty: only positions_ can tell
    Positions positions_;
};

bool covers(const Letters& pattern, const Letters& text);
bool meets(const Letters& pattern, const Letters& text);

// Stands for the words that xargs and the like add to those in the script.
bool is_added_later(const parse::Word& word);

// An unknown part is more than text between quotes: it can become several words, or none.
bool may_be_many_words(const parse::Word& word);

}  // namespace husk::decide
