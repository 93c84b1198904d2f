// Bash's grammar, read the way bash reads it: one pass, one character of lookahead at a time,
// quoting decided where it stands. Private to this module; parse.h is its door.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"
#include "parse/tokens.h"

namespace husk::parse {

// The place of one token in the text, and its kind.
struct Noted {
    Token::Kind kind;
    Range range;
    Word word = {};
};

// What all parsers of one script share: those of derived texts, such as what stands between
// backticks, write into the same script.
constexpr size_t most_read_again = 4 << 20;

struct State {
    const Limits& limits;
    Script script = {};
    size_t carrier = Command::none;
    Via via = Via::Script;
    size_t nesting = 0;
    size_t words = 0;
    size_t derived = 0;  // bytes that had to be read again
    bool extended_globs = false;
    bool extended_globs_later = false;  // from the next complete command on
    bool stopped = false;               // an error, or too much: nothing more is read
    // Text that runs something once it is taken for arithmetic, and arithmetic.
    bool subscript_in_text = false;
    bool arithmetic = false;
    bool subscript_to_fill = false;
    bool substitution_in_text = false;
    size_t arithmetic_depth = 0;
    std::vector<Noted>* noted = nullptr;  // if somebody wants tokens; in any order, and nested
};

class Parser {
public:
    // `origin` is where a derived text stands in the source; ranges inside it are that one.
    Parser(std::string_view text, State& state, std::optional<Range> origin = std::nullopt)
        : text_(text), end_(text.size()), state_(state), origin_(origin) {}

    void parse_all();

private:
    enum class Mode : uint8_t {
        Command,
        Plain,    // no braces, no assignment: a target, a case pattern
        Test,     // inside [[ ]]
        Pattern,  // inside [[ ]], to the right of == and !=
        Regex,    // inside [[ ]], to the right of =~
    };
    // Inside: where text is expanded as in double quotes, but stands in something else.
    enum class Quoting : uint8_t { None, Double, Inside };

    struct PendingDocument {
        size_t command;   // whose redirect it is
        size_t redirect;  // of that command
        std::string delimiter;
        bool quoted;
        bool strip_tabs;
    };

    // The text. peek() and at() pass over a backslash before a newline, as bash does
    // everywhere outside single quotes.
    char peek();
    char peek_after(size_t count) const;
    void advance() { ++at_; }
    bool at_end() { return peek() == '\0' && at_ >= end_; }
    bool eat(char wanted);
    void skip_blanks();
    bool is_word_ahead();
    void skip_comment();
    Range range_from(size_t begin) const;
    std::string_view slice(size_t begin, size_t end) const;

    bool stopped() const { return state_.stopped; }
    void fail(const std::string& message);
    void fail_here();
    void give_up(const std::string& reason);
    void not_understood(const std::string& reason);
    void note_set(const std::string& name);  // a variable that something else than x=1 sets
    void note_arithmetic(size_t begin);
    void note_token(Token::Kind kind, size_t begin, const Word& word = {});
    bool enter();  // one level deeper; false when that is too deep
    void leave() { --state_.nesting; }

    // Lists and pipelines (grammar.cc).
    enum class Separator : uint8_t { None, Sequence, Background, Newline, And, Or };
    bool parse_list();  // false when there was no command in it
    bool parse_commands();
    void end_complete_command();
    void mark_background(size_t first);
    Separator read_separator();
    bool skip_newlines();
    void take_newline();
    void parse_pipeline();
    void parse_command();
    bool at_list_end();
    std::string peek_word();
    bool eat_keyword(std::string_view keyword);
    void expect_keyword(std::string_view keyword);
    void skip_time_options();

    // Compound commands (compound.cc).
    bool parse_compound(const std::string& keyword);
    void parse_group();
    void parse_subshell();
    void parse_if();
    void parse_loop();
    void parse_for();
    void parse_for_each();
    void parse_loop_body();
    void parse_case();
    void parse_case_clause();
    void parse_function_keyword();
    void parse_function_body(const std::string& name);
    void parse_coproc();
    void parse_arithmetic_command();
    void parse_test();
    void parse_test_or();
    void parse_test_and();
    void parse_test_term();
    void parse_test_words();
    void parse_unary_test(char letter);
    void note_test_arithmetic(const std::string& text);
    bool at_test_end();
    void parse_compound_redirects();

    // Simple commands and what belongs to them (simple.cc, redirects.cc).
    void parse_simple();
    void note_redirected_element(std::string_view before);
    void add_assignment(std::vector<Word>& words, std::vector<Assignment>& assignments);
    void parse_function(size_t index, const std::string& name);
    Assignment read_assignment();
    bool is_assignment_ahead();
    bool is_open_subscript_ahead();
    bool is_function_ahead();
    void add_words(std::vector<Word>& words, Word word);
    void note_effects(const std::vector<Word>& words);
    Word read_array();
    void parse_redirect(size_t command);
    bool is_redirect_ahead();
    void read_document_delimiter(size_t command, bool strip_tabs);
    void read_documents();
    void read_document(const PendingDocument& document);
    size_t find_document_end(const PendingDocument& document);
    std::string read_document_line(bool quoted);
    void read_descriptor(Redirect& redirect, size_t command);
    struct Operator {
        Redirect::Kind kind;
        bool input = false;
        bool duplicate = false;
        bool strip_tabs = false;
    };
    Operator read_operator();
    size_t begin_command();
    void finish_command(size_t index, size_t begin, size_t end);

    // Words (words.cc, expansions.cc).
    Word read_word(Mode mode);
    void read_part(Word& word, char letter);
    void read_process(Word& word);
    bool word_ends(char letter, Mode mode);
    bool starts_extended_glob(char letter, Mode mode);
    void read_single(Word& word);
    void read_double(Word& word);
    void read_ansi(Word& word);
    void read_backtick(Word& word, Quoting quoting);
    void read_dollar(Word& word, Quoting quoting);
    void read_parameter(Word& word, Quoting quoting);
    void read_parameter_inside(Word& word, Quoting quoting);
    std::string read_parameter_name();
    void read_parameter_word(Quoting quoting, bool single_quotes);
    void read_substitution(Word& word, size_t begin, Piece::Kind kind, Quoting quoting);
    bool try_arithmetic();
    bool scan_arithmetic();
    void scan_live(Word& word, char letter, Quoting quoting);
    void take_letter(Word& word);
    void look_into_ansi(Word& word);
    size_t end_of_ansi(size_t begin) const;
    void note_subscript(const Word& word);
    void read_old_arithmetic(Word& word, Quoting quoting);
    void read_bracket(Word& word);
    void read_tilde(Word& word);
    void read_group(Word& word, Mode mode);
    void scan_quoted(Word& word, char letter);
    void scan_document(Word& word);
    bool scan_subscript();
    bool is_plain_index() const;

    std::string_view text_;
    size_t at_ = 0;
    size_t end_;
    size_t decoded_until_ = 0;  // the gathered text has what stands before in decoded form
    State& state_;
    std::optional<Range> origin_;
    std::optional<size_t> last_bracket_;  // the last ] of the text, once somebody asked
    std::vector<PendingDocument> documents_;
    size_t lists_ = 0;  // that are being read, each inside the one before
};

// A keyword that ends a list, or that may not begin a command.
bool is_closer(const std::string& word);

// More text at the end of a word.
void add_text(Word& word, std::string_view text, bool quoted);

// {a,b} and {1..3} as bash expands them, before anything else. None when there is nothing to
// expand. More than `most` words: one word, in which the braces are not known.
std::optional<std::vector<Word>> expand_braces(const Word& word, size_t most);

}  // namespace husk::parse
