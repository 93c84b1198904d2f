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

enum class Separator { And, Semicolon, NewLine };

struct Next {
    size_t begin;  // of the next command
    Separator separator;
};

// The next command, if this one is followed by `&&`, `;` or a new line.
std::optional<Next> behind_separator(std::string_view source, size_t at) {
    at = behind_blanks(source, at, " \t");
    const std::string_view rest = source.substr(at);
    const auto behind = [&](size_t size, Separator separator) {
        return Next{behind_blanks(source, at + size, " \t\n"), separator};
    };
    if (rest.starts_with("&&")) return behind(2, Separator::And);
    if (rest.starts_with(";")) return behind(1, Separator::Semicolon);
    if (rest.starts_with("\n")) return behind(1, Separator::NewLine);
    return std::nullopt;
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

template <class Test>
bool any_command_from(const Script& script, size_t at, const Test& test) {
    return std::ranges::any_of(
        script.commands, [&](const Command& one) { return one.range.begin >= at && test(one); });
}

bool has_command_from(const Script& script, size_t at) {
    return any_command_from(script, at, [](const Command&) { return true; });
}

// Whether the `cd` names the directory as the caller does, or by another of its names.
enum class Names { Same, Other };

// Returns true if a command from `at` on would use another directory without the `cd`.
bool is_needed_from(const Script& script, size_t at, Names names) {
    const std::string_view rest = std::string_view(script.source).substr(at);
    if (rest.contains("OLDPWD") || rest.contains("~-")) return true;
    return any_command_from(script, at, [&](const Command& one) {
        const std::string program = one.program();
        if (program != "cd" && program != "pushd") return false;
        const auto is_dash = [](const Word& word) { return word.is("-"); };
        return names == Names::Other || std::ranges::any_of(one.words, is_dash);
    });
}

// The leading `cd` commands, one after the other.
class Leading {
public:
    Leading(const Script& script, const Directories& directories)
        : script_(script),
          source_(script.source),
          home_(directories.home),
          here_(tidy(directories.working)),
          there_(directories.resolved.empty() ? here_ : tidy(directories.resolved)),
          current_(here_),
          at_(behind_blanks(source_, 0, " \t\n")),
          kept_(source_.substr(0, at_)) {}

    std::string shortened() {
        while (step()) ++steps_;
        return kept_ + std::string(source_.substr(at_));
    }

private:
    // Keeps or cuts the `cd` at `at_`. Returns false at the first command that is no such `cd`, or
    // that has to stay together with everything behind it.
    bool step() {
        const Command* command = command_at(script_, at_);
        if (command == nullptr) return false;
        const auto target = destination(*command, current_, home_);
        const auto next = behind_separator(source_, command->range.end);
        if (!target || !next || !has_command_from(script_, next->begin)) return false;
        if (*target != here_ && *target != there_) {
            kept_ += source_.substr(at_, next->begin - at_);
            elsewhere_ = next->separator;
        } else if (!may_cut(*target, *next)) {
            return false;
        }
        current_ = *target;
        at_ = next->begin;
        return true;
    }

    bool may_cut(const std::string& target, const Next& next) const {
        const Names names = target == here_ ? Names::Same : Names::Other;
        if (is_needed_from(script_, next.begin, names)) return false;
        const bool is_documented_form =
            steps_ == 1 && elsewhere_ == Separator::Semicolon && next.separator == Separator::And;
        return !elsewhere_ || is_documented_form;
    }

    const Script& script_;
    std::string_view source_;
    std::string home_;
    std::string here_;
    std::string there_;
    std::string current_;
    size_t at_;
    std::string kept_;
    size_t steps_ = 0;
    std::optional<Separator> elsewhere_;  // behind the last `cd` that was kept
};

}  // namespace

std::string display_command(const Script& script, const Directories& directories) {
    if (script.error || directories.working.empty()) return script.source;
    return Leading(script, directories).shortened();
}

}  // namespace husk::render
