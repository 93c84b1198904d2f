#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/report_json.h"
#include "render/shell_list.h"

#include <unistd.h>

#include <algorithm>

namespace husk::cli {
namespace {

constexpr size_t finished_shown = 20;

// All that live, and the newest of the others.
void shorten(std::vector<Report>& shells) {
    size_t finished = 0;
    std::erase_if(shells, [&](const Report& shell) {
        const bool lives = !shell.ended() || !shell.leftovers.empty();
        return !lives && ++finished > finished_shown;
    });
}

int list(const Settings& settings, bool json, bool all) {
    auto answer = Shells(settings).list();
    if (const auto* error = std::get_if<Error>(&answer)) return fail(*error);
    auto& shells = std::get<std::vector<Report>>(answer);
    if (!all) shorten(shells);
    if (!json) {
        write_out(STDOUT_FILENO, render::shell_list(shells, terminal_width()));
        return 0;
    }
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Report& shell : shells) rows.push_back(render::report_json(shell));
    write_out(STDOUT_FILENO, render::dump({{"shells", std::move(rows)}}) + "\n");
    return 0;
}

}  // namespace

void add_shells(CLI::App& app, int& code) {
    struct ShellsOptions {
        Settings settings;
        bool json = false;
        bool all = false;
    };
    auto options = std::make_shared<ShellsOptions>();
    CLI::App* sub = app.add_subcommand("shells", "List the commands of this state directory");
    sub->add_flag("--json", options->json, "Print reports as JSON");
    sub->add_flag("--all", options->all, "Also finished ones beyond the newest 20");
    add_state(*sub, options->settings);
    sub->callback(
        [options, &code] { code = list(options->settings, options->json, options->all); });
}

}  // namespace husk::cli
