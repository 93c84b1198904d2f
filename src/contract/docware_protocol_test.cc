#include "contract/docware_protocol.h"

#include <gtest/gtest.h>

namespace husk::contract::docware_protocol_test {
namespace {

TEST(Docware, ExecutionProtocol_ARequestBecomesTheArgumentsOfTheTool) {
    const auto request = docware_request(
        {{"requestId", "r"},
         {"command", "printf"},
         {"args", {"%s", "x"}},
         {"options", {{"command", "other"}, {"timeout", 5}, {"env", {{"A", "own"}}}}},
         {"context",
          {{"sessionId", "s"},
           {"workingDirectory", "/w"},
           {"environmentVariables", {{"A", "1"}, {"B", "2"}}}}},
         {"securityContext", {{"allowedCommands", {"printf"}}, {"allowedPaths", Json::array()}}},
         {"monitoring", {{"enableOutputCapture", false}}}});
    ASSERT_TRUE(request) << request.error();
    EXPECT_EQ(request->id, "r");
    EXPECT_EQ(request->session, "s");
    const Json& arguments = request->arguments;
    EXPECT_EQ(arguments["command"], "printf");
    EXPECT_EQ(arguments["args"], (Json{"%s", "x"}));
    EXPECT_EQ(arguments["timeout"], 5);
    EXPECT_EQ(arguments["cwd"], "/w");
    EXPECT_EQ(arguments["env"], (Json{{"A", "own"}, {"B", "2"}}));
    EXPECT_EQ(arguments["allowed_commands"], (Json{"printf"}));
    EXPECT_FALSE(arguments.contains("allowed_paths"));
    EXPECT_EQ(arguments["capture_output"], false);
}

TEST(Docware, ExecutionProtocol_ARequestThatMakesNoSenseIsToldSo) {
    const Json good = {{"requestId", "r"}, {"command", "true"}};
    ASSERT_TRUE(docware_request(good));
    const std::pair<const char*, Json> changes[] = {
        {"/requestId", ""},
        {"/requestId", 1},
        {"/command", nullptr},
        {"/args", "x"},
        {"/args", {1}},
        {"/options", "x"},
        {"/context", Json::array()},
        {"/securityContext", {{"allowedPaths", "x"}}},
        {"/context", {{"sessionId", 1}}},
        {"/context", {{"environmentVariables", 1}}},
    };
    for (const auto& [place, value] : changes) {
        Json body = good;
        body[Json::json_pointer(place)] = value;
        EXPECT_FALSE(docware_request(body)) << place << " " << value;
    }
    Json both = good;
    both["options"] = {{"allowed_commands", {"a"}}};
    both["securityContext"] = {{"allowedCommands", {"a"}}};
    EXPECT_TRUE(docware_request(both));
    both["securityContext"] = {{"allowedCommands", {"a", "b"}}};
    EXPECT_FALSE(docware_request(both));
    // An empty list of the options allows nothing; the other one may not widen it.
    both["options"] = {{"allowed_commands", Json::array()}};
    EXPECT_FALSE(docware_request(both));
    both["securityContext"] = {{"allowedCommands", Json::array()}};
    const auto none = docware_request(both);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->arguments["allowed_commands"], Json::array());
}

struct Case {
    const char* status;
    DocwareState state;
};

TEST(Docware, ExecutionProtocol_AResponseSaysHowFarItIs) {
    const auto failed = [](const char* type) -> Json { return {{"error", {{"type", type}}}}; };
    const Case cases[] = {
        {"running", {.request_id = "r", .started = 5}},
        {"completed", {.request_id = "r", .ended = 9, .output = {{"exit_code", 3}}}},
        {"failed", {.request_id = "r", .ended = 9, .output = failed("command_not_allowed")}},
        {"failed", {.request_id = "r", .ended = 9, .output = failed("command_not_found")}},
        {"failed", {.request_id = "r", .ended = 9}},
        {"terminated", {.request_id = "r", .ended = 9, .output = failed("execution_timeout")}},
        {"terminated",
         {.request_id = "r", .ended = 9, .output = failed("resource_limit_exceeded")}},
        {"terminated", {.request_id = "r", .ended = 9, .output = failed("process_terminated")}},
        {"terminated", {.request_id = "r", .ended = 9, .is_cancelled = true}},
    };
    for (const Case& one : cases) {
        const Json response = docware_response(one.state);
        EXPECT_EQ(response["status"], one.status);
        EXPECT_EQ(response["statistics"]["endTime"].is_null(), !one.state.ended);
        EXPECT_TRUE(response["statistics"]["resourceUsage"]["wall_time"].is_null());
    }
}

TEST(Docware, ExecutionProtocol_AResponseListsWhatConcernsSecurity) {
    const Json response =
        docware_response({.request_id = "r",
                          .ended = 1,
                          .output = {{"security_info",
                                      {{"blocked_operations", {"dangerous_ops_check"}},
                                       {"threat_analysis", {{"threats", {{{"ruleId", "x"}}}}}}}}},
                          .denials = {{{"operation", "write"}}}});
    const Json& events = response["statistics"]["securityEvents"];
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0]["details"], "dangerous_ops_check");
    EXPECT_EQ(events[1]["details"]["ruleId"], "x");
    EXPECT_EQ(events[2]["details"]["operation"], "write");
}

TEST(Docware, ExecutionProtocol_ARecordBecomesStreamData) {
    const std::pair<const char*, const char*> types[] = {
        {"stdout", "stdout"},        {"stderr", "stderr"},       {"resource", "resource_update"},
        {"status", "status_change"}, {"error", "status_change"},
    };
    for (const auto& [record, told] : types)
        EXPECT_EQ(docware_stream_data({{"streamId", "s"},
                                       {"sequenceNumber", 3},
                                       {"timestamp", 17},
                                       {"type", record},
                                       {"content", "x"},
                                       {"metadata", Json::object()}}),
                  Json({{"type", told}, {"content", "x"}, {"timestamp", 17}}));
}

}  // namespace
}  // namespace husk::contract::docware_protocol_test
