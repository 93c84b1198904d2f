#include "cli/subcommands.h"

namespace husk::cli {

void add_subcommands(CLI::App& app, const std::vector<std::string>& words, int& code) {
    add_run(app, words, code);
    add_check(app, words, code);
    add_place(app, words, code);
    add_call(app, code);
    add_tools(app, code);
    add_hook(app, code);
    add_mcp(app, code);
    add_serve(app, code);
    add_shells(app, code);
    add_output(app, code);
    add_wait(app, code);
    add_kill(app, code);
    add_session(app, code);
    add_log(app, code);
    add_stats(app, code);
    add_config(app, code);
    add_trust(app, code);
    add_doctor(app, code);
    add_bench(app, code);
}

}  // namespace husk::cli
