// MCP, whatever carries it: messages come in, and what is to be said about them goes out. Both eras
// at once: that of connections (2024-11-05 to 2025-11-25), which begins with `initialize`, and
// that without (2026-07-28), in which each request says who speaks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/approvals.h"
#include "serve/configuration_news.h"
#include "serve/json_rpc.h"
#include "serve/logging.h"
#include "serve/methods.h"
#include "serve/progress.h"
#include "serve/shell_watch.h"
#include "serve/subscriptions.h"
#include "serve/ways.h"
#include "tool/toolbox.h"

namespace husk::serve {

// What all connections share.
struct Server {
    // Calls a tool as the toolbox does.
    using Caller = std::function<void(std::string tool, std::string arguments,
                                      tool::CallContext context, tool::Toolbox::Done done)>;
    explicit Server(tool::Toolbox& tools);
    Server(tool::Toolbox& tools, Caller caller)
        : toolbox(tools),
          call(std::move(caller)),
          ticker(tools),
          shells(tools),
          configuration(tools) {}

    tool::Toolbox& toolbox;
    Caller call;
    Tickets tickets;
    Ticker ticker;
    ShellWatch shells;
    ConfigurationWatch configuration;
    bool reads_alone = false;  // the thread that reads has nothing else to do
};

class Connection {
public:
    // `send` is called by several threads, and must not keep them. Calls of this connection run in
    // a session of their own, if it has a name that keeps them `apart`.
    Connection(Server& server, Send send, std::string apart = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // One message, or several in an array where the version has that. By one thread at a time;
    // calls of tools are answered later, in the order in which they end.
    void receive(std::string_view text) { receive(text, {send_, send_}); }
    void receive(std::string_view text, const Ways& ways);
    // What came was not even a message.
    void refuse(const Fault& fault) { send_(error_message(nullptr, fault)); }
    // What is listened to has an end; calls go on.
    void end_subscriptions() { subscriptions_.close(); }
    // Cancels what is under way.
    void abandon();
    // The same, and waits until nothing of it is left.
    void close();
    const std::string& version() const { return version_; }  // that was agreed on

private:
    struct Call;
    struct Speaker;
    void handle(const Request& request, const Ways& ways);
    void handle(const Notification& notification, const Ways& ways);
    void handle(const Response& response, const Ways& ways);
    void handle(const Malformed& malformed, const Ways& ways);
    std::expected<Speaker, Fault> speaker_of(const Request& request) const;

    Answer answer_to(const Request& request, const Speaker& speaker);
    Answer initialize(const Json& params);
    Answer set_level(const Json& params);
    void tell_of_configuration();
    // task_calls.cc
    bool has_tasks(const Speaker& speaker) const;
    bool handle_task(const Request& request, const Speaker& speaker, const Ways& ways);
    void await_task(const Request& request, const std::string& task, const Ways& ways);
    bool stop_awaiting(const std::string& key);
    void cancel_task(const Request& request, const tool::KnownShell& task, const Speaker& speaker,
                     const Ways& ways);
    Json created_task(const std::shared_ptr<Call>& call);
    void follow_task(const std::string& task, std::shared_ptr<Progress> progress);
    bool stop_following(const std::string& task);

    // calls.cc
    void call_tool(const Request& request, const Speaker& speaker, const Ways& ways);
    tool::CallContext context_for(const std::shared_ptr<Call>& call, const Json& params);
    Json answer_of(const std::shared_ptr<Call>& call, tool::Toolbox::Called result);
    std::expected<void, Fault> enlist(const std::shared_ptr<Call>& call);
    std::expected<void, Fault> take_answer(Call& call, const Json& params);
    void ask(const std::shared_ptr<Call>& call, const husk::Question& question,
             std::function<void(husk::Answer)> answer);
    void finish(Call& call, const Json& message);
    void cancel(const Json& id);

    Server& server_;
    Send send_;
    std::string apart_;
    std::string version_;         // that `initialize` agreed on
    Json client_capabilities_;    // that it declared
    std::optional<Level> level_;  // that it asked for; none: nothing is logged

    struct Asked {
        std::shared_ptr<Call> call;
        std::function<void(husk::Answer)> answer;
    };
    std::mutex guard_;
    std::condition_variable ended_;
    bool closed_ = false;
    size_t under_way_ = 0;
    std::map<std::string, std::shared_ptr<Call>> calls_;  // by id
    std::map<std::string, Asked> questions_;              // by the id of our own request
    // Requests that are answered when a task is over, by id; and tasks that this client has begun.
    struct Followed {
        ShellWatch::Listening ear;
        std::shared_ptr<Progress> progress;
    };
    std::map<std::string, ShellWatch::Listening> awaited_;
    std::map<std::string, Followed> followed_;
    uint64_t asked_ = 0;
    Subscriptions subscriptions_;
    ShellWatch::Listening endings_;  // of shells that nobody waits for, to be logged
    // The least level of messages about the configuration. They also go to a client that has not
    // named a level, because they concern all calls.
    std::shared_ptr<std::atomic<Level>> least_ =
        std::make_shared<std::atomic<Level>>(Level::Notice);
    tool::Toolbox::Listening configuration_;
};

}  // namespace husk::serve
