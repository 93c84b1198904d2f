// What a session's walls have stopped while a command ran.
#pragma once

#include <husk/report.h>

#include <string_view>

#include "collect/shell_files.h"
#include "request/call_json.h"

namespace husk::tool {

// In the notes of a report when symbolic links were made meanwhile. Whoever has looked where they
// lead puts something better in its place (links_out.h).
inline constexpr std::string_view links_note =
    "symbolic links were made while it ran; nobody has looked where they lead";

// Into the report, whose confinement is known already. Attempts of the same kind on the same thing
// are one denial with a count.
void add_denials(Report& report, const collect::ShellFiles& files, const record::Record& record,
                 const CallNote& note);

// The same of the log's text. Pure.
void add_denials(Report& report, std::string_view log, const record::Record& record,
                 const CallNote& note);

}  // namespace husk::tool
