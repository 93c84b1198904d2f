#include "tool/report_of.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "base/pattern.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "collect/stream.h"
#include "os/procfs.h"
#include "render/ending_line.h"
#include "tool/denials.h"
#include "tool/display_of.h"

namespace husk::tool {
namespace {

using collect::ShellFiles;
using collect::Snapshot;
using collect::Which;

template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};

// A look that finds a breach may be the first to see so much, and the kernel of a cgroup sees more
// than any look.
uint64_t peak_of_tree(const record::Record& record) {
    const bool by_limit =
        record.reason == record::Reason::Limit || (record.flags & record::LeftoversOverLimit) != 0;
    const bool by_memory = by_limit && record.resource == record::Resource::Memory;
    return by_memory ? std::max(record.peaks.memory, record.peak) : record.peaks.memory;
}

Usage usage_of(const record::Record& record) {
    Usage usage;
    if (record.state < record::State::Ended || record.state > record::State::Gone) return usage;
    constexpr double us_in_ms = 1000.0;
    usage.user_ms = static_cast<double>(record.usage.user_us) / us_in_ms;
    usage.system_ms = static_cast<double>(record.usage.system_us) / us_in_ms;
    if (record.usage.peak_process_bytes > 0) {
        usage.peak_memory_bytes = record.usage.peak_process_bytes;
        usage.peak_memory_of = "largest process";
    }
    if (const uint64_t tree = peak_of_tree(record); tree > record.usage.peak_process_bytes) {
        usage.peak_memory_bytes = tree;
        usage.peak_memory_of = "tree";
    }
    if (record.peaks.processes > 0) usage.processes = record.peaks.processes;
    if ((record.flags & record::IoKnown) != 0) {
        usage.read_bytes = record.usage.read_bytes;
        usage.written_bytes = record.usage.written_bytes;
    }
    return usage;
}

// What a shell says of a child that the kernel stopped is only a number.
std::string note_on(const Ending& ending) {
    constexpr int as_a_shell_has_it = 128;
    const int code = exit_code(ending).value_or(0);
    if (!std::holds_alternative<Exited>(ending)) return "";
    if (code == as_a_shell_has_it + SIGXFSZ)
        return "exit code 153 is that of SIGXFSZ: a file may have reached the file_size limit";
    if (code == as_a_shell_has_it + SIGXCPU)
        return "exit code 152 is that of SIGXCPU: a process may have reached the cpu limit";
    return "";
}

// The kernel ends a single process at the limit of file size, and Husk a whole tree at the others.
std::string note_on_leftovers(const Report& report) {
    const LimitExceeded& limit = *report.leftovers_ended_by;
    const std::string at = " at " + render::limit_words(limit);
    if (limit.name == "file_size")
        return "the kernel ended a process that the command had left behind," + at;
    const std::string husk = report.leftovers.empty() ? "Husk ended" : "Husk is ending";
    return husk + " the processes that the command had left behind," + at;
}

std::vector<Leftover> leftovers_of(const Snapshot& now) {
    std::vector<Leftover> leftovers;
    const bool unkillable = (now.record.flags & record::Survivors) != 0;
    for (const os::ProcessInfo& process : os::descendants(now.keeper)) {
        Leftover leftover{os::number_inside(process.pid), process.name, ""};
        if (unkillable) {
            leftover.reason =
                process.state == 'D'         ? "it is in an uninterruptible wait of the kernel"
                : process.uid != ::geteuid() ? "it belongs to uid " + std::to_string(process.uid) +
                                                   ", and this user may not signal it"
                                             : "it did not die within 5 s of SIGKILL";
        }
        leftovers.push_back(std::move(leftover));
    }
    return leftovers;
}

std::optional<double> duration_of(const Snapshot& now) {
    constexpr double ns_in_ms = 1e6;
    const record::Record& record = now.record;
    if (record.main == 0) return std::nullopt;
    if (std::holds_alternative<Running>(now.ending)) {
        timespec clock{};
        ::clock_gettime(CLOCK_MONOTONIC, &clock);
        const auto ns = static_cast<uint64_t>(clock.tv_sec) * 1'000'000'000 +
                        static_cast<uint64_t>(clock.tv_nsec);
        return static_cast<double>(ns - record.started_mono) / ns_in_ms;
    }
    if (std::holds_alternative<Lost>(now.ending)) return std::nullopt;
    return static_cast<double>(record.duration_ns) / ns_in_ms;
}

std::string why_dropped(const collect::StreamState& state, uint64_t cap) {
    if (state.error == EOPNOTSUPP)
        return "the file system of the state directory cannot drop the middle of a file";
    if (state.error != 0)
        return std::string("the log could not be written: ") +
               ::strerror(state.error);  // NOLINT(concurrency-mt-unsafe)
    return "more than " + std::to_string(cap) + " bytes were written";
}

Excerpt excerpt_of(const ShellFiles& files, Which which, const collect::StreamState& state,
                   uint64_t cap) {
    Excerpt excerpt;
    excerpt.total_bytes = state.kept.total;
    excerpt.total_lines = state.lines + (state.ends_in_newline ? 0 : 1);
    excerpt.log = which == Which::Output ? files.log_path : files.error_log_path;
    excerpt.dropped_bytes = state.dropped();
    excerpt.complete = excerpt.dropped_bytes == 0;
    if (!excerpt.complete) excerpt.dropped_because = why_dropped(state, cap);
    return excerpt;
}

uint64_t record_cap(const ShellFiles& files) {
    uint64_t cap = 0;
    if (::pread(files.record.get(), &cap, sizeof cap, offsetof(record::Record, cap)) != sizeof cap)
        return 0;
    return cap;
}

constexpr off_t told_at(Which which) {
    return which == Which::Output ? offsetof(record::Record, told_out)
                                  : offsetof(record::Record, told_err);
}

uint64_t told(const ShellFiles& files, Which which) {
    uint64_t offset = 0;
    if (::pread(files.record.get(), &offset, sizeof offset, told_at(which)) != sizeof offset)
        return 0;
    return offset;
}

Result<collect::Shot> shoot(const ShellFiles& files, Which which, const Range& range,
                            uint64_t budget, const collect::Hint& hint) {
    return std::visit(
        Overloaded{
            [&](const SinceLast&) {
                return collect::show(files, which, told(files, which), budget, hint);
            },
            [&](const Since& since) {
                return collect::show(files, which, since.offset, budget, hint);
            },
            [&](const LastLines& last) {
                return collect::show_last_lines(files, which, last.count, budget);
            },
            [&](const LineRange& lines) {
                return collect::show_lines(files, which, lines.first, lines.last, budget);
            },
            [&](const Grep& grep) -> Result<collect::Shot> {
                const auto pattern = Pattern::compile(grep.pattern);
                if (!pattern) return failure("pattern", 0, pattern.error());
                return collect::show_matches(files, which, *pattern, budget);
            },
            [&](const Whole&) { return collect::show(files, which, 0, budget, hint); },
        },
        range);
}

// One stream into the report: its text and what the text is of.
Result<std::string> add_stream(Excerpt& excerpt, uint64_t& end, const ShellFiles& files,
                               Which which, const Range& range, uint64_t budget,
                               const collect::Hint& hint) {
    collect::Shot shot = TRY(shoot(files, which, range, budget, hint));
    excerpt = excerpt_of(files, which, shot.state, record_cap(files));
    excerpt.shown = std::move(shot.shown.ranges);
    end = shot.state.kept.total;
    // Who asked for nothing, or only for some lines, has not been told the rest.
    const bool partial = std::holds_alternative<Grep>(range) ||
                         std::holds_alternative<LineRange>(range) ||
                         std::holds_alternative<LastLines>(range);
    if (!partial && budget > 0) {
        // A read-only state directory forgets, and a reader gives its own offset there.
        [[maybe_unused]] const ssize_t written =
            ::pwrite(files.record.get(), &end, sizeof end, told_at(which));
    }
    return std::move(shot.shown.text);
}

// By what the limits were kept.
std::string kept_by(uint32_t flags) {
    const std::string otherwise = "rlimits + sampling";
    std::vector<std::string> kept;
    if ((flags & record::MemoryByCgroup) != 0) kept.emplace_back("memory");
    if ((flags & record::ProcessesByCgroup) != 0) kept.emplace_back("processes");
    if ((flags & record::CpuByCgroup) != 0) kept.emplace_back("cpu");
    if (kept.empty()) return otherwise;
    const bool second = (flags & record::CgroupOfVersion2) != 0;
    return std::string(second ? "cgroup-v2" : "cgroup-v1") + " (" + text::join(kept, ", ") +
           ") + " + otherwise;
}

}  // namespace

Report report_of(const ShellFiles& files, const Snapshot& now, const CallNote& note) {
    Report report;
    report.ending = now.ending;
    report.shell_id = files.id;
    report.session = note.session;
    report.caller = note.caller;
    report.command = note.command;
    report.display = display_of(note.command, note.working_dir);
    report.duration_ms = duration_of(now);
    if (now.record.main != 0) report.pid = static_cast<int>(now.record.main);
    report.in_background = (now.record.flags & record::InBackground) != 0;
    report.usage = usage_of(now.record);
    report.confinement = note.confinement;
    report.confinement.limits = kept_by(now.record.flags);
    if ((now.record.flags & record::InCgroup) != 0) report.confinement.processes += ", cgroup";
    if (const auto state = collect::stream_state(files, Which::Output)) {
        report.excerpt = excerpt_of(files, Which::Output, *state, now.record.cap);
        report.cursor = state->kept.total;
    }
    if (!note.workspace.empty()) add_denials(report, files, now.record, note);
    if (files.error_log) {
        report.out.emplace();
        report.err.emplace();
        if (const auto state = collect::stream_state(files, Which::Errors))
            report.error_excerpt = excerpt_of(files, Which::Errors, *state, now.record.cap);
    }
    const bool left = now.tree_lives && !std::holds_alternative<Running>(now.ending);
    if (left) report.leftovers = leftovers_of(now);
    report.leftovers_ended_by = collect::end_of_leftovers(now.record);
    if (report.leftovers_ended_by) {
        report.notes.push_back(note_on_leftovers(report));
    } else if (now.record.killed > 0 && now.record.reason == record::Reason::Itself) {
        report.notes.push_back(now.record.killed == 1
                                   ? "1 process that outlived the command was killed"
                                   : std::to_string(now.record.killed) +
                                         " processes that outlived the command were killed");
    }
    if ((now.record.flags & record::ScratchFull) != 0)
        report.notes.emplace_back(
            "the scratch of the session is full (/tmp, /var/tmp, /dev/shm and the copies in HOME): "
            "remove files there, or set a larger `scratch`");
    if ((now.record.flags & record::LeftoverMetFileSize) != 0)
        report.notes.emplace_back(
            "a process that the command had left behind exited 153, the code of SIGXFSZ: a file "
            "may have reached the file_size limit");
    if (std::string hint = note_on(report.ending); !hint.empty())
        report.notes.push_back(std::move(hint));
    return report;
}

Result<void> add_output(Report& report, const ShellFiles& files, const Range& range,
                        uint64_t max_bytes, const collect::Hint& hint) {
    if (!files.error_log) {
        report.output = TRY(add_stream(report.excerpt, report.cursor, files, Which::Output, range,
                                       max_bytes, hint));
        return {};
    }
    uint64_t error_end = 0;
    report.error_excerpt.emplace();
    report.out = TRY(add_stream(report.excerpt, report.cursor, files, Which::Output, range,
                                max_bytes / 2, hint));
    report.err = TRY(add_stream(*report.error_excerpt, error_end, files, Which::Errors, range,
                                max_bytes / 2, hint));
    return {};
}

}  // namespace husk::tool
