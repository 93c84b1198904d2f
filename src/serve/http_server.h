// `husk serve`: listens, lets in, and leads each request to what answers it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/http_auth.h"
#include "serve/http_board.h"
#include "serve/http_listener.h"
#include "tool/toolbox.h"

namespace husk::serve::http {

struct ServeOptions {
    std::optional<Address> listen = {};
    std::string socket = {};             // a path; empty: none
    std::vector<os::Fd> inherited = {};  // that already listen
    Auth auth = Auth::Token;
    std::string tls_certificate = {};
    std::string tls_key = {};
    std::vector<std::string> names = {};
    Settings settings = {};
    Board::Options approvals = {};
    std::function<void(const std::string& line)> say = [](const std::string&) {};
};

// Serves until `stop` is requested; then answers what can be answered at once, cancels the calls
// that somebody waits for, and leaves background shells alone. An error says why it did not begin.
Result<void> serve_http(tool::Toolbox& toolbox, ServeOptions options, const std::stop_token& stop);

}  // namespace husk::serve::http
