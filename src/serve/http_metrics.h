// Counts, and how they are told to Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace husk::serve::http {

// As a value of a label.
std::string label_value(std::string_view text);

class Metrics {
public:
    void count_request(std::string_view route, int status) {
        ++requests_[{std::string(route), status}];
    }
    // `status` is that of the report, or empty where there was none.
    void count_call(std::string_view tool, std::string_view status, int64_t ms);
    void count_refusal(std::string_view why) { ++refusals_[std::string(why)]; }

    // Something that is asked for when somebody wants to know.
    enum class Kind { Gauge, Counter };
    void add(std::string name, std::string help, Kind kind, std::function<double()> value);

    std::string text() const;

private:
    static constexpr std::array<double, 10> bounds = {0.005, 0.01, 0.05, 0.1, 0.5,
                                                      1,     5,    30,   120, 600};
    struct Value {
        std::string name;
        std::string help;
        Kind kind;
        std::function<double()> value;
    };
    std::map<std::pair<std::string, int>, uint64_t> requests_;
    std::map<std::pair<std::string, std::string>, uint64_t> calls_;
    std::map<std::string, uint64_t> refusals_;
    std::array<uint64_t, bounds.size()> took_{};
    double took_seconds_ = 0;
    uint64_t took_count_ = 0;
    std::vector<Value> values_;
};

// Of this process.
uint64_t resident_bytes();

}  // namespace husk::serve::http
