// What the audit says about a call. docs/audit.md is the page of its format.
#pragma once

#include <husk/report.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace husk::audit {

int64_t now_ms();  // since 1970

// What became of the question that a rule asked.
struct Approval {
    std::string answer;      // given, declined, nobody (was there), later (in another call)
    std::string by = {};     // terminal, http, client
    std::string scope = {};  // of one that was given: once, always
    std::string reason = {};
};

// What is known about a call before anything is started. Variables are not: they hold secrets.
struct Asked {
    std::string via = {};  // run, call, mcp, serve/v1, serve/mcp
    std::string contract = {};
    std::string tool = {};
    std::string action = {};  // run, talk, read, wait, kill, list; empty: it was not understood
    std::string caller = {};
    std::string session = {};
    std::string workspace = {};
    std::string cwd = {};
    std::string command = {};
    std::string description = {};
    std::vector<std::string> programs = {};  // that the script names, as far as they are known
    std::vector<std::string> threats = {};   // rules of the contract's own that found something
    std::string mode = {};                   // that was asked for
    bool background = false;
    std::optional<Verdict> verdict = {};
    std::optional<Approval> approval = {};
};

// How a command ended, by whoever saw it.
struct Ended {
    const Report& report;
    std::optional<int64_t> when = {};    // it ended, in milliseconds since 1970
    std::optional<double> call_ms = {};  // from the request to the answer, with all waiting
};

// The records, each a JSON object on one line. `id` is the shell's where a command was started.
std::string begin_record(const std::string& id, const Asked& asked);
std::string end_record(const std::string& id, const Ended& ended);
// Of a call that started nothing: refused, or only looked at shells.
std::string call_record(const std::string& id, const Asked& asked, const Ended& ended);
// The same where there is not even a report.
std::string call_record(const std::string& id, const Asked& asked, const std::string& shell_id,
                        const std::string& error, std::optional<double> call_ms);

}  // namespace husk::audit
