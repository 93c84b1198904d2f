// Regular expressions that cannot run wild: linear time and bounded memory on any input.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace husk {

// An expression in RE2's syntax, over characters of UTF-8. A line that is not valid UTF-8 is
// matched as it is shown, with U+FFFD in place of what is invalid: so "." and negated classes
// match such bytes, and whatever a reader sees can be found.
class Pattern {
public:
    // The error is a sentence for whoever wrote the expression.
    static std::expected<Pattern, std::string> compile(std::string_view expression);

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    // Anywhere in the line. May be called from several threads.
    bool matches(std::string_view line) const;

private:
    explicit Pattern(std::unique_ptr<re2::RE2> program);

    std::unique_ptr<re2::RE2> program_;
};

}  // namespace husk
