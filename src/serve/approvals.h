// Asking the user, through the client, whether a command that a rule asks about may run.
#pragma once

#include <husk/approval.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/json_rpc.h"

namespace husk::serve {

// Whether a client that declares these capabilities can show its user a form.
bool can_ask(const Json& client_capabilities);

// Why a form cannot show a command as it is: nobody shall agree to what he has not seen. Empty: it
// can.
std::string why_not_shown(std::string_view command);

// The params of elicitation/create, for a command that can be shown. Where the user's "always" can
// be kept, the form has a field for it.
Json form_about(const Question& question);

// What the user said, as the client tells it: its result for elicitation/create.
husk::Answer answer_in(const Json& result);

// What a client hands back that has asked its user without a connection to remember it by. It
// cannot be made up, holds for one call of one tool with the same arguments, once, and not for
// ever.
class Tickets {
public:
    using Clock = std::chrono::steady_clock;

    Tickets();

    std::string issue(std::string_view tool, std::string_view arguments,
                      Clock::time_point now = Clock::now());
    bool redeem(std::string_view ticket, std::string_view tool, std::string_view arguments,
                Clock::time_point now = Clock::now());

private:
    std::string seal(std::string_view name, std::string_view tool,
                     std::string_view arguments) const;

    std::string key_;
    std::mutex guard_;
    std::map<std::string, Clock::time_point, std::less<>> open_;  // by name, until when
};

}  // namespace husk::serve
