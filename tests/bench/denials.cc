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

// Prints the median of what a connection to an own unix socket takes, in microseconds.
constexpr const char* connecting = R"(PATH=/usr/bin:/bin:$PATH python3 -c '
import os, socket, time
server = socket.socket(socket.AF_UNIX); server.bind("connect-%d" % os.getpid()); server.listen(5)
took = []
for _ in range(2000):
    client = socket.socket(socket.AF_UNIX)
    begun = time.perf_counter_ns()
    client.connect(server.getsockname())
    took.append(time.perf_counter_ns() - begun)
    server.accept()[0].close(); client.close()
os.unlink(server.getsockname())
print(sorted(took)[len(took) // 2] / 1000)')";

double connecting_us(Bash& bash, ToolContext context, Mode mode) {
    context.mode = mode;
    const Report report = bash.run({.command = connecting}, context);
    return exit_code(report.ending) == 0 ? std::strtod(report.output.c_str(), nullptr) : missing;
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
    const double bare = connecting_us(bash, on, Mode::Open);
    const double walled = connecting_us(bash, on, Mode::Workspace);
    figures.push_back({"connecting to a unix socket, bare", bare, "us", 0, true});
    figures.push_back({"  added behind walls", walled - bare, "us", 60, true});
}

}  // namespace husk::bench
