// Background shells as MCP's tasks. What is on disk is all that there is to know of one, so it does
// not matter who serves: the server that made it, or the next one.
#pragma once

#include <optional>
#include <string>

#include "serve/methods.h"
#include "tool/toolbox.h"

namespace husk::serve {

inline constexpr std::string_view tasks_extension = "io.modelcontextprotocol/tasks";
inline constexpr std::string_view version_with_tasks = "2025-11-25";

// Whether a client of the era without connections has declared the extension.
bool knows_tasks(const Json& client_capabilities);
Fault needs_tasks();
// `_meta` of what belongs to a task.
Json related_to(const std::string& task);

// None when the caller has no such background shell.
std::optional<tool::KnownShell> find_task(const tool::Toolbox& toolbox, const std::string& id);
// The one that `taskId` names.
std::expected<tool::KnownShell, Fault> task_in(const tool::Toolbox& toolbox, const Json& params);

// Task; each era has names of its own for its times.
Json task_json(const tool::KnownShell& shell, Era era);
// DetailedTask, with the result of one that is over.
Json detailed_task_json(const tool::Toolbox& toolbox, const tool::KnownShell& shell);
// The answer to a call that has become this task.
Json created_task_json(const tool::KnownShell& shell, Era era);
// ListTasksResult, a page of it.
Answer list_tasks(const tool::Toolbox& toolbox, const Json& params);
// What the call would have been answered with, had somebody waited.
Answer task_result(const tool::Toolbox& toolbox, const std::string& id);

}  // namespace husk::serve
