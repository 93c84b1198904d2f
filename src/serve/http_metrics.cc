#include "serve/http_metrics.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "os/file.h"

namespace husk::serve::http {
namespace {

std::string number(double value) {
    char text[32];
    const int length = std::snprintf(text, sizeof text, "%.10g", value);
    return {text, static_cast<size_t>(length)};
}

std::string head(std::string_view name, std::string_view help, std::string_view type) {
    std::string text = "# HELP ";
    text.append(name).append(" ").append(help).append("\n# TYPE ");
    return text.append(name).append(" ").append(type).append("\n");
}

}  // namespace

std::string label_value(std::string_view text) {
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '\n') {
            out += "\\n";
            continue;
        }
        if (letter == '"' || letter == '\\') out += '\\';
        out += letter;
    }
    return out += '"';
}

void Metrics::count_call(std::string_view tool, std::string_view status, int64_t ms) {
    // Names of tools that there are not are anybody's invention.
    constexpr size_t most = 64;
    std::pair<std::string, std::string> key(tool, status.empty() ? "none" : status);
    if (calls_.size() >= most && !calls_.contains(key)) key.first = "other";
    ++calls_[key];
    const double seconds = static_cast<double>(ms) / 1000;
    for (size_t at = 0; at < bounds.size(); ++at)
        if (seconds <= bounds[at]) ++took_[at];
    took_seconds_ += seconds;
    ++took_count_;
}

void Metrics::add(std::string name, std::string help, Kind kind, std::function<double()> value) {
    values_.push_back({std::move(name), std::move(help), kind, std::move(value)});
}

std::string Metrics::text() const {
    std::string text =
        head("husk_http_requests_total", "Requests, by route and status.", "counter");
    for (const auto& [key, count] : requests_)
        text += "husk_http_requests_total{route=" + label_value(key.first) + ",status=\"" +
                std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
    text += head("husk_http_refusals_total", "Requests that were refused, by reason.", "counter");
    for (const auto& [why, count] : refusals_)
        text += "husk_http_refusals_total{reason=" + label_value(why) + "} " +
                std::to_string(count) + "\n";
    text += head("husk_calls_total", "Calls of tools that are over, by status.", "counter");
    for (const auto& [key, count] : calls_)
        text += "husk_calls_total{tool=" + label_value(key.first) +
                ",status=" + label_value(key.second) + "} " + std::to_string(count) + "\n";
    text += head("husk_call_seconds", "How long calls took.", "histogram");
    for (size_t at = 0; at < bounds.size(); ++at)
        text += "husk_call_seconds_bucket{le=\"" + number(bounds[at]) + "\"} " +
                std::to_string(took_[at]) + "\n";
    const std::string count = std::to_string(took_count_);
    text += "husk_call_seconds_bucket{le=\"+Inf\"} " + count + "\n";
    text += "husk_call_seconds_sum " + number(took_seconds_) + "\n";
    text += "husk_call_seconds_count " + count + "\n";
    for (const Value& value : values_)
        text += head(value.name, value.help, value.kind == Kind::Gauge ? "gauge" : "counter") +
                value.name + " " + number(value.value()) + "\n";
    return text;
}

uint64_t resident_bytes() {
    const std::string statm = os::read_file("/proc/self/statm").value_or("");
    uint64_t size = 0;
    uint64_t resident = 0;
    std::istringstream(statm) >> size >> resident;
    return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace husk::serve::http
