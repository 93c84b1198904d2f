// The figures of all calls of the contract `docware` together (BashPerformanceMetrics), out of what
// the audit has of them. docs/contracts/docware.md says how each is counted.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"

namespace husk::contract {

// Figures of which some are measured.
class Figures {
public:
    void add(const Json& value);

    size_t count() const { return values_.size(); }
    // All of them null where nothing was measured.
    Json sum() const;
    Json mean() const;
    Json largest() const;
    // The smallest that so large a part of all does not exceed.
    Json percentile(double part) const;

private:
    std::vector<double> values_;
};

class DocwareMetrics {
public:
    // Use of processors is told in percent of all of them.
    explicit DocwareMetrics(size_t processors) : processors_(processors) {}

    void add(const Json& record);
    Json json() const;

private:
    void add_sandbox(const Json& record);

    struct Kind {
        uint64_t count = 0;
        uint64_t successful = 0;
        uint64_t over = 0;
        Figures duration = {};
        Figures memory = {};
        Figures cpu = {};
        Figures read = {};
        Figures written = {};

        void add(const Json& record);
        Json json() const;
    };

    size_t processors_;
    Kind all_;
    Figures cpu_percent_;
    Figures creation_;  // of sandboxes
    Figures overhead_;
    std::map<std::string, Kind> kinds_;
    uint64_t blocked_ = 0;
    uint64_t violations_ = 0;
    uint64_t threats_ = 0;
};

}  // namespace husk::contract
