// HTTP as handlers see it: a request that is complete, and what is answered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/json_rpc.h"

namespace husk::serve::http {

struct Request {
    std::string method;
    std::string path;  // decoded
    std::map<std::string, std::string, std::less<>> query = {};
    std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case
    std::string body = {};
    bool keep_alive = true;
    bool is_local = false;           // came over a UNIX socket
    std::string local_address = {};  // without port, that the client connected to

    // Empty where there is none. Of several with this name, all, with commas.
    std::string header(std::string_view name) const;
    bool has_header(std::string_view name) const;
    std::optional<std::string> cookie(std::string_view name) const;
};

// "/a%20b?x=1" into path and query; false when it is none. Plus signs stay in the path.
bool read_target(std::string_view target, Request& request);

// Why two readers of this head could find two different ends of its body; empty when they cannot.
std::string unclear_length(const Request& head);

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

Response json_response(int status, const Json& body);
// {"error": {"code", "message"}}
Response error_response(int status, std::string_view code, std::string_view message);

// The head as it goes over the wire, for a body of known length or one that comes in chunks.
std::string head_with_length(const Response& response, size_t length, bool keep_alive);
std::string head_of_chunks(const Response& response);
std::string chunk(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

std::string lower_case(std::string_view text);  // of ASCII

}  // namespace husk::serve::http
