#include "decide/command_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/names.h"
#include "decide/expansion.h"
#include "decide/path.h"
#include "parse/subcommands.h"
#include "parse/wrappers.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Script;
using parse::Word;

constexpr std::string_view system_directories =
    "/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /snap/bin /opt/homebrew/bin";

constexpr char16_t no_letter = 0x1ff;  // what only a star matches

// Each `part` of the text is unknown.
Letters replaced(Letters text, const Letters& part) {
    for (size_t at = text.find(part); at != Letters::npos; at = text.find(part, at + 1))
        text.replace(at, part.size(), 1, any_text);
    return text;
}

// `git "log x"` and `git log x` look the same in a line, but a program named "git log" is not git.
Letters without_spaces(Letters program) {
    std::ranges::replace(program, u' ', no_letter);
    return program;
}

// $x, "$@" and the words of xargs may vanish; "$x" and ""$x are at least an empty word.
bool may_be_nothing(const Word& word) {
    if (!may_be_many_words(word)) return false;
    const bool is_list = std::ranges::any_of(
        word.pieces, [](const Piece& piece) { return piece.quoted && !piece.text.empty(); });
    return std::ranges::all_of(word.pieces, [&](const Piece& piece) {
        return piece.kind == Piece::Kind::Variable || piece.kind == Piece::Kind::Substitution ||
               (is_list && piece.text.empty());
    });
}

// The words of a command from its program on: first `names`, then `more`.
CommandText text_of(std::span<const Word> names, std::span<const Word> more,
                    const std::string& placeholder) {
    Letters arguments;
    Letters arguments_shown;
    const auto add = [&](const Word& word) {
        if (may_be_nothing(word))
            arguments += {maybe_space, any_text};
        else
            arguments += u' ' + seen(word, placeholder);
        arguments_shown += u' ' + letters(word.shown());
    };
    std::ranges::for_each(names.subspan(1), add);
    std::ranges::for_each(more, add);
    const Letters program = without_spaces(seen(names.front(), placeholder));
    const Letters program_shown = without_spaces(letters(names.front().shown()));
    const auto line = [](const Letters& name, const Letters& rest) {
        return Line{Text(name + rest), Text(name_of(name) + rest)};
    };
    return {.line = line(program, arguments), .shown = line(program_shown, arguments_shown)};
}

}  // namespace

CommandText command_text(const Script& script, size_t index) {
    const Command& command = script.commands[index];
    if (command.words.empty()) return {};
    return text_of(command.words, {}, placeholder_of(script, command));
}

std::vector<CommandText> readings_text(const Script& script, size_t index) {
    const Command& command = script.commands[index];
    std::vector<CommandText> texts;
    for (const parse::Reading& reading : parse::readings_of(command)) {
        texts.push_back(text_of(reading.names, std::span(command.words).subspan(reading.rest),
                                placeholder_of(script, command)));
        texts.back().certain = reading.certain;
    }
    const std::string direct = direct_path(command);
    if (!direct.empty() && !command.words.front().is(direct)) {
        const std::array program = {known_word(direct)};
        texts.push_back(
            text_of(program, std::span(command.words).subspan(1), placeholder_of(script, command)));
    }
    return texts;
}

std::string placeholder_of(const Script& script, const Command& command) {
    for (const Command* inner = &command;
         inner->via == parse::Via::Wrapper && inner->carrier < script.commands.size();
         inner = &script.commands[inner->carrier]) {
        const Command& carrier = script.commands[inner->carrier];
        if (is_one_of(carrier.program(), "find fd fdfind")) return "{}";
        if (carrier.program() == "xargs") return parse::placeholder_of_xargs(carrier);
    }
    return "";
}

Letters seen(const Word& word, const std::string& placeholder) {
    return placeholder.empty() ? letters(word) : replaced(letters(word), letters(placeholder));
}

Letters name_of(const Letters& program) {
    return program.substr(program.rfind(u'/') + 1);  // npos + 1 is 0
}

bool is_system_program(const Command& command) {
    if (command.words.empty() || !command.words.front().known()) return false;
    const std::string path = command.words.front().shown();
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return true;
    return is_system_directory(path.substr(0, slash));
}

bool is_system_directory(std::string_view directory) {
    return is_one_of(directory, system_directories);
}

std::string direct_path(const Command& command) {
    if (command.words.empty() || !command.words.front().known_start().starts_with('/')) return "";
    const Path path = path_of(command.words.front(), {});
    return path.start == Path::Start::Root ? known_absolute(path, {}) : "";
}

}  // namespace husk::decide
