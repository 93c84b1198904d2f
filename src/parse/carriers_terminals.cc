// Programs that run a command later or in a terminal of its own.
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "parse/carriers.h"
#include "parse/subcommands.h"
#include "parse/wrapper_options.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;
using namespace std::string_view_literals;

constexpr std::array makes_window = {
    "new"sv,           "new-session"sv, "neww"sv,         "new-window"sv,
    "splitw"sv,        "splitp"sv,      "split-window"sv, "respawnp"sv,
    "respawn-pane"sv,  "respawnw"sv,    "popup"sv,        "respawn-window"sv,
    "display-popup"sv, "run"sv,         "run-shell"sv,    "pipep"sv,
    "pipe-pane"sv,     "if"sv,          "if-shell"sv};

constexpr std::array keys = {"Enter"sv, "C-m"sv, "C-c"sv, "C-d"sv, "Escape"sv, "Space"sv, "Tab"sv};

constexpr Wrapper window_options{"tmux", "ceFflnpstxy", "", 0};
constexpr Wrapper key_options{"tmux", "tNc", "", 0};
constexpr Wrapper tmux_options{"tmux", "cfLST", "", 0};

bool is_key(const Word& word) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return word.is(key); });
}

// One of tmux' own commands, [first, last).
void add_tmux_command(const std::vector<Word>& words, size_t first, size_t last,
                      std::vector<Carried>& carried) {
    const std::string name = words[first].known_start();
    const bool types = name == "send" || name == "send-keys";
    const bool runs = std::ranges::find(makes_window, name) != makes_window.end();
    if (!types && !runs) return;
    const std::vector<Word> own(words.begin() + static_cast<std::ptrdiff_t>(first),
                                words.begin() + static_cast<std::ptrdiff_t>(last));
    const auto start = inner_start(own, types ? key_options : window_options);
    if (!start) return;
    size_t begin = first + *start;
    if (!types) {
        // One word is a text for a shell, several are a program and its arguments.
        carried.push_back({last - begin == 1 || name.starts_with("if") ? Kind::Code : Kind::Words,
                           begin, name.starts_with("if") ? begin + 1 : last});
        return;
    }
    for (size_t i = begin; i <= last; ++i) {
        if (i < last && !is_key(words[i])) continue;
        if (i > begin) carried.push_back({Kind::Code, begin, i});
        begin = i + 1;
    }
}

}  // namespace

void add_tmux(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const auto start = inner_start(words, tmux_options);
    if (!start) return;
    size_t first = *start;
    for (size_t i = first; i <= words.size(); ++i) {
        if (i < words.size() && !words[i].is(";")) continue;
        if (i > first) add_tmux_command(words, first, i, carried);
        first = i + 1;
    }
}

void add_screen(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper screen{"screen", "cehprsStTx", "", 0, false, false, "X"};
    if (const auto start = inner_start(words, screen)) {
        carried.push_back({Kind::Words, *start, words.size()});
        return;
    }
    for (size_t i = 1; i + 1 < words.size(); ++i)
        if (words[i].is("stuff") || words[i].is("exec"))
            carried.push_back({Kind::Code, i + 1, words.size()});
}

void add_npx(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const bool npm = words[0].known_start().ends_with("npm");
    const auto runs = [](const Word& word) { return word.is("exec") || word.is("x"); };
    if (npm && std::ranges::none_of(words, runs)) return;
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (text == "--") return;
        const bool glued = text.starts_with("--call=");
        if (glued) carried.push_back({Kind::Code, i, i + 1, false, text.find('=') + 1});
        const bool apart = text == "-c" || text == "--call";
        if (apart && i + 1 < words.size()) carried.push_back({Kind::Code, i + 1, i + 2});
        if (glued || apart) return;
        if (text == "-p" || text == "--package" || text == "-w" || text == "--workspace") ++i;
        // What follows is for the program. npm takes its own options also in front of `exec`.
        if (!text.starts_with('-') && !npm) return;
        if (!text.starts_with('-') && i > 1 && runs(words[i - 1])) return;
    }
}

std::string commands_of_crontab(const std::string& table) {
    constexpr std::string_view blanks = " \t";
    std::string script;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        size_t at = std::min(line.find_first_not_of(blanks), line.size());
        const bool named = at < line.size() && line[at] == '@';
        const bool digit_or_star = at < line.size() && (line[at] == '*' || line[at] == '?' ||
                                                        (line[at] >= '0' && line[at] <= '9'));
        if (!named && !digit_or_star) continue;  // a comment, or a variable
        for (int field = 0; field < (named ? 1 : 5) && at != std::string::npos; ++field)
            at = line.find_first_not_of(blanks, line.find_first_of(blanks, at));
        if (at == std::string::npos) continue;
        // Behind a percent sign stands what the command reads.
        script += line.substr(at, line.find('%', at) - at) + "\n";
    }
    return script;
}

}  // namespace husk::parse
