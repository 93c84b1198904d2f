// A file with settings of git, read as git reads it (config.c of git). Nothing here allocates or
// makes a system call, so the keeper program and libhusk compile the same text.
#pragma once

#include <stdint.h>

namespace git_syntax {

// Text in the memory of the caller. A letter that has no room is left out, and `fits` says so.
struct Text {
    char* text = nullptr;
    unsigned room = 0;
    unsigned length = 0;
    bool fits = true;

    void clear() {
        length = 0;
        fits = true;
    }
    void put(char letter) {
        fits = fits && length < room;
        if (fits) text[length++] = letter;
    }
};

inline bool is_same(const Text& one, const Text& other) {
    bool same = one.fits && other.fits && one.length == other.length;
    for (unsigned i = 0; same && i < one.length; ++i) same = one.text[i] == other.text[i];
    return same;
}

// A setting as git knows it: "remote.Origin.url". The section and the name, which ends the key, are
// in lower case; what stands in quotes between them is as it was written.
struct Setting {
    Text key = {};
    Text shown = {};  // the same, with the case of the file
    Text value = {};
    bool has_value = false;  // without one, it means true
};

enum class Next : uint8_t { Setting, End, Mistake };

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_key(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Reads a file letter by letter, one setting after the other.
class Reader {
public:
    // `section` is memory for the section that is read, as long as a key may be.
    Reader(const char* text, uint64_t size, const Text& section)
        : text_(text), size_(size), section_(section) {
        for (uint64_t i = 0; i < size; ++i) {
            has_nul_ = has_nul_ || text[i] == '\0';
            has_backslash_ = has_backslash_ || text[i] == '\\';
            const auto letter = static_cast<unsigned char>(text[i]);
            const bool is_usual = letter >= ' ' || letter == '\n' || letter == '\t';
            has_control_ = has_control_ || !is_usual || letter == 0x7f;
        }
        has_mark_ = size >= 3 && text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf';
        if (has_mark_) at_ = 3;
    }

    // After a mistake there is nothing more to read. A text that is too long is one, too.
    Next next(Setting& into) {
        if (has_nul_) return Next::Mistake;
        while (!at_end()) {
            const char c = take();
            if (c == '\n') is_behind_section_ = false;
            if (is_space(c)) continue;
            if (c == '#' || c == ';') {
                skip_line();
            } else if (c == '[') {
                if (!read_section()) return fail();
            } else {
                if (!is_letter(c)) return fail();
                is_on_one_line_ = is_on_one_line_ || is_behind_section_;
                return read_setting(c, into) ? Next::Setting : fail();
            }
        }
        return Next::End;
    }

    // Letters that nobody writes into such a file by hand or with git: one git may read them in
    // another way than the next one.
    bool has_odd_letters() const { return has_control_ || has_mark_; }
    // What is known of the part that was read: nothing is written as only a person with a purpose
    // would.
    bool is_usual() const {
        return !has_odd_letters() && !has_backslash_ && !has_brackets_ && !is_on_one_line_;
    }

private:
    bool at_end() const { return at_ >= size_; }
    // The end of the file is a newline, and so is "\r\n".
    char peek() const {
        if (at_end()) return '\n';
        const bool is_pair = text_[at_] == '\r' && at_ + 1 < size_ && text_[at_ + 1] == '\n';
        return is_pair ? '\n' : text_[at_];
    }
    char take() {
        const char c = peek();
        at_ += !at_end() && text_[at_] == '\r' && c == '\n' ? 2U : 1U;
        return c;
    }
    Next fail() {
        at_ = size_;
        has_nul_ = true;
        return Next::Mistake;
    }
    void skip_line() {
        while (peek() != '\n') take();
    }

    // [core], [remote.origin] and [remote "Origin"].
    bool read_section() {
        section_.clear();
        lower_length_ = 0;
        is_behind_section_ = true;
        for (;;) {
            if (at_end()) return false;
            const char c = take();
            if (c == ']') break;  // git takes no section without a name
            if (is_space(c)) return c != '\n' && read_subsection();
            if (!is_key(c) && c != '.') return false;
            section_.put(c);
            lower_length_ = section_.length;
        }
        const bool has_name = section_.length > 0;
        section_.put('.');
        return has_name;
    }

    bool read_subsection() {
        char c = take();
        while (is_space(c) && c != '\n') c = take();
        if (c != '"') return false;
        section_.put('.');
        for (;;) {
            c = take();
            if (c == '"') break;
            if (c == '\\') c = take();
            if (c == '\n') return false;
            has_brackets_ = has_brackets_ || c == '[' || c == ']';
            section_.put(c);
        }
        section_.put('.');
        return take() == ']';
    }

    bool read_setting(char first, Setting& into) {
        into.key.clear();
        into.shown.clear();
        into.value.clear();
        into.key.fits = section_.fits;
        for (unsigned i = 0; i < section_.length; ++i) {
            const char c = section_.text[i];
            into.key.put(i < lower_length_ ? lower(c) : c);
            into.shown.put(c);
        }
        into.key.put(lower(first));
        into.shown.put(first);
        for (; is_key(peek()); take()) {
            into.key.put(lower(peek()));
            into.shown.put(peek());
        }
        while (peek() == ' ' || peek() == '\t') take();
        const char c = take();
        into.has_value = c != '\n';
        const bool is_read = c == '\n' || (c == '=' && read_value(into));
        is_behind_section_ = false;
        return is_read && into.key.fits && into.shown.fits && into.value.fits;
    }

    // What a letter behind a backslash stands for; NUL where git takes none.
    static char unescaped(char letter) {
        switch (letter) {
            case 't': return '\t';
            case 'b': return '\b';
            case 'n': return '\n';
            case '\\':
            case '"': return letter;
            default: return '\0';
        }
    }

    bool read_value(Setting& into) {
        bool is_quoted = false;
        unsigned spaces = 0;  // that count if something follows
        for (;;) {
            char c = take();
            if (c == '\n') return !is_quoted;
            if (!is_quoted && is_space(c)) {
                if (into.value.length > 0) ++spaces;
                continue;
            }
            if (!is_quoted && (c == '#' || c == ';')) {
                skip_line();
                continue;
            }
            for (; spaces > 0; --spaces) into.value.put(' ');
            if (c == '"') {
                is_quoted = !is_quoted;
                continue;
            }
            if (c == '\\') {
                c = take();
                if (c == '\n') continue;
                c = unescaped(c);
                if (c == '\0') return false;
            }
            into.value.put(c);
        }
    }

    const char* text_;
    uint64_t size_;
    uint64_t at_ = 0;
    Text section_;
    unsigned lower_length_ = 0;       // of it, what is not in quotes
    bool is_behind_section_ = false;  // in the same line
    bool has_nul_ = false;
    bool has_backslash_ = false;
    bool has_control_ = false;
    bool has_mark_ = false;  // of byte order
    bool has_brackets_ = false;
    bool is_on_one_line_ = false;
};

}  // namespace git_syntax
