// TRY returns from the middle of an expression. What a function call has evaluated by then is
// destroyed; g++ does not destroy the members of an aggregate or the elements of a list that exist
// by then, and does not free what `new` has allocated. TRY must come first there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "layers.h"

namespace {

// Without comments and the contents of strings.
std::string without_literals(const std::string& text) {
    static const std::regex hidden(R"(//[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])')");
    return std::regex_replace(text, hidden, "0");
}

// Where the bracket opens that is closed at `at`.
size_t opening(std::string_view code, size_t at) {
    int depth = 0;
    for (;; --at) {
        if (std::string_view(")]}").contains(code[at])) ++depth;
        if (std::string_view("([{").contains(code[at]) && --depth == 0) return at;
        if (at == 0) return 0;
    }
}

bool ends_like(std::string_view code, const char* expression) {
    const std::string last(code.substr(code.size() > 100 ? code.size() - 100 : 0));
    return std::regex_search(last, std::regex(std::string("(") + expression + ")\\s*$"));
}

// `elements` is the text between an opening brace and TRY.
bool owns_something(std::string_view elements) {
    static const std::regex nothing(R"([\s,]*(\.\w+ = )?(\{\},\s*)*(\.\w+ = )?[*\s]*)");
    return elements.contains(',') && !std::regex_match(std::string(elements), nothing);
}

// Whether the TRY at `at` leaves something behind that the expression around it has built.
bool leaves_something(std::string_view code, size_t at) {
    for (size_t i = at; i-- > 0;) {
        const char here = code[i];
        const std::string_view before = code.substr(0, i);
        if (here == ';') return false;
        if (here == ')' || here == ']' || here == '}') i = opening(code, i);
        if (here == '(' && ends_like(before, R"(\bnew [\w:<>]+)")) return true;
        if (here != '{') continue;
        if (ends_like(before, R"([);{}\]]|\b(else|do|const|mutable|noexcept)|->[\w:<>*&, ]+)"))
            return false;  // a block
        if (owns_something(code.substr(i + 1, at - i - 1))) return true;
    }
    return false;
}

std::vector<size_t> lines_that_leave_something(const std::string& text) {
    std::vector<size_t> lines;
    const std::string code = without_literals(text);
    for (size_t at = code.find("TRY("); at != std::string::npos; at = code.find("TRY(", at + 1))
        if (leaves_something(code, at))
            lines.push_back(1 +
                            static_cast<size_t>(std::count(
                                code.begin(), code.begin() + static_cast<ptrdiff_t>(at), '\n')));
    return lines;
}

TEST(Try, ComesFirstWhereSomethingIsBuilt) {
    for (const auto& [path, text] : architecture::read_tree(HUSK_SOURCE_DIR)) {
        if (!path.starts_with("src/") || path == "src/base/result.h" || !text.contains("TRY("))
            continue;
        EXPECT_THAT(lines_that_leave_something(text), testing::IsEmpty())
            << path << ": put the result of TRY into a variable first";
    }
}

TEST(Try, IsFoundWhereItLeavesSomething) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    const auto found = [](const char* statement) {
        return lines_that_leave_something("Result<void> f() {\n" + std::string(statement) +
                                          "\n}\n");
    };
    EXPECT_THAT(found("Two two{TRY(a()), TRY(b())};"), ElementsAre(2));
    EXPECT_THAT(found("return Two{.a = text,\n .b = TRY(b())};"), ElementsAre(3));
    EXPECT_THAT(found("return Json{{1, x},\n {2, TRY(b())}};"), ElementsAre(3));
    EXPECT_THAT(found("std::unique_ptr<A> a(new A(TRY(b())));"), ElementsAre(2));
    EXPECT_THAT(found("Two two{.a = TRY(a()), .b = {}};"), IsEmpty());
    EXPECT_THAT(found("Two two{{}, TRY(b())};"), IsEmpty());
    EXPECT_THAT(found("take(TRY(a()), TRY(b()));"), IsEmpty());
    EXPECT_THAT(found("const std::pair<int, int> a = TRY(b());"), IsEmpty());
    EXPECT_THAT(found("run([&](int a, int b) -> Result<A> { f(a, b); return TRY(c()); });"),
                IsEmpty());
}

}  // namespace
