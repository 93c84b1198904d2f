// Questions that wait for a person: commands that a rule asks about.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "serve/http_events.h"
#include "serve/http_loop.h"
#include "tool/toolbox.h"
#include "tool/workers.h"

namespace husk::serve::http {

class Board {
public:
    struct Options {
        std::chrono::milliseconds timeout{300'000};
    };
    Board(Loop& loop, Events& events, tool::Toolbox& toolbox, tool::Workers& workers,
          Options options);
    ~Board();

    using Reply = std::function<void(Answer)>;
    struct Asking {
        std::string call_id;
        std::string via;
        Question question;
    };
    // The id. `reply` is called once, on some thread.
    std::string ask(Asking asking, Reply reply);
    // Its call is over: nobody needs to answer any more.
    void withdraw(const std::string& id);
    void withdraw_all();

    enum class Decision { Allow, AllowAlways, Deny };
    enum class Outcome { Answered, NoSuchApproval, TooLate, OnlyOnce };
    // `done` comes later, on the loop's thread.
    void answer(const std::string& id, Decision decision, std::string reason,
                std::function<void(Outcome)> done);

    enum class Which { Pending, All };
    Json list(Which which) const;
    std::optional<Json> find(const std::string& id) const;
    size_t pending() const { return pending_.size(); }

private:
    struct Asked;
    Json json_of(const Asked& asked) const;
    void close(const std::string& id, const std::string& state, const std::string& decision,
               const std::string& reason, const std::string& note, Answer answer);

    Loop& loop_;
    Events& events_;
    tool::Toolbox& toolbox_;
    tool::Workers& workers_;
    Options options_;
    uint64_t last_ = 0;
    std::map<std::string, std::shared_ptr<Asked>> pending_;
    std::deque<std::shared_ptr<Asked>> answered_;  // newest first
};

}  // namespace husk::serve::http
