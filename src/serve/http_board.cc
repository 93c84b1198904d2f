#include "serve/http_board.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "base/utf8.h"
#include "render/text_or_null.h"
#include "render/verdict_json.h"

namespace husk::serve::http {
namespace {

constexpr size_t most_answered = 200;

Answer answer_of(Answer::Kind kind, std::string reason = {}) {
    return {.kind = kind, .reason = std::move(reason), .by = "http"};
}

}  // namespace

struct Board::Asked {
    Asked(Loop& loop, Asking what) : about(std::move(what)), deadline(loop) {}

    std::string id;
    Asking about;
    Reply reply;
    Timer deadline;
    int64_t asked = now_ms();
    int64_t expires = 0;
    bool is_being_answered = false;
    std::string state = "pending";
    int64_t answered = 0;
    std::string decision = {};
    std::string reason = {};
    std::string note = {};
};

Board::Board(Loop& loop, Events& events, tool::Toolbox& toolbox, tool::Workers& workers,
             Options options)
    : loop_(loop), events_(events), toolbox_(toolbox), workers_(workers), options_(options) {}

Board::~Board() = default;

std::string Board::ask(Asking asking, Reply reply) {
    auto asked = std::make_shared<Asked>(loop_, std::move(asking));
    asked->id = "a-" + std::to_string(++last_);
    asked->reply = std::move(reply);
    asked->expires = asked->asked + options_.timeout.count();
    pending_.emplace(asked->id, asked);
    asked->deadline.set(options_.timeout, [this, id = asked->id] {
        const std::string why =
            "nobody answered within " + text::format_duration(options_.timeout) + ", which is a no";
        close(id, "timed_out", "", why, "", answer_of(Answer::Unanswered, why));
    });
    events_.tell("approval.asked", "", json_of(*asked));
    return asked->id;
}

void Board::withdraw(const std::string& id) { close(id, "withdrawn", "", "", "", {}); }

void Board::withdraw_all() {
    while (!pending_.empty()) withdraw(std::string(pending_.begin()->first));
}

void Board::close(const std::string& id, const std::string& state, const std::string& decision,
                  const std::string& reason, const std::string& note, Answer answer) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    const std::shared_ptr<Asked> asked = found->second;
    pending_.erase(found);
    asked->deadline.cancel();
    asked->state = state;
    asked->decision = decision;
    asked->reason = reason;
    asked->note = note;
    asked->answered = now_ms();
    answered_.push_front(asked);
    if (answered_.size() > most_answered) answered_.pop_back();
    events_.tell("approval.answered", "", json_of(*asked));
    std::exchange(asked->reply, nullptr)(std::move(answer));
}

void Board::answer(const std::string& id, Decision decision, std::string reason,
                   std::function<void(Outcome)> done) {
    const auto found = pending_.find(id);
    if (found == pending_.end())
        return done(this->find(id) ? Outcome::TooLate : Outcome::NoSuchApproval);
    const std::shared_ptr<Asked> asked = found->second;
    if (asked->is_being_answered) return done(Outcome::TooLate);
    if (decision == Decision::Deny) {
        close(id, "denied", "deny", reason, "", answer_of(Answer::Deny, text::to_utf8(reason)));
        return done(Outcome::Answered);
    }
    if (decision == Decision::Allow) {
        close(id, "allowed", "allow", reason, "", answer_of(Answer::AllowOnce));
        return done(Outcome::Answered);
    }
    if (!asked->about.question.always.why_not.empty()) return done(Outcome::OnlyOnce);
    asked->is_being_answered = true;
    workers_.post([this, asked, reason = std::move(reason), done = std::move(done)] {
        const Question& question = asked->about.question;
        const std::string note = toolbox_.remember(question);
        loop_.post([this, asked, reason, note, done] {
            // It may have run out, or been withdrawn, meanwhile; what was written stays written.
            const bool in_time = pending_.contains(asked->id);
            close(asked->id, "allowed", "allow_always", reason, note,
                  answer_of(Answer::AllowAlways));
            done(in_time ? Outcome::Answered : Outcome::TooLate);
        });
    });
}

Json Board::json_of(const Asked& asked) const {
    const Question& question = asked.about.question;
    const Json always = {{"file", question.always.file.string()},
                         {"text", question.always.text},
                         {"why_not", render::text_or_null(question.always.why_not)}};
    return {{"approval_id", asked.id},
            {"call_id", asked.about.call_id},
            {"via", asked.about.via},
            {"state", asked.state},
            {"asked", asked.asked},
            {"expires", asked.expires},
            {"command", text::to_utf8(question.command)},
            {"cwd", text::to_utf8(question.working_dir.string())},
            {"verdict", render::verdict_json(question)},
            {"always", always},
            {"answered", asked.answered == 0 ? Json(nullptr) : Json(asked.answered)},
            {"decision", render::text_or_null(asked.decision)},
            {"reason", render::text_or_null(asked.reason)},
            {"note", render::text_or_null(asked.note)}};
}

Json Board::list(Which which) const {
    Json all = Json::array();
    for (const auto& [id, asked] : pending_) all.push_back(json_of(*asked));
    if (which == Which::All)
        for (const auto& asked : answered_) all.push_back(json_of(*asked));
    return {{"approvals", std::move(all)}};
}

std::optional<Json> Board::find(const std::string& id) const {
    if (const auto found = pending_.find(id); found != pending_.end())
        return json_of(*found->second);
    for (const auto& asked : answered_)
        if (asked->id == id) return json_of(*asked);
    return std::nullopt;
}

}  // namespace husk::serve::http
