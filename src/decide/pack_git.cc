// Against commits and pushes that nobody looked at.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/command_text.h"
#include "decide/path.h"
#include "parse/letters.h"
#include "parse/subcommands.h"

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
    // The programs behind git can be called by themselves: git-add -A
    const std::string program = command.program();
    if (program.starts_with("git-")) {
        call.subcommand = program.substr(std::string_view("git-").size());
        call.arguments = words;
        return call;
    }
    const parse::Subcommands& table = *parse::subcommands_of("git");
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string text = words[i].shown();
        switch (parse::leading_option(words[i], table)) {
            case parse::Leading::WithNext:
                if (++i < words.size() && is_one_of(text, "-c --config-env"))
                    call.settings.push_back(words[i]);
                break;
            case parse::Leading::Operand:
                // A word that is not known may be an option.
                if (!words[i].known()) break;
                call.subcommand = text;
                call.arguments = words.subspan(i + 1);
                return call;
            case parse::Leading::Alone:
            case parse::Leading::Unsure: break;
        }
    }
    return call;
}

// How a pathspec begins that is more than a path: `:/x`, `:!x`, `:(top,glob)x`.
struct Magic {
    size_t length = 0;
    bool excludes = false;
};

Magic magic_of(std::string_view text) {
    if (!text.starts_with(':')) return {};
    if (text.starts_with(":(")) {
        const size_t close = text.find(')');
        if (close == std::string_view::npos) return {};
        return {close + 1, text.substr(0, close).contains("exclude")};
    }
    const size_t end = std::min(text.find_first_not_of(":/!^"), text.size());
    return {end, text.substr(0, end).find_first_of("!^") != std::string_view::npos};
}

bool leaves_something_out(const Word& word) { return magic_of(word.shown()).excludes; }

// `.` `./` `:/` `*` `./*` `:` `:(glob)**`, quoted or not: git expands what the shell leaves.
bool is_everything(const Word& word, const Context& context) {
    const std::string text = word.shown();
    if (const Magic magic = magic_of(text); magic.length > 0)
        return !magic.excludes && text.find_first_not_of("*./", magic.length) == std::string::npos;
    if (word.known() && !text.empty() && text.find_first_not_of("*./") == std::string::npos)
        return !text.starts_with('/') && !text.contains("..");
    const Path path = path_of(word, context);
    if (path.start == Path::Start::Root || path.start == Path::Start::Home)
        return !context.working_directory.empty() &&
               known_absolute(path, context) == context.working_directory;
    if (path.start != Path::Start::Here) return false;
    return path.segments.empty() ||
           (path.segments.size() == 1 && path.segments.front().kind == Segment::Kind::Everything);
}

bool adds_blindly(const GitCall& call, const Context& context) {
    if (!is_one_of(call.subcommand, "add stage")) return false;
    const Arguments arguments = read_arguments(call.arguments);
    // These only say what would be added, or that it will be.
    if (arguments.has("n") || arguments.has("dry-run", 1) || arguments.has("N") ||
        arguments.has("intent-to-add", 5))
        return false;
    const std::vector<Word>& paths = arguments.operands;
    return arguments.has("A") || arguments.has("all", 1) ||
           (!paths.empty() && std::ranges::all_of(paths, leaves_something_out)) ||
           std::ranges::any_of(paths,
                               [&](const Word& word) { return is_everything(word, context); });
}

Arguments push_arguments(const GitCall& call) {
    static constexpr std::array<std::string_view, 4> with_value = {"repo", "push-option",
                                                                   "receive-pack", "exec"};
    return read_arguments(call.arguments, {"o", with_value});
}

bool pushes_with_force(const GitCall& call, const Context& /*context*/) {
    if (call.subcommand != "push") return false;
    const Arguments arguments = push_arguments(call);
    return arguments.has("f") || arguments.has("force") ||
           std::ranges::any_of(arguments.operands, [](const Word& word) {
               return word.known_start().starts_with('+');
           });
}

bool pushes_everything(const GitCall& call, const Context& /*context*/) {
    return call.subcommand == "push" && push_arguments(call).has("mirror", 1);
}

using Question = bool (*)(const GitCall& call, const Context& context);

// A call of git that satisfies the question.
template <Question question>
std::optional<std::string> git_that(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool is_git = program == "git" || program.starts_with("git-");
    return found_if(is_git && question(git_call(scene.command), scene.context), scene.command.text);
}

// $x add -A, g?t push -f
std::optional<std::string> perhaps_git(const Scene& scene) {
    if (scene.command.words.empty() || scene.command.words.front().known()) return std::nullopt;
    const Letters program = name_of(letters(scene.command.words.front()));
    if (!meets(letters("git"), program)) return std::nullopt;
    const GitCall call = git_call(scene.command);
    const bool hit = std::ranges::any_of(
        std::array<Question, 3>{adds_blindly, pushes_with_force, pushes_everything},
        [&](Question question) { return question(call, scene.context); });
    return found_if(hit, scene.command.text);
}

std::optional<std::string> inline_alias(const Scene& scene) {
    if (scene.command.program() != "git") return std::nullopt;
    for (const Word& setting : git_call(scene.command).settings) {
        if (parse::lowered(setting.known_start()).starts_with("alias.")) return setting.shown();
    }
    return std::nullopt;
}

constexpr std::array checks = {
    Check{"git/blind-add", Decision::Deny, Severity::Medium, 1.0,
          "permission denied: blind git add commands (git add -A, git add ., git add --all, git "
          "add *) are not allowed, specify files explicitly",
          "Name the files: git add src/main.cc. What was changed: git status --short.",
          git_that<adds_blindly>},
    Check{"git/force-push", Decision::Deny, Severity::High, 1.0,
          "permission denied: git push --force is not allowed. Use --force-with-lease for safer "
          "force pushes, or push without force",
          "git push --force-with-lease", git_that<pushes_with_force>},
    Check{"git/mirror-push", Decision::Deny, Severity::High, 1.0,
          "permission denied: git push --mirror overwrites and deletes every branch and tag over "
          "there that is not the same here",
          "Push the branches that are meant: git push origin main", git_that<pushes_everything>},
    Check{"git/perhaps-git", Decision::Ask, Severity::Medium, 0.6,
          "The program is not known before it runs. If it is git, this adds everything blindly or "
          "pushes with force ({}).",
          "Write git, and name the files.", perhaps_git},
    Check{"git/inline-alias", Decision::Ask, Severity::Medium, 0.8,
          "A git alias that is defined on the command line hides what git will run ({}).",
          "Write the git command itself.", inline_alias},
};

}  // namespace

constinit const Pack git_pack = {
    .name = "git",
    .about = "commits and pushes that nobody looked at",
    .on_by_default = true,
    .checks = checks,
};

}  // namespace husk::decide
