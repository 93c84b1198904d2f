// The report as JSON: every field, always, in one order.
#pragma once

#include <husk/report.h>

#include <nlohmann/json.hpp>
#include <string>

namespace husk::render {

// What is absent is null. Every string is valid UTF-8, whatever the report holds.
nlohmann::ordered_json report_json(const Report& report);

// Why there is no ordinary ending, where the status alone does not say it; else empty.
std::string why_not(const Ending& ending);

// On one line. Never throws for what is in a string.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace husk::render
