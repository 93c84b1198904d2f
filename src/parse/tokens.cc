#include "parse/tokens.h"

#include <algorithm>
#include <array>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

// The longest first.
constexpr std::array<std::string_view, 23> operators = {
    "<<<", "<<-", "&>>", ";;&", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "&&",
    "||",  "|&",  ";;",  ";&",  "|",  "&",  ";",  "<",  ">",  "(",  ")"};

constexpr std::string_view joint = "\\\n";  // of two lines, which means nothing

// How much of the text spells these letters, which joints may part; 0 if it does not begin so.
size_t spelled(std::string_view text, std::string_view letters) {
    size_t at = 0;
    for (const char letter : letters) {
        while (at > 0 && text.substr(at).starts_with(joint)) at += joint.size();
        if (at >= text.size() || text[at++] != letter) return 0;
    }
    return at;
}

size_t operator_size(std::string_view text) {
    for (const std::string_view one : operators)
        if (const size_t size = spelled(text, one); size > 0) return size;
    return 0;
}

size_t keyword_size(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        if (text.substr(at).starts_with(joint))
            at += joint.size();
        else if (is_break(text[at]))
            break;
        else
            ++at;
    }
    return at;
}

// 2 or {name}, directly in front of a redirection.
size_t descriptor_size(std::string_view text) {
    size_t at = 0;
    if (text.starts_with('{')) {
        for (at = 1; at < text.size() && is_name_letter(text[at]);) ++at;
        if (at >= text.size() || text[at++] != '}') return 0;
    } else {
        while (at < text.size() && is_digit(text[at])) ++at;
    }
    const bool redirects = at < text.size() && (text[at] == '<' || text[at] == '>');
    return redirects ? at : 0;
}

// Between two words: operators, keywords, and what means nothing.
class Gap {
public:
    Gap(std::string_view text, std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

    void read(size_t begin, size_t end) {
        for (at_ = begin; at_ < end;) {
            const std::string_view rest = text_.substr(at_, end - at_);
            if (rest.starts_with(joint)) {
                at_ += joint.size();
            } else if (is_blank(rest[0]) || rest[0] == '\n') {
                ++at_;
            } else if (rest[0] == '#') {
                at_ += std::min(rest.find('\n'), rest.size());
            } else {
                take(rest);
            }
        }
    }

private:
    void take(std::string_view rest) {
        const size_t descriptor = descriptor_size(rest);
        size_t size = operator_size(rest.substr(descriptor));
        const bool is_operator = size > 0;
        size = is_operator ? size + descriptor : std::max<size_t>(keyword_size(rest), 1);
        tokens_.push_back(
            {is_operator ? Token::Kind::Operator : Token::Kind::Keyword, {at_, at_ + size}});
        at_ += size;
    }

    std::string_view text_;
    std::vector<Token>& tokens_;
    size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokens(std::string_view text, const Limits& limits) {
    if (text.size() > limits.bytes || text.contains('\0')) return {};
    std::vector<Noted> noted;
    State state{limits};
    state.noted = &noted;
    Parser(text, state).parse_all();
    // The outermost: words of a substitution are part of the word that has it.
    std::ranges::sort(noted, [](const Noted& one, const Noted& other) {
        if (one.range.begin != other.range.begin) return one.range.begin < other.range.begin;
        return one.range.end > other.range.end;
    });
    std::vector<Token> all;
    Gap gap(text, all);
    size_t at = 0;
    for (Noted& one : noted) {
        if (one.range.begin < at) continue;
        gap.read(at, one.range.begin);
        at = one.range.end;
        all.push_back({one.kind, one.range, std::move(one.word)});
    }
    if (!state.stopped) gap.read(at, text.size());
    return all;
}

}  // namespace husk::parse
