// Commands in the languages of awk and sed.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parse/carriers.h"
#include "parse/letters.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;

// Reads a text, letter by letter.
class Cursor {
public:
    Cursor(std::string_view text, size_t at) : text_(text), at_(std::min(at, text.size())) {}

    bool done() const { return at_ >= text_.size(); }
    size_t at() const { return at_; }
    char peek(size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip(size_t count = 1) { at_ = std::min(at_ + count, text_.size()); }
    void skip_any(std::string_view letters) {
        at_ = std::min(text_.find_first_not_of(letters, at_), text_.size());
    }
    void skip_to(std::string_view letters) {
        at_ = std::min(text_.find_first_of(letters, at_), text_.size());
    }
    // Behind the next letter of this kind that has no backslash in front of it.
    void skip_behind(char end) {
        for (; !done() && peek() != end; skip())
            if (peek() == '\\') skip();
        skip();
    }
    // The same for the end of a pattern, where a set such as [/] protects that letter.
    void skip_behind_pattern(char end) {
        while (!done() && peek() != end) {
            if (peek() == '\\')
                skip(2);
            else if (peek() == '[')
                skip_set();
            else
                skip();
        }
        skip();
    }
    // Blanks, also a line that goes on in the next.
    void skip_blanks() {
        while (peek() == ' ' || peek() == '\t' || (peek() == '\\' && peek(1) == '\n'))
            skip(peek() == '\\' ? 2 : 1);
    }
    // The same place, in a text that ends with the line or after so many letters.
    Cursor shortened(size_t most) const {
        const std::string_view rest = text_.substr(at_, most);
        Cursor other = *this;
        other.text_ = text_.substr(0, at_ + std::min(rest.find('\n'), rest.size()));
        return other;
    }
    std::string_view between(size_t begin, size_t end) const {
        return text_.substr(begin, end - begin);
    }
    std::string_view word() const {
        size_t end = at_;
        while (end < text_.size() && is_name_letter(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }

private:
    // [a-z], []x], [^]x], [[:alpha:]/]. A bracket without its end is a letter like others.
    void skip_set() {
        if (at_ < no_set_before_) return skip();
        size_t end = at_ + (peek(1) == '^' ? 2 : 1);
        if (end < text_.size() && text_[end] == ']') ++end;
        for (; end < text_.size() && text_[end] != ']' && text_[end] != '\n'; ++end) {
            const bool is_class = text_[end] == '[' && end + 1 < text_.size() &&
                                  std::string_view(":.=").contains(text_[end + 1]);
            const size_t close = is_class ? text_.find(']', end + 2) : std::string_view::npos;
            if (close != std::string_view::npos) end = close;
        }
        const bool is_set = end < text_.size() && text_[end] == ']';
        if (!is_set) no_set_before_ = end;
        at_ = is_set ? end + 1 : at_ + 1;
    }

    std::string_view text_;
    size_t at_;
    size_t no_set_before_ = 0;  // a search for the end of a set found none up to there
};

// [begin, end) of a text that is a command; none if only running it tells.
struct Found {
    size_t begin = 0;
    size_t end = 0;
    bool known = true;
};

void add(size_t word, const Found& found, std::vector<Carried>& carried) {
    carried.push_back({.kind = Kind::Code,
                       .first = word,
                       .last = word + 1,
                       .more_words = !found.known,
                       .skip = found.begin,
                       .length = found.end - found.begin});
}

// The commands in a program of awk: system("x"), print | "x" and "x" | getline.
class Awk {
public:
    // Whether a slash begins a pattern depends on what stands in front of it.
    enum class Slash : uint8_t { Depends, Divides, BeginsPattern };

    Awk(std::string_view text, size_t at, Slash slash = Slash::Depends)
        : cursor_(text, at), slash_(slash) {}

    std::vector<Found> commands() {
        while (!cursor_.done()) read_one();
        return std::move(found_);
    }

    // A quote or a pipe stands where it is not sure whether it is part of a pattern.
    bool is_ambiguous() const { return ambiguous_; }

private:
    void read_one() {
        cursor_.skip_blanks();
        const char letter = cursor_.peek();
        const bool unsure = std::exchange(unsure_, false);
        if (letter == '#') {
            cursor_.skip_to("\n");
        } else if (letter == '"') {
            string_ = read_string();
            behind_value_ = true;
        } else if (letter == '/') {
            read_slash(unsure);
        } else if (letter == '@' && is_name_letter(cursor_.peek(1))) {
            // @f() calls the function whose name is in f, and @include reads a file.
            found_.push_back({.known = false});
            cursor_.skip();
        } else if (is_name_letter(letter)) {
            read_word();
        } else if (letter == '|' && cursor_.peek(1) != '|') {
            read_pipe();
        } else {
            const bool doubled = (letter == '+' || letter == '-') && cursor_.peek(1) == letter;
            cursor_.skip(letter == '|' || doubled ? 2 : 1);
            behind_value_ = letter == ')' || letter == ']' || letter == '$';
            string_.reset();
            // if (x) /y/, and x++ / y
            unsure_ = letter == ')' || doubled;
            return;
        }
    }

    void read_slash(bool unsure) {
        const bool certain = slash_ == Slash::Depends && !unsure;
        Cursor pattern = certain ? cursor_ : cursor_.shortened(longest_pattern);
        const bool tries = !certain || !behind_value_;
        if (tries) {
            pattern.skip();
            pattern.skip_behind_pattern('/');
        }
        const std::string_view text = cursor_.between(cursor_.at(), pattern.at());
        const bool is_pattern = text.size() > 1 && text.ends_with('/');
        if (!certain && !is_pattern && text.size() >= longest_pattern)
            found_.push_back({.known = false});  // too long to be tried
        ambiguous_ |= is_pattern && unsure && text.find_first_of("\"|") != std::string_view::npos;
        const bool begins = slash_ == Slash::Depends ? !behind_value_
                                                     : slash_ == Slash::BeginsPattern && is_pattern;
        cursor_.skip(begins ? text.size() : 1);
        behind_value_ = begins;
        string_.reset();
    }

    // Escapes such as \165 are not worked out.
    Found read_string() {
        cursor_.skip();
        const size_t begin = cursor_.at();
        cursor_.skip_behind('"');
        const size_t end = std::max(cursor_.at(), begin + 1) - 1;
        return {begin, end, !cursor_.between(begin, end).contains('\\')};
    }

    void read_word() {
        const std::string_view word = cursor_.word();
        cursor_.skip(word.size());
        // A slash behind a keyword begins a pattern.
        behind_value_ = word != "print" && word != "printf" && word != "return" && word != "in" &&
                        word != "else" && word != "do" && word != "case";
        string_.reset();
        unsure_ = word == "getline";
        if (word != "system") return;
        cursor_.skip_blanks();
        if (cursor_.peek() != '(') return;
        cursor_.skip();
        read_command(")");
    }

    void read_pipe() {
        cursor_.skip(cursor_.peek(1) == '&' ? 2 : 1);
        cursor_.skip_blanks();
        behind_value_ = false;
        if (cursor_.word() != "getline") return read_command(";}\n)");
        found_.push_back(string_ ? *string_ : Found{.known = false});
        string_.reset();
    }

    // A string, if nothing but the end of the command stands behind it.
    void read_command(std::string_view ends) {
        cursor_.skip_blanks();
        Found found{.known = false};
        if (cursor_.peek() == '"') {
            found = read_string();
            cursor_.skip_blanks();
            found.known = found.known && (cursor_.done() || ends.contains(cursor_.peek()));
        }
        found_.push_back(found);
        behind_value_ = true;
        string_.reset();
    }

    Cursor cursor_;
    Slash slash_;
    std::vector<Found> found_;
    std::optional<Found> string_;                    // the string that has just been read
    bool behind_value_ = false;                      // a slash divides
    bool unsure_ = false;                            // it may also begin a pattern
    static constexpr size_t longest_pattern = 1024;  // that is tried where that is not sure
    bool ambiguous_ = false;
};

// Where a quote may be part of a pattern, every reading counts.
std::vector<Found> commands_of_awk(std::string_view text, size_t at) {
    Awk usual(text, at);
    std::vector<Found> found = usual.commands();
    if (!usual.is_ambiguous()) return found;
    for (const Awk::Slash slash : {Awk::Slash::Divides, Awk::Slash::BeginsPattern})
        for (const Found& other : Awk(text, at, slash).commands()) {
            found.push_back(other);
            found.back().known = false;
        }
    return found;
}

// The commands in a script of sed: `e x` and s/a/b/e.
class Sed {
public:
    Sed(std::string_view text, size_t at) : cursor_(text, at) {}

    std::vector<Found> commands() {
        while (!cursor_.done()) {
            cursor_.skip_any(" \t\n;{}");
            read_address();
            read_command();
        }
        return std::move(found_);
    }

private:
    void read_address() {
        while (!cursor_.done()) {
            cursor_.skip_any(" \t0123456789$,+~!");
            if (cursor_.peek() != '/' && cursor_.peek() != '\\') return;
            if (cursor_.peek() == '\\') cursor_.skip();
            const char delimiter = cursor_.peek();
            cursor_.skip();
            cursor_.skip_behind_pattern(delimiter);
            cursor_.skip_any("IM");
        }
    }

    void read_command() {
        const char command = cursor_.peek();
        cursor_.skip();
        if (command == 's' || command == 'y') {
            read_substitution(command == 's');
        } else if (command == 'e') {
            cursor_.skip_any(" \t");
            const size_t begin = cursor_.at();
            cursor_.skip_to("\n");
            found_.push_back({begin, cursor_.at(), begin < cursor_.at()});
        } else if (std::string_view("aic").contains(command)) {
            cursor_.skip_behind('\n');
        } else if (std::string_view("rRwW#").contains(command)) {
            cursor_.skip_to("\n");
        } else if (std::string_view("btT:").contains(command)) {
            cursor_.skip_to("\n;}");
        }
    }

    void read_substitution(bool may_run) {
        const char delimiter = cursor_.peek();
        cursor_.skip();
        if (may_run)
            cursor_.skip_behind_pattern(delimiter);
        else
            cursor_.skip_behind(delimiter);
        cursor_.skip_behind(delimiter);
        for (; is_name_letter(cursor_.peek()); cursor_.skip()) {
            if (cursor_.peek() == 'w') return cursor_.skip_to("\n");
            if (may_run && cursor_.peek() == 'e') found_.push_back({.known = false});
        }
    }

    Cursor cursor_;
    std::vector<Found> found_;
};

// Where a program stands that is an argument.
struct Place {
    size_t word = 0;
    size_t skip = 0;
};

struct Language {
    std::string_view with_value;  // letters of options with a value
    char ends;                    // the letter of an option that takes only the rest of its word
    char text;                    // the letter of the option whose value is a program
    char file;                    // the same for the name of a file
    std::string_view long_text;
    std::string_view long_file;
    std::string_view long_with_value;  // other long options that take the next word
    std::string_view long_alone;
};

// An option, and where its value stands.
struct Read {
    bool text = false;
    bool file = false;
    bool next = false;    // the value is the next word
    size_t skip = 0;      // otherwise it stands behind so many letters
    bool unsure = false;  // the next word may be its value
};

// The list has an entry that begins like this.
bool lists_start(std::string_view list, std::string_view start) {
    return list.find(" " + std::string(start)) != std::string_view::npos;
}

Read read_long_option(std::string_view option, const Language& language) {
    const size_t equals = option.find('=');
    const bool apart = equals == std::string_view::npos;
    const std::string_view name = option.substr(0, equals);
    if (name == "--") return {};
    // Options may be abbreviated.
    const bool text = language.long_text.starts_with(name);
    const bool file = language.long_file.starts_with(name) && !text;
    const bool takes_value = text || file || lists_start(language.long_with_value, name);
    const bool unsure = apart && !takes_value && !lists_start(language.long_alone, name);
    return {text, file, apart && takes_value, equals + 1, unsure};
}

Read read_option(std::string_view option, const Language& language) {
    if (option.starts_with("--")) return read_long_option(option, language);
    const size_t at = option.find_first_of(std::string(language.with_value) + language.ends, 1);
    if (at == std::string_view::npos || option[at] == language.ends) return {};
    return {option[at] == language.text, option[at] == language.file, at + 1 == option.size(),
            at + 1};
}

// The programs among the arguments.
struct Programs {
    std::vector<Place> places = {};
    bool on_input = false;  // one is read from standard input
};

bool is_input(const Word& word, size_t skip) {
    const std::string text = word.shown().substr(std::min(skip, word.shown().size()));
    const bool is_process = !word.pieces.empty() && word.pieces[0].kind == Piece::Kind::Process;
    return text == "-" || text.ends_with("/stdin") || text.contains("/fd/") || is_process;
}

void add_value(const Read& option, const Place& value, const std::vector<Word>& words,
               Programs& found) {
    if (option.text) found.places.push_back(value);
    if (option.file) found.on_input |= is_input(words[value.word], value.skip);
}

// The first operand, unless options name programs or files.
Programs programs_in(const std::vector<Word>& words, const Language& language) {
    Programs found;
    std::optional<Place> operand;
    bool options = true;
    bool file = false;
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (!options || text.size() < 2 || text[0] != '-') {
            if (!operand) operand = Place{i, 0};
            continue;
        }
        if (text == "--") options = false;
        const Read option = read_option(text, language);
        file |= option.file;
        if (option.unsure && i + 2 < words.size()) found.places.push_back({i + 2, 0});
        const Place value = option.next ? Place{++i, 0} : Place{i, option.skip};
        if (value.word < words.size()) add_value(option, value, words, found);
    }
    if (found.places.empty() && !file && operand) found.places.push_back(*operand);
    return found;
}

// awk -E FILE, -i FILE, -W exec FILE
bool names_input_oddly(const std::vector<Word>& words) {
    const bool is_odd = std::ranges::any_of(words, [](const Word& word) {
        const std::string text = word.known_start();
        return text.starts_with("-W") || text.starts_with("-E") || text.starts_with("-i") ||
               text.starts_with("--ex") || text.starts_with("--in");
    });
    return is_odd && std::ranges::any_of(words, [](const Word& word) { return is_input(word, 0); });
}

void add_input(const Programs& programs, std::vector<Carried>& carried) {
    if (programs.on_input)
        carried.push_back({.kind = Kind::Code, .first = 0, .last = 1, .length = 0, .unsure = true});
}

}  // namespace

void add_awk(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Language awk{
        "FvfeiElW",
        '\0',
        'e',
        'f',
        "--source",
        "--file",
        " --assign --field-separator --include --load --exec ",
        " --traditional --compat --copyright --debug --dump-variables --bignum "
        "--characters-as-bytes "
        "--csv --gen-pot --help --lint --posix --re-interval --optimize --no-optimize --profile "
        "--pretty-print --sandbox --version --use-lc-numeric --non-decimal-data --lint-old "
        "--trace "};
    Programs programs = programs_in(words, awk);
    programs.on_input |= names_input_oddly(words);
    for (const Place& place : programs.places)
        for (const Found& found : commands_of_awk(words[place.word].shown(), place.skip))
            add(place.word, found, carried);
    add_input(programs, carried);
}

void add_sed(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Language sed{
        "efl",
        'i',
        'e',
        'f',
        "--expression",
        "--file",
        " --line-length ",
        " --quiet --silent --debug --follow-symlinks --in-place --null-data --zero-terminated "
        "--posix --regexp-extended --separate --sandbox --unbuffered --binary --help --version "};
    const Programs programs = programs_in(words, sed);
    for (const Place& place : programs.places)
        for (const Found& found : Sed(words[place.word].shown(), place.skip).commands())
            add(place.word, found, carried);
    add_input(programs, carried);
}

}  // namespace husk::parse
