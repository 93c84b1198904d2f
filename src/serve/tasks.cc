#include "serve/tasks.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/utf8.h"

namespace husk::serve {
namespace {

constexpr int poll_interval_ms = 500;
constexpr size_t most_on_page = 100;
constexpr uint64_t ns_in_s = 1'000'000'000;
constexpr uint64_t ns_in_ms = 1'000'000;

// Of a realtime in nanoseconds.
std::string iso_8601(uint64_t ns) {
    const auto seconds = static_cast<time_t>(ns / ns_in_s);
    tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[40];
    const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &parts);
    const std::string ms = std::to_string(ns % ns_in_s / ns_in_ms);
    return std::string(text, length) + std::string(3 - ms.size(), '0') + ms + "Z";
}

// When it ended, or has last written something.
uint64_t last_change(const tool::KnownShell& shell) {
    const record::Record& record = shell.now.record;
    if (record.ended != 0) return record.ended;
    struct stat log{};
    if (::fstat(shell.files.log.get(), &log) != 0) return record.created;
    return std::max(record.created, static_cast<uint64_t>(log.st_mtim.tv_sec) * ns_in_s +
                                        static_cast<uint64_t>(log.st_mtim.tv_nsec));
}

// Without connections a task fails only where its result cannot be had at all.
struct StatusOf {
    Era era;
    const char* operator()(const Running&) const { return "working"; }
    const char* operator()(const Cancelled&) const { return "cancelled"; }
    const char* operator()(const Lost&) const { return "failed"; }
    const char* operator()(const NotStarted&) const { return refused(); }
    const char* operator()(const Denied&) const { return refused(); }
    template <class Ended>
    const char* operator()(const Ended&) const {
        return "completed";
    }
    const char* refused() const { return era == Era::Connections ? "failed" : "completed"; }
};

std::string words_about(const Ending& ending) {
    if (const auto* lost = std::get_if<Lost>(&ending)) return lost->why;
    if (const auto* cancelled = std::get_if<Cancelled>(&ending)) return cancelled->why;
    const auto code = exit_code(ending);
    return std::string(status_word(ending)) + (code ? " " + std::to_string(*code) : "");
}

bool is_task(const Report& report) { return report.in_background; }

}  // namespace

bool knows_tasks(const Json& client_capabilities) {
    return member(member(client_capabilities, "extensions"), tasks_extension).is_object();
}

Fault needs_tasks() {
    const Json extensions = {{std::string(tasks_extension), Json::object()}};
    return {Code::MissingCapability,
            "this is for clients that have declared the extension " + std::string(tasks_extension),
            {{"requiredCapabilities", {{"extensions", extensions}}}}};
}

Json related_to(const std::string& task) {
    return {{"io.modelcontextprotocol/related-task", {{"taskId", task}}}};
}

std::optional<tool::KnownShell> find_task(const tool::Toolbox& toolbox, const std::string& id) {
    auto shell = toolbox.own_shell(id);
    if (!shell || (shell->now.record.flags & record::InBackground) == 0) return std::nullopt;
    return *std::move(shell);
}

std::expected<tool::KnownShell, Fault> task_in(const tool::Toolbox& toolbox, const Json& params) {
    const Json& id = member(params, "taskId");
    if (!id.is_string())
        return std::unexpected(Fault{Code::BadParameters, "`taskId` must be a text"});
    if (auto task = find_task(toolbox, id.get<std::string>())) return *std::move(task);
    return std::unexpected(Fault{Code::BadParameters, "there is no such task"});
}

Json task_json(const tool::KnownShell& shell, Era era) {
    const bool old = era == Era::Connections;
    return {{"taskId", shell.files.id},
            {"status", std::visit(StatusOf{era}, shell.now.ending)},
            {"statusMessage", text::to_utf8(words_about(shell.now.ending))},
            {"createdAt", iso_8601(shell.now.record.created)},
            {"lastUpdatedAt", iso_8601(last_change(shell))},
            // Time alone removes none: the oldest go when the state directory has no room.
            {old ? "ttl" : "ttlMs", nullptr},
            {old ? "pollInterval" : "pollIntervalMs", poll_interval_ms}};
}

Json detailed_task_json(const tool::Toolbox& toolbox, const tool::KnownShell& shell) {
    Json task = task_json(shell, Era::Without);
    if (task["status"] == "failed")
        task["error"] = {{"code", static_cast<int>(Code::Internal)},
                         {"message", task["statusMessage"]}};
    if (task["status"] != "completed") return task;
    if (auto result = task_result(toolbox, shell.files.id)) {
        task["result"] = *std::move(result);
        task["result"]["resultType"] = "complete";
    } else {
        task["status"] = "failed";
        task["error"] = {{"code", static_cast<int>(result.error().code)},
                         {"message", result.error().message}};
    }
    return task;
}

Json created_task_json(const tool::KnownShell& shell, Era era) {
    Json task = task_json(shell, era);
    task["status"] = "working";  // as every one begins, however short it was
    task.erase("statusMessage");
    if (era == Era::Without) {
        task["resultType"] = "task";
        return task;
    }
    return {{"task", std::move(task)},
            {"_meta",
             {{"io.modelcontextprotocol/model-immediate-response",
               "The command runs in the background as the shell " + shell.files.id + "."}}}};
}

Answer list_tasks(const tool::Toolbox& toolbox, const Json& params) {
    const Json& cursor = member(params, "cursor");
    auto all = toolbox.shells();
    if (!all) return std::unexpected(Fault{Code::Internal, all.error().text()});
    std::erase_if(*all, [](const Report& one) { return !is_task(one); });
    auto next = all->begin();
    if (!cursor.is_null()) {
        next =
            std::ranges::find_if(*all, [&](const Report& one) { return cursor == one.shell_id; });
        if (next == all->end())
            return std::unexpected(Fault{Code::BadParameters, "there is no such `cursor`"});
        ++next;
    }
    Json result = {{"tasks", Json::array()}};
    for (; next != all->end() && result["tasks"].size() < most_on_page; ++next)
        if (const auto shell = find_task(toolbox, next->shell_id))
            result["tasks"].push_back(task_json(*shell, Era::Connections));
    if (next != all->end()) result["nextCursor"] = std::prev(next)->shell_id;
    return result;
}

Answer task_result(const tool::Toolbox& toolbox, const std::string& id) {
    auto result = toolbox.result_of(id);
    if (!result) return std::unexpected(Fault{Code::Internal, result.error().text()});
    return *std::move(result);
}

}  // namespace husk::serve
