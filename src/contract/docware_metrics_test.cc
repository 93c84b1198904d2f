#include "contract/docware_metrics.h"

#include <gtest/gtest.h>

namespace husk::contract::docware_metrics_test {
namespace {

Json record(const char* status, Json more) {
    Json json = {{"status", status}, {"programs", {"make"}}, {"threats", Json::array()}};
    json.update(more);
    return json;
}

TEST(Docware, Metrics_OfNothingAreNull) {
    const Json metrics = DocwareMetrics(2).json();
    EXPECT_EQ(metrics["executionStats"]["totalExecutions"], 0);
    EXPECT_TRUE(metrics["executionStats"]["avgExecutionTime"].is_null());
    EXPECT_TRUE(metrics["executionStats"]["p95ExecutionTime"].is_null());
    EXPECT_TRUE(metrics["resourceStats"]["avgMemoryUsage"].is_null());
    EXPECT_TRUE(metrics["resourceStats"]["totalDiskIO"].is_null());
    EXPECT_EQ(metrics["commandTypeStats"], Json::object());
}

TEST(Docware, Metrics_CountOnlyWhatWasMeasured) {
    DocwareMetrics metrics(2);
    for (int time = 10; time <= 200; time += 10)
        metrics.add(record(
            "exited",
            {{"duration_ms", time},
             {"usage",
              {{"user_ms", time / 2}, {"system_ms", time / 2}, {"peak_memory_bytes", time * 1000}}},
             {"denials_total", 0}}));
    metrics.add(record("timed_out", {{"usage", nullptr}, {"denials_total", 3}}));
    metrics.add(record("denied", {{"programs", {"sudo"}}, {"threats", {"x"}}}));
    metrics.add(record("running", Json::object()));
    const Json json = metrics.json();
    const Json& runs = json["executionStats"];
    EXPECT_EQ(runs["totalExecutions"], 23);
    EXPECT_EQ(runs["successfulExecutions"], 20);
    EXPECT_EQ(runs["failedExecutions"], 2);
    EXPECT_EQ(runs["avgExecutionTime"], 105);
    EXPECT_EQ(runs["medianExecutionTime"], 100);
    EXPECT_EQ(runs["p95ExecutionTime"], 190);
    EXPECT_EQ(json["resourceStats"]["peakMemoryUsage"], 200'000);
    EXPECT_EQ(json["resourceStats"]["avgCpuUsage"], 50);
    EXPECT_EQ(json["securityStats"]["blockedCommands"], 1);
    EXPECT_EQ(json["securityStats"]["securityViolations"], 2);
    EXPECT_EQ(json["securityStats"]["threatDetections"], 1);
    EXPECT_EQ(json["commandTypeStats"]["make"]["count"], 22);
    EXPECT_EQ(json["commandTypeStats"]["make"]["successRate"], 0.952);
    EXPECT_EQ(json["commandTypeStats"]["make"]["resourceUsage"]["cpu_time"], 105);
    EXPECT_EQ(json["commandTypeStats"]["sudo"]["successRate"], 0);
    EXPECT_TRUE(json["commandTypeStats"]["sudo"]["avgDuration"].is_null());
}

TEST(Docware, Metrics_CountWrongInputAsFailed) {
    DocwareMetrics metrics(2);
    metrics.add({{"status", nullptr}, {"error", "Invalid input: `command` is required"}});
    metrics.add(record("denied", {{"programs", {"sudo"}}}));
    const Json runs = metrics.json()["executionStats"];
    EXPECT_EQ(runs["totalExecutions"], 2);
    EXPECT_EQ(runs["successfulExecutions"], 0);
    EXPECT_EQ(runs["failedExecutions"], 2);
}

// The seed's sandboxStats: commands behind walls alone, and each sandbox that was built once.
TEST(Docware, Metrics_SandboxStatsAreMeasured) {
    const auto ran = [](const char* mode, const Json& built, double waited) {
        return record("exited", {{"confinement", {{"mode", mode}}},
                                 {"startup", {{"session_ms", built}, {"call_ms", waited}}}});
    };
    DocwareMetrics metrics(2);
    metrics.add(ran("workspace", 40.0, 3.0));
    metrics.add(ran("workspace", nullptr, 1.0));
    metrics.add(ran("read-only", 20.0, 2.0));
    metrics.add(ran("open", 500.0, 500.0));
    metrics.add(record("denied", {{"confinement", nullptr}, {"startup", nullptr}}));
    const Json stats = metrics.json()["sandboxStats"];
    EXPECT_EQ(stats["sandboxCreationTime"], 30);
    EXPECT_EQ(stats["sandboxOverhead"], 2);
    EXPECT_TRUE(stats["isolationEffectiveness"].is_null());
    const Json none = DocwareMetrics(2).json()["sandboxStats"];
    EXPECT_TRUE(none["sandboxCreationTime"].is_null());
    EXPECT_TRUE(none["sandboxOverhead"].is_null());
}

}  // namespace
}  // namespace husk::contract::docware_metrics_test
