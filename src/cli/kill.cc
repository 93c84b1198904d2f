#include <unistd.h>

#include "base/signals.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/ending_line.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

struct KillOptions {
    Settings settings;
    std::string id;
    std::string signal = "TERM";
    std::optional<std::chrono::milliseconds> patience;
    bool json = false;
};

int kill(const KillOptions& options) {
    StopLadder ladder;
    const auto signal = signal_number(options.signal);
    if (!signal)
        return fail("--signal: \"" + options.signal + "\" is not a signal such as TERM or KILL");
    ladder.signal = *signal;
    if (options.patience) ladder.patience = *options.patience;
    // What is not shown is not used up: it stays new.
    constexpr uint64_t report_bytes = 30'000;
    const uint64_t most = options.json ? report_bytes : 0;
    const auto answer = Shells(options.settings).kill(options.id, ladder, most);
    if (const auto* error = std::get_if<Error>(&answer)) return fail(*error);
    const Report& report = std::get<Report>(answer);
    const bool alive = !report.leftovers.empty() || !report.ended();
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(render::report_json(report)) + "\n");
        return alive ? 1 : 0;
    }
    for (const std::string& note : report.notes) write_out(STDERR_FILENO, "husk: " + note + "\n");
    if (alive)
        write_out(STDERR_FILENO, "husk: " + render::ending_line(report) + "\n");
    else if (report.notes.empty())  // which say that it had ended before
        write_out(STDOUT_FILENO, options.id + " has ended: " + render::ending_words(report) + "\n");
    return alive ? 1 : 0;
}

}  // namespace

void add_kill(CLI::App& app, int& code) {
    auto options = std::make_shared<KillOptions>();
    CLI::App* sub = app.add_subcommand("kill", "End a command with everything it started");
    sub->add_option("ID", options->id, "The shell's id")->required();
    sub->add_option("--signal", options->signal, "What to send first (default TERM)");
    add_duration(*sub, "--patience", options->patience, "From there to SIGKILL (default 2s)");
    sub->add_flag("--json", options->json, "Print the report as JSON");
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = kill(*options); });
}

}  // namespace husk::cli
