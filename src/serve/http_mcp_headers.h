// What the era without connections wants of the headers: that they say what the body says, so that
// whoever stands in between can trust them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/http_message.h"
#include "serve/json_rpc.h"

namespace husk::serve::http {

// "=?base64?...?=" or the text itself; none when it is neither.
std::optional<std::string> header_value(std::string_view text);

// Whether a message belongs to that era, by its header or by itself.
bool is_without_connections(const Request& request, const Json& message);

// What is wrong with the headers of such a request.
std::optional<Fault> check_headers(const Request& request, const Json& message);

}  // namespace husk::serve::http
