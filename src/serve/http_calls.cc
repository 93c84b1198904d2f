#include "serve/http_calls.h"

#include <utility>

#include "base/utf8.h"
#include "render/report_json.h"
#include "render/text_or_null.h"
#include "serve/http_shell_json.h"
#include "serve/logging.h"

namespace husk::serve::http {
namespace {

constexpr size_t most_over = 200;
constexpr size_t most_in_event = 4096;
constexpr size_t most_over_bytes = size_t{2} << 20;

// A call whose client was given a question instead of an answer is dropped, and over all the same.
class LastWord {
public:
    using Result = std::expected<std::string, std::string>;
    explicit LastWord(std::function<void(Result)> over) : over_(std::move(over)) {}
    ~LastWord() {
        if (over_) over_("");
    }
    LastWord(const LastWord&) = delete;
    LastWord& operator=(const LastWord&) = delete;

    void say(Result result) {
        if (const auto over = std::exchange(over_, nullptr)) over(std::move(result));
    }

private:
    std::function<void(Result)> over_;
};

}  // namespace

struct Calls::Call {
    std::string id;
    uint64_t number = 0;
    std::string via;
    std::string tool;
    std::string arguments;
    std::string state = "running";
    int64_t started = now_ms();
    int64_t ended = 0;
    std::string shell_id = {};
    std::string approval_id = {};
    std::string result = {};  // JSON, as is the next
    std::string report = {};
    std::string status = {};  // of the report
    std::optional<contract::Sample> sample = {};
    std::stop_source stop = {};
    // From the token that the caller gave.
    std::unique_ptr<std::stop_callback<std::function<void()>>> forward = {};
    std::function<void(const std::string&)> on_over = {};

    size_t bytes() const { return arguments.size() + result.size() + report.size(); }

    Json head() const {
        return {{"call_id", id},
                {"via", via},
                {"tool", text::to_utf8(tool)},
                {"state", state},
                {"started", started},
                {"ended", ended == 0 ? Json(nullptr) : Json(ended)},
                {"shell_id", render::text_or_null(shell_id)},
                {"approval_id", render::text_or_null(approval_id)}};
    }
    // The large parts are kept as text, and put in as they are.
    std::string json() const {
        std::string text = render::dump(head());
        text.pop_back();
        text += ",\"arguments\":" + arguments;
        text += ",\"result\":" + (result.empty() ? "null" : result);
        text += ",\"report\":" + (report.empty() ? "null" : report);
        return text + "}";
    }
    // What goes to many has no large parts.
    Json event() const {
        Json all = head();
        all["arguments"] =
            arguments.size() > most_in_event ? Json(nullptr) : Json::parse(arguments);
        all["result"] = nullptr;
        all["report"] = report.empty() ? Json(nullptr) : brief(Json::parse(report));
        return all;
    }
};

Calls::Calls(Loop& loop, tool::Toolbox& toolbox, Events& events, Board& board, Metrics& metrics)
    : loop_(loop), toolbox_(toolbox), events_(events), board_(board), metrics_(metrics) {}

Calls::~Calls() = default;

std::string Calls::start(New fresh, tool::Toolbox::Done done) {
    const auto call = std::make_shared<Call>();
    call->number = ++last_;
    call->id = "c-" + std::to_string(call->number);
    call->via = std::move(fresh.via);
    call->tool = fresh.tool;
    call->arguments = fresh.arguments;
    call->on_over = std::move(fresh.on_over);
    running_.emplace(call->id, call);
    fresh.context.via = call->via;
    watch(call, fresh.context);
    events_.tell("call.started", "", call->event());
    const auto last =
        std::make_shared<LastWord>([this, call](std::expected<std::string, std::string> result) {
            loop_.post([this, call, result = std::move(result)] { finish(call, result); });
        });
    toolbox_.call(std::move(fresh.tool), std::move(fresh.arguments), std::move(fresh.context),
                  [last, done = std::move(done)](tool::Toolbox::Called result) {
                      std::expected<std::string, std::string> text;
                      if (result)
                          text = render::dump(*result);
                      else
                          text = std::unexpected(result.error());
                      if (done) done(std::move(result));
                      last->say(std::move(text));
                  });
    return call->id;
}

// What the caller wants to hear he hears first.
void Calls::watch(const CallPtr& call, tool::CallContext& context) {
    auto on_shell = std::move(context.on_shell);
    context.on_shell = [this, call, on_shell = std::move(on_shell)](const std::string& id) {
        if (on_shell) on_shell(id);
        loop_.post([this, call, id] {
            if (call->ended != 0) return;  // a quick one: call.ended has told it
            call->shell_id = id;
            events_.tell("call.changed", id, call->event());
        });
    };
    context.on_sample = [this, call](const contract::Sample& sample) {
        loop_.post([call, sample] { call->sample = sample; });
    };
    auto on_report = std::move(context.on_report);
    context.on_report = [this, call, on_report = std::move(on_report)](const Report& report) {
        if (on_report) on_report(report);
        std::string text = render::dump(report_without_output(report));
        loop_.post([call, text = std::move(text), status = std::string(status_word(report.ending)),
                    shell = report.shell_id] {
            call->report = text;
            call->status = status;
            if (call->shell_id.empty()) call->shell_id = shell;
        });
        for (const LogEntry& entry : entries_about(report))
            if (entry.level >= Level::Warning)
                loop_.post([this, call, entry] { raise_alert(*call, entry); });
    };
    // Both may cancel it: the client, and whoever asks us to.
    const std::stop_token theirs = std::move(context.cancel);
    context.cancel = call->stop.get_token();
    if (theirs.stop_possible())
        call->forward = std::make_unique<std::stop_callback<std::function<void()>>>(
            theirs, [this, id = call->id, stop = call->stop]() mutable {
                stop.request_stop();
                loop_.post([this, id] { cancel(id); });
            });
    if (!context.approver)
        context.approver = [this, call](const Question& question, Board::Reply reply) {
            ask_board(call, question, std::move(reply));
        };
}

// What somebody who runs agents wants to know of without asking: a refusal, a wall that was run
// into, a limit that was passed, a command that could not be run.
void Calls::raise_alert(const Call& call, const LogEntry& entry) {
    events_.tell("alert.raised", call.shell_id,
                 {{"call_id", call.id},
                  {"via", call.via},
                  {"tool", text::to_utf8(call.tool)},
                  {"shell_id", render::text_or_null(call.shell_id)},
                  {"level", word(entry.level)},
                  {"source", entry.logger},
                  {"details", entry.data}});
}

// On a thread of the toolbox, which is not kept.
void Calls::ask_board(const CallPtr& call, const Question& question, Board::Reply reply) {
    loop_.post([this, call, question, reply = std::move(reply)] {
        if (call->stop.stop_requested()) return reply({});
        call->state = "asking";
        const auto decided = [call, reply](Answer answer) {
            if (call->state == "asking") call->state = "running";
            reply(std::move(answer));
        };
        call->approval_id = board_.ask({call->id, call->via, question}, decided);
    });
}

void Calls::finish(const CallPtr& call, const std::expected<std::string, std::string>& result) {
    call->forward.reset();
    call->state = call->stop.stop_requested() ? "cancelled" : "done";
    call->ended = now_ms();
    if (result) {
        call->result = *result;
    } else {
        const Json text = {{"type", "text"}, {"text", text::to_utf8(result.error())}};
        call->result = render::dump({{"content", Json::array({text})}, {"isError", true}});
    }
    running_.erase(call->id);
    metrics_.count_call(result ? call->tool : "none", call->status, call->ended - call->started);
    if (before_end_ && !call->shell_id.empty()) before_end_(call->shell_id);
    events_.tell("call.ended", call->shell_id, call->event());
    keep(call);
    if (const auto over = std::exchange(call->on_over, nullptr)) over(result ? "" : result.error());
    if (running_.empty() && when_none_) std::exchange(when_none_, nullptr)();
}

void Calls::keep(const CallPtr& call) {
    over_bytes_ += call->bytes();
    over_.push_front(call);
    while (over_.size() > most_over || (over_bytes_ > most_over_bytes && over_.size() > 1)) {
        over_bytes_ -= over_.back()->bytes();
        over_.pop_back();
    }
}

bool Calls::cancel(const std::string& id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return find(id) != nullptr;
    const CallPtr call = found->second;
    call->stop.request_stop();
    if (!call->approval_id.empty()) board_.withdraw(call->approval_id);
    return true;
}

void Calls::cancel_all() {
    std::vector<std::string> ids;
    for (const auto& [id, call] : running_) ids.push_back(id);
    for (const std::string& id : ids) cancel(id);
}

void Calls::when_none(std::function<void()> work) {
    if (running_.empty()) return work();
    when_none_ = std::move(work);
}

const Calls::Call* Calls::find(const std::string& id) const {
    if (const auto found = running_.find(id); found != running_.end()) return found->second.get();
    for (const CallPtr& call : over_)
        if (call->id == id) return call.get();
    return nullptr;
}

std::optional<std::string> Calls::json(const std::string& id) const {
    const Call* call = find(id);
    if (call == nullptr) return std::nullopt;
    return call->json();
}

const contract::Sample* Calls::sample(const std::string& id) const {
    const Call* call = find(id);
    return call == nullptr || !call->sample ? nullptr : &*call->sample;
}

std::string Calls::list_json() const {
    std::map<uint64_t, const Call*, std::greater<>> newest_first;
    for (const auto& [id, call] : running_) newest_first.emplace(call->number, call.get());
    std::string text;
    const auto add = [&](const Call& call) { text += (text.empty() ? "" : ",") + call.json(); };
    for (const auto& [number, call] : newest_first) add(*call);
    for (const CallPtr& call : over_) add(*call);
    return "{\"calls\":[" + text + "]}\n";
}

}  // namespace husk::serve::http
