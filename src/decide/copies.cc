#include "decide/copies.h"

#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/detours.h"
#include "decide/this_machine.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;

// host:path, user@host:path, [::1]:path, rsync://host/path; not ./a:b or /a:b.
std::optional<std::string> host_in(const Word& word) {
    const std::string text = word.shown();
    const size_t bracket = text.find('[');
    const size_t from = bracket < text.find(':') ? text.find(']', bracket) : 0;
    const size_t colon = text.find(':', std::min(from, text.size()));
    if (colon == std::string::npos || colon == 0 || colon > text.find('/')) return std::nullopt;
    return text.substr(colon).starts_with("://") ? text : text.substr(0, colon);
}

bool is_remote(const Word& word) {
    const auto host = host_in(word);
    if (!host) return false;
    return host->contains("://") ? !is_this_machine(word) : !is_this_machine(*host);
}

// Of `rsync -e 'ssh -p 22'` the part in quotes: it is led away unless it is a plain ssh.
bool leads_shell_away(const Word& shell) {
    if (!shell.known()) return true;
    const parse::Script script = parse::parse(shell.shown());
    return script.commands.empty() || script.commands.front().program() != "ssh" ||
           leads_ssh_away(arguments_of(script.commands.front()));
}

Arguments rsync_arguments(const Command& command) {
    static constexpr std::array<std::string_view, 18> values = {
        "rsh",          "exclude",   "include",   "exclude-from",  "include-from", "filter",
        "files-from",   "port",      "chmod",     "password-file", "rsync-path",   "backup-dir",
        "compare-dest", "copy-dest", "link-dest", "temp-dir",      "bwlimit",      "timeout"};
    return read_arguments(arguments_of(command), {"efBMT@", values});
}

bool leads_rsync_away(const Arguments& arguments) {
    return std::ranges::any_of(arguments.options, [](const Option& option) {
        return is_one_of(option.name, "e rsh") && option.value && leads_shell_away(*option.value);
    });
}

}  // namespace

Sending sent_by_copy(const Command& command) {
    const bool is_rsync = command.program() == "rsync";
    const auto words = arguments_of(command);
    const Arguments arguments =
        is_rsync ? rsync_arguments(command) : read_arguments(words, {"cDFiJloPSX"});
    const bool is_led_away = is_rsync ? leads_rsync_away(arguments) : leads_scp_away(words);
    const auto leaves = [&](const Word& word) {
        return is_led_away ? host_in(word).has_value() : is_remote(word);
    };
    Sending sending;
    if (arguments.operands.size() < 2 || !leaves(arguments.operands.back())) return sending;
    for (const Word& source : std::span(arguments.operands).first(arguments.operands.size() - 1)) {
        if (!leaves(source)) sending.files.push_back(source);
    }
    return sending;
}

Sending sent_to_cloud(const Command& command) {
    Sending sending;
    const auto words = arguments_of(command);
    const bool copies = std::ranges::any_of(words, [](const Word& word) {
        return is_one_of(word.shown(), "cp sync mv rsync copy move upload");
    });
    if (!copies || words.size() < 2) return sending;
    std::vector<Word> operands = read_arguments(words).operands;
    std::erase_if(operands, [](const Word& word) {
        return is_one_of(word.shown(), "s3 cp sync mv rsync copy move upload");
    });
    if (operands.size() > 1 && !is_remote(operands[0]) && is_remote(operands[1]))
        sending.files.push_back(operands[0]);
    return sending;
}

}  // namespace husk::decide
