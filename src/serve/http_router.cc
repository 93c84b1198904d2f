#include "serve/http_router.h"

#include <algorithm>
#include <optional>

namespace husk::serve::http {
namespace {

std::string_view take_part(std::string_view& path) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    return part;
}

}  // namespace

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
    if (std::ranges::count(pattern, '/') != std::ranges::count(path, '/')) return std::nullopt;
    std::vector<std::string> parts;
    while (!pattern.empty() || !path.empty()) {
        const std::string_view wanted = take_part(pattern);
        const std::string_view given = take_part(path);
        const bool any = wanted.starts_with('{') && wanted.ends_with('}');
        if (any ? given.empty() : wanted != given) return std::nullopt;
        if (any) parts.emplace_back(given);
    }
    return parts;
}

}  // namespace husk::serve::http
