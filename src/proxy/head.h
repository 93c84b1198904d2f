// The head of a request: what a client sends before a body or a tunnel. Everything that two
// readers could understand in two ways is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/target.h"

namespace husk::proxy {

constexpr size_t longest_head = size_t{64} << 10;

// An HTTP status, and one sentence for the person who has to find out.
struct Refusal {
    int status = 400;
    std::string reason;
};

// How the end of the request's body is known.
enum class Framing { None, Length, Chunked };

struct Request {
    enum class Kind { Tunnel, Plain };
    Kind kind = Kind::Tunnel;
    Target target;
    std::string forwarded;  // Plain: the head for the server, in origin form, with its empty line
    Framing framing = Framing::None;
    uint64_t length = 0;  // of the body, for Framing::Length
};

// The size of the head with its empty line, nothing if it has not all come yet, or why it
// can never become one. `seen` bytes were looked at before.
std::expected<std::optional<size_t>, Refusal> head_size(std::string_view bytes, size_t seen);

// `head` is what head_size has measured.
std::expected<Request, Refusal> parse_request(std::string_view head);

}  // namespace husk::proxy
