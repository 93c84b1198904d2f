#include "decide/long_rule.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "decide/path.h"
#include "decide/variables.h"
#include "parse/subcommands.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;
using Element = std::vector<Alternative>;

enum class Wanted : uint8_t {
    ForAllow,  // what is unknown is matched by a star alone, and a program by its own name
    Surely,    // for ask and deny: any way to write the same
    Perhaps,   // and any value that may turn up
};

bool fits(const Glob& glob, const Token& token, Wanted wanted) {
    if (wanted == Wanted::Perhaps) return glob.meets(token.text);
    return glob.covers(token.text) || (wanted == Wanted::Surely && glob.covers(token.shown));
}

// Where to go on behind the element, if it stands at `at`.
std::optional<size_t> behind(const Element& element, const std::vector<Token>& tokens, size_t at,
                             Wanted wanted) {
    for (const Alternative& alternative : element) {
        if (fits(alternative.glob, tokens[at], wanted)) return tokens[at].next;
        // --option=value is also meant where it is written as two words.
        const size_t second = tokens[at].next;
        if (alternative.halves.empty() || second >= tokens.size()) continue;
        if (fits(alternative.halves[0], tokens[at], wanted) &&
            fits(alternative.halves[1], tokens[second], wanted))
            return tokens[second].next;
    }
    return std::nullopt;
}

// The elements from the second on, in their order, with anything between. Nothing may be left out
// of the words before `free_from`.
bool occur_in_order(const std::vector<Element>& elements, const std::vector<Token>& tokens,
                    Wanted wanted, size_t free_from) {
    if (elements.size() == 1) return true;
    size_t element = 1;
    for (size_t at = 0; at < tokens.size();) {
        const bool is_fixed = tokens[at].word < free_from;
        if (element == elements.size()) return !is_fixed;
        if (tokens[at].many && wanted == Wanted::Perhaps) return true;
        const auto next = behind(elements[element], tokens, at, wanted);
        if (next) ++element;
        // A word that is seen as two may fit as such.
        const bool is_last_try = next || tokens[at].next == at + 1;
        if (!next && is_fixed && is_last_try) return false;
        at = next.value_or(at + 1);
    }
    return element == elements.size();
}

bool program_fits(const Element& element, const Word& program, bool by_name, Wanted wanted) {
    const Letters text = letters(program);
    const Letters shown = letters(program.shown());
    const Token path = {.text = Text(text), .shown = Text(shown)};
    const Token name = {.text = Text(name_of(text)), .shown = Text(name_of(shown))};
    return std::ranges::any_of(element, [&](const Alternative& alternative) {
        return fits(alternative.glob, alternative.text.contains('/') || !by_name ? path : name,
                    wanted);
    });
}

// How many of a command's arguments come before its subcommand, with it. To allow a subcommand is
// not to allow `git -C elsewhere` or `git push` in front of it.
size_t up_to_subcommand(const Command& command) {
    const parse::Subcommands* table = parse::subcommands_of(command.program());
    return table ? parse::subcommand_position(command.words, *table) : 0;
}

bool words_fit(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    if (pattern.words.empty()) return true;
    const Command& command = subject.command;
    if (command.words.empty()) return false;
    if (wanted == Wanted::ForAllow)
        return program_fits(pattern.words.front(), command.words.front(),
                            is_system_program(command), wanted) &&
               occur_in_order(pattern.words, subject.tokens(Cuts::AtEquals), wanted,
                              up_to_subcommand(command));
    return program_fits(pattern.words.front(), command.words.front(), true, wanted) &&
           occur_in_order(pattern.words, subject.tokens(Cuts::AtLetters), wanted, 0);
}

// The command under another name: python -m pip, git-push.
bool reading_fits(const LongPattern& pattern, const Subject& subject) {
    if (pattern.words.empty()) return false;
    return std::ranges::any_of(
        parse::readings_of(subject.command), [&](const parse::Reading& reading) {
            if (reading.names.front() == subject.command.words.front()) return false;
            std::vector<Word> words(reading.names.begin() + 1, reading.names.end());
            const auto rest = std::span(subject.command.words).subspan(reading.rest);
            words.insert(words.end(), rest.begin(), rest.end());
            return program_fits(pattern.words.front(), reading.names.front(), true,
                                Wanted::Surely) &&
                   occur_in_order(pattern.words, tokens_of(words, "", Cuts::AtLetters),
                                  Wanted::Surely, 0);
        });
}

bool writes_fit(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    if (pattern.writes.empty()) return true;
    const std::vector<std::vector<Text>>& written = subject.written();
    if (written.empty()) return false;
    std::vector<Glob> globs;
    for (const std::string& glob : pattern.writes)
        for (const Letters& path : path_patterns(glob, subject.context)) globs.emplace_back(path);
    const auto path_fits = [&](const Text& path) {
        return std::ranges::any_of(globs, [&](const Glob& glob) {
            return wanted == Wanted::Perhaps ? glob.meets(path) : glob.covers(path);
        });
    };
    // One bad file is enough to deny; to allow, all must be good.
    if (wanted == Wanted::ForAllow)
        return std::ranges::all_of(written, [&](const std::vector<Text>& paths) {
            return std::ranges::all_of(paths, path_fits);
        });
    return std::ranges::any_of(written, [&](const std::vector<Text>& paths) {
        return std::ranges::any_of(paths, path_fits);
    });
}

bool fits(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    return words_fit(pattern, subject, wanted) && writes_fit(pattern, subject, wanted);
}

}  // namespace

Alternative::Alternative(std::string written) : text(std::move(written)), glob(starred(text)) {
    const size_t equals = text.starts_with("--") ? text.find('=') : std::string::npos;
    if (equals == std::string::npos) return;
    halves.emplace_back(starred(std::string_view(text).substr(0, equals)));
    halves.emplace_back(starred(std::string_view(text).substr(equals + 1)));
}

Match may_match(const LongPattern& pattern, const Subject& subject) {
    if (fits(pattern, subject, Wanted::Surely)) return Match::Yes;
    if (!subject.readings.empty() && reading_fits(pattern, subject) &&
        writes_fit(pattern, subject, Wanted::Surely))
        return Match::Yes;
    return fits(pattern, subject, Wanted::Perhaps) ? Match::Maybe : Match::No;
}

bool surely_matches(const LongPattern& pattern, const Subject& subject) {
    if (sets_what_runs(subject.command)) return false;
    return fits(pattern, subject, Wanted::ForAllow);
}

}  // namespace husk::decide
