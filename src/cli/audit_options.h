// What `husk log` and `husk stats` have in common: which calls are meant.
#pragma once

#include <husk/bash.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "record/index.h"

namespace husk::cli {

struct AuditOptions {
    Settings settings;
    audit::Query query;
    std::vector<std::string> words;
    bool json = false;
};

void add_audit_options(CLI::App& app, AuditOptions& options);

// What is wrong with it, or empty.
std::string complaint_about(const audit::Query& query);

// The query with its words.
audit::Query query_of(const AuditOptions& options);

// The index of the state directory, which asks the spool about what has no end.
std::unique_ptr<audit::Index> open_index(const Settings& settings);

}  // namespace husk::cli
