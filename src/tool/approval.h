// Asking whoever decides about a command that a rule asks about.
#pragma once

#include <husk/approval.h>

#include <filesystem>
#include <functional>
#include <string>

#include "tool/judge.h"

namespace husk::tool {

// What is asked, where an "always" would go to that file. An empty one: nowhere.
Question question_about(const Judged& judged, const std::filesystem::path& file);

// Passes the first one on, and no other.
std::function<void(Answer)> first_only(std::function<void(Answer)> answer);

// Why it is not run, for whoever wanted it.
std::string why_refused(const Answer& answer, const decide::Verdict& verdict);

}  // namespace husk::tool
