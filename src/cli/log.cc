#include <unistd.h>

#include <algorithm>

#include "base/moment.h"
#include "base/units.h"
#include "cli/audit_options.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "record/journal.h"
#include "record/json_line.h"
#include "record/verify.h"
#include "render/report_json.h"
#include "render/table.h"

namespace husk::cli {
namespace {

using audit::Json;

struct LogOptions {
    AuditOptions audit;
    bool verify = false;
};

std::string text_of(const Json& record, const char* name) {
    const auto found = record.find(name);
    return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string ending_of(const Json& record) {
    const std::string status = text_of(record, "status");
    if (status == "exited") return "exited " + record.value("exit_code", Json()).dump();
    if (status == "signaled") return text_of(record, "signal");
    if (!status.empty()) return status;
    return text_of(record, "error").empty() ? "-" : "error";
}

std::string time_of(const Json& record) {
    const auto found = record.find("duration_ms");
    if (found == record.end() || !found->is_number()) return "-";
    return text::format_duration(
        std::chrono::milliseconds(static_cast<int64_t>(found->get<double>())));
}

std::string verdict_of(const Json& record) {
    const Json verdict = record.value("verdict", Json());
    if (!verdict.is_object()) return "-";
    const Json approval = record.value("approval", Json());
    const std::string decision = text_of(verdict, "decision");
    return approval.is_object() ? decision + ", " + text_of(approval, "answer") : decision;
}

// What a changed configuration did.
std::string configuration_of(const Json& record) {
    std::string text;
    for (const auto& [name, start] :
         {std::pair("changed", ""), std::pair("after_restart", "after a restart: ")})
        for (const Json& change : record.value(name, Json::array()))
            text += (text.empty() ? "" : "; ") + std::string(start) + change.get<std::string>();
    if (text.empty()) text = text_of(record, "error");
    return "[configuration" + (text.empty() ? "" : ": " + text) + "]";
}

// What was done, in one line.
std::string deed_of(const Json& record) {
    const std::string command = text_of(record, "command");
    if (!command.empty()) return command;
    if (text_of(record, "action") == "configure") return configuration_of(record);
    const std::string shell = text_of(record, "shell_id");
    return "[" + text_of(record, "tool") + (shell.empty() ? "" : " " + shell) + "]";
}

std::string table_of(const std::vector<Json>& records) {
    std::vector<render::Row> rows = {{"TIME", "VIA", "STATUS", "TOOK", "VERDICT", "ID", "COMMAND"}};
    for (const Json& record : records)
        rows.push_back({text::format_moment(record.value("time", int64_t{0})),
                        text_of(record, "via"), ending_of(record), time_of(record),
                        verdict_of(record), text_of(record, "id"), deed_of(record)});
    return render::table(rows, terminal_width());
}

// What was there before the oldest record that is.
std::string gone(const audit::Removed& removed) {
    std::string text = std::to_string(removed.records) + " records of before " +
                       text::format_moment(removed.until) + " have been removed";
    if (removed.early == 0) return text;
    return text + ", " + std::to_string(removed.early) +
           " OF THEM BEFORE THEIR TIME, because there were too many new ones";
}

// Whoever sees all that there is might take it for all that there was.
void tell_gone(const LogOptions& options, size_t shown) {
    const auto removed = audit::removed_so_far(options.audit.settings.state);
    if (!removed || removed->files == 0) return;
    if (removed->early > 0 || shown < options.audit.query.limit) fail(gone(*removed));
}

int list(const LogOptions& options) {
    if (const std::string wrong = complaint_about(options.audit.query); !wrong.empty())
        return fail(wrong);
    auto page = open_index(options.audit.settings)->find(query_of(options.audit));
    if (!page) return fail(page.error());
    tell_gone(options, page->records.size());
    std::ranges::reverse(page->records);  // the newest last, where a terminal shows it
    if (!options.audit.json && page->records.empty()) {
        write_out(STDERR_FILENO, "husk: nothing was found\n");
        return 0;
    }
    if (!options.audit.json) {
        write_out(STDOUT_FILENO, table_of(page->records));
        return 0;
    }
    for (const Json& record : page->records)
        if (!write_out(STDOUT_FILENO, audit::inert(render::dump(record)) + "\n")) break;
    return 0;
}

Json removed_json(const audit::Removed& removed) {
    if (removed.files == 0) return nullptr;
    return {{"files", removed.files},
            {"records", removed.records},
            {"early", removed.early},
            {"until", removed.until}};
}

int verify(const LogOptions& options) {
    const auto proof = audit::verify(options.audit.settings.state);
    if (!proof) return fail(proof.error());
    if (options.audit.json) {
        write_out(STDOUT_FILENO, render::dump({{"intact", proof->broken_total == 0},
                                               {"files", proof->files},
                                               {"records", proof->records},
                                               {"torn", proof->torn},
                                               {"from_the_start", proof->from_the_start},
                                               {"removed", removed_json(proof->removed)},
                                               {"last", proof->last},
                                               {"broken", proof->broken},
                                               {"broken_total", proof->broken_total}}) +
                                     "\n");
        return proof->broken_total == 0 ? 0 : 1;
    }
    for (const std::string& line : proof->broken) fail(line);
    std::string text = std::to_string(proof->records) + " records in " +
                       std::to_string(proof->files) + (proof->files == 1 ? " file" : " files");
    if (proof->torn > 0) text += ", " + std::to_string(proof->torn) + " torn lines";
    text += proof->broken_total == 0 ? ": as they were written"
                                     : ": NOT as they were written, in " +
                                           std::to_string(proof->broken_total) + " places";
    if (proof->removed.files > 0) text += "\n" + gone(proof->removed);
    if (!proof->last.empty()) text += "\nthe last has the digest " + proof->last;
    write_out(STDOUT_FILENO, text + "\n");
    return proof->broken_total == 0 ? 0 : 1;
}

}  // namespace

void add_log(CLI::App& app, int& code) {
    auto options = std::make_shared<LogOptions>();
    options->audit.query.limit = 50;
    CLI::App* sub =
        app.add_subcommand("log", "Search the audit: what was called, by whom, how it ended");
    sub->footer(
        "husk log [OPTIONS] [WORDS...]: the newest last; \"-WORD\" behind -- leaves out.\n"
        "docs/audit.md has the fields, and what --verify does not prove.");
    add_audit_options(*sub, options->audit);
    sub->add_option("--limit", options->audit.query.limit, "At most so many, the newest (50)")
        ->check(CLI::Range(size_t{1}, size_t{100'000}));
    sub->add_flag("--verify", options->verify,
                  "Check that nothing was changed; exit 1 where something was");
    sub->callback([options, &code] { code = options->verify ? verify(*options) : list(*options); });
}

}  // namespace husk::cli
