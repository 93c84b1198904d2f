#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/result.h"
#include "base/terminal_text.h"
#include "cli/check_rules.h"
#include "cli/command_words.h"
#include "cli/complaints.h"
#include "cli/setting_option.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "decide/suggest.h"
#include "render/report_json.h"
#include "render/verdict_json.h"
#include "render/verdict_text.h"
#include "request/rules_import.h"
#include "tool/configuration.h"
#include "tool/judge.h"
#include "tool/working_dir.h"

namespace husk::cli {
namespace {

using decide::Decision;
using Json = nlohmann::ordered_json;

struct CheckOptions {
    bool json = false;
    bool suggest = false;
    std::string rules;
    std::string config;
    config::Settings flags;
    Input input = NoInput{};
};

// What is too long for the parser need not be read to its end.
Result<std::string> read_script(int fd) {
    std::string script;
    char buffer[16 * 1024];
    while (script.size() <= parse::Limits{}.bytes) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failure("read", errno, "standard input");
        if (got == 0) return script;
        script.append(buffer, static_cast<size_t>(got));
    }
    return script;
}

void tell_left(const Imported& imported, const std::string& file) {
    using Carried = ImportedEntry::Carried;
    const auto left = std::ranges::count(imported.entries, Carried::Not, &ImportedEntry::carried);
    if (left == 0) return;
    fail(file + ": " + std::to_string(left) + " of its " + std::to_string(imported.entries.size()) +
         " entries cannot be carried over; husk check --rules " + file + " lists them");
}

// What a command is judged by.
struct Ground {
    decide::Rules rules;
    std::filesystem::path working_dir;
};

// The rules of one file, in any format.
std::expected<decide::Rules, std::vector<Complaint>> rules_of(const std::string& file) {
    const auto text = tool::read_rules_text(file);
    if (!text) return std::unexpected(text.error());
    const auto imported = import_rules(*text, file);
    if (!imported) return std::unexpected(imported.error());
    tell_left(*imported, file);
    return tool::usable_rules(imported->rules);
}

std::expected<Ground, std::vector<Complaint>> ground_for(const CheckOptions& options) {
    if (!options.rules.empty())
        return Ground{TRY(rules_of(options.rules)), options.flags.working_directory.value};
    const auto configuration = TRY(tool::read_configuration(options.config, options.flags));
    decide::Rules rules = TRY(tool::usable_rules(configuration));
    tell_ignored(configuration);
    tell_dead_rules(configuration.settings.rules);
    return Ground{std::move(rules), tool::working_directory_of(configuration)};
}

// What it would take to allow the script where only rules allow.
struct Suggestions {
    std::vector<std::string> rules;
    std::vector<std::string> changes;   // rules of the user that stand in the way
    std::vector<std::string> hopeless;  // commands that no rule should allow
};

// Deny and ask go before allow; only what no rule speaks of waits for one.
bool waits_for_a_rule(const decide::Judgement& judgement) {
    return judgement.decision == Decision::Allow || !judgement.allow_with.empty();
}

Suggestions suggestions_for(const tool::Judged& judged) {
    Suggestions suggestions;
    const auto add = [](std::vector<std::string>& list, const std::string& text) {
        if (std::ranges::find(list, text) == list.end()) list.push_back(text);
    };
    for (const decide::Judgement& judgement : judged.verdict.commands) {
        const parse::Command& command = judged.script.commands[judgement.command];
        const bool allowed = judgement.decision == Decision::Allow && !judgement.rule.empty();
        if (allowed || command.words.empty() || parse::is_transparent_wrapper(command)) continue;
        if (!judgement.change.empty()) {
            add(suggestions.changes, judgement.change);
            continue;
        }
        const std::string rule =
            waits_for_a_rule(judgement) ? decide::suggest(judged.script, judgement.command) : "";
        add(rule.empty() ? suggestions.hopeless : suggestions.rules,
            rule.empty() ? command.text : rule);
    }
    return suggestions;
}

std::string text_of(const Suggestions& suggestions) {
    std::string out;
    if (!suggestions.rules.empty()) out += "permissions:\n  allow:\n";
    for (const std::string& rule : suggestions.rules) out += "    - " + Json(rule).dump() + "\n";
    for (const std::string& rule : suggestions.changes)
        out += "# change the rule " + text::one_line(rule) + "\n";
    for (const std::string& command : suggestions.hopeless)
        out += "# no rule should allow: " + text::one_line(command) + "\n";
    return out;
}

Json json_of(const Suggestions& suggestions) {
    return {{"allow", suggestions.rules},
            {"change", suggestions.changes},
            {"none_for", suggestions.hopeless}};
}

std::string answer(const tool::Judged& judged, const CheckOptions& options) {
    if (options.suggest) {
        const Suggestions suggestions = suggestions_for(judged);
        return options.json ? render::dump(json_of(suggestions)) + "\n" : text_of(suggestions);
    }
    if (options.json)
        return render::dump(render::verdict_json(judged.script, judged.verdict)) + "\n";
    return render::verdict_text(judged.script, judged.verdict,
                                {.colours = colours_for(STDOUT_FILENO), .width = terminal_width()});
}

int exit_code_for(Decision decision) {
    switch (decision) {
        case Decision::Allow: return 0;
        case Decision::Deny: return 1;
        case Decision::Ask: return 2;
    }
    std::unreachable();
}

int check(const std::string& script, const CheckOptions& options) {
    const auto ground = ground_for(options);
    if (!ground) return fail(ground.error());
    Request call;
    call.command = script;
    call.env = given_variables(options.flags);
    call.input = options.input;
    call.working_dir = ground->working_dir;
    const tool::Judged judged = tool::judge_call(call, tool::place_of(call, {}), ground->rules);
    write_out(STDOUT_FILENO, answer(judged, options));
    return exit_code_for(judged.verdict.decision);
}

int run(const CLI::App& sub, const std::vector<std::string>& behind_dashes,
        const CheckOptions& options) {
    const bool from_input =
        sub.remaining() == std::vector<std::string>{"-"} && behind_dashes.empty();
    if (from_input) {
        const auto script = read_script(STDIN_FILENO);
        return script ? check(*script, options) : fail(script.error());
    }
    const auto words = command_words(sub, behind_dashes);
    if (!words) return fail(words.error());
    if (!words->empty()) return check(as_command(*words), options);
    if (options.rules.empty()) return fail("no command given; try husk check 'git push -f'");
    return check_rules(options.rules, options.json ? Form::Json : Form::Text);
}

}  // namespace

void add_check(CLI::App& app, const std::vector<std::string>& words, int& code) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* sub = app.add_subcommand("check", "Say whether a command would be run, and why");
    sub->footer(
        "COMMAND is one bash command, or several words that are quoted into one; - is standard\n"
        "input. Nothing of it is run. Exits 0 for allow, 1 for deny, 2 for ask, 125 when Husk\n"
        "itself failed. With --rules and without a command: 0 clean, 1 errors, 2 warnings.");
    sub->allow_extras();
    sub->add_flag("--json", options->json, "Print it as JSON");
    sub->add_flag("--suggest", options->suggest, "Print the narrowest rules that would allow it");
    CLI::Option* config = add_config(*sub, options->config);
    sub->add_option("--rules", options->rules,
                    "Go by this file alone, or examine it: husk.yaml, or the rules of Claude Code\n"
                    "(settings.json), Codex (*.rules) or opencode (opencode.json)")
        ->excludes(config);
    add_working_directory(*sub, options->flags);
    add_variables(*sub, options->flags);
    sub->add_option_function<std::string>(
        "--stdin-text", [options](const std::string& text) { options->input = InputText{text}; },
        "Standard input that the command would get");
    sub->callback([sub, options, &words, &code] { code = run(*sub, words, *options); });
}

}  // namespace husk::cli
