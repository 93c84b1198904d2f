#include "serve/approvals.h"

#include <algorithm>

#include "base/id.h"
#include "base/sha256.h"
#include "base/terminal_text.h"
#include "base/utf8.h"
#include "render/verdict_text.h"

namespace husk::serve {
namespace {

constexpr std::chrono::minutes lifetime(10);
constexpr size_t most_open = 10'000;

}  // namespace

bool can_ask(const Json& client_capabilities) {
    const Json& elicitation = member(client_capabilities, "elicitation");
    // Without a word about forms it is from before there was anything else.
    return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

Json question_about(const tool::Judged& judged, const std::string& file) {
    constexpr size_t longest = 4000;
    const std::string command = text::plain(judged.script.source);
    std::string message = "Run this command?\n\n";
    message += text::whole_prefix(command, longest);
    if (command.size() > longest) message += "\n[... and more]";
    message += "\n\nIt is asked because: " + text::plain(judged.verdict.reason);
    Json fields = Json::object();
    if (judged.verdict.only_once.empty())
        fields["always"] = {
            {"type", "boolean"},
            {"title", "Always"},
            {"description", "Never ask again about exactly this command in " +
                                text::plain(judged.working_dir) + ". It is written to " + file},
            {"default", false}};
    return {{"message", std::move(message)},
            {"requestedSchema", {{"type", "object"}, {"properties", std::move(fields)}}}};
}

tool::Consent consent_in(const Json& result) {
    using enum tool::Consent::Kind;
    const Json& action = member(result, "action");
    if (action != "accept") return action.is_string() ? Declined : NotAsked;
    return member(member(result, "content"), "always") == true ? GivenAlways : Given;
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
