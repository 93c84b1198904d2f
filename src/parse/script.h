// What bash would do with a text, as far as that can be known without running it: every simple
// command at any depth, in the order in which they stand in the text, with the commands that
// others carry (a wrapper's, a substitution's, the code in a string) right behind their carrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk::parse {

// [begin, end) in Script::source.
struct Range {
    size_t begin = 0;
    size_t end = 0;
    bool operator==(const Range&) const = default;
};

// A part of a word. Text is what is left of it after quote removal; the others are not known
// before running, and their text is the source.
struct Piece {
    enum class Kind : uint8_t {
        Text,
        Variable,      // $x ${x:-y} $1 $@, also with a default or a pattern
        Substitution,  // $(x) `x`
        Process,       // <(x) >(x)
        Arithmetic,    // $((x)) $[x]
        Glob,          // * ? [ab] +(a|b), unquoted
        Tilde,         // ~ ~user at the start of a word, unquoted
        Braces,        // {a,b} that was too much to expand
    };
    Kind kind = Kind::Text;
    std::string text;
    bool quoted = false;
    std::string name = {};  // of a Variable: x for $x and for ${x:-y}
    bool operator==(const Piece&) const = default;
};

struct Word {
    std::vector<Piece> pieces;  // neighbouring text of the same quoting is one piece
    Range range;                // words that came out of one {a,b} share it

    bool known() const;                        // text only
    std::optional<std::string> value() const;  // when it is known
    // The value with every unknown part as it was written: for people, and for patterns that
    // look at the known parts. A quoted * and a glob look the same here; pieces tell.
    std::string shown() const;
    bool is(std::string_view text) const;  // known, and this
    // The text before the first unknown part; all of it when known.
    std::string known_start() const;
    bool operator==(const Word&) const = default;
};

struct Assignment {
    std::string name;  // x of x=1, x+=1, x[0]=1
    Word value;        // of x=(a b) the elements, as one word with spaces between
    Range range;
    bool array = false;    // x=(a b)
    bool appends = false;  // x+=1
};

struct Redirect {
    enum class Kind : uint8_t {
        Read,       // <
        Write,      // > >| &> >&file
        Append,     // >> &>>
        ReadWrite,  // <>
        Duplicate,  // >&1 <&3 >&-
        HereDocument,
        HereString,
    };
    Kind kind = Kind::Read;
    int descriptor = -1;  // as written, or what the operator means; -1 for {name}>
    Word target;          // the file, the descriptor, or the document's text
    Range range;
};

// How a command comes to be run.
enum class Via : uint8_t {
    Script,        // it stands in the script, at any depth of control flow
    Substitution,  // $( ) ` ` <( ) >( )
    Wrapper,       // sudo x, timeout 5 x, xargs x, find -exec x
    Code,          // bash -c 'x', eval x, trap x, a here-document for a shell
    Remote,        // ssh host x: not on this machine
};

// The operator in front of a command.
enum class Operator : uint8_t {
    None,        // a keyword, a bracket, or nothing
    Sequence,    // ;
    Background,  // &
    And,         // &&
    Or,          // ||
    Pipe,        // | |&
};

struct Command {
    static constexpr size_t none = static_cast<size_t>(-1);

    std::vector<Assignment> assignments;  // x=1 y=2 before the program
    std::vector<Word> words;              // the program and its arguments; may be empty
    std::vector<Redirect> redirects;
    Range range;       // inside a string that is code: the range of that string
    std::string text;  // as written; of a command inside a string, as written there
    Via via = Via::Script;
    size_t carrier = none;    // the command whose argument or part it is; none at the top
    size_t depth = 0;         // how many carriers
    bool background = false;  // it, or a list or group that it is in, ends with &
    Operator behind = Operator::None;
    // Names of variables that expansions and redirects in it set: ${x:=y}, {x}>file. Empty: not
    // known.
    std::vector<std::string> sets;
    // Why more is run than can be seen: `eval "$x"`, `bash -c "$x"`, `curl u | sh`. Empty: no.
    std::string opaque;

    // The program's name without its directory; empty when unknown or when there is none.
    std::string program() const;
};

// The stages of a | b | c: which commands belong to each, [first, last) in Script::commands.
struct Pipeline {
    struct Stage {
        size_t first = 0;
        size_t last = 0;
    };
    std::vector<Stage> stages;
};

struct SyntaxError {
    std::string message;
    size_t line = 0;  // from 1
};

struct Function {
    std::string name;
    size_t first = 0;  // the commands of its body: [first, last)
    size_t last = 0;
};

// for x in a b; do ...; done
struct Loop {
    std::string name;
    std::vector<Word> words;  // what x becomes; "$@" when nothing is given
    size_t first = 0;         // the commands of its body: [first, last)
    size_t last = 0;
};

struct Script {
    std::string source;
    std::vector<Command> commands;
    std::vector<Pipeline> pipelines;  // those with more than one stage
    std::vector<Function> functions;
    std::vector<Loop> loops;

    // Why it is not understood: part of it may run what is not in `commands`. Empty when it is.
    std::vector<std::string> not_understood;
    // The text is no script at all, as far as this parser can tell. bash has the last word.
    std::optional<SyntaxError> error;

    bool understood() const { return not_understood.empty() && !error; }
};

struct Limits {
    size_t bytes = 1 << 20;
    size_t depth = 100;  // of nesting, in the text and in strings that are code
    size_t commands = 50'000;
    size_t words = 100'000;
};

// Takes the first `count` bytes off the word, which are known text.
void drop_start(Word& word, size_t count);

// Total: whatever the text is, there is an answer.
Script parse(std::string_view text, const Limits& limits = {});

// Commands that only change how another is run; a rule that allows the other allows them too.
bool is_transparent_wrapper(const Command& command);

}  // namespace husk::parse
