// Against removals that nobody means.
#include <algorithm>
#include <array>

#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/glob.h"
#include "decide/names.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Piece;
using parse::Word;

std::optional<std::string> first_critical(const Removal& removal, const Context& context) {
    for (const Word& target : removal.targets) {
        if (!target.is("") && is_critical(path_of(target, context), context)) return target.shown();
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

std::optional<std::string> empty_variable(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    const auto found = std::ranges::find_if(removal->targets, may_lose_a_part);
    return found == removal->targets.end() ? std::nullopt : std::optional(found->shown());
}

// Programs that list what they find below a named place, and nothing else.
constexpr std::string_view finders = "find fd fdfind git ls mktemp dirname realpath";

std::string carrier_program(const Scene& scene) {
    const size_t carrier = scene.command.carrier;
    if (carrier >= scene.script.commands.size()) return "";
    return scene.script.commands[carrier].program();
}

// What stands in front of xargs decides what is removed.
bool is_fed_by_finder(const Scene& scene) {
    const auto feeding = scene.survey.feeding(scene.index);
    return !feeding.empty() && is_one_of(feeding.back()->program(), finders);
}

std::optional<std::string> targets_from_elsewhere(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    const std::string carrier = carrier_program(scene);
    if (carrier == "parallel") return scene.command.text;
    for (const Word& target : removal->targets) {
        if (is_added_later(target)) {
            if (carrier == "xargs" && !is_fed_by_finder(scene)) return scene.command.text;
            continue;
        }
        for (const Piece& piece : target.pieces) {
            if (piece.kind != Piece::Kind::Substitution || target.pieces.size() > 1) continue;
            const auto commands = scene.survey.inside(scene.index, piece);
            if (commands.empty() || !is_one_of(commands.front()->program(), finders))
                return target.shown();
        }
    }
    return std::nullopt;
}

// `find / -delete` and `find / -exec rm -rf {} +`, with no test that makes it few files.
bool deletes_what_it_finds(const Scene& scene) {
    const std::vector<Word>& words = scene.command.words;
    for (size_t i = 1; i < words.size(); ++i) {
        if (words[i].is("-delete")) return true;
        if (words[i].shown().starts_with("-exec") && i + 1 < words.size() &&
            is_one_of(words[i + 1].shown(), "rm /bin/rm /usr/bin/rm"))
            return true;
    }
    return false;
}

std::optional<std::string> find_delete(const Scene& scene) {
    if (scene.command.program() != "find" || !deletes_what_it_finds(scene)) return std::nullopt;
    constexpr std::string_view tests =
        "-name -iname -path -ipath -wholename -regex -iregex -newer -mtime -mmin -atime -amin "
        "-ctime -cmin -size -empty -user -nouser -perm -samefile -inum -lname";
    auto words = arguments_of(scene.command);
    while (!words.empty() && is_one_of(words.front().shown(), "-H -L -P")) words = words.subspan(1);
    if (std::ranges::any_of(words,
                            [&](const Word& word) { return is_one_of(word.shown(), tests); }))
        return std::nullopt;
    const auto expression = std::ranges::find_if(words, [](const Word& word) {
        return word.known_start().starts_with('-') || word.is("!") || word.is("(");
    });
    const auto places = words.first(static_cast<size_t>(expression - words.begin()));
    const bool critical = places.empty() || std::ranges::any_of(places, [&](const Word& place) {
                              return is_critical(path_of(place, scene.context), scene.context);
                          });
    return critical ? std::optional(scene.command.text) : std::nullopt;
}

constexpr std::array checks = {
    Check{
        .id = "rm/critical-target",
        .decision = Decision::Deny,
        .severity = Severity::Critical,
        .confidence = 1.0,
        .reason = "permission denied: this rm command could delete critical data (.git, home "
                  "directory, or root). Specify the full path explicitly (no wildcards, ~, or "
                  "$HOME)",
        .instead = "rm -rf with the full path of the one directory that is meant",
        .evidence = critical_target,
    },
    Check{
        .id = "rm/perhaps-critical",
        .decision = Decision::Ask,
        .severity = Severity::High,
        .confidence = 0.6,
        .reason = "Part of this command is not known before it runs. If that part makes it a "
                  "forced recursive rm, it deletes critical data (.git, home directory, or root).",
        .instead = "Write the program and its options out.",
        .evidence = perhaps_critical,
    },
    Check{
        .id = "rm/empty-variable",
        .decision = Decision::Ask,
        .severity = Severity::High,
        .confidence = 0.6,
        .reason = "If the variable in {} is empty, this removes something else than is meant.",
        .instead = "Make an empty variable an error: rm -rf \"${X:?}/build\"",
        .evidence = empty_variable,
    },
    Check{
        .id = "rm/targets-from-elsewhere",
        .decision = Decision::Ask,
        .severity = Severity::Medium,
        .confidence = 0.5,
        .reason = "What is removed, with everything below it, is not known before it runs ({}).",
        .instead = "Look at the list first, then name what is to be removed.",
        .evidence = targets_from_elsewhere,
    },
    Check{
        .id = "rm/find-delete",
        .decision = Decision::Deny,
        .severity = Severity::Critical,
        .confidence = 0.9,
        .reason = "This find deletes everything in a directory that nobody means to lose (root, "
                  "home, .git or the working directory).",
        .instead = "Name the directory, and say which files: find build -name '*.o' -delete",
        .evidence = find_delete,
    },
};

}  // namespace

constinit const Pack rm_pack = {
    .name = "rm",
    .about = "removals that nobody means",
    .on_by_default = true,
    .checks = checks,
};

}  // namespace husk::decide
