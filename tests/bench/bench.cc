// What Husk costs, as ratios against the bare thing in the same run. docs/bench.md has the method.
//
//     husk_bench [--json] [--quick] [--without-peers]
//                [--only calls|many|output|shells|walls|denials|understanding|mcp|peers|http]
//
// Exits 1 when a figure misses what it has to reach, or is missing itself.
#include <fcntl.h>
#include <husk/husk.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "denials.h"
#include "project.h"
#include "render/report_json.h"
#include "render/table.h"
#include "serving.h"
#include "tool/measure.h"
#include "understanding.h"
#include "walls.h"

namespace {

namespace fs = std::filesystem;
using husk::bench::Figure;
using husk::tool::median;
using husk::tool::run_bare;

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Programs by name, with output thrown away.
void run_program(std::vector<const char*> argv) {
    argv.push_back(nullptr);
    static const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t child = ::vfork();
    if (child == 0) {
        for (const int fd : {0, 1, 2}) ::dup2(null, fd);
        ::execvp(argv[0], const_cast<char* const*>(argv.data()));
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
}

// A state directory that goes away at the end of the program: ext4 is slow to make files for a
// minute after many were deleted, and the next figure shall not pay for that.
class State {
public:
    State() : path_(base() / std::to_string(++count)) {}
    const fs::path& path() const { return path_; }
    husk::Settings settings() const { return {.state = path_}; }

private:
    static const fs::path& base() {
        static const husk::test::TempDir one;
        return one.path();
    }
    static inline int count = 0;

    fs::path path_;
};

void calls(std::vector<Figure>& figures, size_t rounds) {
    const State state;
    husk::Bash bash(state.settings());
    const husk::Request request{.command = "true"};
    bash.run(request);
    const auto call =
        husk::tool::compare(rounds, [] { run_bare("true"); }, [&] { bash.run(request); });
    figures.push_back({"a call of true, library / bare", call.ratio, "x", 1.15, true});
    figures.push_back({"  bare", call.bare_ms, "ms", 0, true});
    figures.push_back({"  library", call.other_ms, "ms", 0, true});

    const std::string state_option = "--state=" + state.path().string();
    const auto process = husk::tool::compare(
        rounds / 4, [] { run_bare("true"); },
        [&] {
            run_program({HUSK_BINARY, "run", "--mode", "open", state_option.c_str(), "--", "true"});
        });
    figures.push_back({"a call of true, husk run / bare", process.ratio, "x", 0, true});
    std::vector<double> starts;
    for (size_t i = 0; i < rounds / 4; ++i)
        starts.push_back(1e3 * seconds_of([] { run_program({HUSK_BINARY, "--version"}); }));
    figures.push_back({"start of the husk binary", median(starts), "ms", 5, true});
}

// `count` threads that each run their share of `total` pieces of work.
double throughput(size_t count, size_t total, const std::function<void()>& work) {
    std::atomic<size_t> next{0};
    const double seconds = seconds_of([&] {
        std::vector<std::thread> threads;
        for (size_t i = 0; i < count; ++i)
            threads.emplace_back([&] {
                while (next.fetch_add(1) < total) work();
            });
        for (std::thread& thread : threads) thread.join();
    });
    return static_cast<double>(total) / seconds;
}

void many_at_once(std::vector<Figure>& figures, size_t total) {
    const State state;
    husk::Bash bash(state.settings());
    const husk::Request request{.command = "true"};
    bash.run(request);
    std::vector<double> ratios;
    for (int round = 0; round < 5; ++round) {
        const double bare = throughput(64, total, [] { run_bare("true"); });
        const double ours = throughput(64, total, [&] { bash.run(request); });
        ratios.push_back(ours / bare);
    }
    figures.push_back({"64 at once, throughput / bare", median(ratios), "x", 0.8, false});
}

void output(std::vector<Figure>& figures, double gigabytes) {
    const State state;
    husk::Bash bash(state.settings());
    const auto bytes = static_cast<uint64_t>(gigabytes * 1e9);
    const std::string flood = "head -c " + std::to_string(bytes) + " /dev/zero";
    std::vector<double> ratios, speeds;
    for (int round = 0; round < 3; ++round) {
        const double bare = seconds_of([&] { run_bare((flood + " | cat > /dev/null").c_str()); });
        husk::Report report;
        const double ours = seconds_of([&] { report = bash.run({.command = flood}); });
        if (report.excerpt.total_bytes != bytes) std::fprintf(stderr, "bench: bytes were lost\n");
        ratios.push_back(ours / bare);
        speeds.push_back(gigabytes / ours);
    }
    figures.push_back({"output", median(speeds), "GB/s", 1, false});
    figures.push_back({"output, time / (| cat > /dev/null)", median(ratios), "x", 1.5, true});
}

double available_mib() {
    std::ifstream file("/proc/meminfo");
    std::string name, unit;
    double value = 0;
    while (file >> name >> value >> unit)
        if (name == "MemAvailable:") return value / 1024;
    return 0;
}

void shells(std::vector<Figure>& figures, int count) {
    const State state;
    husk::Settings settings = state.settings();
    settings.early_end = std::chrono::milliseconds(0);
    husk::Bash bash(settings);
    bash.run({.command = "true"});
    const double before = available_mib();
    for (int i = 0; i < count; ++i) {
        const husk::Report report = bash.run({.command = "exec sleep 600", .background = true});
        if (report.ended()) {
            std::fprintf(stderr, "bench: shell %d of %d did not start: %s\n", i, count,
                         husk::render::dump(husk::render::report_json(report)).c_str());
            break;
        }
    }
    // An idle keeper gives memory back after a second.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    figures.push_back({"memory of an idle shell, all included", (before - available_mib()) / count,
                       "MiB", 1, true});
    const husk::Shells table(settings);
    size_t listed = 0;
    std::vector<double> times;
    for (int i = 0; i < 9; ++i)
        times.push_back(1e3 * seconds_of([&] {
                            listed = std::get<std::vector<husk::Report>>(table.list()).size();
                        }));
    figures.push_back(
        {"list " + std::to_string(listed) + " shells", median(times), "ms", 20, true});
    const std::string state_option = "--state=" + state.path().string();
    const auto all = table.list();
    for (const husk::Report& shell : std::get<std::vector<husk::Report>>(all)) {
        if (shell.shell_id.ends_with("-1")) continue;
        const std::string session = shell.session;
        run_program({HUSK_BINARY, "session", "end", state_option.c_str(), session.c_str()});
        break;
    }
}

std::string fixed(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 10 ? "%.3f" : "%.1f", value);
    return text;
}

int print(const std::vector<Figure>& figures, bool json) {
    bool all = true;
    std::vector<husk::render::Row> rows = {{"FIGURE", "VALUE", "", "REACH", ""}};
    auto list = nlohmann::ordered_json::array();
    for (const Figure& figure : figures) {
        all = all && figure.reached();
        const std::string reach =
            figure.reach == 0 ? "" : (figure.at_most ? "<= " : ">= ") + fixed(figure.reach);
        const char* verdict = figure.is_missing() ? "MISSING" : !figure.reached() ? "MISSED" : "ok";
        rows.push_back({figure.what, figure.is_missing() ? "" : fixed(figure.value),
                        figure.is_missing() ? "" : figure.unit, reach,
                        figure.reached() && reach.empty() ? "" : verdict});
        list.push_back({{"what", figure.what},
                        {"value", figure.value},
                        {"unit", figure.unit},
                        {"reach", figure.reach},
                        {"at_most", figure.at_most},
                        {"reached", figure.reached()}});
    }
    std::fputs(
        json ? (husk::render::dump(list) + "\n").c_str() : husk::render::table(rows, 0).c_str(),
        stdout);
    return all ? 0 : 1;
}

struct Options {
    bool json = false;
    bool quick = false;
    bool peers = true;
    std::string only;  // empty: all

    Options(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = argv[i];
            json = json || word == "--json";
            quick = quick || word == "--quick";
            peers = peers && word != "--without-peers";
            if (word == "--only" && i + 1 < argc) only = argv[++i];
        }
    }
    // What is enough for a first look, or for figures that hold.
    template <class Number>
    Number pick(Number quickly, Number fully) const {
        return quick ? quickly : fully;
    }
};

std::vector<Figure> measure(const Options& options) {
    std::vector<Figure> figures;
    const State served;
    const auto all_walls = [&] {
        husk::bench::walls(figures, options.pick(200U, 2000U), options.pick(50U, 500U));
        if (::geteuid() == 0) husk::bench::walls_of_an_ordinary_user(figures, options.quick);
    };
    const auto peers = [&] {
        husk::bench::serving_beside_peers(figures, served.path(), options.pick(20, 200));
    };
    const std::pair<const char*, std::function<void()>> parts[] = {
        {"calls", [&] { calls(figures, options.pick(200U, 2000U)); }},
        {"many", [&] { many_at_once(figures, options.pick(300U, 2000U)); }},
        {"output", [&] { output(figures, options.pick(1.0, 10.0)); }},
        {"shells", [&] { shells(figures, options.pick(100, 1000)); }},
        {"walls", all_walls},
        {"denials", [&] { husk::bench::denials(figures, options.pick(10U, 100U)); }},
        {"understanding",
         [&] { husk::bench::understanding(figures, options.pick(10'000U, 100'000U)); }},
        {"mcp", [&] { husk::bench::serving(figures, served.path(), options.pick(20, 100)); }},
        {"peers", peers},
        {"http", [&] { husk::bench::serving_http(figures, served.path(), options.pick(20, 100)); }},
    };
    for (const auto& [name, part] : parts) {
        const bool is_left_out = name == std::string_view("peers") && !options.peers;
        if (!is_left_out && (options.only.empty() || options.only == name)) part();
    }
    return figures;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options(argc, argv);
    return print(measure(options), options.json);
}
