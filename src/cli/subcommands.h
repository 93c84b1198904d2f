// One function for each subcommand, in the file of its name. Each adds its options to the
// program and, when it was the one that was asked for, leaves the exit code in `code`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace husk::cli {

// `words` are those behind "--", which are not for the parser of options.
void add_run(CLI::App& app, const std::vector<std::string>& words, int& code);
void add_check(CLI::App& app, const std::vector<std::string>& words, int& code);
void add_place(CLI::App& app, const std::vector<std::string>& words, int& code);
void add_shells(CLI::App& app, int& code);
void add_output(CLI::App& app, int& code);
void add_wait(CLI::App& app, int& code);
void add_kill(CLI::App& app, int& code);
void add_session(CLI::App& app, int& code);
void add_config(CLI::App& app, int& code);
void add_trust(CLI::App& app, int& code);
void add_doctor(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_call(CLI::App& app, int& code);
void add_tools(CLI::App& app, int& code);
void add_hook(CLI::App& app, int& code);
void add_mcp(CLI::App& app, int& code);
void add_serve(CLI::App& app, int& code);
void add_log(CLI::App& app, int& code);
void add_stats(CLI::App& app, int& code);

// All that this build has: cli/all_subcommands.cc, or cli/portable_subcommands.cc without the
// engine.
void add_subcommands(CLI::App& app, const std::vector<std::string>& words, int& code);

}  // namespace husk::cli
