#include "serve/http_assets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "serve/http_assets_table.h"

namespace husk::serve::http {
namespace {

constexpr std::string_view plain_page = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Husk</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>
<h1>Husk</h1>
<p>This is <code>husk serve</code>: it runs an agent's shell commands and tells the truth about them.
This program was built without its console.</p>
<ul>
<li><a href="/v1">/v1</a>, the API: <a href="/v1/shells">shells</a>, <a href="/v1/calls">calls</a>,
<a href="/v1/approvals">approvals</a>, <a href="/v1/events">events</a>,
<a href="/v1/openapi.json">its description</a></li>
<li>/mcp, for MCP clients</li>
<li><a href="/metrics">/metrics</a>, for Prometheus</li>
</ul></html>
)html";

constexpr std::string_view locked_before = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Husk</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>
<h1>Husk</h1>
<p>Open the link that <code>husk serve</code> has printed: it lets this browser in, once. Another one comes from</p>
<pre style="white-space:pre-wrap">curl -X POST -H "Authorization: Bearer $(cat )html";
constexpr std::string_view locked_after = R"html(/v1/links</pre>
</html>
)html";

// Neither markup nor anything that a shell would read otherwise.
bool is_plain(std::string_view path) {
    return !path.empty() && std::ranges::all_of(path, [](unsigned char letter) {
        return std::isalnum(letter) != 0 ||
               std::string_view("/._-").find(static_cast<char>(letter)) != std::string_view::npos;
    });
}

std::string_view type_of(std::string_view path) {
    constexpr std::pair<std::string_view, std::string_view> types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
        {".webmanifest", "application/manifest+json"}};
    for (const auto& [ending, type] : types)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

// Nobody puts a page into a frame, and what a command has written can become neither markup nor
// script, even by a mistake of the console.
constexpr std::string_view console_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";
constexpr std::string_view plain_policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

Response page(int status, std::string_view type, std::string_view body, std::string_view policy) {
    return {.status = status,
            .type = std::string(type),
            .body = std::string(body),
            .headers = {{"Content-Security-Policy", std::string(policy)},
                        {"Referrer-Policy", "no-referrer"}}};
}

Response plain(int status, std::string_view body) {
    return page(status, "text/html; charset=utf-8", body, plain_policy);
}

}  // namespace

Response console(std::string_view path) {
    const auto assets = embedded_assets();
    const bool is_page = path.substr(path.rfind('/') + 1).find('.') == std::string_view::npos;
    const std::string_view wanted = is_page ? "/index.html" : path;
    const auto found = std::ranges::find(assets, wanted, &Asset::path);
    if (found != assets.end()) return page(200, type_of(wanted), found->bytes, console_policy);
    if (path == "/") return plain(200, plain_page);
    return error_response(404, "no_such_path", "there is nothing here");
}

Response locked_page(std::string_view url, std::string_view token_file) {
    std::string text(locked_before);
    text.append(is_plain(token_file) ? token_file : ".../http-token").append(")\" ");
    text.append(url.empty() ? "..." : url).append(locked_after);
    Response response = plain(401, text);
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"husk\"");
    return response;
}

}  // namespace husk::serve::http
