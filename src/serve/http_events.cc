#include "serve/http_events.h"

#include <chrono>
#include <utility>

#include "base/id.h"
#include "base/units.h"
#include "render/report_json.h"

namespace husk::serve::http {
namespace {

constexpr std::chrono::seconds longest_silence(15);
constexpr size_t most_unsent = 16 * 1024;
constexpr size_t most_listeners = 2048;
constexpr size_t at_a_time = 64;
constexpr std::chrono::milliseconds longest_rest(100);

using Clock = std::chrono::steady_clock;

std::set<std::string, std::less<>> words(std::string_view text) {
    std::set<std::string, std::less<>> all;
    while (!text.empty()) {
        const size_t end = std::min(text.find(','), text.size());
        if (end > 0) all.emplace(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

}  // namespace

std::string sse_frame(std::string_view id, std::string_view type, std::string_view data) {
    std::string frame;
    frame.reserve(id.size() + type.size() + data.size() + 32);
    if (!id.empty()) frame.append("id: ").append(id).append("\n");
    if (!type.empty()) frame.append("event: ").append(type).append("\n");
    // A newline in the data begins another line of data.
    do {
        const size_t end = std::min(data.find('\n'), data.size());
        frame.append("data: ").append(data.substr(0, end)).append("\n");
        data.remove_prefix(std::min(end + 1, data.size()));
    } while (!data.empty());
    return frame += "\n";
}

int64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

void EventLog::add(std::string type, std::string shell, const Json& data) {
    const std::string id = epoch_ + "-" + std::to_string(end_);
    std::string frame = sse_frame(id, type, render::dump(data));
    bytes_ += frame.size();
    events_.push_back({std::move(type), std::move(shell), std::move(frame)});
    ++end_;
    while (events_.size() > bounds_.events || (bytes_ > bounds_.bytes && events_.size() > 1)) {
        bytes_ -= events_.front().frame.size();
        events_.pop_front();
    }
}

std::optional<uint64_t> EventLog::after(std::string_view id) const {
    const size_t dash = id.rfind('-');
    if (dash == std::string_view::npos || id.substr(0, dash) != epoch_) return std::nullopt;
    const auto number = text::parse_number(id.substr(dash + 1));
    if (!number || *number + 1 < first() || *number >= end()) return std::nullopt;
    return *number + 1;
}

Response event_stream_head() {
    return {.status = 200, .type = "text/event-stream", .headers = {{"X-Accel-Buffering", "no"}}};
}

struct Events::Listener {
    ExchangePtr exchange;
    uint64_t next = 0;
    bool is_behind = false;                    // there was more to tell than could be sent
    std::set<std::string, std::less<>> types;  // empty: all
    std::string shell;                         // empty: any

    bool wants(const EventLog::Event& event) const {
        if (!shell.empty() && event.shell != shell) return false;
        return types.empty() || types.contains(event.type.substr(0, event.type.find('.')));
    }
};

Events::Events(Loop& loop) : loop_(loop), log_(random_id(6)), rest_(loop), silence_(loop) {
    keep_alive();
}
Events::~Events() = default;

void Events::tell(std::string type, std::string shell, Json data) {
    Json stamped = {{"time", now_ms()}};
    stamped.update(data);
    log_.add(std::move(type), std::move(shell), stamped);
    if (!std::exchange(has_news_, true) && !is_in_round_) plan_round();
}

// Once for all that is told now. A round through very many takes its time, and the loop has other
// things to do: then there is a rest, and the next one tells more at a time. Few are told at once,
// however slow the machine is.
void Events::plan_round() {
    using std::chrono::milliseconds;
    const auto rest = std::chrono::duration_cast<milliseconds>(rested_ - Clock::now());
    if (rest <= milliseconds(0)) return loop_.post([this] { begin_round(); });
    rest_.set(rest, [this] { begin_round(); });
}

void Events::begin_round() {
    has_news_ = false;
    is_in_round_ = true;
    round_began_ = Clock::now();
    round_.assign(listeners_.begin(), listeners_.end());
    is_long_round_ = round_.size() > at_a_time;
    go_on_with_round();
}

// In turns with whatever else there is to do, and with what is sent going away.
void Events::go_on_with_round() {
    for (size_t i = 0; i < at_a_time && !round_.empty(); ++i) {
        const auto listener = std::move(round_.back());
        round_.pop_back();
        pump(listener);
    }
    if (!round_.empty()) return loop_.post([this] { go_on_with_round(); });
    is_in_round_ = false;
    const auto now = Clock::now();
    if (is_long_round_)
        rested_ = now + std::min<Clock::duration>(3 * (now - round_began_), longest_rest);
    if (has_news_) plan_round();
}

void Events::listen(const ExchangePtr& exchange) {
    if (listeners_.size() >= most_listeners)
        return exchange->fail(503, "busy", "too many listen already");
    const Request& request = exchange->request;
    std::string id = request.header("last-event-id");
    const auto value = [&](const char* name) {
        const auto found = request.query.find(name);
        return found == request.query.end() ? std::string() : found->second;
    };
    if (id.empty()) id = value("after");
    const auto listener = std::make_shared<Listener>();
    listener->exchange = exchange;
    listener->types = words(value("types"));
    listener->shell = value("shell");
    const auto next = log_.after(id);
    listener->next = next.value_or(log_.end());
    listeners_.insert(listener);
    exchange->on_gone = [this, weak = std::weak_ptr(listener)] {
        if (const auto gone = weak.lock()) drop(gone);
    };
    exchange->on_drained = [this, weak = std::weak_ptr(listener)] {
        if (const auto here = weak.lock(); here && here->is_behind) pump(here);
    };
    exchange->stream(event_stream_head());
    const Json ready = {{"time", now_ms()}, {"epoch", epoch()}, {"resumed", next.has_value()}};
    exchange->write(sse_frame("", "ready", render::dump(ready)));
    pump(listener);
}

void Events::pump(const std::shared_ptr<Listener>& listener) {
    if (listener->next < log_.first()) {
        ++sent_away_;
        listener->exchange->finish();
        return drop(listener);
    }
    std::string batch;
    while (listener->next < log_.end() &&
           listener->exchange->unsent() + batch.size() < most_unsent) {
        const EventLog::Event& event = log_.at(listener->next++);
        if (listener->wants(event)) batch += event.frame;
    }
    listener->is_behind = listener->next < log_.end();
    listener->exchange->write(batch);
}

void Events::drop(const std::shared_ptr<Listener>& listener) { listeners_.erase(listener); }

void Events::keep_alive() {
    silence_.set(longest_silence, [this] {
        for (const auto& listener : listeners_)
            if (listener->exchange->unsent() == 0) listener->exchange->write(":\n\n");
        keep_alive();
    });
}

void Events::close() {
    silence_.cancel();
    for (const auto& listener : listeners_) listener->exchange->finish();
    listeners_.clear();
}

}  // namespace husk::serve::http
