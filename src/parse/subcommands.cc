#include "parse/subcommands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "base/names.h"
#include "parse/letters.h"
#include "parse/shells.h"
#include "parse/subcommand_table.h"

namespace husk::parse {
namespace {

constexpr size_t most_readings = 16;

// Of a program without an entry, no option is known.
constexpr Subcommands no_entry{"", "", ""};

std::string_view without_version(std::string_view program) {
    if (!program.starts_with("pip") && !program.starts_with("python")) return program;
    return program.substr(0, program.find_last_not_of("0123456789.") + 1);
}

// -qy, -vn NAME and -nNAME: letters that stand for options of one letter each.
Leading cluster_option(std::string_view text, const Subcommands& table) {
    for (size_t i = 1; i < text.size(); ++i) {
        const char option[] = {'-', text[i]};
        const std::string_view letter(option, sizeof option);
        if (is_one_of(letter, table.with_value))
            return i + 1 == text.size() ? Leading::WithNext : Leading::Alone;
        // -j4 has its value already.
        const std::string_view rest = text.substr(i + 1);
        if (!rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos)
            return Leading::Alone;
        if (!is_one_of(letter, table.alone)) return Leading::Unsure;
    }
    return Leading::Alone;
}

// A word that an option takes which most often has no value.
bool is_switch(const Word& word) {
    constexpr std::string_view switches =
        "true false yes no on off with without enable disable always never auto null";
    const std::string text = word.known_start();
    if (!word.known() || text.empty()) return false;
    return is_one_of(lowered(text), switches) ||
           text.find_first_not_of("0123456789.") == std::string::npos;
}

Word text_word(std::string text) {
    return {.pieces = {{Piece::Kind::Text, std::move(text), true, {}}}, .range = {}};
}

Word unknown_word() { return {.pieces = {{Piece::Kind::Variable, "$@", true, "@"}}, .range = {}}; }

// Finds the operands that name an action, level by level.
class Reader {
public:
    // `names` are what the words before `next` amount to.
    Reader(const std::vector<Word>& words, size_t next, std::vector<Word> names)
        : words_(words), start_{.names = std::move(names), .next = next} {}

    std::vector<Reading> read(const std::string& program, const Subcommands& table) {
        find(start_, program, table, table.names);
        // Too many to look at each: any subcommand may be meant.
        if (found_.size() > most_readings && !table.program.empty()) add_any();
        return std::move(found_);
    }

private:
    struct State {
        std::vector<Word> names;
        size_t next;  // the word behind the names
        bool certain = true;
        bool skipped = false;  // an option was left out
    };
    enum class Reached : uint8_t { No, Perhaps, Surely };

    // The next operand, wherever it may stand.
    void find(const State& state, const std::string& name, const Subcommands& table, size_t left) {
        std::array<Reached, 3> reached = {Reached::Surely};  // the words from `at` on
        for (size_t at = state.next; at < words_.size(); ++at) {
            if (found_.size() > most_readings || reached == std::array<Reached, 3>{}) return;
            const Reached now = std::exchange(reached[0], Reached::No);
            std::ranges::rotate(reached, reached.begin() + 1);
            if (now == Reached::No) continue;
            const auto reach = [&](size_t word, Reached how) {
                reached[word] = std::max(reached[word], how);
            };
            switch (leading_option(words_[at], table)) {
                case Leading::Operand:
                    take(state, at, state.certain && now == Reached::Surely, name, left);
                    break;
                case Leading::Alone:
                    reach(0, now);
                    // Many programs take `--force false` and `-q 2` for one option.
                    if (at + 1 < words_.size() && is_switch(words_[at + 1]) && !words_[at].is("--"))
                        reach(1, Reached::Perhaps);
                    break;
                case Leading::WithNext:
                    reach(1, now);
                    // `-C $x`: the subcommand may be one of the words that $x becomes.
                    if (at + 1 < words_.size() && may_be_several_words(words_[at + 1])) add_any();
                    break;
                case Leading::Unsure:
                    reach(0, Reached::Perhaps);
                    reach(1, Reached::Perhaps);
                    break;
            }
        }
    }

    void take(const State& before, size_t at, bool certain, const std::string& name, size_t left) {
        State state{.names = before.names, .next = at + 1, .certain = certain};
        state.skipped = before.skipped || at > before.next;
        state.names.push_back(words_[at]);
        if (state.skipped)
            found_.push_back({.names = state.names, .rest = state.next, .certain = certain});
        const std::string group = name + " " + words_[at].shown();
        if (const Subcommands* own = subcommands_of(group))
            find(state, group, *own, own->names);
        else if (const Subcommands* table = left > 1 ? subcommands_of(name) : nullptr)
            find(state, name, *table, left - 1);
    }

    void add_any() {
        found_.push_back({.names = {start_.names.front(), unknown_word()},
                          .rest = words_.size(),
                          .certain = false});
    }

    const std::vector<Word>& words_;
    State start_;
    std::vector<Reading> found_;
};

// `python -m MODULE ...`
std::optional<Reading> module_call(const std::vector<Word>& words) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (!text.starts_with('-')) return std::nullopt;
        if (text.starts_with("--")) {
            if (text == "--check-hash-based-pycs") ++i;
            continue;
        }
        const size_t letter = text.find_first_of("mcWX", 1);
        if (letter == std::string::npos) continue;
        if (text[letter] == 'c') return std::nullopt;
        const bool glued = letter + 1 < text.size() || !words[i].known();
        if (text[letter] == 'm' && glued)
            return Reading{.names = {text_word(text.substr(letter + 1))}, .rest = i + 1};
        if (glued) continue;
        if (++i < words.size() && text[letter] == 'm')
            return Reading{.names = {words[i]}, .rest = i + 1};
    }
    return std::nullopt;
}

// The same command under its usual name.
std::optional<Reading> usual_call(const Command& command, const std::string& program) {
    constexpr std::string_view git = "git-";
    constexpr std::string_view pip = "pip";
    if (program != pip && without_version(program) == pip)
        return Reading{.names = {text_word(std::string(pip))}, .rest = 1};
    if (without_version(program) == "python" || program == "py") return module_call(command.words);
    if (!program.starts_with(git) || program.size() == git.size()) return std::nullopt;
    return Reading{.names = {text_word("git"), text_word(program.substr(git.size()))}, .rest = 1};
}

// As it is without the options in front of the subcommand, and under its usual name.
std::vector<Reading> readings_by_options(const Command& command) {
    const std::string program = command.program();
    if (program.empty()) return {};
    if (auto usual = usual_call(command, program)) {
        std::vector<Reading> readings = {*usual};
        const std::string name = usual->names.front().shown();
        const Subcommands* table = usual->names.size() > 1 ? nullptr : subcommands_of(name);
        if (table)
            std::ranges::move(Reader(command.words, usual->rest, usual->names).read(name, *table),
                              std::back_inserter(readings));
        return readings;
    }
    const bool has_option =
        command.words.size() > 2 && leading_option(command.words[1], no_entry) != Leading::Operand;
    const Subcommands* table = command.words.size() > 2 ? subcommands_of(program) : nullptr;
    if (!table && !has_option) return {};
    return Reader(command.words, 1, {command.words.front()})
        .read(program, table ? *table : no_entry);
}

// Programs that run the program which one of their operands names: npx x, npm exec -- x, gdb x.
struct Runner {
    std::string_view program;
    std::string_view subcommands;  // empty: the first operand
};
constexpr Runner runners[] = {
    {"npx", ""},
    {"pnpx", ""},
    {"bunx", ""},
    {"uvx", ""},
    {"npm", "exec x"},
    {"pnpm", "exec dlx"},
    {"yarn", "exec dlx run"},
    {"bun", "x run"},
    {"uv", "run"},
    {"poetry", "run"},
    {"bundle", "exec"},
    {"pipenv", "run"},
    {"pdm", "run"},
    {"rye", "run"},
    {"hatch", "run"},
    {"pipx", "run"},
    {"gdb", ""},
    {"perf", "stat record trace"},
    {"rr", "record"},
    {"chronic", ""},
    {"entr", ""},
    {"direnv", "exec"},
    {"op", "run"},
};

// The command that a runner runs, wherever it may begin.
void add_runner(const std::vector<Word>& words, const Runner& runner,
                std::vector<Reading>& readings) {
    size_t at = 1;
    if (!runner.subcommands.empty()) {
        while (at < words.size() && !is_one_of(words[at].shown(), runner.subcommands)) ++at;
        ++at;
    }
    bool certain = true;    // no option may have taken a word
    bool is_value = false;  // the word may be the value of an option
    for (; at < words.size(); ++at) {
        const std::string text = words[at].known_start();
        const bool option = text.starts_with('-');
        certain = certain && !is_value;
        if (readings.size() > most_readings) {
            readings.push_back({.names = {unknown_word()}, .rest = words.size(), .certain = false});
            return;
        }
        if (!option) readings.push_back({.names = {words[at]}, .rest = at + 1, .certain = certain});
        if (!option && !is_value) return;
        is_value = option && text != "--" && !text.contains('=');
    }
}

}  // namespace

const Subcommands* subcommands_of(std::string_view program) {
    const auto* found =
        std::ranges::find(subcommand_table, without_version(program), &Subcommands::program);
    return found == std::end(subcommand_table) ? nullptr : found;
}

Leading leading_option(const Word& word, const Subcommands& table) {
    const std::string text = word.known_start();
    if (table.also == '+' && text.starts_with('+')) return Leading::Alone;
    if (table.also == '=' && text.contains('=')) return Leading::Alone;
    const bool option = text.starts_with('-') && (text.size() > 1 || !word.known());
    if (!option) return Leading::Operand;
    if (text == "--" || text.contains('=')) return Leading::Alone;
    if (!word.known()) return Leading::Unsure;
    if (is_one_of(text, table.with_value)) return Leading::WithNext;
    if (is_one_of(text, table.alone)) return Leading::Alone;
    const bool is_word = text.starts_with("--") || table.has_words_with_one_dash;
    return is_word ? Leading::Unsure : cluster_option(text, table);
}

size_t subcommand_position(const std::vector<Word>& words, const Subcommands& table) {
    for (size_t i = 1; i < words.size(); ++i) {
        const Leading option = leading_option(words[i], table);
        if (option == Leading::Operand) return i;
        if (option == Leading::WithNext) ++i;
    }
    return words.size();
}

std::vector<Reading> readings_of(const Command& command) {
    std::vector<Reading> readings = readings_by_options(command);
    if (const auto* runner = std::ranges::find(runners, command.program(), &Runner::program);
        runner != std::end(runners))
        add_runner(command.words, *runner, readings);
    return readings;
}

}  // namespace husk::parse
