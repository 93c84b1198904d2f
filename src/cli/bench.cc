#include <unistd.h>

#include <cstdio>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/report_json.h"
#include "render/table.h"
#include "tool/measure.h"

namespace husk::cli {
namespace {

struct BenchOptions {
    Settings settings;
    size_t rounds = 300;
    bool json = false;
};

std::string fixed(double value, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3f%s", value, unit);
    return text;
}

int bench(const BenchOptions& options) {
    Bash bash(options.settings);
    const Request request{.command = "true"};
    if (const Report first = bash.run(request); exit_code(first.ending) != 0) {
        const auto* failed = std::get_if<NotStarted>(&first.ending);
        return failed != nullptr ? fail(failed->cause) : fail("`true` did not end well here");
    }
    const tool::Paired paired =
        tool::compare(options.rounds, [] { tool::run_bare("true"); }, [&] { bash.run(request); });
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump({{"rounds", options.rounds},
                                               {"bare_ms", paired.bare_ms},
                                               {"husk_ms", paired.other_ms},
                                               {"ratio", paired.ratio}}) +
                                     "\n");
        return 0;
    }
    write_out(
        STDOUT_FILENO,
        render::table({{"A CALL OF true", "MEDIAN", "RATIO"},
                       {"bash by vfork and exec", fixed(paired.bare_ms, " ms"), "1"},
                       {"husk, mode open", fixed(paired.other_ms, " ms"), fixed(paired.ratio, "")}},
                      terminal_width()));
    return 0;
}

}  // namespace

void add_bench(CLI::App& app, int& code) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* sub = app.add_subcommand("bench", "What a call costs here, beside bare bash");
    sub->add_option("--rounds", options->rounds, "How many pairs of calls (default 300)")
        ->check(CLI::Range(1, 1'000'000));
    sub->add_flag("--json", options->json, "Print the figures as JSON");
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = bench(*options); });
}

}  // namespace husk::cli
