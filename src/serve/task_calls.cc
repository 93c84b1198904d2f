// Calls that have become tasks, and what clients ask about them.
#include <optional>
#include <utility>

#include "serve/connection_parts.h"
#include "serve/tasks.h"

namespace husk::serve {

bool Connection::has_tasks(const Speaker& speaker) const {
    if (!server_.toolbox.has_tasks()) return false;
    return speaker.era == Era::Without || speaker.version == version_with_tasks;
}

// True when it was one of theirs.
bool Connection::handle_task(const Request& request, const Speaker& speaker, const Ways& ways) {
    const bool old = speaker.era == Era::Connections;
    const std::string& method = request.method;
    const bool known =
        method == "tasks/get" || method == "tasks/cancel" ||
        (old ? method == "tasks/result" || method == "tasks/list" : method == "tasks/update");
    if (!known || !has_tasks(speaker)) return false;
    const auto reply = [&](Answer result) {
        ways.answer(result ? result_message(request.id, dressed(*std::move(result), speaker.era))
                           : error_message(request.id, result.error()));
    };
    if (!old && !knows_tasks(speaker.capabilities)) {
        reply(std::unexpected(needs_tasks()));
        return true;
    }
    if (method == "tasks/list") {
        reply(list_tasks(server_.toolbox, request.params));
        return true;
    }
    const auto task = task_in(server_.toolbox, request.params);
    if (!task) {
        reply(std::unexpected(task.error()));
    } else if (method == "tasks/get") {
        reply(old ? task_json(*task, speaker.era) : detailed_task_json(server_.toolbox, *task));
    } else if (method == "tasks/update") {
        reply(Json::object());  // nothing is asked any more when there is a task
    } else if (method == "tasks/result") {
        await_task(request, task->files.id, ways);
    } else {
        cancel_task(request, *task, speaker, ways);
    }
    return true;
}

void Connection::await_task(const Request& request, const std::string& task, const Ways& ways) {
    const std::string key = request.id.dump();
    const auto tell = [&toolbox = server_.toolbox, id = request.id, task, answer = ways.answer] {
        auto result = task_result(toolbox, task);
        if (!result) return answer(error_message(id, result.error()));
        (*result)["_meta"].update(related_to(task));
        answer(result_message(id, *std::move(result)));
    };
    std::optional<Fault> busy;
    {
        // Whoever hears of its end waits for this before he looks for himself here.
        const std::lock_guard lock(guard_);
        if (closed_ || awaited_.contains(key) || calls_.contains(key))
            busy = Fault{Code::NotARequest, "a request with this `id` is still under way"};
        else if (calls_.size() + awaited_.size() >= most_calls)
            busy = Fault{Code::Busy, "too many calls are under way; try again later"};
        else
            awaited_.emplace(
                key, server_.shells.shell(task, [this, key, tell](const ShellWatch::Seen& seen) {
                    if (seen.there && !seen.ended) return;
                    if (stop_awaiting(key)) tell();
                }));
    }
    if (busy) return ways.answer(error_message(request.id, *busy));
    // It may have been over before anybody listened.
    const auto now = find_task(server_.toolbox, task);
    const bool runs = now && std::holds_alternative<Running>(now->now.ending);
    if (!runs && stop_awaiting(key)) tell();
}

// False when somebody else has done so.
bool Connection::stop_awaiting(const std::string& key) {
    std::map<std::string, ShellWatch::Listening>::node_type let_go;  // not under the lock
    const std::lock_guard lock(guard_);
    let_go = awaited_.extract(key);
    return !let_go.empty();
}

void Connection::cancel_task(const Request& request, const tool::KnownShell& task,
                             const Speaker& speaker, const Ways& ways) {
    const bool old = speaker.era == Era::Connections;
    const bool over = !std::holds_alternative<Running>(task.now.ending);
    if (old && over)
        return ways.answer(error_message(
            request.id, {Code::BadParameters, "the task is over and cannot be cancelled"}));
    const auto enter = [this] {
        const std::lock_guard lock(guard_);
        if (under_way_ >= 2 * most_calls) return false;  // calls are ended by these
        ++under_way_;
        return true;
    };
    if (!over && !enter())
        return ways.answer(error_message(
            request.id, {Code::Busy, "too many calls are under way; try again later"}));
    if (!old) ways.answer(result_message(request.id, dressed(Json::object(), speaker.era)));
    if (over) return;
    server_.toolbox.cancel(
        task.files.id, [this, old, id = request.id, name = task.files.id, answer = ways.answer] {
            const auto now = find_task(server_.toolbox, name);
            if (old && now)
                answer(result_message(id, task_json(*now, Era::Connections)));
            else if (old)
                answer(error_message(id, {Code::BadParameters, "there is no such task"}));
            const std::lock_guard lock(guard_);
            --under_way_;
            ended_.notify_all();
        });
}

// From now on nobody waits for it but whoever asks.
Json Connection::created_task(const std::shared_ptr<Call>& call) {
    const auto shell = find_task(server_.toolbox, call->task);
    if (!shell) return error_message(call->id, {Code::Internal, "the task could not be looked at"});
    const Era era = call->speaker.era;
    if (era == Era::Connections && std::holds_alternative<Running>(shell->now.ending))
        follow_task(call->task, std::exchange(call->progress, nullptr));
    return result_message(call->id, dressed(created_task_json(*shell, era), era));
}

// Its client hears how it goes on, if it wants to, and that it is over.
void Connection::follow_task(const std::string& task, std::shared_ptr<Progress> progress) {
    {
        const std::lock_guard lock(guard_);
        if (closed_) return;
        auto ear = server_.shells.shell(task, [this, task](const ShellWatch::Seen& seen) {
            if (seen.there && !seen.ended) return;
            const auto shell = find_task(server_.toolbox, task);
            if (stop_following(task) && shell)
                send_(notification_message("notifications/tasks/status",
                                           task_json(*shell, Era::Connections)));
        });
        followed_.insert_or_assign(task, Followed{std::move(ear), std::move(progress)});
    }
    // It may have been over before anybody listened.
    const auto now = find_task(server_.toolbox, task);
    if (!now || !std::holds_alternative<Running>(now->now.ending)) stop_following(task);
}

bool Connection::stop_following(const std::string& task) {
    std::map<std::string, Followed>::node_type let_go;  // not under the lock
    {
        const std::lock_guard lock(guard_);
        let_go = followed_.extract(task);
    }
    if (let_go.empty()) return false;
    if (const auto& progress = let_go.mapped().progress) progress->stop();
    return true;
}

}  // namespace husk::serve
