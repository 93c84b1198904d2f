#include "serve/approvals.h"

#include <algorithm>

#include "base/id.h"
#include "base/sha256.h"
#include "base/terminal_text.h"
#include "contract/ask_for.h"
#include "render/verdict_text.h"

namespace husk::serve {
namespace {

constexpr std::chrono::minutes lifetime(10);
constexpr size_t most_open = 10'000;
constexpr size_t longest_shown = 4000;

std::string what_always_does(const Question& question) {
    const std::string file = question.always.file.string();
    if (question.verdict.rule == contract::ask_for_rule)
        return "Allow this to all later calls that use " + file + ", in every workspace:\n" +
               text::inert(question.always.text);
    return "Never ask again about exactly this command in " +
           text::inert(question.working_dir.string()) + ". It is written to " + file;
}

}  // namespace

bool can_ask(const Json& client_capabilities) {
    const Json& elicitation = member(client_capabilities, "elicitation");
    // Without a word about forms it is from before there was anything else.
    return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

std::string why_not_shown(std::string_view command) {
    if (command.size() > longest_shown)
        return "it was not asked about, because it has " + std::to_string(command.size()) +
               " bytes and nobody can judge more than " + std::to_string(longest_shown) +
               " in a form; make it shorter, or run it in parts";
    if (text::inert(command) != command)
        return "it was not asked about, because it has characters that a form does not show as "
               "they are (controls, or marks of direction)";
    return "";
}

Json form_about(const Question& question) {
    std::string message = "Run this command?\n\n" + text::inert(question.command);
    message += "\n\nIt is asked because: " + text::inert(question.verdict.reason);
    Json fields = Json::object();
    if (question.always.why_not.empty())
        fields["always"] = {{"type", "boolean"},
                            {"title", "Always"},
                            {"description", what_always_does(question)},
                            {"default", false}};
    return {{"message", std::move(message)},
            {"requestedSchema", {{"type", "object"}, {"properties", std::move(fields)}}}};
}

Answer answer_in(const Json& result) {
    const Json& action = member(result, "action");
    const bool always = member(member(result, "content"), "always") == true;
    Answer answer{.by = "client"};
    if (action == "accept")
        answer.kind = always ? Answer::AllowAlways : Answer::AllowOnce;
    else if (action.is_string())
        answer.kind = Answer::Deny;
    return answer;
}

Tickets::Tickets() : key_(random_id(48)) {}

std::string Tickets::seal(std::string_view name, std::string_view tool,
                          std::string_view arguments) const {
    std::string all(name);
    for (const std::string_view part : {tool, arguments})
        all += ":" + std::to_string(part.size()) + ":" + std::string(part);
    return hmac_sha256(key_, all);
}

std::string Tickets::issue(std::string_view tool, std::string_view arguments,
                           Clock::time_point now) {
    const std::string name = random_id(16);
    const std::lock_guard lock(guard_);
    std::erase_if(open_, [&](const auto& one) { return one.second <= now; });
    // Somebody who asks for that many does not mean any of them.
    if (open_.size() >= most_open) open_.clear();
    open_.emplace(name, now + lifetime);
    return name + "." + seal(name, tool, arguments);
}

bool Tickets::redeem(std::string_view ticket, std::string_view tool, std::string_view arguments,
                     Clock::time_point now) {
    const size_t dot = std::min(ticket.find('.'), ticket.size());
    const std::string_view name = ticket.substr(0, dot);
    const std::string_view sealed = ticket.substr(std::min(dot + 1, ticket.size()));
    if (!are_equal(sealed, seal(name, tool, arguments))) return false;
    const std::lock_guard lock(guard_);
    const auto found = open_.find(name);
    if (found == open_.end()) return false;
    const bool in_time = now < found->second;
    open_.erase(found);
    return in_time;
}

}  // namespace husk::serve
