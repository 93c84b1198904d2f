#include "decide/approval.h"

#include <algorithm>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Script;

// What nobody would read before saying "always" to it.
constexpr size_t longest = 4000;

bool can_be_written_down(const std::string& text) {
    return text::is_utf8(text) && text::inert(text) == text;
}

bool is_known(const Subject& subject) {
    const Command& command = subject.command;
    const auto stands_for_many = [](char16_t letter) { return letter > 0xff; };
    const Letters& line = subject.text.line.by_path.letters();
    return command.opaque.empty() && std::ranges::none_of(line, stands_for_many) &&
           std::ranges::all_of(command.assignments,
                               [](const auto& assignment) { return assignment.value.known(); }) &&
           std::ranges::all_of(command.redirects,
                               [](const auto& redirect) { return redirect.target.known(); });
}

}  // namespace

const Approval* approval_of(const Script& script, const Rules& rules, const Context& context) {
    if (!why_not_kept(script, context).empty()) return nullptr;
    const auto found = std::ranges::find_if(rules.approved, [&](const Approval& approval) {
        return approval.directory == context.working_directory && approval.command == script.source;
    });
    return found == rules.approved.end() ? nullptr : &*found;
}

std::string why_not_kept(const Script& script, const Context& context) {
    if (!script.understood()) return "part of this script is not understood";
    if (context.working_directory.empty()) return "it is not known where it runs";
    if (context.has_more_than_text) return "its text does not say all that it does";
    if (script.source.size() > longest) return "it is too long";
    if (!can_be_written_down(script.source)) return "it has characters that cannot be seen";
    return "";
}

std::string why_not_kept(const Subject& subject, bool may_be_another) {
    if (may_be_another || !is_known(subject)) return "what it does is not known before it runs";
    return "";
}

}  // namespace husk::decide
