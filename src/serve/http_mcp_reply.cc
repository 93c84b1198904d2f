#include "serve/http_mcp_reply.h"

#include <utility>

#include "render/report_json.h"
#include "serve/http_events.h"

namespace husk::serve::http {
namespace {

// So long nothing is said; then the client hears that somebody is there.
constexpr std::chrono::milliseconds plain_within(1000);
constexpr std::chrono::seconds longest_silence(15);
constexpr size_t most_frames = 64;

int status_of(const Json& message) {
    const Json& code = member(member(message, "error"), "code");
    if (!code.is_number_integer()) return 200;
    switch (static_cast<Code>(code.get<int>())) {
        case Code::NoSuchMethod: return 404;
        case Code::NotJson:
        case Code::NotARequest:
        case Code::MissingCapability:
        case Code::UnsupportedVersion:
        case Code::WrongHeader: return 400;
        default: return 200;
    }
}

}  // namespace

bool accepts(const Request& request, std::string_view type) {
    const std::string accept = lower_case(request.header("accept"));
    const std::string any_of_it = std::string(type.substr(0, type.find('/'))) + "/*";
    return accept.empty() || accept.find("*/*") != std::string::npos ||
           accept.find(any_of_it) != std::string::npos || accept.find(type) != std::string::npos;
}

Reply::Reply(Loop& loop, ExchangePtr exchange, Options options)
    : loop_(loop),
      exchange_(std::move(exchange)),
      options_(std::move(options)),
      timer_(loop),
      takes_stream_(accepts(exchange_->request, "text/event-stream")) {}

void Reply::start() {
    attach(std::exchange(exchange_, nullptr));
    if (takes_stream_)
        timer_.set(plain_within, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->begin_stream();
        });
}

Ways Reply::ways() {
    const auto later = [this](void (Reply::*say)(const Json&)) {
        return [&loop = loop_, weak = weak_from_this(), say](const Json& message) {
            loop.post([weak, say, message] {
                if (const auto self = weak.lock()) ((*self).*say)(message);
            });
        };
    };
    return {.answer = later(&Reply::answer), .aside = later(&Reply::aside)};
}

void Reply::attach(ExchangePtr exchange) {
    exchange_ = std::move(exchange);
    exchange_->on_gone = [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->exchange_.reset();
        self->timer_.cancel();
        const auto left = self->options_.on_left;
        if (left) left();
    };
}

void Reply::end_unless_resumed(std::chrono::milliseconds within, std::function<void()> work) {
    timer_.set(within, [weak = weak_from_this(), work = std::move(work)] {
        const auto self = weak.lock();
        if (!self || self->exchange_) return;
        if (!self->complete_) work();
        self->done();
    });
}

void Reply::answer(const Json& message) {
    if (std::exchange(complete_, true)) return;
    if (!streaming_ && exchange_) {
        const int status = options_.status_tells ? status_of(message) : 200;
        Response response = json_response(status, message);
        response.headers = options_.headers;
        const ExchangePtr exchange = std::exchange(exchange_, nullptr);
        exchange->respond(response);
        return done();
    }
    add_frame(message);
    if (!exchange_) return;  // whoever comes back gets it
    const ExchangePtr exchange = std::exchange(exchange_, nullptr);
    exchange->finish();
    done();
}

void Reply::aside(const Json& message) {
    if (complete_) return;
    if (exchange_ && !takes_stream_) return;  // it cannot be told
    begin_stream();
    // Of what only says that it goes on, one is enough for somebody who does not read.
    constexpr size_t much = 64 * 1024;
    if (may_be_dropped(message) && (!exchange_ || exchange_->unsent() > much)) return;
    add_frame(message);
}

void Reply::begin_stream() {
    if (std::exchange(streaming_, true) || !exchange_) return;
    Response head = event_stream_head();
    for (const auto& header : options_.headers) head.headers.push_back(header);
    exchange_->stream(head);
    // Whoever loses the stream from here on knows what to ask for, and comes back in time.
    if (options_.primed) exchange_->write("id: " + options_.stream + "-0\nretry: 500\ndata: \n\n");
    keep_alive();
}

void Reply::add_frame(const Json& message) {
    const uint64_t number = next_++;
    const std::string id =
        options_.stream.empty() ? "" : options_.stream + "-" + std::to_string(number);
    std::string frame = sse_frame(id, "message", render::dump(message));
    if (exchange_) exchange_->write(frame);
    if (options_.stream.empty()) return;
    frames_.emplace_back(number, std::move(frame));
    if (frames_.size() > most_frames) frames_.pop_front();
}

void Reply::resume(ExchangePtr exchange, uint64_t seen) {
    if (exchange_) {
        const ExchangePtr old = std::exchange(exchange_, nullptr);
        old->on_gone = nullptr;
        old->finish();
    }
    attach(std::move(exchange));
    streaming_ = true;
    exchange_->stream(event_stream_head());
    for (const auto& [number, frame] : frames_)
        if (number > seen) exchange_->write(frame);
    if (!complete_) return keep_alive();
    const ExchangePtr last = std::exchange(exchange_, nullptr);
    last->finish();
    done();
}

void Reply::keep_alive() {
    timer_.set(longest_silence, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self || !self->exchange_) return;
        if (self->exchange_->unsent() == 0) self->exchange_->write(":\n\n");
        self->keep_alive();
    });
}

void Reply::done() {
    timer_.cancel();
    if (const auto done = std::exchange(options_.on_done, nullptr)) done();
}

}  // namespace husk::serve::http
