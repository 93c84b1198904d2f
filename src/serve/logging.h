// What there is to log for a client that wants to know: never more than its results tell, and never
// the command itself.
#pragma once

#include <husk/report.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/json_rpc.h"

namespace husk::serve {

// As in syslog, the least important first.
enum class Level { Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency };

std::string_view word(Level level);
// None where there is no such level.
std::optional<Level> level_named(const Json& name);

struct LogEntry {
    Level level;
    const char* logger;  // "verdict", "walls", "call", "shell"
    Json data;
};

// notifications/message.
Json log_message(const LogEntry& entry);

LogEntry entry_about_start(const std::string& shell_id);
// A call that is over: what was decided, what the walls stopped, how it ended.
std::vector<LogEntry> entries_about(const Report& report);
// A shell that nobody waited for is over.
LogEntry entry_about_end(const Report& report);

}  // namespace husk::serve
