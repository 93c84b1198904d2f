// Programs that run a command in a container: its files are not those of this machine.
#include <algorithm>
#include <array>
#include <string_view>

#include "parse/carriers.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;
using namespace std::string_view_literals;

template <size_t N>
bool lists(const std::array<std::string_view, N>& table, std::string_view text) {
    return std::ranges::find(table, text) != table.end();
}

// Most options take a value; these do not.
constexpr std::array alone = {"--detach"sv,
                              "--interactive"sv,
                              "--tty"sv,
                              "--rm"sv,
                              "--init"sv,
                              "--privileged"sv,
                              "--read-only"sv,
                              "--no-healthcheck"sv,
                              "--publish-all"sv,
                              "--oom-kill-disable"sv,
                              "--quiet"sv,
                              "--no-deps"sv,
                              "--build"sv,
                              "--service-ports"sv,
                              "--use-aliases"sv,
                              "--no-TTY"sv,
                              "--remove-orphans"sv,
                              "--debug"sv,
                              "--tls"sv,
                              "--tlsverify"sv,
                              "--disable-content-trust"sv,
                              "--no-tty"sv,
                              "--replace"sv,
                              "--help"sv};
constexpr std::string_view alone_letters = "ditPqDTA";

// Whether the word behind this option is its value.
bool takes_next(const std::string& text) {
    if (text.starts_with("--")) return !text.contains('=') && !lists(alone, text);
    // -it stand alone; of -itv the last takes a value, and -v/a:/b has it already.
    const size_t value = text.find_first_not_of(alone_letters, 1);
    return value != std::string::npos && value + 1 == text.size();
}

// The first word from `at` on that is no option.
size_t operand_from(const std::vector<Word>& words, size_t at) {
    for (; at < words.size(); ++at) {
        const std::string text = words[at].known_start();
        if (text.size() < 2 || text[0] != '-') return at;
        if (text == "--") return at + 1;
        if (takes_next(text)) ++at;
    }
    return words.size();
}

}  // namespace

void add_docker(const std::vector<Word>& words, std::vector<Carried>& carried) {
    size_t at = operand_from(words, 1);
    if (at < words.size() && (words[at].is("compose") || words[at].is("container")))
        at = operand_from(words, at + 1);
    if (at >= words.size() || !(words[at].is("run") || words[at].is("exec"))) return;
    const size_t where = operand_from(words, at + 1);  // the image or the container
    if (where + 1 < words.size()) carried.push_back({Kind::Elsewhere, where + 1, words.size()});
}

void add_behind_dashes(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const bool runs = std::ranges::any_of(words, [](const Word& word) {
        return word.is("exec") || word.is("run") || word.is("debug");
    });
    const auto dashes = std::ranges::find_if(words, [](const Word& word) { return word.is("--"); });
    if (!runs || words.end() - dashes < 2) return;
    carried.push_back(
        {Kind::Elsewhere, static_cast<size_t>(dashes - words.begin()) + 1, words.size()});
}

}  // namespace husk::parse
