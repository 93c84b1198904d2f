// Calls of tools: many at a time, each answered when it has ended, or never when it was cancelled.
#include <utility>

#include "render/report_json.h"
#include "serve/connection_parts.h"
#include "serve/tasks.h"

namespace husk::serve {
namespace {

// Clients give up after a minute in which they hear nothing.
constexpr std::chrono::milliseconds answer_within(50'000);
// One that knows tasks need not wait even that long.
constexpr std::chrono::milliseconds task_after(500);

}  // namespace

void Connection::call_tool(const Request& request, const Speaker& speaker, const Ways& ways) {
    const auto refuse_it = [&](const Fault& fault) {
        ways.answer(error_message(request.id, fault));
    };
    const Json& name = member(request.params, "name");
    const Json& arguments = member(request.params, "arguments");
    if (!name.is_string()) return refuse_it({Code::BadParameters, "`name` must be a text"});
    if (!arguments.is_object() && !arguments.is_null())
        return refuse_it({Code::BadParameters, "`arguments` must be an object"});
    const auto call = std::make_shared<Call>(Call{
        request.id, request.id.dump(), name.get<std::string>(),
        arguments.is_null() ? "{}" : render::dump(arguments), speaker, ways.answer, ways.aside});
    call->wants_task = speaker.era == Era::Connections && has_tasks(speaker) &&
                       member(request.params, "task").is_object();
    if (call->wants_task && !server_.toolbox.can_be_task(call->tool))
        return refuse_it({Code::NoSuchMethod, "the tool " + call->tool + " cannot be a task"});
    if (const auto taken = take_answer(*call, request.params); !taken)
        return refuse_it(taken.error());
    if (const auto listed = enlist(call); !listed) return refuse_it(listed.error());
    server_.call(call->tool, call->arguments, context_for(call, request.params),
                 [this, call](tool::Toolbox::Called result) {
                     finish(*call, answer_of(call, std::move(result)));
                 });
}

tool::CallContext Connection::context_for(const std::shared_ptr<Call>& call, const Json& params) {
    tool::CallContext context{.cancel = call->stop.get_token(),
                              .answer_within = answer_within,
                              .start_here = server_.reads_alone,
                              .apart = apart_,
                              .in_background = call->wants_task};
    const Json& token = member(member(params, "_meta"), "progressToken");
    const bool takes_tasks = call->speaker.era == Era::Without && has_tasks(call->speaker) &&
                             knows_tasks(call->speaker.capabilities) &&
                             server_.toolbox.can_be_task(call->tool);
    if (token.is_string() || token.is_number()) {
        // The stream of the call ends when there is a task.
        call->progress = std::make_shared<Progress>(token, call->wants_task ? send_ : call->aside);
        server_.ticker.add(call->progress);
        context.answer_within.reset();
        context.on_record = [call](const Json& record) { call->progress->tell_record(record); };
    } else if (takes_tasks) {
        context.answer_within = task_after;
        context.on_moved = [call](const std::string& id) { call->task = id; };
    }
    context.on_shell = [call](const std::string& id) {
        if (call->progress) call->progress->set_shell(id);
        if (call->progress && call->wants_task) call->progress->belong_to_task();
        call->log(entry_about_start(id));
    };
    context.on_report = [call](const Report& report) {
        const bool refused = std::holds_alternative<Denied>(report.ending) ||
                             std::holds_alternative<NotStarted>(report.ending);
        if (call->wants_task && !refused) call->task = report.shell_id;
        if (!call->speaker.level) return;
        for (const LogEntry& entry : entries_about(report)) call->log(entry);
    };
    if (can_ask(call->speaker.capabilities))
        context.approver = [this, call](const Question& question,
                                        std::function<void(husk::Answer)> answer) {
            ask(call, question, std::move(answer));
        };
    return context;
}

Json Connection::answer_of(const std::shared_ptr<Call>& call, tool::Toolbox::Called result) {
    if (!result) return error_message(call->id, {Code::BadParameters, result.error()});
    if (!call->task.empty()) return created_task(call);
    // What was not run is no task, and there is no other way to say why.
    if (call->wants_task) {
        const Json& content = member(*result, "content");
        const Json& text = member(content.empty() ? content : content.front(), "text");
        return error_message(
            call->id, {Code::BadParameters, text.is_string() ? text.get<std::string>() : "not run",
                       std::move(*result)});
    }
    return result_message(call->id, dressed(*std::move(result), call->speaker.era));
}

std::expected<void, Fault> Connection::enlist(const std::shared_ptr<Call>& call) {
    const std::lock_guard lock(guard_);
    if (calls_.contains(call->key))
        return std::unexpected(
            Fault{Code::NotARequest, "a request with this `id` is still under way"});
    if (closed_ || calls_.size() + awaited_.size() >= most_calls)
        return std::unexpected(Fault{Code::Busy, "too many calls are under way; try again later"});
    calls_.emplace(call->key, call);
    ++under_way_;
    return {};
}

// Without a connection the user's answer comes with the call, made again.
std::expected<void, Fault> Connection::take_answer(Call& call, const Json& params) {
    const Json& ticket = member(params, "requestState");
    if (call.speaker.era == Era::Connections || ticket.is_null()) return {};
    const Json& answer = member(member(params, "inputResponses"), "approve");
    if (!answer.is_object()) return {};
    if (!ticket.is_string() ||
        !server_.tickets.redeem(ticket.get<std::string>(), call.tool, call.arguments))
        return std::unexpected(
            Fault{Code::BadParameters, "`requestState` is not of this call, too old, or was used"});
    call.said = answer_in(answer);
    if (call.said->kind == husk::Answer::Unanswered) call.said->kind = husk::Answer::Deny;
    return {};
}

void Connection::ask(const std::shared_ptr<Call>& call, const Question& question,
                     std::function<void(husk::Answer)> answer) {
    if (call->said) return answer(*call->said);
    if (std::string why = why_not_shown(question.command); !why.empty())
        return answer({husk::Answer::Unanswered, std::move(why)});
    Json form = form_about(question);
    if (call->speaker.era == Era::Without) {
        form["mode"] = "form";
        const Json approve = {{"method", "elicitation/create"}, {"params", std::move(form)}};
        Json result = {{"resultType", "input_required"},
                       {"inputRequests", {{"approve", approve}}},
                       {"requestState", server_.tickets.issue(call->tool, call->arguments)}};
        return finish(*call,
                      result_message(call->id, dressed(std::move(result), call->speaker.era)));
    }
    if (call->speaker.version == "2025-11-25") form["mode"] = "form";
    std::string id;
    {
        const std::lock_guard lock(guard_);
        if (!call->stop.stop_requested()) {
            id = "husk-" + std::to_string(++asked_);
            questions_.emplace(id, Asked{call, answer});
        }
    }
    if (id.empty()) return answer({});
    call->aside(request_message(id, "elicitation/create", std::move(form)));
}

void Connection::handle(const Response& response, const Ways&) {
    std::function<void(husk::Answer)> answer;
    {
        const std::lock_guard lock(guard_);
        const auto found = questions_.find(response.id.is_string() ? response.id.get<std::string>()
                                                                   : std::string());
        if (found == questions_.end()) return;
        answer = std::move(found->second.answer);
        questions_.erase(found);
    }
    answer(answer_in(response.result));
}

// A call that was cancelled has no answer.
void Connection::finish(Call& call, const Json& message) {
    if (call.progress) call.progress->stop();
    {
        const std::lock_guard lock(guard_);
        calls_.erase(call.key);
    }
    if (!call.stop.stop_requested()) call.reply(message);
    call.reply = nullptr;  // others may wait for it, to be answered together
    const std::lock_guard lock(guard_);
    --under_way_;
    ended_.notify_all();
}

void Connection::cancel(const Json& id) {
    stop_awaiting(id.dump());
    std::shared_ptr<Call> call;
    std::map<std::string, Asked> asked;
    {
        const std::lock_guard lock(guard_);
        const auto found = calls_.find(id.dump());
        if (found == calls_.end()) return;
        call = found->second;
        call->stop.request_stop();
        for (auto one = questions_.begin(); one != questions_.end();)
            if (one->second.call == call) {
                asked.insert(questions_.extract(one++));
            } else {
                ++one;
            }
    }
    for (const auto& [question, one] : asked) {
        call->aside(notification_message("notifications/cancelled", {{"requestId", question}}));
        one.answer({});
    }
}

void Connection::abandon() {
    std::map<std::string, Asked> asked;
    std::map<std::string, ShellWatch::Listening> awaited;
    std::map<std::string, Followed> followed;
    {
        const std::lock_guard lock(guard_);
        closed_ = true;
        awaited.swap(awaited_);
        followed.swap(followed_);
        for (const auto& [key, call] : calls_) call->stop.request_stop();
        asked.swap(questions_);
    }
    for (const auto& [question, one] : asked) one.answer({});
    for (const auto& [task, one] : followed)
        if (one.progress) one.progress->stop();
    subscriptions_.close();
    endings_ = {};
    configuration_ = {};
}

void Connection::close() {
    abandon();
    std::unique_lock lock(guard_);
    ended_.wait(lock, [this] { return under_way_ == 0; });
}

}  // namespace husk::serve
