#include "serve/subscriptions.h"

#include <optional>
#include <set>
#include <utility>

#include "serve/resources.h"
#include "serve/tasks.h"

namespace husk::serve {
namespace {

constexpr size_t most_followed = 1000;
constexpr size_t most_streams = 100;
constexpr std::string_view tools_changed = "notifications/tools/list_changed";
constexpr std::string_view list_changed = "notifications/resources/list_changed";
constexpr std::string_view updated = "notifications/resources/updated";

std::unexpected<Fault> wrong(std::string message) {
    return std::unexpected(Fault{Code::BadParameters, std::move(message)});
}

std::unexpected<Fault> too_many() {
    return std::unexpected(Fault{Code::Busy, "too many subscriptions; end some first"});
}

// The texts of an array; none when it is something else.
std::optional<std::vector<std::string>> texts_in(const Json& array) {
    std::vector<std::string> texts;
    if (array.is_null()) return texts;
    if (!array.is_array()) return std::nullopt;
    for (const Json& one : array) {
        if (!one.is_string()) return std::nullopt;
        texts.push_back(one.get<std::string>());
    }
    return texts;
}

}  // namespace

// A request that stays open. Whatever it says names it, because others may share its way.
struct Subscriptions::Stream {
    Stream(Json name, Ways out) : id(std::move(name)), ways(std::move(out)) {}

    Json id;
    Ways ways;
    std::mutex guard;            // the first thing that is said is what it is about
    std::set<std::string> over;  // tasks of which that was told
    std::vector<ShellWatch::Listening> ears;
    tool::Toolbox::Listening configuration;

    void say(std::string_view method, Json params) {
        Json tagged = {{"_meta", {{"io.modelcontextprotocol/subscriptionId", id}}}};
        tagged.update(params);
        ways.aside(notification_message(method, std::move(tagged)));
    }
    // Once.
    void say_if_over(const tool::Toolbox& toolbox, const std::string& task) {
        const auto shell = find_task(toolbox, task);
        if (!shell || std::holds_alternative<Running>(shell->now.ending)) return;
        if (over.insert(task).second)
            say("notifications/tasks", detailed_task_json(toolbox, *shell));
    }
    void tell(std::string_view method, Json params) {
        const std::lock_guard lock(guard);
        say(method, std::move(params));
    }
};

Answer Subscriptions::subscribe(const Json& params) {
    const Json& uri = member(params, "uri");
    if (!uri.is_string()) return wrong("`uri` must be a text");
    const auto name = uri.get<std::string>();
    ShellWatch::Listening ear;
    if (const auto id = shell_in(name))
        ear = watch_.shell(*id, [send = send_, name](const ShellWatch::Seen&) {
            send(notification_message(updated, {{"uri", name}}));
        });
    const std::lock_guard lock(guard_);
    if (closed_ || (followed_.size() >= most_followed && !followed_.contains(name)))
        return too_many();
    followed_.try_emplace(name, std::move(ear));
    return Json::object();
}

Answer Subscriptions::unsubscribe(const Json& params) {
    const Json& uri = member(params, "uri");
    if (!uri.is_string()) return wrong("`uri` must be a text");
    std::map<std::string, ShellWatch::Listening>::node_type let_go;  // not under the lock
    const std::lock_guard lock(guard_);
    let_go = followed_.extract(uri.get<std::string>());
    return Json::object();
}

void Subscriptions::follow_list() {
    const std::lock_guard lock(guard_);
    if (closed_ || std::exchange(follows_list_, true)) return;
    list_ = watch_.list([send = send_](const std::vector<ShellWatch::Passed>&) {
        send(notification_message(list_changed, Json::object()));
    });
}

std::expected<void, Fault> Subscriptions::listen(const Request& request, bool knows_tasks,
                                                 const Ways& ways) {
    const Json& filter = member(request.params, "notifications");
    if (!filter.is_object()) return wrong("`notifications` must be an object");
    const auto uris = texts_in(member(filter, "resourceSubscriptions"));
    if (!uris) return wrong("`resourceSubscriptions` is a list of URIs");
    const auto tasks = texts_in(member(filter, "taskIds"));
    if (!tasks) return wrong("`taskIds` is a list of tasks");
    if (!tasks->empty() && !knows_tasks) return std::unexpected(needs_tasks());
    if (uris->size() + tasks->size() > most_followed) return too_many();
    const auto stream = std::make_shared<Stream>(request.id, ways);
    {
        const std::lock_guard lock(guard_);
        if (closed_ || streams_.size() >= most_streams) return too_many();
        if (!streams_.emplace(request.id.dump(), stream).second)
            return std::unexpected(
                Fault{Code::NotARequest, "a request with this `id` is still under way"});
    }
    // Nobody is told before the acknowledgement has gone out.
    const std::lock_guard lock(stream->guard);
    Json agreed = Json::object();
    if (member(filter, "resourcesListChanged") == true) {
        agreed["resourcesListChanged"] = true;
        follow_list(stream);
    }
    if (member(filter, "toolsListChanged") == true) {
        agreed["toolsListChanged"] = true;
        follow_tools(stream);
    }
    for (const std::string& uri : *uris) {
        const auto id = shell_in(uri);
        if (!id || !toolbox_.own_shell(*id)) continue;
        agreed["resourceSubscriptions"].push_back(uri);
        follow_log(stream, uri, *id);
    }
    for (const std::string& id : *tasks)
        if (follow_task(stream, id)) agreed["taskIds"].push_back(id);
    stream->say("notifications/subscriptions/acknowledged", {{"notifications", agreed}});
    // What is over already is news to somebody who asks only now.
    for (const Json& id : member(agreed, "taskIds")) stream->say_if_over(toolbox_, id);
    return {};
}

void Subscriptions::follow_list(const std::shared_ptr<Stream>& stream) {
    stream->ears.push_back(
        watch_.list([weak = std::weak_ptr(stream)](const std::vector<ShellWatch::Passed>&) {
            if (const auto here = weak.lock()) here->tell(list_changed, Json::object());
        }));
}

void Subscriptions::follow_tools(const std::shared_ptr<Stream>& stream) const {
    stream->configuration = toolbox_.on_configuration(
        [weak = std::weak_ptr(stream)](const tool::Toolbox::Reconfigured& news) {
            if (!news.tools_changed) return;
            if (const auto here = weak.lock()) here->tell(tools_changed, Json::object());
        });
}

void Subscriptions::follow_log(const std::shared_ptr<Stream>& stream, const std::string& uri,
                               const std::string& id) {
    stream->ears.push_back(
        watch_.shell(id, [weak = std::weak_ptr(stream), uri](const ShellWatch::Seen&) {
            if (const auto here = weak.lock()) here->tell(updated, {{"uri", uri}});
        }));
}

bool Subscriptions::follow_task(const std::shared_ptr<Stream>& stream, const std::string& id) {
    if (!find_task(toolbox_, id)) return false;
    stream->ears.push_back(watch_.shell(
        id, [&toolbox = toolbox_, weak = std::weak_ptr(stream), id](const ShellWatch::Seen& seen) {
            const auto here = weak.lock();
            if (!here || !seen.ended) return;
            const std::lock_guard lock(here->guard);
            here->say_if_over(toolbox, id);
        }));
    return true;
}

void Subscriptions::cancel(const Json& id) {
    std::map<std::string, std::shared_ptr<Stream>>::node_type let_go;
    const std::lock_guard lock(guard_);
    let_go = streams_.extract(id.dump());
}

void Subscriptions::close() {
    std::map<std::string, ShellWatch::Listening> followed;
    std::map<std::string, std::shared_ptr<Stream>> streams;
    ShellWatch::Listening list;
    {
        const std::lock_guard lock(guard_);
        closed_ = true;
        followed.swap(followed_);
        streams.swap(streams_);
        list = std::move(list_);
    }
    for (const auto& [id, stream] : streams) {
        const Json meta = {{"io.modelcontextprotocol/subscriptionId", stream->id}};
        const Json over = dressed({{"_meta", meta}}, Era::Without);
        stream->ways.answer(result_message(stream->id, over));
    }
}

}  // namespace husk::serve
