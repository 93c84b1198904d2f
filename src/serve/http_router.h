// Which handler a path and a method lead to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace husk::serve::http {

// "/v1/shells/{id}/output" matched with a path: what stands for {id}; none when it does not match.
// A part in braces is one part of the path, never empty.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path);

struct NoSuchPath {};
struct NoSuchMethod {
    std::string allowed;  // "GET, POST"
};
template <class Route>
struct Found {
    const Route* route;
    std::vector<std::string> parts;
};

// `Route` has `method` and `pattern`. A HEAD is a GET.
template <class Route, class Routes>
std::variant<Found<Route>, NoSuchMethod, NoSuchPath> find_route(const Routes& routes,
                                                                std::string_view method,
                                                                std::string_view path) {
    std::string allowed;
    for (const Route& route : routes) {
        auto parts = match(route.pattern, path);
        if (!parts) continue;
        if (route.method == method || (route.method == "GET" && method == "HEAD"))
            return Found<Route>{&route, *std::move(parts)};
        allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    }
    if (allowed.empty()) return NoSuchPath{};
    return NoSuchMethod{std::move(allowed)};
}

}  // namespace husk::serve::http
