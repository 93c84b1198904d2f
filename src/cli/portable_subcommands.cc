// The subcommands of a build without the engine. Replaces cli/all_subcommands.cc there.
#include <string>

#include "cli/subcommands.h"
#include "cli/terminal.h"

namespace husk::cli {
namespace {

constexpr const char* needing_the_engine[] = {
    "run",  "place",   "call", "tools", "mcp",    "serve", "shells", "output", "wait",
    "kill", "session", "log",  "stats", "config", "trust", "doctor", "bench"};

// A subcommand that only says that it is absent. Its options are not known here, so it takes any
// words, `--help` included.
void add_absent(CLI::App& app, const std::string& name, int& code) {
    CLI::App* sub = app.add_subcommand(name)->group("");
    sub->allow_extras();
    sub->set_help_flag();
    sub->callback([name, &code] {
        code = fail("husk " + name +
                    " does not work in this program: it was built without the engine, which runs "
                    "commands on Linux only, because its sandbox is made of parts of Linux such "
                    "as Landlock; use husk check or husk hook, or Husk for Linux");
    });
}

}  // namespace

void add_subcommands(CLI::App& app, const std::vector<std::string>& words, int& code) {
    add_check(app, words, code);
    add_hook(app, code);
    for (const char* name : needing_the_engine) add_absent(app, name, code);
    app.footer("This program was built without the engine, which runs commands on Linux only.");
}

}  // namespace husk::cli
