#include "contract/docware_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace husk::contract {
namespace {

using schema::member;

Json rounded(double value) { return std::round(value * 1000) / 1000; }

// Both or nothing.
Json sum_of(const Json& one, const Json& other) {
    if (!one.is_number() || !other.is_number()) return nullptr;
    return one.get<double>() + other.get<double>();
}

// A call with wrong input has an error and no status: nothing was decided about a command.
bool is_refused_input(const Json& record) {
    const Json& error = member(record, "error");
    return member(record, "status").is_null() && error.is_string() &&
           !error.get<std::string>().empty();
}

bool is_over(const Json& record) {
    if (is_refused_input(record)) return true;
    const Json& status = member(record, "status");
    return status.is_string() && status != "running" && status != "unknown";
}

bool was_run(const Json& record) {
    const Json& status = member(record, "status");
    return is_over(record) && status.is_string() && status != "denied" && status != "not_started";
}

}  // namespace

void Figures::add(const Json& value) {
    if (value.is_number()) values_.push_back(value.get<double>());
}

Json Figures::sum() const {
    if (values_.empty()) return nullptr;
    return rounded(std::accumulate(values_.begin(), values_.end(), 0.0));
}

Json Figures::mean() const {
    if (values_.empty()) return nullptr;
    return rounded(std::accumulate(values_.begin(), values_.end(), 0.0) /
                   static_cast<double>(values_.size()));
}

Json Figures::largest() const {
    if (values_.empty()) return nullptr;
    return rounded(*std::ranges::max_element(values_));
}

Json Figures::percentile(double part) const {
    if (values_.empty()) return nullptr;
    std::vector<double> sorted = values_;
    const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(sorted.size())));
    const size_t place = std::max<size_t>(rank, 1) - 1;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(place));
    return rounded(sorted[place]);
}

void DocwareMetrics::Kind::add(const Json& record) {
    ++count;
    if (is_over(record)) ++over;
    if (member(record, "status") == "exited") ++successful;
    const Json& usage = member(record, "usage");
    duration.add(member(record, "duration_ms"));
    memory.add(member(usage, "peak_memory_bytes"));
    cpu.add(sum_of(member(usage, "user_ms"), member(usage, "system_ms")));
    read.add(member(usage, "read_bytes"));
    written.add(member(usage, "written_bytes"));
}

Json DocwareMetrics::Kind::json() const {
    const Json rate = over == 0
                          ? Json(nullptr)
                          : rounded(static_cast<double>(successful) / static_cast<double>(over));
    return {{"count", count},
            {"avgDuration", duration.mean()},
            {"successRate", rate},
            {"resourceUsage",
             {{"max_memory_used", memory.mean()},
              {"cpu_time", cpu.mean()},
              {"wall_time", duration.mean()},
              {"disk_io_read", read.mean()},
              {"disk_io_write", written.mean()},
              {"file_operations", nullptr}}}};
}

// Counts only commands that ran behind walls.
void DocwareMetrics::add_sandbox(const Json& record) {
    const Json& mode = member(member(record, "confinement"), "mode");
    if (!mode.is_string() || mode == "open") return;
    const Json& startup = member(record, "startup");
    creation_.add(member(startup, "session_ms"));
    overhead_.add(member(startup, "call_ms"));
}

void DocwareMetrics::add(const Json& record) {
    all_.add(record);
    add_sandbox(record);
    const Json& programs = member(record, "programs");
    const std::string kind = programs.is_array() && !programs.empty() && programs[0].is_string()
                                 ? programs[0].get<std::string>()
                                 : "unknown";
    kinds_[kind].add(record);
    const Json& usage = member(record, "usage");
    const Json cpu = sum_of(member(usage, "user_ms"), member(usage, "system_ms"));
    const Json& wall = member(record, "duration_ms");
    if (cpu.is_number() && wall.is_number() && wall.get<double>() > 0)
        cpu_percent_.add(100 * cpu.get<double>() / wall.get<double>() /
                         static_cast<double>(std::max<size_t>(processors_, 1)));
    const bool is_denied = member(record, "status") == "denied";
    const Json& stopped = member(record, "denials_total");
    if (is_denied) ++blocked_;
    if (is_denied || (was_run(record) && stopped.is_number() && stopped.get<uint64_t>() > 0))
        ++violations_;
    const Json& threats = member(record, "threats");
    if (threats.is_array() && !threats.empty()) ++threats_;
}

Json DocwareMetrics::json() const {
    Json kinds = Json::object();
    for (const auto& [name, kind] : kinds_) kinds[name] = kind.json();
    return {{"executionStats",
             {{"totalExecutions", all_.count},
              {"successfulExecutions", all_.successful},
              {"failedExecutions", all_.over - all_.successful},
              {"avgExecutionTime", all_.duration.mean()},
              {"medianExecutionTime", all_.duration.percentile(0.5)},
              {"p95ExecutionTime", all_.duration.percentile(0.95)}}},
            {"commandTypeStats", std::move(kinds)},
            {"securityStats",
             {{"blockedCommands", blocked_},
              {"securityViolations", violations_},
              {"threatDetections", threats_},
              {"falsePositives", nullptr}}},
            {"resourceStats",
             {{"avgMemoryUsage", all_.memory.mean()},
              {"peakMemoryUsage", all_.memory.largest()},
              {"avgCpuUsage", cpu_percent_.mean()},
              {"totalDiskIO", sum_of(all_.read.sum(), all_.written.sum())},
              {"totalNetworkIO", nullptr}}},
            {"sandboxStats",
             {{"sandboxCreationTime", creation_.mean()},
              {"sandboxOverhead", overhead_.mean()},
              {"isolationEffectiveness", nullptr}}}};
}

}  // namespace husk::contract
