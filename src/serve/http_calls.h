// Calls of tools that are under way, whoever makes them, and the last that are over.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "serve/http_board.h"
#include "serve/http_events.h"
#include "serve/http_loop.h"
#include "serve/http_metrics.h"
#include "tool/toolbox.h"

namespace husk::serve {
struct LogEntry;
}

namespace husk::serve::http {

class Calls {
public:
    Calls(Loop& loop, tool::Toolbox& toolbox, Events& events, Board& board, Metrics& metrics);
    ~Calls();

    struct New {
        std::string via;  // "v1", "mcp"
        std::string tool;
        std::string arguments;  // JSON
        tool::CallContext context = {};
        // On the loop's thread, when everything is known about it; with why, where there is no
        // such tool.
        std::function<void(const std::string& no_such_tool)> on_over = {};
    };
    // On the loop's thread; `done` is called on another, as the toolbox does. Where the context has
    // nobody to ask, the board is asked. The id.
    std::string start(New fresh, tool::Toolbox::Done done = {});
    // False when there is none. One that is over stays as it is.
    bool cancel(const std::string& id);
    void cancel_all();
    size_t under_way() const { return running_.size(); }
    // Called once, when none is.
    void when_none(std::function<void()> work);
    // Called before the end of a call is told: what became of its shell comes first.
    void before_end(std::function<void(const std::string& shell_id)> work) {
        before_end_ = std::move(work);
    }

    std::optional<std::string> json(const std::string& id) const;
    // What its command used when it was last looked at; null if nobody has looked.
    const contract::Sample* sample(const std::string& id) const;
    std::string list_json() const;

private:
    struct Call;
    using CallPtr = std::shared_ptr<Call>;
    void watch(const CallPtr& call, tool::CallContext& context);
    void raise_alert(const Call& call, const LogEntry& entry);
    void ask_board(const CallPtr& call, const Question& question, Board::Reply reply);
    void finish(const CallPtr& call, const std::expected<std::string, std::string>& result);
    void keep(const CallPtr& call);
    const Call* find(const std::string& id) const;

    Loop& loop_;
    tool::Toolbox& toolbox_;
    Events& events_;
    Board& board_;
    Metrics& metrics_;
    uint64_t last_ = 0;
    std::map<std::string, CallPtr> running_;
    std::deque<CallPtr> over_;  // newest first
    size_t over_bytes_ = 0;
    std::function<void()> when_none_;
    std::function<void(const std::string& shell_id)> before_end_;
};

}  // namespace husk::serve::http
