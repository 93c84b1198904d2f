// Requests of HTTP as they come over a wire, in whatever pieces. Two readers must not see two
// different requests in the same bytes.
#include <algorithm>
#include <set>

#include "serve/http_connection.h"
#include "serve/http_mcp_headers.h"
#include "target.h"

namespace husk::fuzz {
namespace of_http {
namespace {

using serve::http::Loop;
using serve::http::Request;

constexpr serve::http::Bounds bounds{
    .head_bytes = 1024, .body_bytes = 256, .long_body_bytes = 1024};

// A client that sends these bytes, so many at a time, and then goes away.
class Script : public serve::http::Wire {
public:
    Script(Loop& loop, std::string_view bytes, size_t piece, std::string& answers)
        : loop_(loop), bytes_(bytes), piece_(piece), answers_(answers) {}

    void greet(Greeted greeted) override {
        loop_.post([greeted = std::move(greeted)] { greeted(true); });
    }
    void read(std::span<char> room, Moved moved) override {
        if (bytes_.empty()) return leave_after(patience, std::move(moved));
        const size_t size = std::min({room.size(), piece_, bytes_.size()});
        std::ranges::copy(bytes_.substr(0, size), room.begin());
        bytes_.remove_prefix(size);
        loop_.post([moved = std::move(moved), size] { moved(true, size); });
    }
    void write(std::string_view bytes, Moved moved) override {
        answers_ += bytes;
        loop_.post([moved = std::move(moved), size = bytes.size()] { moved(true, size); });
    }
    void close() override {}

private:
    // Requests that have come are answered first: nothing on the loop takes so many turns.
    static constexpr int patience = 64;
    void leave_after(int turns, Moved moved) {
        loop_.post([this, turns, moved = std::move(moved)]() mutable {
            if (turns == 0) return moved(false, 0);
            leave_after(turns - 1, std::move(moved));
        });
    }

    Loop& loop_;
    std::string_view bytes_;
    size_t piece_;
    std::string& answers_;
};

void check_head(const Request& head) {
    std::set<std::string> lengths;
    for (const auto& [name, value] : head.headers) {
        demand(name == serve::http::lower_case(name), "names are in lower case");
        demand(value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos,
               "a field is one line");
        if (name == "content-length") lengths.insert(value);
    }
    demand(lengths.size() <= 1, "a body has one length");
    demand(lengths.empty() || !head.has_header("transfer-encoding"),
           "a body has one way to find its end");
    demand(head.path.starts_with('/') && head.path.find('\0') == head.path.npos,
           "a path begins at the top and has no NUL");
}

void check_request(const Request& request) {
    const bool is_long = request.path.starts_with("/long");
    demand(request.body.size() <= (is_long ? bounds.long_body_bytes : bounds.body_bytes),
           "a body keeps to its bound");
    if (const std::string length = request.header("content-length"); !length.empty())
        demand(std::strtoull(length.c_str(), nullptr, 10) == request.body.size(),
               "a body is as long as it was said to be");
    else
        demand(request.body.empty() || request.has_header("transfer-encoding"),
               "a body is announced");
    (void)request.cookie("husk");
    if (const auto json = serve::parse_message(request.body)) {
        (void)serve::http::is_without_connections(request, *json);
        (void)serve::http::check_headers(request, *json);
    }
}

std::string told(const Request& request) {
    std::string text = request.method + " " + request.path + "\n";
    for (const auto& [name, value] : request.query) text += "?" + name + "=" + value + "\n";
    for (const auto& [name, value] : request.headers) text += name + ": " + value + "\n";
    return text + request.body + "\n";
}

// The requests that a handler has got.
std::string requests_in(std::string_view bytes, size_t piece) {
    std::string requests;
    std::string answers;
    Loop loop;
    const serve::http::Service service{
        .refuse = [](const Request& head) -> std::optional<serve::http::Response> {
            check_head(head);
            if (!head.path.starts_with("/refused")) return std::nullopt;
            return serve::http::error_response(403, "refused", "no");
        },
        .takes_long_body = [](const Request& head) { return head.path.starts_with("/long"); },
        .handle =
            [&](const serve::http::ExchangePtr& exchange) {
                check_request(exchange->request);
                requests += told(exchange->request);
                exchange->respond(serve::http::json_response(200, {{"ok", true}}));
            },
        .bounds = bounds};
    const auto connection = std::make_shared<serve::http::Connection>(
        loop, std::make_unique<Script>(loop, bytes, piece, answers), serve::http::Peer{}, service,
        [&](const serve::http::Connection*) { loop.stop(); });
    connection->start();
    loop.run();
    return requests;
}

}  // namespace
}  // namespace of_http

void http(std::string_view bytes) {
    using namespace of_http;
    constexpr size_t most = 8192;
    bytes = bytes.substr(0, most);
    const std::string at_once = requests_in(bytes, most);
    // Whether a request is refused or waited for may depend on how much of it has come.
    for (const size_t piece : {size_t{1}, size_t{7}})
        demand(requests_in(bytes, piece) == at_once,
               "requests are the same in whatever pieces they come");
}

}  // namespace husk::fuzz
