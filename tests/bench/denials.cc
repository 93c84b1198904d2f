#include "denials.h"

#include <husk/husk.h>

#include <cstdlib>
#include <string>

#include "project.h"
#include "tool/measure.h"

namespace husk::bench {
namespace {

constexpr int opened = 2000;

// Each is a call that the witness is asked about; a redirection of bash forks nothing.
std::string opening(const std::string& path) {
    return "for ((i = 0; i < " + std::to_string(opened) + "; ++i)); do : > " + path +
           "; done 2>/dev/null; true";
}

// Two renames in each round.
std::string renaming(const std::string& one, const std::string& other) {
    return "touch " + one + "; perl -e 'for (1.." + std::to_string(opened / 2) + ") { rename \"" +
           one + "\", \"" + other + "\"; rename \"" + other + "\", \"" + one + "\" }'";
}

}  // namespace

void denials(std::vector<Figure>& figures, size_t rounds) {
    const Project project(1);
    Bash bash(project.settings());
    const ToolContext on{.working_dir = project.work(), .mode = Mode::Workspace};
    ToolContext off = on;
    off.watch_denials = false;
    const auto behind = [&](const ToolContext& context, const std::string& command) {
        const Report report = bash.run({.command = command}, context);
        if (exit_code(report.ending) != 0) std::abort();  // a figure of what did not run is none
    };
    const auto compare = [&](size_t times, const std::string& command) {
        behind(off, command);
        behind(on, command);
        return tool::compare(times, [&] { behind(off, command); }, [&] { behind(on, command); });
    };
    const auto each_us = [](double ms) { return 1e3 * ms / opened; };
    const auto call = compare(rounds * 10, "true");
    const auto allowed = compare(rounds, opening("file"));
    const auto stopped = compare(rounds, opening("/etc/husk-bench"));
    const auto renamed = compare(rounds, renaming("one", "other"));
    figures.push_back({"a call of true, denials on / off", call.ratio, "x", 1.1, true});
    figures.push_back(
        {"opening a file for writing, denials off", each_us(allowed.bare_ms), "us", 0, true});
    figures.push_back(
        {"  added by denials on", each_us(allowed.other_ms - allowed.bare_ms), "us", 40, true});
    figures.push_back({"  and where a wall stops it", each_us(stopped.other_ms - stopped.bare_ms),
                       "us", 0, true});
    figures.push_back({"renaming a file, denials off", each_us(renamed.bare_ms), "us", 0, true});
    figures.push_back(
        {"  added by denials on", each_us(renamed.other_ms - renamed.bare_ms), "us", 30, true});
}

}  // namespace husk::bench
