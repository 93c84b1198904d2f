// Commands in the languages of awk and sed.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

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
    std::string_view word() const {
        size_t end = at_;
        while (end < text_.size() && is_name_letter(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }

private:
    std::string_view text_;
    size_t at_;
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
    Awk(std::string_view text, size_t at) : cursor_(text, at) {}

    std::vector<Found> commands() {
        while (!cursor_.done()) read_one();
        return std::move(found_);
    }

private:
    void read_one() {
        cursor_.skip_any(" \t");
        const char letter = cursor_.peek();
        if (letter == '#') {
            cursor_.skip_to("\n");
        } else if (letter == '"') {
            string_ = read_string();
            behind_value_ = true;
        } else if (letter == '/' && !behind_value_) {
            cursor_.skip();
            cursor_.skip_behind('/');
            behind_value_ = true;
        } else if (is_name_letter(letter)) {
            read_word();
        } else if (letter == '|' && cursor_.peek(1) != '|') {
            read_pipe();
        } else {
            cursor_.skip(letter == '|' ? 2 : 1);
            behind_value_ = letter == ')' || letter == ']' || letter == '$';
            string_.reset();
        }
    }

    Found read_string() {
        cursor_.skip();
        const size_t begin = cursor_.at();
        cursor_.skip_behind('"');
        return {begin, std::max(cursor_.at(), begin + 1) - 1};
    }

    void read_word() {
        const std::string_view word = cursor_.word();
        cursor_.skip(word.size());
        // A slash behind a keyword begins a pattern.
        behind_value_ = word != "print" && word != "printf" && word != "return" && word != "in";
        string_.reset();
        if (word != "system") return;
        cursor_.skip_any(" \t");
        if (cursor_.peek() != '(') return;
        cursor_.skip();
        read_command(")");
    }

    void read_pipe() {
        cursor_.skip(cursor_.peek(1) == '&' ? 2 : 1);
        cursor_.skip_any(" \t");
        behind_value_ = false;
        if (cursor_.word() != "getline") return read_command(";}\n)");
        found_.push_back(string_ ? *string_ : Found{.known = false});
        string_.reset();
    }

    // A string, if nothing but the end of the command stands behind it.
    void read_command(std::string_view ends) {
        cursor_.skip_any(" \t");
        Found found{.known = false};
        if (cursor_.peek() == '"') {
            found = read_string();
            cursor_.skip_any(" \t");
            found.known = cursor_.done() || ends.contains(cursor_.peek());
        }
        found_.push_back(found);
        behind_value_ = true;
        string_.reset();
    }

    Cursor cursor_;
    std::vector<Found> found_;
    std::optional<Found> string_;  // the string that has just been read
    bool behind_value_ = false;    // a slash divides
};

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
            cursor_.skip_behind(delimiter);
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
};

// An option, and where its value stands.
struct Read {
    bool text = false;
    bool file = false;
    bool next = false;  // the value is the next word
    size_t skip = 0;    // otherwise it stands behind so many letters
};

Read read_option(std::string_view option, const Language& language) {
    if (option.starts_with("--")) {
        const size_t equals = option.find('=');
        const std::string_view name = option.substr(0, equals);
        const bool text = name == language.long_text;
        const bool file = name == language.long_file;
        return {text, file, (text || file) && equals == std::string_view::npos, equals + 1};
    }
    const size_t at = option.find_first_of(std::string(language.with_value) + language.ends, 1);
    if (at == std::string_view::npos || option[at] == language.ends) return {};
    return {option[at] == language.text, option[at] == language.file, at + 1 == option.size(),
            at + 1};
}

// The first operand, unless options name programs or files.
std::vector<Place> programs_in(const std::vector<Word>& words, const Language& language) {
    std::vector<Place> places;
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
        if (option.text && !option.next) places.push_back({i, option.skip});
        if (option.next && ++i < words.size() && option.text) places.push_back({i, 0});
    }
    if (places.empty() && !file && operand) places.push_back(*operand);
    return places;
}

}  // namespace

void add_awk(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Language awk{"FvfeiE", '\0', 'e', 'f', "--source", "--file"};
    for (const Place& place : programs_in(words, awk))
        for (const Found& found : Awk(words[place.word].shown(), place.skip).commands())
            add(place.word, found, carried);
}

void add_sed(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Language sed{"efl", 'i', 'e', 'f', "--expression", "--file"};
    for (const Place& place : programs_in(words, sed))
        for (const Found& found : Sed(words[place.word].shown(), place.skip).commands())
            add(place.word, found, carried);
}

}  // namespace husk::parse
