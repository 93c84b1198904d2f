// Where a word points when it is taken as the name of a file: without looking at any file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decide/context.h"
#include "decide/glob.h"
#include "parse/script.h"

namespace husk::decide {

struct Segment {
    enum class Kind : uint8_t {
        Name,
        Everything,  // a glob that leaves nothing out: * .* ?* .[!.]*
        Some,        // any other glob
        Unknown,     // has a part that is not known before running
    };
    Kind kind = Kind::Name;
    std::string text;
    Letters spelled;  // unknown parts and globs are any_text
    bool operator==(const Segment&) const = default;
};

// Without empty segments, "." and every ".." that can be resolved.
struct Path {
    enum class Start : uint8_t {
        Root,
        Home,       // ~ and $HOME, as long as no .. leads out of it
        OtherHome,  // ~user
        Here,       // relative
        Unknown,    // $x/y
    };
    Start start = Start::Here;
    std::vector<Segment> segments;
    bool operator==(const Path&) const = default;
};

// $PWD, $(pwd)
bool names_working_directory(const parse::Piece& piece);
// $(git rev-parse --show-toplevel): the working directory, or one above it.
bool names_top_directory(const parse::Piece& piece);

Path path_of(const parse::Word& word, const Context& context);

// Absolute where the context tells; ready to be compared with those of path_patterns.
Letters absolute(const Path& path, const Context& context);

// The same as text, or "" when it has an unknown part or cannot be made absolute.
std::string known_absolute(const Path& path, const Context& context);

// A glob for files: * and ? stay inside a segment, ** does not, and /** is also the directory
// itself. Several patterns, because a/**/b is also a/b.
std::vector<Letters> path_patterns(std::string_view glob, const Context& context);

}  // namespace husk::decide
