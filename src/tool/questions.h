// Questions to an approver that nobody has answered yet.
#pragma once

#include <husk/approval.h>

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace husk::tool {

class Questions {
public:
    Questions() = default;
    ~Questions() { close(); }
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    // Absent when the call was cancelled, or the questions were closed.
    using Settled = std::function<void(const std::optional<Answer>& said)>;
    // `settled` is called once, on the thread of whoever answers first, cancels or closes.
    void ask(const Approver& approver, const Question& question, const std::stop_token& cancel,
             Settled settled);

    // Settles the open questions without an answer, and waits for those that are being settled.
    void close();

private:
    struct Pending;
    void settle(const std::shared_ptr<Pending>& pending, const std::optional<Answer>& said);

    std::mutex guard_;
    std::condition_variable settled_;
    std::list<std::shared_ptr<Pending>> pending_;  // also those that are just being settled
};

}  // namespace husk::tool
