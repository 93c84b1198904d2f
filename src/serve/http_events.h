// What happens, in order, for whoever listens: server-sent events that can be resumed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_exchange.h"
#include "serve/http_loop.h"
#include "serve/json_rpc.h"

namespace husk::serve::http {

// One event as it goes over the wire. An empty id or type is left out.
std::string sse_frame(std::string_view id, std::string_view type, std::string_view data);

int64_t now_ms();

// The last events, each with a number; bounded in count and bytes.
class EventLog {
public:
    struct Bounds {
        size_t events = 8192;
        size_t bytes = size_t{8} << 20;
    };
    explicit EventLog(std::string epoch) : EventLog(std::move(epoch), Bounds()) {}
    EventLog(std::string epoch, Bounds bounds) : epoch_(std::move(epoch)), bounds_(bounds) {}

    struct Event {
        std::string type;
        std::string shell;  // that it is about, or empty
        std::string frame;
    };
    void add(std::string type, std::string shell, const Json& data);

    const std::string& epoch() const { return epoch_; }
    // Numbers count up from 1; [first, end) are here.
    uint64_t first() const { return end_ - events_.size(); }
    uint64_t end() const { return end_; }
    const Event& at(uint64_t number) const { return events_[number - first()]; }

    // The number that follows this id; none when it is of another run, or too old.
    std::optional<uint64_t> after(std::string_view id) const;

private:
    std::string epoch_;
    Bounds bounds_;
    std::deque<Event> events_;
    size_t bytes_ = 0;
    uint64_t end_ = 1;
};

// The log, and the clients that listen to it. A client holds no events of its own, only the number
// of the next one; so one that is slow costs nothing, and is sent away when the log has moved on.
class Events {
public:
    explicit Events(Loop& loop);
    ~Events();

    void tell(std::string type, std::string shell, Json data);
    const std::string& epoch() const { return log_.epoch(); }

    // A request for /v1/events.
    void listen(const ExchangePtr& exchange);
    size_t listeners() const { return listeners_.size(); }
    uint64_t sent_away() const { return sent_away_; }
    uint64_t told() const { return log_.end() - 1; }
    // Ends all streams.
    void close();

private:
    struct Listener;
    void plan_round();
    void begin_round();
    void go_on_with_round();
    void pump(const std::shared_ptr<Listener>& listener);
    void drop(const std::shared_ptr<Listener>& listener);
    void keep_alive();

    Loop& loop_;
    EventLog log_;
    std::set<std::shared_ptr<Listener>> listeners_;
    bool has_news_ = false;  // since the last round began
    bool is_in_round_ = false;
    bool is_long_round_ = false;
    std::vector<std::shared_ptr<Listener>> round_;  // those whose turn is to come
    std::chrono::steady_clock::time_point round_began_;
    std::chrono::steady_clock::time_point rested_;
    Timer rest_;
    Timer silence_;
    uint64_t sent_away_ = 0;
};

// The head of an event stream.
Response event_stream_head();

}  // namespace husk::serve::http
