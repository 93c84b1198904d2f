// The head of a request to the proxy, its body, and the list of allowed hosts. What the proxy
// understands is what it passes on.
#include "proxy/allow_list.h"
#include "proxy/body.h"
#include "proxy/head.h"
#include "target.h"

namespace husk::fuzz {
namespace of_proxy {
namespace {

using proxy::Body;
using proxy::Framing;
using proxy::Request;

// How often a line of the head begins with that field, written in any case.
size_t count_fields(std::string_view head, std::string_view name) {
    size_t count = 0;
    for (size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
        const std::string_view field = head.substr(at + 2, name.size() + 1);
        bool same = field.size() == name.size() + 1 && field.back() == ':';
        for (size_t i = 0; same && i < name.size(); ++i) same = (field[i] | 0x20) == name[i];
        count += same ? 1 : 0;
    }
    return count;
}

// One byte more at a time says the same as all of it at once.
void check_size_in_pieces(std::string_view bytes, std::optional<size_t> size) {
    size_t seen = 0;
    for (size_t now = 1; now < bytes.size(); now += 1 + now / 8) {
        const auto sized = proxy::head_size(bytes.substr(0, now), seen);
        demand(sized.has_value(), "what becomes a head is not refused on the way");
        demand(!*sized || **sized == size, "a head has one size");
        if (*sized) return;
        seen = now;
    }
}

void check_forwarded(const Request& request) {
    const std::string& head = request.forwarded;
    const auto size = proxy::head_size(head, 0);
    demand(size && *size == head.size(), "the forwarded head is one head");
    demand(count_fields(head, "host") == 1, "the forwarded head has one Host");
    const size_t lengths = count_fields(head, "content-length");
    const size_t encodings = count_fields(head, "transfer-encoding");
    demand(lengths + encodings <= 1, "the forwarded head has one meaning of the body's length");
    demand((encodings == 1) == (request.framing == Framing::Chunked),
           "a body in chunks is announced as one");
    // Understood once more, it is the same request.
    std::string again = head;
    again.insert(again.find(' ') + 1, "http://" + to_text(request.target));
    const auto reread = proxy::parse_request(again);
    demand(reread && reread->target == request.target && reread->framing == request.framing &&
               reread->length == request.length && reread->forwarded.size() >= head.size(),
           "the forwarded head means what was understood");
}

void check_body(const Request& request, std::string_view bytes) {
    Body whole(request.framing, request.length);
    const auto taken = whole.take(bytes);
    demand(!taken || *taken <= bytes.size(), "no more is taken than there is");
    if (request.framing == Framing::None) demand(taken == 0, "no body has no bytes");
    if (request.framing == Framing::Length)
        demand(taken == std::min<uint64_t>(request.length, bytes.size()), "the length counts");
    Body slow(request.framing, request.length);
    size_t slowly = 0;
    bool good = true;
    for (size_t at = 0; at < bytes.size() && good && !slow.ended(); ++at) {
        const auto one = slow.take(bytes.substr(at, 1));
        good = one.has_value();
        slowly += one.value_or(0);
    }
    demand(good == taken.has_value(), "a body is sound or not, however it comes");
    if (taken) demand(slowly == *taken && slow.ended() == whole.ended(), "a body has one end");
}

}  // namespace
}  // namespace of_proxy

void proxy(std::string_view bytes) {
    using namespace of_proxy;
    const auto size = husk::proxy::head_size(bytes, 0);
    if (size && *size) {
        check_size_in_pieces(bytes, *size);
        if (const auto request = husk::proxy::parse_request(bytes.substr(0, **size))) {
            const auto again = husk::proxy::parse_target(to_text(request->target), std::nullopt);
            demand(again == request->target, "a target is read as it is written");
            if (request->kind == Request::Kind::Plain) check_forwarded(*request);
            if (request->kind == Request::Kind::Plain) check_body(*request, bytes.substr(**size));
        }
    }
    // The same bytes as a list of hosts.
    if (const auto list = husk::proxy::AllowList::parse(bytes)) {
        const auto loopback = husk::proxy::parse_target("127.0.0.1:80", std::nullopt);
        const bool named = bytes.find("127.0.0.1") != bytes.npos || bytes.find(':') != bytes.npos;
        demand(!list->allows(*loopback) || named, "an address is allowed only where it is listed");
    }
}

}  // namespace husk::fuzz
