// Against commits and pushes that nobody looked at.
#include <algorithm>
#include <array>

#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/command_text.h"
#include "decide/names.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

using parse::Word;

// What stands behind `git` up to the subcommand, and what stands behind that.
struct GitCall {
    std::string subcommand;
    std::vector<Word> settings;  // the values of -c
    std::span<const Word> arguments;
};

// Of `command`, which must outlive the answer.
GitCall git_call(const parse::Command& command) {
    GitCall call;
    const std::span<const Word> words = arguments_of(command);
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string text = words[i].shown();
        if (text == "-c" || text == "--config-env") {
            if (++i < words.size()) call.settings.push_back(words[i]);
        } else if (is_one_of(text,
                             "-C --git-dir --work-tree --namespace --exec-path "
                             "--super-prefix --attr-source")) {
            ++i;
        } else if (words[i].known() && !text.starts_with('-')) {
            call.subcommand = text;
            call.arguments = words.subspan(i + 1);
            return call;
        }
        // Any other option stands alone, and so may a word that is not known.
    }
    return call;
}

// `.` `./` `:/` `*` `./*` `:(top)`, quoted or not: git expands what the shell leaves.
bool is_everything(const Word& word, const Context& context) {
    std::string text = word.shown();
    for (const std::string_view magic : {":/", ":(top)"}) {
        if (!text.starts_with(magic)) continue;
        return text.find_first_not_of("*./", magic.size()) == std::string::npos;
    }
    if (word.known() && !text.empty() && text.find_first_not_of("*./") == std::string::npos)
        return !text.starts_with('/') && !text.contains("..");
    const Path path = path_of(word, context);
    if (path.start != Path::Start::Here) return false;
    return path.segments.empty() ||
           (path.segments.size() == 1 && path.segments.front().kind == Segment::Kind::Everything);
}

bool adds_blindly(const GitCall& call, const Context& context) {
    if (!is_one_of(call.subcommand, "add stage")) return false;
    const Arguments arguments = read_arguments(call.arguments);
    return arguments.has("A") || arguments.has("all", 1) ||
           std::ranges::any_of(arguments.operands,
                               [&](const Word& word) { return is_everything(word, context); });
}

bool pushes_with_force(const GitCall& call) {
    if (call.subcommand != "push") return false;
    static constexpr std::array<std::string_view, 4> with_value = {"repo", "push-option",
                                                                   "receive-pack", "exec"};
    const Arguments arguments = read_arguments(call.arguments, {"o", with_value});
    return arguments.has("f") || arguments.has("force") ||
           std::ranges::any_of(arguments.operands, [](const Word& word) {
               return word.known_start().starts_with('+');
           });
}

bool is_git(const Scene& scene) { return scene.command.program() == "git"; }

std::optional<std::string> blind_add(const Scene& scene) {
    const bool hit = is_git(scene) && adds_blindly(git_call(scene.command), scene.context);
    return hit ? std::optional(scene.command.text) : std::nullopt;
}

std::optional<std::string> force_push(const Scene& scene) {
    const bool hit = is_git(scene) && pushes_with_force(git_call(scene.command));
    return hit ? std::optional(scene.command.text) : std::nullopt;
}

// $x add -A, g?t push -f
std::optional<std::string> perhaps_git(const Scene& scene) {
    if (scene.command.words.empty() || scene.command.words.front().known()) return std::nullopt;
    const Letters program = name_of(letters(scene.command.words.front()));
    if (!meets(letters("git"), program)) return std::nullopt;
    const GitCall call = git_call(scene.command);
    const bool hit = adds_blindly(call, scene.context) || pushes_with_force(call);
    return hit ? std::optional(scene.command.text) : std::nullopt;
}

std::optional<std::string> inline_alias(const Scene& scene) {
    if (!is_git(scene)) return std::nullopt;
    for (const Word& setting : git_call(scene.command).settings) {
        if (setting.known_start().starts_with("alias.")) return setting.shown();
    }
    return std::nullopt;
}

constexpr std::array checks = {
    Check{
        .id = "git/blind-add",
        .decision = Decision::Deny,
        .severity = Severity::Medium,
        .confidence = 1.0,
        .reason = "permission denied: blind git add commands (git add -A, git add ., git add "
                  "--all, git add *) are not allowed, specify files explicitly",
        .instead = "Name the files: git add src/main.cc. What was changed: git status --short.",
        .evidence = blind_add,
    },
    Check{
        .id = "git/force-push",
        .decision = Decision::Deny,
        .severity = Severity::High,
        .confidence = 1.0,
        .reason = "permission denied: git push --force is not allowed. Use --force-with-lease for "
                  "safer force pushes, or push without force",
        .instead = "git push --force-with-lease",
        .evidence = force_push,
    },
    Check{
        .id = "git/perhaps-git",
        .decision = Decision::Ask,
        .severity = Severity::Medium,
        .confidence = 0.6,
        .reason = "The program is not known before it runs. If it is git, this adds everything "
                  "blindly or pushes with force ({}).",
        .instead = "Write git, and name the files.",
        .evidence = perhaps_git,
    },
    Check{
        .id = "git/inline-alias",
        .decision = Decision::Ask,
        .severity = Severity::Medium,
        .confidence = 0.8,
        .reason = "A git alias that is defined on the command line hides what git will run ({}).",
        .instead = "Write the git command itself.",
        .evidence = inline_alias,
    },
};

}  // namespace

constinit const Pack git_pack = {
    .name = "git",
    .about = "commits and pushes that nobody looked at",
    .on_by_default = true,
    .checks = checks,
};

}  // namespace husk::decide
