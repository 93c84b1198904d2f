#include "serve/http_connection.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

namespace husk::serve::http {

namespace beast = boost::beast::http;
using boost::system::error_code;

// Pushed by hand, so that it knows nothing of sockets.
struct Connection::Parser {
    beast::request_parser<beast::string_body> parser;
    bool has_head = false;
};

namespace {

constexpr size_t usual_piece = 16 * 1024;
constexpr size_t small_piece = 256;  // while answering: to see that the client goes away
constexpr std::chrono::milliseconds drained_within(300);
constexpr size_t most_ahead = 64 * 1024;  // of requests that are sent before their turn

Response response_to(const error_code& failed) {
    if (failed == beast::error::header_limit)
        return error_response(431, "head_too_long", "the head of a request is at most 16 KiB");
    if (failed == beast::error::body_limit || failed == beast::error::buffer_overflow)
        return error_response(413, "too_long", "the body is too long");
    return error_response(400, "bad_request", "this is not HTTP/1.1: " + failed.message());
}

}  // namespace

Connection::Connection(Loop& loop, std::unique_ptr<Wire> wire, Peer peer, const Service& service,
                       std::function<void(const Connection*)> on_closed)
    : loop_(loop),
      wire_(std::move(wire)),
      peer_(std::move(peer)),
      service_(service),
      on_closed_(std::move(on_closed)),
      deadline_(loop),
      write_deadline_(loop) {}

Connection::~Connection() = default;

void Connection::start() {
    set_deadline(service_.bounds.head_within);
    wire_->greet([self = shared_from_this()](bool well) {
        if (!well || self->state_ != State::Greeting) return self->close();
        self->state_ = State::Idle;
        self->read();
    });
}

void Connection::close() {
    if (state_ == State::Closed) return;
    state_ = State::Closed;
    deadline_.cancel();
    write_deadline_.cancel();
    wire_->close();
    if (const auto exchange = exchange_.lock()) exchange->client_is_gone();
    // Later, because the owner may be in the middle of all connections.
    loop_.post([self = shared_from_this()] { self->on_closed_(self.get()); });
}

void Connection::close_when_idle() {
    last_ = true;
    if (state_ == State::Idle || state_ == State::Greeting) close();
}

void Connection::set_deadline(std::chrono::milliseconds within) {
    deadline_.set(within, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        const bool begun = self->state_ == State::Head || self->state_ == State::Body;
        if (!begun) return self->close();
        self->refuse(error_response(408, "too_slow", "the request did not come in time"));
    });
}

void Connection::read() {
    if (reading_ || state_ == State::Closed) return;
    if (state_ == State::Answering && buffer_.size() >= most_ahead) return;
    reading_ = true;
    // A thousand streams that only listen shall not hold a thousand large buffers.
    const size_t room = state_ == State::Answering ? small_piece : usual_piece;
    if (piece_.size() != room) {
        piece_ = std::string(room, '\0');
        piece_.shrink_to_fit();
    }
    wire_->read(piece_, [self = shared_from_this()](bool well, size_t bytes) {
        self->reading_ = false;
        if (self->state_ == State::Closed) return;
        if (!well) return self->close();
        self->take(bytes);
    });
}

void Connection::take(size_t bytes) {
    if (state_ == State::Draining) return read();
    buffer_.append(piece_, 0, bytes);
    if (state_ == State::Idle) {
        state_ = State::Head;
        set_deadline(service_.bounds.head_within);
    }
    if (state_ != State::Answering) parse();
    read();
}

void Connection::parse() {
    while ((state_ == State::Head || state_ == State::Body) && parse_some()) {
    }
}

// False when more is needed, or nothing is left to do.
bool Connection::parse_some() {
    if (!parser_) {
        parser_ = std::make_unique<Parser>();
        parser_->parser.header_limit(static_cast<uint32_t>(service_.bounds.head_bytes));
        parser_->parser.body_limit(service_.bounds.long_body_bytes);
    }
    // Beast looks again at a last chunk whose end it has not seen, and asserts that it is complete.
    // So it gets the last chunk only once that is there.
    if (parser_->has_head && parser_->parser.chunked() && buffer_.starts_with('0') &&
        buffer_.size() < last_chunk.size())
        return false;
    error_code failed;
    const size_t used =
        parser_->parser.put(boost::asio::buffer(buffer_.data(), buffer_.size()), failed);
    buffer_.erase(0, used);
    if (failed && failed != beast::error::need_more) {
        refuse(response_to(failed));
        return false;
    }
    if (!parser_->has_head && parser_->parser.is_header_done() && !take_head()) return false;
    if (parser_->parser.is_done()) {
        dispatch();
        return false;
    }
    return !failed && !buffer_.empty();
}

Request Connection::head_of_request() const {
    const auto& message = parser_->parser.get();
    Request request;
    request.method = std::string(message.method_string());
    request.keep_alive = message.keep_alive();
    request.is_local = peer_.is_local;
    request.local_address = peer_.local_address;
    for (const auto& field : message)
        request.headers.emplace_back(lower_case(field.name_string()), std::string(field.value()));
    return request;
}

// False when it was refused.
bool Connection::take_head() {
    parser_->has_head = true;
    request_ = head_of_request();
    const auto& message = parser_->parser.get();
    if (message.version() != 11 || !read_target(message.target(), request_)) {
        refuse(error_response(400, "bad_request", "only HTTP/1.1 is spoken, with a path"));
        return false;
    }
    if (const std::string unclear = unclear_length(request_); !unclear.empty()) {
        refuse(error_response(400, "bad_request", unclear));
        return false;
    }
    if (const auto refusal = service_.refuse(request_)) {
        refuse(*refusal);
        return false;
    }
    const size_t most = service_.takes_long_body(request_) ? service_.bounds.long_body_bytes
                                                           : service_.bounds.body_bytes;
    const auto length = parser_->parser.content_length();
    if (length && *length > most) {
        refuse(error_response(413, "too_long",
                              "the body is at most " + std::to_string(most) + " bytes long"));
        return false;
    }
    parser_->parser.body_limit(most);
    parser_->parser.eager(true);
    state_ = State::Body;
    set_deadline(service_.bounds.body_within);
    if (lower_case(request_.header("expect")) == "100-continue" && !parser_->parser.is_done()) {
        waiting_ += "HTTP/1.1 100 Continue\r\n\r\n";
        flush();
    }
    return true;
}

// What follows a request that was not read to its end cannot be told from its rest.
void Connection::refuse(const Response& response) {
    if (state_ == State::Closed || state_ == State::Answering) return;
    state_ = State::Answering;
    deadline_.cancel();
    last_ = refused_ = true;
    buffer_.clear();
    parser_.reset();
    ++number_;
    request_.keep_alive = false;
    const auto exchange =
        std::make_shared<Exchange>(weak_from_this(), number_, std::move(request_));
    request_ = {};
    exchange->respond(response);
}

void Connection::dispatch() {
    state_ = State::Answering;
    deadline_.cancel();
    ended_ = false;
    request_.body = std::move(parser_->parser.get().body());
    parser_.reset();
    buffer_.shrink_to_fit();
    if (!request_.keep_alive) last_ = true;
    if (last_) request_.keep_alive = false;
    const auto exchange =
        std::make_shared<Exchange>(weak_from_this(), ++number_, std::exchange(request_, {}));
    exchange_ = exchange;
    service_.handle(exchange);
}

void Connection::begin(uint64_t number, std::string head) { write(number, std::move(head)); }

void Connection::write(uint64_t number, std::string bytes) {
    if (number != number_ || state_ != State::Answering) return;
    waiting_ += bytes;
    flush();
}

void Connection::end(uint64_t number) {
    if (number != number_ || state_ != State::Answering) return;
    ended_ = true;
    if (unsent() == 0) next();
}

void Connection::flush() {
    if (!writing_.empty() || waiting_.empty() || state_ == State::Closed) return;
    writing_ = std::exchange(waiting_, {});
    write_deadline_.set(service_.bounds.write_within, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->close();
    });
    wire_->write(writing_, [self = shared_from_this()](bool well, size_t) { self->wrote(well); });
}

void Connection::wrote(bool well) {
    writing_ = {};
    if (state_ == State::Closed) return;
    if (!well) return close();
    write_deadline_.cancel();
    if (!waiting_.empty()) return flush();
    if (state_ != State::Answering) return;
    if (ended_) return next();
    const auto exchange = exchange_.lock();
    if (!exchange || !exchange->on_drained) return;
    const auto drained = exchange->on_drained;  // which may end the exchange, and itself with it
    drained();
}

void Connection::next() {
    if (last_ && !refused_) return close();
    if (refused_) {
        state_ = State::Draining;
        set_deadline(drained_within);
        return read();
    }
    exchange_.reset();
    ended_ = false;
    state_ = State::Idle;
    set_deadline(service_.bounds.idle_within);
    if (!buffer_.empty()) {
        // From the loop, so that a thousand requests in a row do not nest.
        state_ = State::Head;
        set_deadline(service_.bounds.head_within);
        return loop_.post([self = shared_from_this()] {
            self->parse();
            self->read();
        });
    }
    read();
}

}  // namespace husk::serve::http
