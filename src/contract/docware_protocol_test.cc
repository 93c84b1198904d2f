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

// What the monitor knows of a running command stands in its response.
TEST(Docware, ExecutionProtocol_ARunningResponseHasTheUsageSoFar) {
    Sample sample{.cpu_percent = 12.5, .memory_bytes = 2048};
    sample.so_far.user_ms = 30;
    sample.so_far.system_ms = 10;
    sample.so_far.peak_memory_bytes = 4096;
    sample.wall_ms = 1500;
    DocwareState state{.request_id = "r", .started = 5, .usage = docware_usage(sample)};
    EXPECT_EQ(docware_response(state)["statistics"]["resourceUsage"],
              Json({{"max_memory_used", 4096},
                    {"cpu_time", 40.0},
                    {"wall_time", 1500.0},
                    {"disk_io_read", nullptr},
                    {"disk_io_write", nullptr},
                    {"file_operations", nullptr},
                    {"cpuUsage", 12.5},
                    {"memoryUsage", 2048}}));
    state.ended = 9;
    state.output = {{"resource_usage", {{"cpu_time", 50}}}};
    EXPECT_EQ(docware_response(state)["statistics"]["resourceUsage"]["cpu_time"], 50);
    state.figures = UsageFigures::Withheld;
    EXPECT_TRUE(docware_response(state)["statistics"]["resourceUsage"]["cpu_time"].is_null());
    state.ended.reset();
    EXPECT_TRUE(docware_response(state)["statistics"]["resourceUsage"]["wall_time"].is_null());
}

TEST(Docware, ExecutionProtocol_MonitoringIsObeyedOrRefusedWithTheReason) {
    const auto with = [](const Json& monitoring) {
        return docware_request(
            {{"requestId", "r"}, {"command", "true"}, {"monitoring", monitoring}});
    };
    const auto usual = with({{"enableResourceMonitoring", true},
                             {"enableOutputCapture", true},
                             {"enableSecurityLogging", true}});
    ASSERT_TRUE(usual) << usual.error();
    EXPECT_EQ(usual->figures, UsageFigures::Told);
    EXPECT_FALSE(usual->arguments.contains("capture_output"));
    EXPECT_EQ(with({{"enableResourceMonitoring", false}})->figures, UsageFigures::Withheld);
    EXPECT_EQ(with({{"enableOutputCapture", false}})->arguments["capture_output"], false);
    const auto unlogged = with({{"enableSecurityLogging", false}});
    ASSERT_FALSE(unlogged);
    EXPECT_NE(unlogged.error().find("the audit has every call"), std::string::npos);
    for (const char* name :
         {"enableResourceMonitoring", "enableOutputCapture", "enableSecurityLogging"})
        EXPECT_FALSE(with({{name, "yes"}})) << name;
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
