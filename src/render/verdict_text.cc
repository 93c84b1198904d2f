#include "render/verdict_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/terminal_text.h"
#include "base/text.h"
#include "render/table.h"

namespace husk::render {
namespace {

using decide::Decision;
using decide::Judgement;

std::string coloured(Decision decision, const std::string& text, Look::Colours colours) {
    if (colours == Look::Colours::None) return text;
    const char* code = decision == Decision::Allow ? "32" : decision == Decision::Ask ? "33" : "31";
    return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

// The rule and where it stands: "git.force-push, built in: git".
std::string source_of(const std::string& rule, const std::string& where) {
    std::vector<std::string> parts;
    if (!rule.empty()) parts.push_back(rule);
    if (!where.empty()) parts.push_back(where);
    return parts.empty() ? "" : "(" + text::join(parts, ", ") + ")";
}

void add_line(std::string& out, size_t indent, const std::string& text) {
    out += std::string(indent, ' ') + text::one_line(text) + "\n";
}

void add_judgement(std::string& out, const parse::Command& command, const Judgement& judgement,
                   const Look& look) {
    constexpr size_t column = 6;  // the longest answer, and a space
    const std::string answer = decide::word(judgement.decision);
    const size_t indent = column + 2 * command.depth;
    constexpr size_t least = 20;
    const std::string text = text::one_line(command.text);
    const size_t room =
        look.width == 0 ? text.size() : std::max(look.width, indent + least) - indent;
    out += coloured(judgement.decision, answer, look.colours);
    out += std::string(indent - answer.size(), ' ') + cut_to(text, room) + "\n";
    if (judgement.rule.empty() && judgement.reason.empty()) return;
    const std::string source = source_of(judgement.rule, judgement.where);
    const bool quiet = judgement.decision == Decision::Allow;
    if (!quiet && !judgement.reason.empty())
        add_line(out, indent + 2, judgement.reason + (source.empty() ? "" : " " + source));
    else if (!source.empty())
        add_line(out, indent + 2, source);
    if (quiet) return;
    if (!judgement.instead.empty()) add_line(out, indent + 2, "instead: " + judgement.instead);
    if (!judgement.allow_with.empty())
        add_line(out, indent + 2, "allow it with: " + judgement.allow_with);
    if (!judgement.change.empty())
        add_line(out, indent + 2, "to allow it, change the rule " + judgement.change);
}

std::string files_line(const decide::Verdict& verdict) {
    std::vector<std::string> uses;
    for (const decide::FileUse& file : verdict.files)
        uses.push_back(file.operation + " " + file.path);
    return uses.empty() ? "" : "files: " + text::join(uses, ", ");
}

std::string without_full_stop(const std::string& sentence) {
    return sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence;
}

// Whose word it would take. Whoever runs the command is told to ask for it, not to help himself.
std::string remedy(const decide::Verdict& verdict) {
    constexpr std::string_view built_in = "built in: ";
    if (!verdict.allow_with.empty())
        return "allow it with: " + text::join(verdict.allow_with, ", ");
    if (!verdict.change.empty()) return "only the user can change the rule " + verdict.change;
    if (verdict.where.starts_with(built_in))
        return "only the user can switch off the pack " + verdict.where.substr(built_in.size());
    const bool in_file = verdict.where.contains(':');
    return in_file ? "the rule stands in " + verdict.where : "";
}

// The reason of the whole, unless it stands at a command already.
std::string summary(const decide::Verdict& verdict, const Look& look) {
    const std::string answer = decide::word(verdict.decision);
    const bool told = std::ranges::any_of(verdict.commands, [&](const Judgement& one) {
        return one.decision == verdict.decision && one.reason == verdict.reason;
    });
    std::string line = coloured(verdict.decision, answer, look.colours);
    if (verdict.decision != Decision::Allow && !told && !verdict.reason.empty())
        line += ": " + text::one_line(verdict.reason);
    return line + "\n";
}

}  // namespace

std::string verdict_text(const parse::Script& script, const decide::Verdict& verdict,
                         const Look& look) {
    std::string out = summary(verdict, look);
    for (const Judgement& judgement : verdict.commands)
        add_judgement(out, script.commands.at(judgement.command), judgement, look);
    for (const std::string& why : script.not_understood)
        if (!verdict.reason.contains(why)) add_line(out, 0, "not understood: " + why);
    if (const std::string files = files_line(verdict); !files.empty()) add_line(out, 0, files);
    return out;
}

std::string explanation(const decide::Verdict& verdict) {
    std::string line = without_full_stop(verdict.reason);
    if (!verdict.instead.empty()) line += "; instead: " + without_full_stop(verdict.instead);
    if (const std::string how = remedy(verdict); !how.empty()) line += "; " + how;
    return text::one_line(line);
}

std::string refusal(const decide::Verdict& verdict) {
    const bool ask = verdict.decision == Decision::Ask;
    return (ask ? "nobody can be asked here: " : "") + explanation(verdict);
}

}  // namespace husk::render
