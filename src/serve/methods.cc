#include "serve/methods.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/result.h"
#include "serve/resources.h"
#include "serve/tasks.h"

namespace husk::serve {
namespace {

std::unexpected<Fault> wrong(std::string message) {
    return std::unexpected(Fault{Code::BadParameters, std::move(message)});
}

Answer ping(const Asked&) { return Json::object(); }

Answer discover(const Asked& asked) {
    Json able = capabilities();
    if (asked.toolbox.has_tasks())
        able["extensions"] = {{std::string(tasks_extension), Json::object()}};
    return Json{{"supportedVersions", Json::array({version_without})},
                {"capabilities", std::move(able)}};
}

// Every list fits on one page, so no cursor was ever given.
std::expected<void, Fault> check_cursor(const Asked& asked) {
    if (member(asked.params, "cursor").is_null()) return {};
    return wrong("there is no such `cursor`");
}

Answer tools(const Asked& asked) {
    CHECK(check_cursor(asked));
    return asked.toolbox.tools();
}

Answer resources(const Asked& asked) {
    CHECK(check_cursor(asked));
    return list_resources(asked.toolbox);
}

Answer templates(const Asked& asked) {
    CHECK(check_cursor(asked));
    return list_resource_templates();
}

Answer read(const Asked& asked) {
    const Json& uri = member(asked.params, "uri");
    if (!uri.is_string()) return wrong("`uri` must be a text");
    auto found = read_resource(asked.toolbox, uri.get<std::string>());
    if (found) return *std::move(found);
    const Code code = asked.era == Era::Connections ? Code::NoSuchResource : Code::BadParameters;
    return std::unexpected(Fault{code, "there is no such resource", {{"uri", uri}}});
}

Answer completion(const Asked& asked) {
    if (!member(asked.params, "ref").is_object() ||
        !member(member(asked.params, "argument"), "value").is_string())
        return wrong("`ref` and `argument` with `name` and `value` are needed");
    return complete(asked.toolbox, asked.params);
}

struct Method {
    std::string_view name;
    std::optional<Era> only_in;
    Answer (*answer)(const Asked&);
    std::optional<int> fresh_ms = {};  // how long a client may keep the result
};

constexpr int long_ms = 300'000;
constexpr Method methods[] = {
    {"ping", Era::Connections, ping},
    {"server/discover", Era::Without, discover, long_ms},
    {"tools/list", std::nullopt, tools, long_ms},
    {"resources/list", std::nullopt, resources, 0},
    {"resources/templates/list", std::nullopt, templates, long_ms},
    {"resources/read", std::nullopt, read, 0},
    {"completion/complete", std::nullopt, completion},
};

}  // namespace

Answer answer(const std::string& method, const Asked& asked) {
    const auto* found = std::ranges::find(methods, method, &Method::name);
    if (found == std::end(methods) || found->only_in.value_or(asked.era) != asked.era)
        return std::unexpected(Fault{Code::NoSuchMethod, "there is no method " + method});
    Answer result = found->answer(asked);
    if (result && found->fresh_ms && asked.era == Era::Without) {
        (*result)["ttlMs"] = *found->fresh_ms;
        (*result)["cacheScope"] = "private";
    }
    return result;
}

Json dressed(Json result, Era era) {
    if (era == Era::Connections) return result;
    if (!result.contains("resultType")) result["resultType"] = "complete";
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
    return result;
}

Json server_info() { return {{"name", "husk"}, {"title", "Husk"}, {"version", HUSK_VERSION}}; }

Json capabilities() {
    return {{"tools", {{"listChanged", true}}},
            {"resources", {{"subscribe", true}, {"listChanged", true}}},
            {"completions", Json::object()},
            {"logging", Json::object()}};
}

}  // namespace husk::serve
