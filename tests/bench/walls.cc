#include "walls.h"

#include <fcntl.h>
#include <husk/husk.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "child.h"
#include "project.h"
#include "tool/measure.h"

namespace husk::bench {
namespace {

using Json = nlohmann::json;

double median_seconds(int times, const std::function<void()>& prepare,
                      const std::function<void()>& work) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        prepare();
        const auto start = std::chrono::steady_clock::now();
        work();
        all.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return tool::median(all);
}

}  // namespace

void walls(std::vector<Figure>& figures, size_t rounds, size_t files) {
    const Project project(files);
    Bash bash(project.settings());
    const ToolContext read_only{.working_dir = project.work(), .mode = Mode::ReadOnly};
    const ToolContext workspace{.working_dir = project.work(), .mode = Mode::Workspace};
    const Request nothing{.command = "true"};
    const auto behind = [&](const ToolContext& context, const Request& request) {
        const Report report = bash.run(request, context);
        if (exit_code(report.ending) != 0) std::abort();  // a figure of what did not run is none
    };
    behind(read_only, nothing);
    behind(workspace, nothing);
    const auto bare = [] { run_bare("true"); };
    const auto first = tool::compare(rounds, bare, [&] { behind(read_only, nothing); });
    const auto second = tool::compare(rounds, bare, [&] { behind(workspace, nothing); });
    figures.push_back({"a call of true, read-only / bare", first.ratio, "x", 1.35, true});
    figures.push_back({"a call of true, workspace / bare", second.ratio, "x", 1.35, true});

    const std::string work = project.work();
    const std::string wrapped = "bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind " +
                                work + " " + work +
                                " --unshare-all --cap-drop ALL bash --norc -c true";
    const auto bwrap = tool::compare(rounds / 4, bare, [&] { run_bare("exec " + wrapped); });
    figures.push_back({"  overhead of bwrap / that of workspace",
                       (bwrap.other_ms - bwrap.bare_ms) / (second.other_ms - second.bare_ms), "x",
                       3, false});

    const std::string status = project.in_work("git status");
    const auto git = tool::compare(
        rounds / 10, [&] { run_bare(status); }, [&] { behind(workspace, {.command = status}); });
    figures.push_back({"git status, workspace / outside", git.ratio, "x", 1.15, true});

    const std::string build = project.in_work("make -j2");
    const auto clean = [&] { run_bare(project.in_work("rm -f *.o")); };
    constexpr int times = 3;
    const double outside = median_seconds(times, clean, [&] { run_bare(build); });
    const double inside =
        median_seconds(times, clean, [&] { behind(workspace, {.command = build}); });
    figures.push_back(
        {"a build of small files, workspace / outside", inside / outside, "x", 1.1, true});
}

void walls_of_an_ordinary_user(std::vector<Figure>& figures, bool quick) {
    constexpr uid_t nobody = 65534;
    const std::string id = std::to_string(nobody);
    const test::TempDir home;
    if (::chown(home.path().c_str(), nobody, nobody) != 0) std::perror("bench: chown");
    // By its descriptor: the build directory may be one that only root can enter.
    const int self = ::open("/proc/self/exe", O_PATH);
    std::vector<std::string> argv = {"/usr/bin/setpriv",
                                     "--reuid=" + id,
                                     "--regid=" + id,
                                     "--clear-groups",
                                     "--",
                                     "/usr/bin/env",
                                     "--chdir=" + home.path().string(),
                                     "HOME=" + home.path().string(),
                                     "TMPDIR=" + home.path().string(),
                                     "/proc/self/fd/" + std::to_string(self),
                                     "--json",
                                     "--only",
                                     "walls"};
    if (quick) argv.emplace_back("--quick");
    Child pass(argv);
    ::close(self);
    const Json told = Json::parse(pass.line(), nullptr, false);
    if (!told.is_array() || told.empty())
        figures.push_back({"walls of an ordinary user", missing, "", 0, true});
    for (const Json& one : told.is_array() ? told : Json::array())
        figures.push_back({one["what"].get<std::string>() + ", ordinary user",
                           one["value"].is_number() ? one["value"].get<double>() : missing,
                           one["unit"], one["reach"], one["at_most"]});
}

}  // namespace husk::bench
