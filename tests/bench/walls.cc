#include "walls.h"

#include <husk/husk.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tool/measure.h"

namespace husk::bench {
namespace {

namespace fs = std::filesystem;

void run_bare(const std::string& command) { tool::run_bare(command.c_str()); }

// A repository with a Makefile and many small files, and a state directory beside it.
class Project {
public:
    explicit Project(size_t files) {
        std::string name = (fs::temp_directory_path() / "husk-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) base_ = name;
        fs::create_directories(work());
        std::ofstream make(work() / "Makefile");
        make << "all: $(patsubst %.c,%.o,$(wildcard *.c))\n";
        for (size_t i = 0; i < files; ++i)
            std::ofstream(work() / ("f" + std::to_string(i) + ".c"))
                << "int f" << i << "(void) {return 0;}\n";
        run_bare(
            in_work("git init -q && git add -- *.c Makefile && "
                    "git -c user.name=x -c user.email=x commit -qm x"));
    }
    ~Project() {
        std::error_code ignored;
        fs::remove_all(base_, ignored);
    }
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    fs::path work() const { return base_ / "work"; }
    Settings settings() const { return {.state = base_ / "state"}; }
    std::string in_work(const std::string& command) const {
        return "cd " + work().string() + " && { " + command + "; } >/dev/null 2>&1";
    }

private:
    fs::path base_;
};

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

}  // namespace husk::bench
