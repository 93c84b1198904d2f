// What a client has asked to be told of: logs that grow, and shells that come and go.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/methods.h"
#include "serve/shell_watch.h"
#include "serve/ways.h"

namespace husk::serve {

class Subscriptions {
public:
    // `send` is for what belongs to no request.
    Subscriptions(const tool::Toolbox& toolbox, ShellWatch& watch, Send send)
        : toolbox_(toolbox), watch_(watch), send_(std::move(send)) {}
    ~Subscriptions() { close(); }
    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;

    // ---- in the era of connections

    // What is not there is accepted too, and stays silent.
    Answer subscribe(const Json& params);
    Answer unsubscribe(const Json& params);
    // Who knows the list hears when it changes.
    void follow_list();

    // ---- in the era without

    // Goes on until it is cancelled, and is answered only when we end it. Some clients know tasks.
    std::expected<void, Fault> listen(const Request& request, bool knows_tasks, const Ways& ways);
    void cancel(const Json& id);

    // Nothing is told any more.
    void close();

private:
    struct Stream;
    void follow_list(const std::shared_ptr<Stream>& stream);
    void follow_tools(const std::shared_ptr<Stream>& stream) const;
    void follow_log(const std::shared_ptr<Stream>& stream, const std::string& uri,
                    const std::string& id);
    // False when there is none.
    bool follow_task(const std::shared_ptr<Stream>& stream, const std::string& id);

    const tool::Toolbox& toolbox_;
    ShellWatch& watch_;
    Send send_;
    std::mutex guard_;
    bool closed_ = false;
    std::map<std::string, ShellWatch::Listening> followed_;  // by URI
    ShellWatch::Listening list_;
    bool follows_list_ = false;
    std::map<std::string, std::shared_ptr<Stream>> streams_;  // by the request's id
};

}  // namespace husk::serve
