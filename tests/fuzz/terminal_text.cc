// Text for a model or a terminal holds nothing that a terminal acts on.
#include "base/terminal_text.h"

#include "base/misleading.h"
#include "base/terminal_filter.h"
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

// Where the escape that begins at `at` ends: colours, movement and erasing are the only ones.
size_t behind_escape(std::string_view shown, size_t at) {
    const char kind = at + 1 < shown.size() ? shown[at + 1] : '\0';
    if (kind == '7' || kind == '8') return at + 2;
    demand(kind == '[', "an escape that is shown is a control sequence");
    const size_t end = shown.find_first_not_of("0123456789;:", at + 2);
    constexpr std::string_view finals = "mABCDEFGHJKLMPSX@`adefsu";
    demand(end != shown.npos && finals.contains(shown[end]), "it moves, erases or colours");
    return end + 1;
}

void check_filtered(std::string_view shown) {
    demand(text::is_utf8(shown), "filtered text is valid UTF-8");
    for (size_t at = 0; at < shown.size();) {
        if (shown[at] == '\x1b') {
            at = behind_escape(shown, at);
            continue;
        }
        const text::Rune rune = text::first_rune(shown.substr(at));
        const bool is_layout = rune.code >= '\a' && rune.code <= '\r';
        demand(is_layout || !is_control(rune.code), "filtered text has no other controls");
        at += rune.bytes;
    }
}

std::string filtered_in_pieces(std::string_view bytes, size_t piece) {
    text::TerminalFilter filter;
    std::string shown;
    for (size_t at = 0; at < bytes.size(); at += piece)
        shown += filter.pass(bytes.substr(at, piece));
    return shown + filter.finish();
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

    const std::string filtered = text::for_terminal(bytes);
    check_filtered(filtered);
    demand(text::for_terminal(filtered) == filtered, "filtered text stays as it is");
    for (const size_t piece : {size_t{1}, size_t{3}})
        demand(filtered_in_pieces(bytes, piece) == filtered, "pieces are filtered like the whole");
}

}  // namespace husk::fuzz
