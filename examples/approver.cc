// An agent's loop that asks a person: rules say about what, and this program how.
//
//     approver 'git push origin main'
#include <husk/husk.h>

#include <iostream>
#include <string>

namespace {

// All that is needed to judge it. A program with windows would show it in one and return; the
// answer may come later, by any thread.
void ask_on_terminal(const husk::Question& question,
                     const std::function<void(husk::Answer)>& answer) {
    std::cerr << "In " << question.working_dir.string() << ":\n";
    for (const husk::JudgedCommand& command : question.commands) {
        std::cerr << "  " << command.decision << "  " << command.text;
        if (!command.reason.empty()) std::cerr << "   (" << command.reason << ")";
        std::cerr << "\n";
    }
    const bool can_stay = !question.always.text.empty();
    if (can_stay)
        std::cerr << "\"always\" would write this to " << question.always.file.string() << ":\n"
                  << question.always.text;
    std::cerr << "Run it? yes" << (can_stay ? ", always" : "") << ", or why not: ";
    std::string line;
    if (!std::getline(std::cin, line)) return answer({husk::Answer::Unanswered});
    if (line == "yes") return answer({husk::Answer::AllowOnce});
    if (line == "always" && can_stay) return answer({husk::Answer::AllowAlways});
    answer({husk::Answer::Deny, line});
}

}  // namespace

int main(int argc, char** argv) {
    husk::Settings settings;
    settings.checks = husk::Checks{.file = "husk.yaml", .ask = {"Bash(git push:*)", "Bash(rm:*)"}};
    husk::Bash bash(settings);

    husk::ToolContext conversation;
    conversation.approver = ask_on_terminal;
    const husk::Report report =
        bash.run({.command = argc > 1 ? argv[1] : "git push"}, conversation);

    // What a model would be told.
    std::cout << report.output;
    if (const auto* denied = std::get_if<husk::Denied>(&report.ending))
        std::cout << "[denied: " << denied->reason << "]\n";
    return husk::exit_code(report.ending).value_or(1);
}
