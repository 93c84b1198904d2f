#include "decide/printed.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <vector>

#include "decide/arguments.h"
#include "parse/ansi.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;

constexpr size_t longest = 4096;

using Texts = std::vector<std::string>;

std::optional<Texts> known_texts(const Command& command) {
    Texts texts;
    for (const Word& word : arguments_of(command)) {
        const auto text = word.value();
        if (!text) return std::nullopt;
        texts.push_back(*text);
    }
    return texts;
}

// -n, -e, -neE: echo prints every other word.
bool is_option_of_echo(std::string_view text) {
    return text.size() > 1 && text[0] == '-' && text.find_first_not_of("neE", 1) == text.npos;
}

std::string echoed(const Texts& texts) {
    size_t first = 0;
    bool decodes = false;
    for (; first < texts.size() && is_option_of_echo(texts[first]); ++first)
        if (const size_t last = texts[first].find_last_of("eE"); last != std::string::npos)
            decodes = texts[first][last] == 'e';
    std::string out;
    for (size_t i = first; i < texts.size(); ++i) out += (i == first ? "" : " ") + texts[i];
    return decodes ? parse::decode_ansi(out) : out;
}

// %-8.3s without its percent sign and its letter.
struct Conversion {
    char kind = '\0';
    size_t length = 0;  // of the text
    size_t precision = std::string::npos;
};

Conversion conversion_at(std::string_view text) {
    const size_t end = text.find_first_not_of("-+ #0123456789.");
    if (end == std::string_view::npos) return {};
    Conversion conversion{.kind = text[end], .length = end + 1};
    const size_t point = text.substr(0, end).find('.');
    if (point == std::string_view::npos) return conversion;
    conversion.precision = 0;
    std::from_chars(text.data() + point + 1, text.data() + end, conversion.precision);
    return conversion;
}

// The format once: %s and the like take the next argument, or nothing. Other conversions print
// numbers and times. Padding is left out.
class Formatter {
public:
    explicit Formatter(std::span<const std::string> arguments) : rest_(arguments) {}

    bool print(std::string_view format) {
        while (!format.empty()) {
            const size_t percent = std::min(format.find('%'), format.size());
            out_ += parse::decode_ansi(format.substr(0, percent));
            format.remove_prefix(percent);
            if (format.empty()) break;
            const Conversion conversion = conversion_at(format.substr(1));
            if (!convert(conversion)) return false;
            format.remove_prefix(1 + conversion.length);
        }
        return true;
    }

    size_t left() const { return rest_.size(); }
    const std::string& text() const { return out_; }

private:
    bool convert(const Conversion& conversion) {
        if (conversion.kind == '%') {
            out_ += '%';
            return true;
        }
        if (conversion.kind == '\0' || !std::string_view("sbqc").contains(conversion.kind))
            return false;
        if (rest_.empty()) return true;
        const std::string& next = rest_.front();
        const std::string text = conversion.kind == 'b' ? parse::decode_ansi(next) : next;
        out_ += text.substr(0, conversion.kind == 'c' ? 1 : conversion.precision);
        rest_ = rest_.subspan(1);
        return true;
    }

    std::span<const std::string> rest_;
    std::string out_;
};

// The format is used again until no argument is left.
std::optional<std::string> formatted(std::string_view format,
                                     std::span<const std::string> arguments) {
    Formatter formatter(arguments);
    size_t left = arguments.size();
    do {
        left = formatter.left();
        if (!formatter.print(format) || formatter.text().size() > longest) return std::nullopt;
    } while (formatter.left() > 0 && formatter.left() < left);
    return formatter.text();
}

std::optional<std::string> printed_by_printf(const Texts& texts) {
    std::span<const std::string> rest = texts;
    if (!rest.empty() && rest.front().starts_with("-v"))
        rest = rest.subspan(std::min<size_t>(rest.front() == "-v" ? 2 : 1, rest.size()));
    if (!rest.empty() && rest.front() == "--") rest = rest.subspan(1);
    if (rest.empty()) return std::nullopt;
    return formatted(rest.front(), rest.subspan(1));
}

}  // namespace

std::optional<std::string> printed(const Command& command) {
    const std::string program = command.program();
    if (program != "echo" && program != "printf") return std::nullopt;
    const auto texts = known_texts(command);
    if (!texts) return std::nullopt;
    auto out = program == "echo" ? echoed(*texts) : printed_by_printf(*texts);
    if (out && out->size() > longest) out.reset();
    return out;
}

}  // namespace husk::decide
