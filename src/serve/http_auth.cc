#include "serve/http_auth.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/id.h"
#include "base/sha256.h"
#include "base/units.h"
#include "os/file.h"

namespace husk::serve::http {
namespace {

constexpr int token_letters = 48;
constexpr std::chrono::minutes link_lifetime(10);
constexpr std::chrono::hours cookie_lifetime(12);
constexpr size_t most_links = 100;
constexpr std::string_view cookie_name = "husk";

struct HostAndPort {
    std::string host;  // in lower case, without brackets
    std::string_view port;
};

HostAndPort split(std::string_view text) {
    if (text.starts_with('[')) {
        const size_t end = std::min(text.find(']'), text.size());
        const std::string_view rest = text.substr(std::min(end + 1, text.size()));
        return {lower_case(text.substr(1, end - 1)), rest.substr(rest.starts_with(':') ? 1 : 0)};
    }
    const size_t colon = std::min(text.find(':'), text.size());
    return {lower_case(text.substr(0, colon)), text.substr(std::min(colon + 1, text.size()))};
}

int64_t seconds_of(Gate::Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// Whatever has an effect.
bool changes_something(const std::string& method) { return method != "GET" && method != "HEAD"; }

}  // namespace

Result<std::string> token_in(const std::filesystem::path& file) {
    const auto made = os::open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (made) {
        CHECK(os::write_all(made->get(), random_id(token_letters) + "\n"));
    } else if (made.error().code != EEXIST) {
        return std::unexpected(made.error());
    }
    const os::Fd kept = TRY(os::open(file, O_RDONLY | O_NOFOLLOW));
    struct stat info{};
    if (::fstat(kept.get(), &info) != 0) return failure("fstat", errno, file.string());
    if (!S_ISREG(info.st_mode) || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0 ||
        info.st_uid != ::geteuid())
        return failure("token", 0,
                       file.string() + " can be read by others; remove it, and a new one is made");
    std::string token = TRY(os::read_at(kept, 0, 4096));
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0)
        token.pop_back();
    constexpr size_t shortest = 16;
    if (token.size() < shortest)
        return failure("token", 0, file.string() + " holds no token; remove it");
    return token;
}

// An address, and no name that only looks like one.
bool is_loopback(std::string_view address) {
    const std::string text(address);
    in_addr four{};
    if (::inet_pton(AF_INET, text.c_str(), &four) == 1)
        return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
    in6_addr six{};
    return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 &&
           (IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127));
}

bool Names::allow_host(std::string_view host, std::string_view local_address) const {
    const HostAndPort given = split(host);
    if (std::ranges::find(more, given.host) != more.end()) return true;  // at any port: of a proxy
    const bool is_port = given.port == std::to_string(port);
    if (!is_port && !(given.port.empty() && port == 80)) return false;
    if (given.host == local_address) return true;
    return is_loopback(local_address) && (given.host == "localhost" || is_loopback(given.host));
}

bool Names::allow_origin(std::string_view origin, std::string_view local_address) const {
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme))
            return allow_host(origin.substr(scheme.size()), local_address);
    return false;
}

bool Bucket::take(Clock::time_point now) {
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    left_ = std::min(most_, left_ + passed * rate_);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
}

std::optional<Refused> Gate::check_names(const Request& request) const {
    if (request.is_local) return std::nullopt;  // no browser comes that way
    const auto hosts = std::ranges::count(request.headers, "host",
                                          [](const auto& header) { return header.first; });
    if (hosts != 1 || !names_.allow_host(request.header("host"), request.local_address))
        return Refused{error_response(403, "wrong_host",
                                      "Host is not a name of this server; --name adds one")};
    if (request.has_header("origin") &&
        !names_.allow_origin(request.header("origin"), request.local_address))
        return Refused{error_response(403, "wrong_origin", "Origin is not this server")};
    return std::nullopt;
}

bool Gate::has_token(const Request& request) const {
    constexpr std::string_view scheme = "bearer ";
    const std::string given = request.header("authorization");
    return lower_case(given).starts_with(scheme) &&
           are_equal(std::string_view(given).substr(scheme.size()), keys_.token);
}

// The time is part of what is sealed, so that nothing has to be remembered.
std::string Gate::cookie_until(int64_t seconds) const {
    const std::string until = std::to_string(seconds);
    return until + "." + hmac_sha256(keys_.token, "console until " + until);
}

bool Gate::has_cookie(const Request& request, Clock::time_point now) const {
    const auto cookie = request.cookie(cookie_name);
    if (!cookie) return false;
    const auto until = text::parse_number(std::string_view(*cookie).substr(0, cookie->find('.')));
    if (!until || static_cast<int64_t>(*until) < seconds_of(now)) return false;
    return are_equal(*cookie, cookie_until(static_cast<int64_t>(*until)));
}

std::optional<Refused> Gate::check_client(const Request& request, Clock::time_point now) const {
    if (keys_.auth == Auth::None || request.is_local || has_token(request)) return std::nullopt;
    if (!has_cookie(request, now)) {
        Refused refused{error_response(
            401, "unauthorized", "Authorization: Bearer needs the token that husk serve names")};
        refused.response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"husk\"");
        return refused;
    }
    // A page of another port of this host would come with the cookie too.
    if (changes_something(request.method) && !request.has_header("origin"))
        return Refused{error_response(403, "wrong_origin", "with a cookie, Origin is needed")};
    return std::nullopt;
}

Gate::Link Gate::make_link(Clock::time_point now) {
    std::erase_if(links_, [&](const auto& one) { return one.second <= now; });
    if (links_.size() >= most_links) links_.clear();
    const std::string code = random_id(24);
    links_.emplace(code, now + link_lifetime);
    return {"/open/" + code, now + link_lifetime};
}

Response Gate::follow_link(std::string_view code, Clock::time_point now) {
    const auto found = links_.find(code);
    const bool good = found != links_.end() && now < found->second;
    if (found != links_.end()) links_.erase(found);
    if (!good)
        return {.status = 403,
                .type = "text/plain; charset=utf-8",
                .body =
                    "This link was used, or is too old. husk serve prints another when it "
                    "starts, and POST /v1/links gives one.\n"};
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(cookie_lifetime).count();
    std::string cookie = std::string(cookie_name) + "=" + cookie_until(seconds_of(now) + age) +
                         "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(age);
    if (keys_.secure) cookie += "; Secure";
    return {
        .status = 303,
        .type = "",
        .headers = {{"Location", "/"}, {"Set-Cookie", cookie}, {"Referrer-Policy", "no-referrer"}}};
}

}  // namespace husk::serve::http
