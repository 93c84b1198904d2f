// Text for a model or a terminal holds nothing that a terminal acts on.
#include "base/terminal_text.h"

#include "base/misleading.h"
#include "base/utf8.h"
#include "target.h"

namespace husk::fuzz {
namespace of_terminal_text {
namespace {

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

template <class Bad>
void check_text(std::string_view shown, const Bad& is_bad) {
    demand(text::is_utf8(shown), "the text is valid UTF-8");
    while (!shown.empty()) {
        const text::Rune rune = text::first_rune(shown);
        const bool is_layout = rune.code == '\n' || rune.code == '\t';
        demand(is_layout || !is_bad(rune.code), "no character acts on a terminal");
        shown.remove_prefix(rune.bytes);
    }
}

}  // namespace
}  // namespace of_terminal_text

void terminal_text(std::string_view bytes) {
    using namespace of_terminal_text;
    const std::string plain = text::plain(bytes);
    check_text(plain, is_control);
    demand(plain.size() <= 3 * bytes.size(), "nothing becomes more than U+FFFD");
    demand(text::plain(plain) == plain, "plain text stays as it is");

    const std::string inert = text::inert(bytes);
    check_text(inert, text::is_misleading);
    demand(text::inert(inert) == inert, "inert text stays as it is");

    const std::string line = text::one_line(bytes);
    check_text(line, text::is_misleading);
    demand(line.find_first_of("\n\t") == line.npos, "one line is one line");
    demand(line.size() == inert.size(), "one line shows as much as inert text");
}

}  // namespace husk::fuzz
