// The parts of the contract `husk`.
#pragma once

#include "contract/contract.h"

namespace husk::contract {

std::vector<Tool> husk_tools(const Situation& situation);
// One of them by its name, made once: what it takes depends on nothing else.
const Tool& husk_tool(std::string_view name, Situation::Arguments arguments);

Answer husk_answer(const Action& action, const Outcome& outcome);

// A refusal that says what to do, in the form of an answer.
Answer husk_error(const std::string& sentence);

inline constexpr milliseconds husk_default_timeout{120'000};
inline constexpr milliseconds husk_longest_timeout{600'000};
inline constexpr milliseconds husk_default_wait{50'000};
inline constexpr uint64_t husk_output_bytes = 30'000;

}  // namespace husk::contract
