#include "cli/audit_options.h"

#include "base/moment.h"
#include "cli/terminal.h"
#include "cli/word_option.h"
#include "record/entry.h"
#include "request/setting_keys.h"
#include "tool/audit_later.h"

namespace husk::cli {
namespace {

void add_moment(CLI::App& app, const std::string& name, std::optional<int64_t>& value,
                const std::string& description) {
    app.add_option_function<std::string>(
        name,
        [&value, name](const std::string& text) {
            value = text::parse_moment(text, audit::now_ms());
            if (!value)
                throw CLI::ValidationError(name, "\"" + text +
                                                     "\" is neither a time such as 2h (ago) nor a "
                                                     "date such as \"2026-11-15 14:30\"");
        },
        description);
}

void add_one_of(CLI::App& app, const std::string& name, std::string& value,
                const std::vector<std::string>& words, const std::string& description) {
    std::vector<std::pair<std::string, std::string>> meanings;
    for (const std::string& word : words) meanings.emplace_back(word, word);
    add_word(app, name, value, meanings, description);
}

}  // namespace

void add_audit_options(CLI::App& app, AuditOptions& options) {
    audit::Query& query = options.query;
    app.add_option("WORDS", options.words,
                   "Each is somewhere in the command, its directory, the rule, what walls refused");
    add_moment(app, "--since", query.since, "2h (ago), or a date, with or without a time");
    add_moment(app, "--until", query.until, "Likewise; that moment not included");
    app.add_option("--session", query.session, "Of the session of this name");
    add_one_of(app, "--status", query.status,
               {"exited", "signaled", "timed_out", "cancelled", "limit_exceeded", "denied",
                "not_started", "running", "lost", "unknown", "applied", "refused"},
               "exited, signaled, timed_out, denied, running, ...");
    add_one_of(app, "--decision", query.decision, {"allow", "ask", "deny"}, "allow, ask or deny");
    const auto contracts = config::find_key("", "contract")->words;
    add_one_of(app, "--contract", query.contract, {contracts.begin(), contracts.end()},
               "Called through this contract");
    add_one_of(app, "--via", query.via,
               {"run", "call", "mcp", "library", "serve", "serve/v1", "serve/mcp"},
               "The way in: run, call, mcp, serve, serve/v1, serve/mcp");
    app.add_option("--shell", query.shell_id, "Of this shell");
    app.add_flag_callback(
        "--all", [&query] { query.which = audit::Query::Which::All; },
        "Also calls that only read, wait for or list shells");
    app.add_flag("--json", options.json, "Print JSON");
    add_state(app, options.settings);
}

std::string complaint_about(const audit::Query& query) {
    if (!query.since || !query.until || *query.since < *query.until) return "";
    return "--since is not before --until, so that nothing lies between them";
}

audit::Query query_of(const AuditOptions& options) {
    audit::Query query = options.query;
    query.words = options.words;
    return query;
}

std::unique_ptr<audit::Index> open_index(const Settings& settings) {
    return std::make_unique<audit::Index>(settings.state, [settings](const std::string& shell_id) {
        return tool::what_became_of(settings, shell_id);
    });
}

}  // namespace husk::cli
