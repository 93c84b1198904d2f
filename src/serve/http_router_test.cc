#include "serve/http_router.h"

#include <gtest/gtest.h>

#include "serve/http_v1.h"

namespace husk::serve::http {
namespace {

using Words = std::vector<std::string>;

TEST(Router, MatchesPartByPart) {
    EXPECT_EQ(match("/v1/shells", "/v1/shells"), Words());
    EXPECT_EQ(match("/v1/shells/{id}/output", "/v1/shells/a-1/output"), Words({"a-1"}));
    for (const char* path : {"/v1", "/v1/shells/", "/v1/shells//output", "/v1/shells/a/b/output",
                             "/v1/shells/a/outpu", "/v1/shells/a/output/"})
        EXPECT_EQ(match("/v1/shells/{id}/output", path), std::nullopt) << path;
}

struct Route {
    std::string_view method;
    std::string_view pattern;
};
constexpr Route routes[] = {{"GET", "/a"}, {"POST", "/a"}, {"GET", "/a/{id}"}};

TEST(Router, TellsWhatAPathTakes) {
    const auto found = find_route<Route>(routes, "POST", "/a");
    ASSERT_TRUE(std::holds_alternative<Found<Route>>(found));
    EXPECT_EQ(std::get<Found<Route>>(found).route, &routes[1]);
    EXPECT_TRUE(std::holds_alternative<Found<Route>>(find_route<Route>(routes, "HEAD", "/a/1")));
    const auto other = find_route<Route>(routes, "DELETE", "/a");
    ASSERT_TRUE(std::holds_alternative<NoSuchMethod>(other));
    EXPECT_EQ(std::get<NoSuchMethod>(other).allowed, "GET, POST");
    EXPECT_TRUE(std::holds_alternative<NoSuchPath>(find_route<Route>(routes, "GET", "/b")));
}

// The description and the routes are the same list.
TEST(OpenApi, DescribesEveryRouteAndNoOther) {
    std::set<std::string> described;
    const Json document = Json::parse(openapi_document());
    for (const auto& [path, methods] : document["paths"].items())
        for (const auto& [method, operation] : methods.items()) {
            std::string name = method;
            for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
            described.insert(name + " " + path);
            EXPECT_TRUE(operation.contains("operationId")) << name << " " << path;
        }
    std::set<std::string> served;
    for (const V1Route& route : v1_routes())
        served.insert(std::string(route.method) + " " + std::string(route.pattern));
    EXPECT_EQ(served, described);
}

void check_references(const Json& json, const Json& document) {
    if (json.is_object() && json.contains("$ref")) {
        std::string pointer = json["$ref"].get<std::string>().substr(1);
        EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << pointer;
    }
    if (json.is_structured())
        for (const Json& one : json) check_references(one, document);
}

TEST(OpenApi, RefersOnlyToWhatIsThere) {
    const Json document = Json::parse(openapi_document());
    check_references(document, document);
}

}  // namespace
}  // namespace husk::serve::http
