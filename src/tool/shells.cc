#include <husk/shells.h>

#include <algorithm>
#include <tuple>

#include "collect/shell_files.h"
#include "os/events.h"
#include "run/call.h"
#include "tool/report_of.h"
#include "tool/wait_until.h"

namespace husk {
namespace {

using collect::ShellFiles;
using collect::Snapshot;

template <class T>
std::variant<T, Error> as_variant(Result<T> result) {
    if (!result) return std::move(result).error();
    return *std::move(result);
}

Result<ShellFiles> open_shell(const Settings& settings, const std::string& id) {
    const run::StateDir state = TRY(run::StateDir::open_for_reading(settings.state));
    return collect::open_shell(state, id);
}

Result<Report> answer(const ShellFiles& files, const Snapshot& now, const Range& range,
                      uint64_t max_bytes) {
    Report report = tool::report_of(files, now, call_from_json(now.call));
    CHECK(tool::add_output(report, files, range, max_bytes));
    return report;
}

Result<Waited> wait_and_answer(const Settings& settings, const std::string& id, const Until& until,
                               std::optional<std::chrono::milliseconds> timeout,
                               const std::stop_token& cancel) {
    const ShellFiles files = TRY(open_shell(settings, id));
    const tool::Met met = TRY(tool::wait_until(files, until, timeout, cancel));
    constexpr uint64_t max_bytes = 30'000;
    Waited waited;
    waited.met = met.what;
    waited.line = met.line;
    const Snapshot now = TRY(collect::look(files));
    waited.report = TRY(answer(files, now, SinceLast{}, max_bytes));
    return waited;
}

Result<Report> kill_and_answer(const Settings& settings, const std::string& id,
                               const StopLadder& ladder, uint64_t max_bytes) {
    const ShellFiles files = TRY(open_shell(settings, id));
    Snapshot now = TRY(collect::look(files));
    if (!now.tree_lives) {
        Report report = TRY(answer(files, now, SinceLast{}, max_bytes));
        report.notes.emplace_back("it had already ended");
        return report;
    }
    CHECK(run::stop(files.record, now.record, record::Reason::Killed, ladder));
    // The keeper gives up five seconds after its first SIGKILL, and says so.
    const auto patience = ladder.patience + std::chrono::seconds(7);
    CHECK(tool::wait_until_stopped(files, patience));
    now = TRY(collect::look(files));
    Report report = TRY(answer(files, now, SinceLast{}, max_bytes));
    if (now.tree_lives && report.leftovers.empty())
        report.notes.emplace_back("its keeper did not answer; it may still be ending");
    return report;
}

Result<std::vector<Report>> list_all(const Settings& settings) {
    struct Row {
        bool live;
        uint64_t created;
        size_t index;
    };
    std::vector<Row> rows;
    std::vector<Report> found;
    // One patience for all of them.
    const auto patience = os::Clock::now() + std::chrono::seconds(3);
    const run::StateDir state = TRY(run::StateDir::open_for_reading(settings.state));
    const std::vector<std::string> ids = TRY(collect::shell_ids(state));
    found.reserve(ids.size());
    for (const std::string& id : ids) {
        const auto files = collect::open_shell(state, id);
        if (!files) continue;  // cleared away meanwhile
        const auto now = collect::look(*files, patience);
        // Half-written or of another version: asked for by id, it says so.
        if (!now) continue;
        rows.push_back({now->tree_lives, now->record.created, found.size()});
        found.push_back(tool::report_of(*files, *now, call_from_json(now->call)));
    }
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
        return std::tie(b.live, b.created) < std::tie(a.live, a.created);
    });
    std::vector<Report> reports;
    reports.reserve(rows.size());
    for (const Row& row : rows) reports.push_back(std::move(found[row.index]));
    return reports;
}

}  // namespace

Shells::Shells(Settings settings) : settings_(std::move(settings)) {}

std::variant<std::vector<Report>, Error> Shells::list() const {
    return as_variant(list_all(settings_));
}

std::variant<Report, Error> Shells::output(const std::string& id, const Range& range,
                                           uint64_t max_bytes) const {
    const auto read = [&]() -> Result<Report> {
        const ShellFiles files = TRY(open_shell(settings_, id));
        const Snapshot now = TRY(collect::look(files));
        return answer(files, now, range, max_bytes);
    };
    return as_variant(read());
}

std::variant<Waited, Error> Shells::wait(const std::string& id, const Until& until,
                                         std::optional<std::chrono::milliseconds> timeout,
                                         std::stop_token cancel) const {
    return as_variant(wait_and_answer(settings_, id, until, timeout, cancel));
}

std::variant<Report, Error> Shells::kill(const std::string& id, const StopLadder& ladder,
                                         uint64_t max_bytes) const {
    return as_variant(kill_and_answer(settings_, id, ladder, max_bytes));
}

}  // namespace husk
