// What `husk check --json` prints.
#pragma once

#include <husk/approval.h>

#include <nlohmann/json.hpp>

#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::render {

// What is absent is null. Every string is valid UTF-8.
nlohmann::ordered_json verdict_json(const Question& question);
nlohmann::ordered_json verdict_json(const parse::Script& script, const decide::Verdict& verdict);

}  // namespace husk::render
