#include "decide/long_rule.h"

#include <algorithm>
#include <optional>

#include "decide/command_text.h"
#include "decide/files.h"
#include "decide/glob.h"
#include "decide/path.h"
#include "decide/variables.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;

enum class Wanted : uint8_t {
    ForAllow,  // what is unknown is matched by a star alone, and a program by its own name
    Surely,    // for ask and deny: any way to write the same
    Perhaps,   // and any value that may turn up
};

// An argument, or one of the halves of --option=value and -ovalue.
struct Token {
    Letters text;
    Letters shown;
    size_t next = 0;    // the token that follows it
    bool many = false;  // may be several words

    Token part(size_t begin, size_t end, size_t next_token) const {
        return {text.substr(begin, end - begin), shown.substr(begin, end - begin), next_token};
    }
};

// Where an argument may be cut in two: in front of its second half, and behind its first.
struct Cut {
    size_t first_end;
    size_t second_begin;
};

std::optional<Cut> cut_of(const Letters& text, Wanted wanted) {
    if (text.starts_with(u"--")) {
        const size_t equals = text.find(u'=');
        if (equals == Letters::npos || text.substr(0, equals).contains(any_text)) return {};
        return Cut{equals, equals + 1};
    }
    const bool glued =
        wanted != Wanted::ForAllow && text.size() > 2 && text[0] == u'-' && text[1] != any_text;
    return glued ? std::optional(Cut{2, 2}) : std::nullopt;
}

std::vector<Token> tokens_of(const Subject& subject, Wanted wanted) {
    const Command& command = subject.command;
    const std::string placeholder = placeholder_of(subject.script, command);
    std::vector<Token> tokens;
    for (size_t i = 1; i < command.words.size(); ++i) {
        const Word& word = command.words[i];
        const size_t at = tokens.size();
        const Token whole = {.text = seen(word, placeholder), .shown = letters(word.shown())};
        const auto cut = cut_of(whole.text, wanted);
        tokens.push_back(whole);
        tokens.back().next = at + (cut ? 3 : 1);
        tokens.back().many = may_be_many_words(word);
        if (!cut) continue;
        tokens.push_back(whole.part(0, cut->first_end, at + 2));
        tokens.push_back(whole.part(cut->second_begin, Letters::npos, at + 3));
    }
    return tokens;
}

bool fits(const std::string& alternative, const Token& token, Wanted wanted) {
    const Letters pattern = starred(alternative);
    if (wanted == Wanted::Perhaps) return meets(pattern, token.text);
    return covers(pattern, token.text) ||
           (wanted == Wanted::Surely && covers(pattern, token.shown));
}

// Where to go on behind the element, if it stands at `at`.
std::optional<size_t> behind(const std::vector<std::string>& alternatives,
                             const std::vector<Token>& tokens, size_t at, Wanted wanted) {
    for (const std::string& alternative : alternatives) {
        if (fits(alternative, tokens[at], wanted)) return tokens[at].next;
        // --option=value is also meant where it is written as two words.
        const size_t equals =
            alternative.starts_with("--") ? alternative.find('=') : std::string::npos;
        const size_t second = tokens[at].next;
        if (equals == std::string::npos || second >= tokens.size()) continue;
        if (fits(alternative.substr(0, equals), tokens[at], wanted) &&
            fits(alternative.substr(equals + 1), tokens[second], wanted))
            return tokens[second].next;
    }
    return std::nullopt;
}

// The elements from the second on, in their order, with anything between.
bool occur_in_order(const std::vector<std::vector<std::string>>& elements,
                    const std::vector<Token>& tokens, Wanted wanted) {
    size_t element = 1;
    for (size_t at = 0; at < tokens.size() && element < elements.size();) {
        if (tokens[at].many && wanted == Wanted::Perhaps) return true;
        const auto next = behind(elements[element], tokens, at, wanted);
        if (next) ++element;
        at = next.value_or(at + 1);
    }
    return element == elements.size();
}

bool program_fits(const std::vector<std::string>& alternatives, const Command& command,
                  Wanted wanted) {
    const Word& word = command.words.front();
    const Token path = {.text = letters(word), .shown = letters(word.shown())};
    const Token name = {.text = name_of(path.text), .shown = name_of(path.shown)};
    const bool by_name = wanted != Wanted::ForAllow || is_system_program(command);
    return std::ranges::any_of(alternatives, [&](const std::string& alternative) {
        return fits(alternative, alternative.contains('/') || !by_name ? path : name, wanted);
    });
}

bool words_fit(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    if (pattern.words.empty()) return true;
    return !subject.command.words.empty() &&
           program_fits(pattern.words.front(), subject.command, wanted) &&
           occur_in_order(pattern.words, tokens_of(subject, wanted), wanted);
}

std::vector<Letters> path_patterns(const std::vector<std::string>& globs, const Context& context) {
    std::vector<Letters> patterns;
    for (const std::string& glob : globs) {
        const std::vector<Letters> some = path_patterns(glob, context);
        patterns.insert(patterns.end(), some.begin(), some.end());
    }
    return patterns;
}

// The paths that a word may mean: as if there were no `cd` in front of it, and behind it.
std::vector<Letters> paths_of(const Word& word, const Subject& subject) {
    std::vector<Letters> paths = {absolute(path_of(word, subject.context), subject.context)};
    if (!subject.here.working_directory.empty())
        paths.push_back(absolute(path_of(word, subject.here), subject.here));
    return paths;
}

bool writes_fit(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    if (pattern.writes.empty()) return true;
    const std::vector<Letters> globs = path_patterns(pattern.writes, subject.context);
    std::vector<FileTouch> writes = file_touches(subject.command);
    std::erase_if(writes, [](const FileTouch& touch) {
        return touch.operation != Operation::Write && touch.operation != Operation::Append;
    });
    const auto path_fits = [&](const Letters& path) {
        return std::ranges::any_of(globs, [&](const Letters& glob) {
            return wanted == Wanted::Perhaps ? meets(glob, path) : covers(glob, path);
        });
    };
    // One bad file is enough to deny; to allow, all must be good.
    if (wanted == Wanted::ForAllow)
        return !writes.empty() && std::ranges::all_of(writes, [&](const FileTouch& touch) {
            return std::ranges::all_of(paths_of(touch.path, subject), path_fits);
        });
    return std::ranges::any_of(writes, [&](const FileTouch& touch) {
        return std::ranges::any_of(paths_of(touch.path, subject), path_fits);
    });
}

bool fits(const LongPattern& pattern, const Subject& subject, Wanted wanted) {
    return words_fit(pattern, subject, wanted) && writes_fit(pattern, subject, wanted);
}

}  // namespace

Match may_match(const LongPattern& pattern, const Subject& subject) {
    if (fits(pattern, subject, Wanted::Surely)) return Match::Yes;
    return fits(pattern, subject, Wanted::Perhaps) ? Match::Maybe : Match::No;
}

bool surely_matches(const LongPattern& pattern, const Subject& subject) {
    if (sets_what_runs(subject.command)) return false;
    return fits(pattern, subject, Wanted::ForAllow);
}

}  // namespace husk::decide
