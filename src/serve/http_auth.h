// Who may: the token, the cookie of a browser that was let in, and names that are really ours.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/http_message.h"

namespace husk::serve::http {

enum class Auth { Token, None };

// The token that is kept there, made if there is none. A file that others may read is refused.
Result<std::string> token_in(const std::filesystem::path& file);

// Whether a client that connected to `local_address` may call us by this `Host`. That a page of
// somebody else's reaches a server on loopback through a name of its own is what this is against.
struct Names {
    uint16_t port = 0;
    std::vector<std::string> more = {};  // that were given, without port

    bool allow_host(std::string_view host, std::string_view local_address) const;
    // "http://" or "https://" and such a host.
    bool allow_origin(std::string_view origin, std::string_view local_address) const;
};

bool is_loopback(std::string_view address);

// Something happens so often at most: `burst` at once, then `per_second`.
class Bucket {
public:
    using Clock = std::chrono::steady_clock;
    Bucket(double per_second, double burst) : rate_(per_second), most_(burst), left_(burst) {}
    bool take(Clock::time_point now = Clock::now());

private:
    double rate_;
    double most_;
    double left_;
    Clock::time_point last_ = Clock::now();
};

struct Refused {
    Response response;
};

class Gate {
public:
    using Clock = std::chrono::system_clock;

    struct Keys {
        Auth auth = Auth::Token;
        std::string token = {};
        bool secure = false;  // cookies only over TLS
    };
    Gate(Keys keys, Names names) : keys_(std::move(keys)), names_(std::move(names)) {}

    // Whether the name by which we are called is ours. For every request.
    std::optional<Refused> check_names(const Request& request) const;
    // Whether the client is somebody. For all but a few paths.
    std::optional<Refused> check_client(const Request& request, Clock::time_point now) const;

    // The path of a link, "/open/CODE", which is good once, until then.
    struct Link {
        std::string path;
        Clock::time_point expires;
    };
    Link make_link(Clock::time_point now);
    // The browser that has followed one gets a cookie, and goes on to the console.
    Response follow_link(std::string_view code, Clock::time_point now);

    void set_port(uint16_t port) { names_.port = port; }
    Auth auth() const { return keys_.auth; }

private:
    bool has_token(const Request& request) const;
    bool has_cookie(const Request& request, Clock::time_point now) const;
    std::string cookie_until(int64_t seconds) const;

    Keys keys_;
    Names names_;
    std::map<std::string, Clock::time_point, std::less<>> links_;
};

}  // namespace husk::serve::http
