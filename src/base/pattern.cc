#include "base/pattern.h"

#include <re2/re2.h>

#include <cstdint>
#include <utility>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace husk {
namespace {

constexpr int64_t most_memory = int64_t{8} << 20;
constexpr size_t longest_quotation = 200;

re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);  // or RE2 writes to our standard error
    options.set_max_mem(most_memory);
    return options;
}

std::string in_words(const re2::RE2& program) {
    const std::string argument = "\"" + text::one_line(program.error_arg()) + "\"";
    switch (program.error_code()) {
        case re2::RE2::ErrorBadEscape:
            return argument + " is an escape that does not exist (nor do backreferences)";
        case re2::RE2::ErrorBadCharClass: return argument + " is no class of characters";
        case re2::RE2::ErrorBadCharRange: return argument + " is no range of characters";
        case re2::RE2::ErrorMissingBracket: return R"(a "[" has no "]")";
        case re2::RE2::ErrorMissingParen: return "a \"(\" has no \")\"";
        case re2::RE2::ErrorUnexpectedParen: return "a \")\" has no \"(\"";
        case re2::RE2::ErrorTrailingBackslash: return R"(it ends with a single "\")";
        case re2::RE2::ErrorRepeatArgument: return "nothing stands before " + argument;
        case re2::RE2::ErrorRepeatSize: return argument + " repeats too often";
        case re2::RE2::ErrorRepeatOp: return argument + " repeats a repetition";
        case re2::RE2::ErrorBadPerlOp:
            return argument + " does not exist here (nor does any look-around)";
        case re2::RE2::ErrorBadUTF8: return "it is not valid UTF-8";
        case re2::RE2::ErrorBadNamedCapture: return argument + " is no name of a group";
        case re2::RE2::ErrorPatternTooLarge: return "it needs too much memory";
        default: return text::one_line(program.error());
    }
}

std::string refusal(std::string_view expression, const re2::RE2& program) {
    std::string quotation(text::whole_prefix(expression, longest_quotation));
    if (quotation.size() < expression.size()) quotation += "...";
    return "the expression \"" + text::one_line(quotation) +
           "\" cannot be used: " + in_words(program);
}

}  // namespace

std::expected<Pattern, std::string> Pattern::compile(std::string_view expression) {
    auto program = std::make_unique<re2::RE2>(expression, options());
    if (!program->ok()) return std::unexpected(refusal(expression, *program));
    return Pattern(std::move(program));
}

Pattern::Pattern(std::unique_ptr<re2::RE2> program) : program_(std::move(program)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::matches(std::string_view line) const {
    if (text::is_utf8(line)) return re2::RE2::PartialMatch(line, *program_);
    return re2::RE2::PartialMatch(text::to_utf8(line), *program_);
}

}  // namespace husk
