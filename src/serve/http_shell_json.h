// A shell as the API tells of it: the report without output, and what a list needs besides.
#pragma once

#include <optional>

#include "serve/json_rpc.h"
#include "tool/read_shell.h"

namespace husk::serve::http {

// What the tree of a shell uses at a moment.
struct Sample {
    double cpu = 0;  // 1.0 is one core
    uint64_t memory_bytes = 0;
    uint64_t processes = 0;
    int64_t time = 0;
};

Json sample_json(const Sample& sample);
Json shell_json(const tool::KnownShell& shell, const std::optional<Sample>& sample);
// For events, which go to many: with what is long of a command left out.
Json brief(Json report);
// A report of a call, likewise without output.
Json report_without_output(const Report& report);

}  // namespace husk::serve::http
