#include <unistd.h>

#include <algorithm>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "collect/retention.h"
#include "place/container.h"
#include "render/report_json.h"
#include "render/table.h"
#include "run/session_table.h"
#include "tool/spilled_output.h"

namespace husk::cli {
namespace {

struct SessionOptions {
    Settings settings;
    std::string name;
    bool json = false;
    bool all = false;
};

int list(const SessionOptions& options) {
    const auto state = run::StateDir::open_for_reading(options.settings.state);
    if (!state) return fail(state.error());
    const auto sessions = run::list_sessions(*state);
    if (!sessions) return fail(sessions.error());
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    std::vector<render::Row> table = {{"NAME", "ID", "NURSERY"}};
    for (const run::SessionInfo& session : *sessions) {
        if (session.nursery == 0 && !options.all) continue;  // only its logs are left
        const std::string nursery = session.nursery != 0 ? std::to_string(session.nursery) : "none";
        table.push_back({session.name.empty() ? "(private)" : session.name, session.id, nursery});
        rows.push_back({{"name", session.name}, {"id", session.id}, {"nursery", session.nursery}});
    }
    write_out(STDOUT_FILENO, options.json ? render::dump({{"sessions", rows}}) + "\n"
                                          : render::table(table, terminal_width()));
    return 0;
}

bool is_alive(const run::StateDir& state, const std::string& name) {
    const auto sessions = run::list_sessions(state);
    return sessions && std::ranges::any_of(*sessions, [&](const run::SessionInfo& session) {
               return session.nursery != 0 && (session.name == name || session.id == name);
           });
}

int end(const SessionOptions& options) {
    const auto state = run::StateDir::open_for_reading(options.settings.state);
    if (!state) return fail(state.error());
    const bool was_alive = is_alive(*state, options.name);
    const auto ended = run::end_session(*state, options.name);
    if (!ended) return fail(ended.error());
    const auto gone = place::end_container(*state, options.name);
    if (!gone) return fail(gone.error());
    const auto removed = collect::remove_what_went_with_sessions(*state);
    if (!removed) return fail(removed.error());
    const auto abandoned = tool::remove_abandoned_output(*state);
    if (!abandoned) return fail(abandoned.error());
    write_out(STDOUT_FILENO, options.name + (was_alive ? " has ended\n" : " had ended already\n"));
    return 0;
}

}  // namespace

void add_session(CLI::App& app, int& code) {
    auto options = std::make_shared<SessionOptions>();
    CLI::App* sub =
        app.add_subcommand("session", "List sessions, or end one with all that is in it");
    sub->require_subcommand(1);
    CLI::App* listing = sub->add_subcommand("list", "List the sessions of this state directory");
    listing->add_flag("--all", options->all, "Also those that have ended and whose logs are left");
    listing->add_flag("--json", options->json, "Print them as JSON");
    add_state(*listing, options->settings);
    listing->callback([options, &code] { code = list(*options); });
    CLI::App* ending = sub->add_subcommand("end", "Kill everything in a session");
    ending->add_option("NAME", options->name, "Its name or id")->required();
    add_state(*ending, options->settings);
    ending->callback([options, &code] { code = end(*options); });
}

}  // namespace husk::cli
