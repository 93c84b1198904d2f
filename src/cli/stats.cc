#include <unistd.h>

#include "base/moment.h"
#include "base/units.h"
#include "cli/audit_options.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "contract/docware_metrics.h"
#include "render/report_json.h"
#include "render/table.h"

namespace husk::cli {
namespace {

using audit::Json;

struct StatsOptions {
    AuditOptions audit;
    bool docware = false;
};

std::string duration(const Json& ms) {
    if (!ms.is_number()) return "-";
    return text::format_duration(std::chrono::milliseconds(static_cast<int64_t>(ms.get<double>())));
}

std::string size(const Json& bytes) {
    return bytes.is_number() ? text::format_size(bytes.get<uint64_t>()) : "-";
}

std::string moment(const Json& ms) {
    return ms.is_number() ? text::format_moment(ms.get<int64_t>()) : "-";
}

// "3 exited, 1 denied"
std::string counts(const Json& by_name) {
    std::string text;
    for (const auto& [name, count] : by_name.items())
        text += (text.empty() ? "" : ", ") + count.dump() + " " + name;
    return text.empty() ? "-" : text;
}

std::string table_of(const Json& stats) {
    const Json& took = stats["duration_ms"];
    std::string text = render::table(
        {{"CALLS", stats["calls"].dump()},
         {"from", moment(stats["first"])},
         {"to", moment(stats["last"])},
         {"status", counts(stats["status"])},
         {"exit code 0", stats["exit_zero"].is_null() ? "-" : stats["exit_zero"].dump()},
         {"verdicts", counts(stats["decisions"])},
         {"answers", counts(stats["answers"])},
         {"ways in", counts(stats["via"])},
         {"contracts", counts(stats["contracts"])},
         {"took", "median " + duration(took["median"]) + ", 95 % within " + duration(took["p95"]) +
                      ", longest " + duration(took["max"])},
         {"CPU time",
          duration(stats["user_ms"]) + " user, " + duration(stats["system_ms"]) + " system"},
         {"peak memory", size(stats["peak_memory_bytes"])},
         {"output", size(stats["output_bytes"])},
         {"denials", stats["denials"].is_null() ? "-" : stats["denials"].dump()}},
        terminal_width());
    std::vector<render::Row> programs = {{"PROGRAM", "CALLS", "EXIT 0", "NOT RUN", "MEAN"}};
    for (const Json& one : stats["programs"])
        programs.push_back({one["program"].get<std::string>(), one["calls"].dump(),
                            one["exit_zero"].is_null() ? "-" : one["exit_zero"].dump(),
                            one["not_run"].is_null() ? "-" : one["not_run"].dump(),
                            duration(one["mean_ms"])});
    if (programs.size() > 1) text += "\n" + render::table(programs, terminal_width());
    return text;
}

int print_metrics(const StatsOptions& options) {
    audit::Query query = query_of(options.audit);
    query.contract = contract::docware_contract.name;
    contract::DocwareMetrics metrics(static_cast<size_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
    const auto read = open_index(options.audit.settings)->each(query, [&](const Json& record) {
        metrics.add(record);
    });
    if (!read) return fail(read.error());
    write_out(STDOUT_FILENO, render::dump(metrics.json()) + "\n");
    return 0;
}

int print(const StatsOptions& options) {
    if (const std::string wrong = complaint_about(options.audit.query); !wrong.empty())
        return fail(wrong);
    if (options.docware) return print_metrics(options);
    const auto stats = open_index(options.audit.settings)->stats(query_of(options.audit));
    if (!stats) return fail(stats.error());
    write_out(STDOUT_FILENO, options.audit.json ? render::dump(*stats) + "\n" : table_of(*stats));
    return 0;
}

}  // namespace

void add_stats(CLI::App& app, int& code) {
    auto options = std::make_shared<StatsOptions>();
    CLI::App* sub = app.add_subcommand("stats", "Count what the audit has: endings, times, use");
    sub->footer("What was not measured is a dash, or null. docs/audit.md has the fields.");
    add_audit_options(*sub, options->audit);
    sub->add_flag("--docware", options->docware,
                  "The metrics of the contract docware, of its own calls, as JSON");
    sub->callback([options, &code] { code = print(*options); });
}

}  // namespace husk::cli
