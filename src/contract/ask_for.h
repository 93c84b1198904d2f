// The argument `ask_for`: a call that needs more than the walls of the conversation allow.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"

namespace husk::contract {

schema::Field ask_for_field(bool shown);

// What of it is not allowed already; nothing if all is. The error is for whoever made the call.
std::expected<std::optional<AskFor>, std::string> decode_ask_for(const Json& arguments,
                                                                 const Situation& situation);

// What a person is asked: one line for each opening, and then the words of the model.
std::string question_text(const AskFor& asked);

// The settings that open the same for good, as text of a husk.yaml; empty if there are none.
std::string settings_text(const AskFor& asked);

// The walls of the conversation with these openings.
void widen(const AskFor& asked, ToolContext& walls);

// Of a verdict about such a call.
inline constexpr std::string_view ask_for_rule = "ask_for";

}  // namespace husk::contract
