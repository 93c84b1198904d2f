#include "request/starlark.h"

#include <algorithm>
#include <expected>
#include <utility>

#include "base/terminal_text.h"

namespace husk {
namespace {

constexpr size_t deepest = 16;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

std::string single_spaced(std::string_view text) {
    std::string spaced;
    for (const char c : text::one_line(text)) {
        if (c != ' ' || !spaced.ends_with(' ')) spaced += c;
    }
    if (spaced.ends_with(' ')) spaced.pop_back();
    return spaced;
}

template <class T>
using Parsed = std::expected<T, std::string>;

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::vector<StarlarkCall> statements() {
        std::vector<StarlarkCall> found;
        while (true) {
            skip_blanks();
            if (at_end()) return found;
            const size_t begin = at_;
            StarlarkCall call = statement();
            call.line = line_at(begin);
            call.source = single_spaced(text_.substr(begin, at_ - begin));
            found.push_back(std::move(call));
        }
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    size_t line_at(size_t offset) {
        line_ += static_cast<size_t>(
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                       text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
        counted_ = offset;
        return line_;
    }

    void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    void skip_blanks() {
        while (!at_end()) {
            if (peek() == '#')
                skip_comment();
            else if (std::string_view(" \t\r\n;").contains(peek()))
                ++at_;
            else
                return;
        }
    }

    std::string name() {
        const size_t begin = at_;
        if (is_name_start(peek()))
            while (is_name_part(peek())) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    StarlarkCall statement() {
        const size_t begin = at_;
        StarlarkCall call;
        call.name = name();
        if (call.name.empty() || peek() != '(') {
            skip_statement(begin);
            call.error = "only calls such as prefix_rule(...) are understood";
            return call;
        }
        if (auto read = arguments(); read) {
            call.arguments = *std::move(read);
        } else {
            skip_statement(begin);
            call.error = read.error();
        }
        return call;
    }

    Parsed<std::vector<StarlarkArgument>> arguments() {
        ++at_;  // (
        std::vector<StarlarkArgument> arguments;
        while (true) {
            skip_blanks();
            if (take(')')) return arguments;
            StarlarkArgument argument;
            if (const size_t begin = at_; is_name_start(peek())) {
                argument.name = name();
                skip_blanks();
                if (!take('=')) {
                    argument.name.clear();
                    at_ = begin;
                }
            }
            auto read = value(0);
            if (!read) return std::unexpected(read.error());
            argument.value = *std::move(read);
            arguments.push_back(std::move(argument));
            skip_blanks();
            if (!take(',') && peek() != ')') return unexpected_here("a comma or )");
        }
    }

    std::unexpected<std::string> unexpected_here(std::string_view expected) const {
        return std::unexpected("expected " + std::string(expected) +
                               (at_end() ? " before the end of the file"
                                         : " before \"" + std::string(1, peek()) + "\""));
    }

    // A value, or several texts added up.
    Parsed<StarlarkValue> value(size_t depth) {
        auto whole = single_value(depth);
        while (whole) {
            skip_blanks();
            if (!take('+')) break;
            auto more = single_value(depth);
            if (!more) return more;
            if (more->kind != whole->kind || whole->kind == StarlarkValue::Kind::Other)
                return std::unexpected("only texts and lists can be added up");
            whole->text += more->text;
            std::ranges::move(more->items, std::back_inserter(whole->items));
        }
        return whole;
    }

    Parsed<StarlarkValue> single_value(size_t depth) {
        skip_blanks();
        if (depth > deepest) return std::unexpected("lists are nested too deep");
        if (peek() == '[') return list(depth, ']');
        if (peek() == '(') return list(depth, ')');
        const bool raw = peek() == 'r' && at_ + 1 < text_.size() &&
                         (text_[at_ + 1] == '"' || text_[at_ + 1] == '\'');
        if (raw) ++at_;
        if (peek() == '"' || peek() == '\'') return quoted(raw);
        return word();
    }

    Parsed<StarlarkValue> list(size_t depth, char end) {
        ++at_;
        StarlarkValue list{.kind = StarlarkValue::Kind::List};
        while (true) {
            skip_blanks();
            if (take(end)) return list;
            auto item = value(depth + 1);
            if (!item) return item;
            list.items.push_back(*std::move(item));
            skip_blanks();
            if (!take(',') && peek() != end) return unexpected_here("a comma or the end of a list");
        }
    }

    Parsed<StarlarkValue> word() {
        const size_t begin = at_;
        while (is_name_part(peek()) || peek() == '-' || peek() == '.') ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        const bool number = !word.empty() && !is_name_start(word[0]);
        if (number || word == "True" || word == "False" || word == "None") return StarlarkValue{};
        if (word.empty()) return unexpected_here("a value");
        return std::unexpected("\"" + std::string(word) +
                               "\" is worked out there; only texts and lists that stand in the "
                               "call are understood");
    }

    Parsed<StarlarkValue> quoted(bool raw) {
        const char quote = peek();
        const std::string triple(3, quote);
        const bool long_text = text_.substr(at_).starts_with(triple);
        at_ += long_text ? 3 : 1;
        StarlarkValue value{.kind = StarlarkValue::Kind::Text};
        while (!at_end()) {
            if (long_text ? text_.substr(at_).starts_with(triple) : peek() == quote) {
                at_ += long_text ? 3 : 1;
                return value;
            }
            if (peek() == '\n' && !long_text) break;
            if (peek() == '\\' && at_ + 1 < text_.size()) {
                if (!add_escaped(raw, value.text))
                    return std::unexpected("an escape in a text is not understood");
            } else {
                value.text += text_[at_++];
            }
        }
        return std::unexpected("a quote is never closed");
    }

    bool add_escaped(bool raw, std::string& text) {
        const char c = text_[at_ + 1];
        at_ += 2;
        if (raw) {
            text += {'\\', c};
            return true;
        }
        constexpr std::string_view written = "ntr\\\"'";
        constexpr std::string_view meant = "\n\t\r\\\"'";
        if (c == '\n') return true;  // the line goes on
        const size_t known = written.find(c);
        if (known == std::string_view::npos) return false;
        text += meant[known];
        return true;
    }

    // To the end of the statement: its brackets are closed, and the next line is not indented.
    void skip_statement(size_t begin) {
        at_ = begin;
        int open = 0;
        while (!at_end()) {
            const char c = peek();
            if (c == '#') {
                skip_comment();
                continue;
            }
            if (c == '"' || c == '\'') {
                const size_t before = at_;
                if (!quoted(false)) at_ = before + 1;
                continue;
            }
            if (std::string_view("([{").contains(c)) ++open;
            if (std::string_view(")]}").contains(c)) --open;
            ++at_;
            const bool goes_on = peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == ')';
            // Whoever forgot a bracket still begins a new rule at the start of a line.
            const bool begins = c == '\n' && is_name_start(peek());
            if (c == '\n' && ((open <= 0 && !goes_on) || begins)) return;
        }
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t counted_ = 0;
    size_t line_ = 1;
};

}  // namespace

const StarlarkValue* StarlarkCall::find(std::string_view argument) const {
    const auto found = std::ranges::find(arguments, argument, &StarlarkArgument::name);
    return found == arguments.end() ? nullptr : &found->value;
}

std::vector<StarlarkCall> read_starlark(std::string_view text) { return Reader(text).statements(); }

}  // namespace husk
