// Against removals that nobody means.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/everything.h"
#include "decide/glob.h"
#include "decide/input.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Piece;
using parse::Word;

std::optional<std::string> first_critical(const Removal& removal, const Context& context) {
    for (const Word& target : removal.targets) {
        if (!target.is("") && is_critical(target_of(target, context), context))
            return target.shown();
    }
    return std::nullopt;
}

std::optional<std::string> critical_target(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    return first_critical(*removal, scene.context);
}

std::optional<std::string> perhaps_critical(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Perhaps) return std::nullopt;
    if (!first_critical(*removal, scene.context)) return std::nullopt;
    return scene.command.text;
}

bool may_be_empty(const Piece& piece) {
    if (piece.kind != Piece::Kind::Variable) return false;
    if (is_one_of(piece.name, "HOME PWD $ ? # 0 UID EUID PPID RANDOM SECONDS BASHPID"))
        return false;
    // ${x:?} stops, ${x:-y} and ${x:=y} have something else to give; ${x:-} has not.
    const size_t operation = piece.text.find(':');
    if (operation == std::string::npos || operation + 2 >= piece.text.size()) return true;
    const char kind = piece.text[operation + 1];
    const bool has_more = piece.text[operation + 2] != '}';
    return kind != '?' && !((kind == '-' || kind == '=') && has_more);
}

// Next to a slash, an empty variable makes another path of it.
bool may_lose_a_part(const Word& word) {
    const std::vector<Piece>& pieces = word.pieces;
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (!may_be_empty(pieces[i])) continue;
        if (i > 0 && pieces[i - 1].text.ends_with('/')) return true;
        if (i + 1 < pieces.size() && pieces[i + 1].text.starts_with('/')) return true;
    }
    return false;
}

// /*$x is all there is, once $x is empty.
bool may_become_critical(const Word& word, const Context& context) {
    Word rest = word;
    std::erase_if(rest.pieces, may_be_empty);
    if (rest.pieces.size() == word.pieces.size()) return false;
    const Path path = path_of(rest, context);
    return path.start == Path::Start::Root && is_critical(path, context);
}

std::optional<std::string> empty_variable(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    for (const Word& target : removal->targets) {
        if (may_lose_a_part(target) || may_become_critical(target, scene.context))
            return target.shown();
    }
    return std::nullopt;
}

// Programs that list what they find below a named place, and nothing else.
constexpr std::string_view finders = "find fd fdfind git ls mktemp dirname realpath";

bool is_carried_by(const Scene& scene, std::string_view program) {
    const std::vector<parse::Command>& commands = scene.script.commands;
    for (size_t i = scene.command.carrier; i < commands.size(); i = commands[i].carrier) {
        if (commands[i].program() == program) return true;
    }
    return false;
}

// What stands in front of xargs decides what is removed.
bool is_fed_by_finder(const Scene& scene) {
    const auto feeding = scene.survey.feeding(scene.index);
    return !feeding.empty() && is_one_of(feeding.back()->program(), finders);
}

// The commands that a variable alone in a word was read from: `find . | while read x; do rm "$x"`.
// The kind is Unknown if no `read` sets the variable.
Input input_behind(const Scene& scene, const Word& target) {
    const bool is_variable =
        target.pieces.size() == 1 && target.pieces.front().kind == Piece::Kind::Variable;
    if (!is_variable) return {};
    const size_t reader = scene.survey.reader_of(target.pieces.front().name, scene.index);
    if (reader == parse::Command::none) return {};
    return input_of(scene.script, scene.survey, reader);
}

// As for xargs: what a program finds below a named place is known well enough.
bool is_read_from_elsewhere(const Scene& scene, const Word& target) {
    const Input input = input_behind(scene, target);
    const bool is_found =
        input.kind == Input::Kind::Commands && is_one_of(input.commands.back()->program(), finders);
    return input.kind != Input::Kind::Unknown && !is_found;
}

std::optional<std::string> targets_from_elsewhere(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    const size_t carrier = scene.command.carrier;
    const std::string by =
        carrier < scene.script.commands.size() ? scene.script.commands[carrier].program() : "";
    if (by == "parallel") return scene.command.text;
    for (const Word& target : removal->targets) {
        if (is_added_later(target)) {
            if (by == "xargs" && !is_fed_by_finder(scene)) return scene.command.text;
            continue;
        }
        if (is_read_from_elsewhere(scene, target)) return target.shown();
        for (const Piece& piece : target.pieces) {
            if (piece.kind != Piece::Kind::Substitution || target.pieces.size() > 1) continue;
            const auto commands = scene.survey.inside(scene.index, piece);
            if (commands.empty() || !is_one_of(commands.front()->program(), finders))
                return target.shown();
        }
    }
    return std::nullopt;
}

// The {} of find, or what stands for it in a script: $0, $1, $@.
bool is_found(const Word& word) {
    return is_added_later(word) || word.shown().contains("{}") ||
           std::ranges::any_of(word.pieces, [](const Piece& piece) {
               return piece.kind == Piece::Kind::Variable &&
                      is_one_of(piece.name, "0 1 2 3 4 5 6 7 8 9 @ *");
           });
}

// `find / -delete`, `find / -exec rm {} +`, `find / -exec sh -c 'rm "$1"' _ {} \;`
bool deletes_what_it_finds(const Scene& scene) {
    const std::vector<parse::Command>& commands = scene.script.commands;
    if (std::ranges::any_of(scene.command.words,
                            [](const Word& word) { return word.is("-delete"); }))
        return true;
    for (size_t i = scene.index + 1; i < commands.size(); ++i) {
        if (commands[i].depth <= commands[scene.index].depth) break;
        if (!is_one_of(commands[i].program(), "rm unlink shred")) continue;
        if (std::ranges::any_of(arguments_of(commands[i]), is_found)) return true;
    }
    return false;
}

// What lists the targets, the last of a pipe first: `find / | xargs rm`, or
// `find / | while read x; do rm "$x"; done`.
std::vector<const parse::Command*> listing(const Scene& scene, const Removal& removal) {
    if (is_carried_by(scene, "xargs")) return scene.survey.feeding(scene.index);
    for (const Word& target : removal.targets)
        if (Input input = input_behind(scene, target); !input.commands.empty())
            return std::move(input.commands);
    return {};
}

// find / | xargs rm, ls | xargs rm -rf
bool removes_what_was_listed(const Scene& scene, const Removal& removal) {
    const auto feeding = listing(scene, removal);
    if (feeding.empty() || !lists_everything(*feeding.back(), scene.context)) return false;
    if (feeding.back()->program() == "ls" && removal.recursive_and_forced != Force::Yes)
        return false;
    return std::ranges::all_of(feeding, [&](const parse::Command* command) {
        return command == feeding.back() || is_one_of(command->program(), "sort uniq tr tac cat");
    });
}

// rm -rf $(ls)
bool removes_what_is_listed(const Scene& scene, const Removal& removal) {
    if (removal.recursive_and_forced != Force::Yes) return false;
    return std::ranges::any_of(removal.targets, [&](const Word& target) {
        if (target.pieces.size() != 1 || is_added_later(target)) return false;
        const auto commands = scene.survey.inside(scene.index, target.pieces.front());
        return commands.size() == 1 && lists_everything(*commands.front(), scene.context);
    });
}

std::optional<std::string> find_delete(const Scene& scene) {
    bool deletes = false;
    if (scene.command.program() == "find") {
        deletes = deletes_what_it_finds(scene) && lists_everything(scene.command, scene.context);
    } else if (scene.command.program() == "rm") {
        const auto removal = removal_of(scene.command);
        deletes = removal && (removes_what_was_listed(scene, *removal) ||
                              removes_what_is_listed(scene, *removal));
    }
    return found_if(deletes, scene.command.text);
}

constexpr std::array checks = {
    Check{"rm/critical-target", Decision::Deny, Severity::Critical, 1.0,
          "permission denied: this rm command could delete critical data (.git, home directory, or "
          "root). Specify the full path explicitly (no wildcards, ~, or $HOME)",
          "rm -rf with the full path of the one directory that is meant", critical_target},
    Check{"rm/perhaps-critical", Decision::Ask, Severity::High, 0.6,
          "Part of this command is not known before it runs. If that part makes it a forced "
          "recursive rm, it deletes critical data (.git, home directory, or root).",
          "Write the program and its options out.", perhaps_critical},
    Check{"rm/empty-variable", Decision::Ask, Severity::High, 0.6,
          "If the variable in {} is empty, this removes something else than is meant.",
          "Make an empty variable an error: rm -rf \"${X:?}/build\"", empty_variable},
    Check{"rm/targets-from-elsewhere", Decision::Ask, Severity::Medium, 0.5,
          "What is removed, with everything below it, is not known before it runs ({}).",
          "Look at the list first, then name what is to be removed.", targets_from_elsewhere},
    Check{"rm/find-delete", Decision::Deny, Severity::Critical, 0.9,
          "This deletes everything in a directory that nobody means to lose (root, home, .git or "
          "the working directory).",
          "Name the directory, and say which files: find build -name '*.o' -delete", find_delete},
};

}  // namespace

constinit const Pack rm_pack = {
    .name = "rm",
    .about = "removals that nobody means",
    .on_by_default = true,
    .checks = checks,
};

}  // namespace husk::decide
