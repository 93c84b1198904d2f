#include "tool/judge.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "decide/decide.h"
#include "decide/variables.h"
#include "parse/cannot_parse.h"
#include "parse/shells.h"
#include "run/ask_bash.h"

namespace husk::tool {
namespace {

const InputText* text_for(const Request& request) { return std::get_if<InputText>(&request.input); }

// The text that rules are about. A program that is run without a shell is judged by its words.
std::string script_of(const Request& request) {
    if (request.argv.empty()) return request.command;
    std::vector<std::string> words;
    for (const std::string& word : request.argv) words.push_back(text::quote(word));
    return text::join(words, " ");
}

std::string home_of(const Request& request, const Manner& manner) {
    const auto set = request.env.find("HOME");
    if (set != request.env.end()) return set->second.value_or("");
    if (!manner.home.empty()) return manner.home;
    const char* own = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    return own == nullptr ? "" : own;
}

decide::Context context_of(const Request& request, const std::string& working_dir,
                           const Manner& manner) {
    decide::Context context{.working_directory = working_dir, .home = home_of(request, manner)};
    for (const auto& [name, value] : request.env) context.variables.push_back(name);
    context.has_more_than_text = !request.env.empty() || manner.shell_goes_on ||
                                 !std::holds_alternative<NoInput>(request.input);
    context.denylist = manner.denylist;
    return context;
}

std::string reason_of(const parse::SyntaxError& error) {
    const std::string line = error.line == 0 ? "" : "line " + std::to_string(error.line) + ": ";
    return std::string(parse::cannot_parse) + line + error.message;
}

Judged reject(parse::Script script, parse::SyntaxError error) {
    Judged judged;
    judged.verdict.decision = decide::Decision::Deny;
    judged.verdict.understood = false;
    judged.verdict.rule = "syntax";
    judged.verdict.where = "bash";
    judged.verdict.reason = reason_of(error);
    // No command of a text that cannot be run is decided about.
    script.commands.clear();
    judged.script = std::move(script);
    judged.rejected = std::move(error);
    return judged;
}

Judged decided(parse::Script script, const decide::Rules& rules, const decide::Context& context) {
    decide::set_before_all(script, context.variables);
    decide::Verdict verdict = decide::decide(script, rules, context);
    return {std::move(script), std::move(verdict), std::nullopt, context.working_directory};
}

// Of a text that bash would not parse to its end: the commands that bash runs before it gives up.
Judged judge_readable(std::string_view text, const decide::Rules& rules,
                      const decide::Context& context) {
    parse::Script script = parse::parse(text);
    if (script.error) script.not_understood.push_back(script.error->message);
    script.error.reset();
    return decided(std::move(script), rules, context);
}

// A script that bash accepts and this parser does not has only not been understood.
Judged judge_text(std::string_view text, const decide::Rules& rules,
                  const decide::Context& context) {
    parse::Script script = parse::parse(text);
    if (!script.error) return decided(std::move(script), rules, context);
    auto rejected = run::bash_rejects(text);
    if (rejected && *rejected) return reject(std::move(script), *std::move(*rejected));
    const std::string& message = script.error->message;
    script.not_understood.push_back(
        rejected ? "bash can read it, but this parser cannot: " + message
                 : message + " (bash could not be asked: " + rejected.error().text() + ")");
    script.error.reset();
    return decided(std::move(script), rules, context);
}

// Puts another verdict in the place of what was said of the whole script.
void overrule(decide::Verdict& verdict, decide::Decision decision, const Verdict& by) {
    verdict.decision = decision;
    verdict.rule = by.rule;
    verdict.where = by.where;
    verdict.reason = by.reason;
    verdict.instead = by.instead;
    verdict.allow_with.clear();
}

// The contract's own checks count where they are as strict as the rules, or stricter.
void add_own_checks(Judged& judged, const std::optional<Verdict>& own) {
    if (!own || judged.rejected) return;
    const auto decision = own->decision == "deny" ? decide::Decision::Deny : decide::Decision::Ask;
    if (decision < judged.verdict.decision) return;
    overrule(judged.verdict, decision, *own);
    judged.verdict.only_once = "the contract asks about it each time";
}

// What comes with the text of a call counts where it makes the verdict stricter.
void add_stricter(Judged& judged, const decide::Verdict& other, const std::string& where) {
    if (other.decision <= judged.verdict.decision) return;
    overrule(judged.verdict, other.decision, reported(other));
    judged.verdict.reason = where + ": " + judged.verdict.reason;
    judged.verdict.only_once = "its text does not say all that it does";
}

// `bash` whose standard input comes with the call is judged as `bash <<< TEXT` is.
void add_input(Judged& judged, const Request& request, const decide::Rules& rules,
               const decide::Context& context) {
    const InputText* input = text_for(request);
    if (input == nullptr || judged.rejected) return;
    if (std::ranges::none_of(judged.script.commands, parse::reads_code)) return;
    const Judged code = judge_readable(input->text, rules, context);
    add_stricter(judged, code.verdict, "on its standard input");
}

// The verdict about the script behind definitions of these variables.
void add_definitions(Judged& judged, const Request& request, const decide::Rules& rules,
                     const decide::Context& context,
                     const std::map<std::string, std::optional<std::string>>& variables) {
    for (const decide::Definitions& definitions : decide::definitions_of(variables)) {
        const Judged whole = judge_readable(definitions.text + script_of(request), rules, context);
        add_stricter(judged, whole.verdict, "with the variables of the call");
    }
}

// Variables can hold commands that bash, git and others run: a script with variables is judged as
// if it set them itself. The parser understands no ~ behind HOME=x, but the context says where ~
// leads, so that HOME makes a script stricter only if something is found in it.
void add_variables(Judged& judged, const Request& request, const decide::Rules& rules,
                   const decide::Context& context) {
    if (judged.rejected) return;
    const auto home = request.env.find("HOME");
    const bool is_known = home != request.env.end() && home->second.value_or("").starts_with('/');
    if (!is_known) return add_definitions(judged, request, rules, context, request.env);
    Judged with_home = judged;
    add_definitions(with_home, request, rules, context, request.env);
    if (with_home.verdict.rule != "not-understood") {
        judged = std::move(with_home);
        return;
    }
    auto others = request.env;
    others.erase("HOME");
    add_definitions(judged, request, rules, context, others);
}

// A person who is asked must know of variables and input.
void tell_what_comes_with_it(decide::Verdict& verdict, const decide::Context& context,
                             const Request& request) {
    if (verdict.decision == decide::Decision::Allow) return;
    const bool adds = !context.variables.empty() || text_for(request) != nullptr;
    if (adds && verdict.reason.ends_with('.')) verdict.reason.pop_back();
    if (!context.variables.empty())
        verdict.reason += "; the call sets " + text::join(context.variables, ", ");
    if (text_for(request) != nullptr) verdict.reason += "; the call gives it standard input";
}

bool passes_not_understood(const Judged& judged, const decide::Rules& rules) {
    return judged.verdict.rule == "not-understood" && rules.rules.empty() &&
           rules.mode != decide::Mode::Strict;
}

}  // namespace

Judged judge_call(const Request& request, const std::string& working_dir,
                  const decide::Rules& rules, const Manner& manner) {
    const decide::Context context = context_of(request, working_dir, manner);
    const std::string script = script_of(request);
    Judged judged = judge_text(script, rules, context);
    if (judged.rejected && manner.runs_unparsable) judged = judge_readable(script, rules, context);
    judged.working_dir = working_dir;
    add_own_checks(judged, manner.own_checks);
    add_variables(judged, request, rules, context);
    add_input(judged, request, rules, context);
    tell_what_comes_with_it(judged.verdict, context, request);
    if (manner.trusts_not_understood && passes_not_understood(judged, rules))
        judged.verdict.decision = decide::Decision::Allow;
    return judged;
}

}  // namespace husk::tool
