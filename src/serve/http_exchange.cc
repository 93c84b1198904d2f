#include "serve/http_exchange.h"

#include <utility>

namespace husk::serve::http {

Exchange::Exchange(std::weak_ptr<Answerer> answerer, uint64_t number, Request what)
    : request(std::move(what)), answerer_(std::move(answerer)), number_(number) {}

Exchange::~Exchange() {
    if (state_ == State::Fresh) fail(500, "no_answer", "the server has dropped this request");
    if (state_ == State::Streaming) finish();
}

void Exchange::respond(const Response& response) {
    if (state_ != State::Fresh) return;
    state_ = State::Over;
    if (on_status) on_status(response.status);
    on_gone = nullptr;
    on_drained = nullptr;
    const auto answerer = answerer_.lock();
    if (!answerer) return;
    const bool has_body = request.method != "HEAD" && response.status != 204;
    std::string text = head_with_length(response, response.body.size(), request.keep_alive);
    if (has_body) text += response.body;
    answerer->begin(number_, std::move(text));
    answerer->end(number_);
}

void Exchange::stream(const Response& head) {
    if (state_ != State::Fresh) return;
    state_ = State::Streaming;
    if (on_status) on_status(head.status);
    if (const auto answerer = answerer_.lock()) answerer->begin(number_, head_of_chunks(head));
    if (request.method == "HEAD") finish();
}

void Exchange::write(std::string_view bytes) {
    if (state_ != State::Streaming || bytes.empty()) return;
    if (const auto answerer = answerer_.lock()) answerer->write(number_, chunk(bytes));
}

void Exchange::finish() {
    if (state_ != State::Streaming) return;
    state_ = State::Over;
    on_gone = nullptr;
    on_drained = nullptr;
    const auto answerer = answerer_.lock();
    if (!answerer) return;
    answerer->write(number_, std::string(last_chunk));
    answerer->end(number_);
}

size_t Exchange::unsent() const {
    const auto answerer = answerer_.lock();
    return answerer ? answerer->unsent() : 0;
}

void Exchange::client_is_gone() {
    if (state_ == State::Over) return;
    state_ = State::Over;
    on_drained = nullptr;
    if (const auto gone = std::exchange(on_gone, nullptr)) gone();
}

}  // namespace husk::serve::http
