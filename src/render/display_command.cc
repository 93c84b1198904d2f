#include "render/display_command.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace husk::render {
namespace {

using parse::Command;
using parse::Piece;
using parse::Script;
using parse::Word;

size_t behind_blanks(std::string_view source, size_t at, std::string_view blanks) {
    while (at < source.size()) {
        if (blanks.contains(source[at]))
            ++at;
        else if (source.substr(at).starts_with("\\\n"))
            at += 2;
        else
            break;
    }
    return at;
}

// Where the next command begins, if this one is followed by `&&`, `;` or a new line.
std::optional<size_t> behind_separator(std::string_view source, size_t at) {
    at = behind_blanks(source, at, " \t");
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("&&"))
        at += 2;
    else if (rest.starts_with(";") || rest.starts_with("\n"))
        at += 1;
    else
        return std::nullopt;
    return behind_blanks(source, at, " \t\n");
}

// "." and ".." as `cd` understands them: by the text, not by where links lead.
std::string tidy(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const size_t end = std::min(path.find('/'), path.size());
        const std::string_view part = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else if (!part.empty() && part != ".") {
            parts.push_back(part);
        }
    }
    std::string tidied;
    for (const std::string_view part : parts) tidied += "/" + std::string(part);
    return tidied.empty() ? "/" : tidied;
}

bool is_plain_variable(const Piece& piece, std::string_view name) {
    return piece.kind == Piece::Kind::Variable && piece.name == name &&
           (piece.text == "$" + piece.name || piece.text == "${" + piece.name + "}");
}

std::optional<std::string> value_of(const Piece& piece, const std::string& current,
                                    const std::string& home) {
    if (piece.kind == Piece::Kind::Text) return piece.text;
    if (piece.kind == Piece::Kind::Tilde && piece.text == "~" && !home.empty()) return home;
    for (const auto& [name, value] : {std::pair("HOME", home), std::pair("PWD", current)}) {
        // Without quotes the value would be split into words.
        const bool whole = piece.quoted || value.find_first_of(" \t\n*?[") == std::string::npos;
        if (is_plain_variable(piece, name) && whole && !value.empty()) return value;
    }
    return std::nullopt;
}

// Only what starts like this is safe from CDPATH.
bool starts_at_current(std::string_view path) {
    return path == "." || path == ".." || path.starts_with("./") || path.starts_with("../");
}

std::optional<std::string> destination(const Word& word, const std::string& current,
                                       const std::string& home) {
    std::string path;
    for (const Piece& piece : word.pieces) {
        const auto value = value_of(piece, current, home);
        if (!value) return std::nullopt;
        path += *value;
    }
    if (path.starts_with("/")) return tidy(path);
    if (!starts_at_current(path) || current.empty()) return std::nullopt;
    return tidy(current + "/" + path);
}

// Where a plain `cd` leads; nothing for every other command, and where that cannot be known.
std::optional<std::string> destination(const Command& command, const std::string& current,
                                       const std::string& home) {
    if (command.words.empty() || !command.words[0].is("cd")) return std::nullopt;
    if (!command.assignments.empty() || !command.redirects.empty()) return std::nullopt;
    const bool dashes = command.words.size() > 1 && command.words[1].is("--");
    const size_t first = dashes ? 2 : 1;
    if (command.words.size() == first && !home.empty()) return tidy(home);
    if (command.words.size() != first + 1) return std::nullopt;
    return destination(command.words[first], current, home);
}

const Command* command_at(const Script& script, size_t at) {
    const auto found = std::ranges::find_if(script.commands, [&](const Command& command) {
        return command.range.begin == at && command.carrier == Command::none;
    });
    return found == script.commands.end() ? nullptr : &*found;
}

bool has_command_from(const Script& script, size_t at) {
    return std::ranges::any_of(script.commands,
                               [&](const Command& one) { return one.range.begin >= at; });
}

}  // namespace

std::string display_command(const Script& script, const Directories& directories) {
    const std::string_view source = script.source;
    if (script.error || directories.working.empty()) return script.source;
    const std::string here = tidy(directories.working);
    const std::string there = directories.resolved.empty() ? here : tidy(directories.resolved);
    std::string current = here;
    size_t at = behind_blanks(source, 0, " \t\n");
    std::string kept(source.substr(0, at));
    while (const Command* command = command_at(script, at)) {
        const auto target = destination(*command, current, directories.home);
        const auto next = behind_separator(source, command->range.end);
        if (!target || !next || !has_command_from(script, *next)) break;
        if (*target != here && *target != there) kept += source.substr(at, *next - at);
        current = *target;
        at = *next;
    }
    return kept + std::string(source.substr(at));
}

}  // namespace husk::render
