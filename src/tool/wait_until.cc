#include "tool/wait_until.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "base/pattern.h"
#include "collect/stream.h"
#include "os/events.h"
#include "os/procfs.h"

namespace husk::tool {
namespace {

using collect::ShellFiles;
using collect::Snapshot;
using collect::Which;
using std::chrono::milliseconds;

constexpr milliseconds first_look(20);
constexpr milliseconds slowest_look(100);

std::vector<int> watched_files(const ShellFiles& files) {
    std::vector<int> fds = {files.record.get(), files.log.get()};
    if (files.error_log) fds.push_back(files.error_log.get());
    return fds;
}

// The new complete lines of one stream, each tried once.
class LineSearch {
public:
    LineSearch(Which which, uint64_t from) : which_(which), at_(from) {}

    // The first line that matches; at the end of the command also one without a newline.
    Result<std::optional<std::string>> find(const ShellFiles& files, const Pattern& match,
                                            const std::optional<Pattern>& exclude, bool at_end) {
        constexpr size_t chunk = 256 * 1024;
        for (;;) {
            const collect::Piece piece = TRY(collect::read_from(files, which_, at_, chunk));
            if (piece.dropped_before > 0) rest_.clear();
            at_ = piece.end();
            rest_ += piece.bytes;
            size_t start = 0;
            for (size_t end = rest_.find('\n'); end != std::string::npos;
                 end = rest_.find('\n', start)) {
                std::string line = rest_.substr(start, end - start);
                start = end + 1;
                if (fits(line, match, exclude)) return line;
            }
            rest_.erase(0, start);
            if (rest_.size() > longest_line) rest_.erase(0, rest_.size() - longest_line);
            if (!piece.bytes.empty()) continue;
            if (at_end && !rest_.empty() && fits(rest_, match, exclude)) return rest_;
            return std::nullopt;
        }
    }

private:
    static constexpr size_t longest_line = 1024 * 1024;

    static bool fits(const std::string& line, const Pattern& match,
                     const std::optional<Pattern>& exclude) {
        return match.matches(line) && !(exclude && exclude->matches(line));
    }

    Which which_;
    uint64_t at_;
    std::string rest_;
};

Result<std::optional<Pattern>> compile(const std::optional<std::string>& expression) {
    if (!expression) return std::nullopt;
    auto pattern = Pattern::compile(*expression);
    if (!pattern) return failure("pattern", 0, pattern.error());
    return std::optional<Pattern>(std::move(*pattern));
}

// When it last said something: as a moment of the clock that we wait by.
os::Clock::time_point last_word(const record::Record& record) {
    using namespace std::chrono;
    const uint64_t last = std::max({record.started, record.out.last_write, record.err.last_write});
    const auto now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
    return os::Clock::now() - nanoseconds(std::max<int64_t>(0, now - static_cast<int64_t>(last)));
}

struct Search {
    std::optional<Pattern> match;
    std::optional<Pattern> exclude;
    std::vector<LineSearch> streams;
};

Result<Search> prepare(const ShellFiles& files, const Until& until, const record::Record& record) {
    Search search;
    search.match = TRY(compile(until.match));
    search.exclude = TRY(compile(until.exclude));
    if (!search.match) return search;
    // The half of a line that was told before belongs to it.
    const uint64_t out = TRY(collect::start_of_line(files, Which::Output, record.told_out));
    search.streams.emplace_back(Which::Output, out);
    if (!files.error_log) return search;
    const uint64_t err = TRY(collect::start_of_line(files, Which::Errors, record.told_err));
    search.streams.emplace_back(Which::Errors, err);
    return search;
}

Result<std::optional<Met>> look_for(const ShellFiles& files, const Until& until, Search& search,
                                    const Snapshot& now) {
    const bool ended = !std::holds_alternative<Running>(now.ending);
    for (LineSearch& stream : search.streams) {
        auto line = TRY(stream.find(files, *search.match, search.exclude, ended));
        if (line) return Met{"match", *std::move(line)};
    }
    if (ended && !(until.gone && now.tree_lives)) return Met{until.gone ? "gone" : "exit", ""};
    if (until.file && ::access(until.file->c_str(), F_OK) == 0) return Met{"file", ""};
    if (until.port && os::port_is_open(now.keeper, *until.port)) return Met{"port", ""};
    if (until.quiet && os::Clock::now() >= last_word(now.record) + *until.quiet)
        return Met{"quiet", ""};
    return std::nullopt;
}

os::Deadline earliest(std::initializer_list<os::Deadline> moments) {
    os::Deadline first;
    for (const os::Deadline& moment : moments)
        if (moment && (!first || *moment < *first)) first = moment;
    return first;
}

}  // namespace

Result<Met> wait_until(const ShellFiles& files, const Until& until,
                       std::optional<milliseconds> timeout, const std::stop_token& cancel) {
    const os::FileWatch watch(watched_files(files));
    const os::Bell bell = TRY(os::Bell::make());
    const std::stop_callback ring(cancel, [&bell] { bell.ring(); });
    os::Deadline give_up;
    if (timeout) give_up = os::Clock::now() + *timeout;
    Snapshot now = TRY(collect::look(files));
    Search search = TRY(prepare(files, until, now.record));
    milliseconds pause = first_look;
    for (;;) {
        if (auto met = TRY(look_for(files, until, search, now)); met) return *std::move(met);
        const auto moment = os::Clock::now();
        if (cancel.stop_requested()) return Met{"cancelled", ""};
        if (give_up && moment >= *give_up) return Met{"timeout", ""};
        os::Deadline poll;  // for what the kernel does not tell about
        if (until.port || until.file) poll = moment + pause;
        if (watch.interval()) poll = earliest({poll, moment + *watch.interval()});
        pause = std::min(pause * 2, slowest_look);
        os::Deadline quiet;
        if (until.quiet) quiet = last_word(now.record) + *until.quiet;
        pollfd fds[] = {{watch.fd(), POLLIN, 0}, {bell.fd(), POLLIN, 0}};
        CHECK(os::wait_for(fds, earliest({give_up, poll, quiet})));
        watch.clear();
        now = TRY(collect::look(files));
    }
}

Result<void> wait_until_stopped(const ShellFiles& files, milliseconds patience) {
    const os::FileWatch watch(watched_files(files));
    const auto give_up = os::Clock::now() + patience;
    for (;;) {
        const Snapshot now = TRY(collect::look(files));
        const bool over = !now.tree_lives || (now.record.flags & record::Survivors) != 0;
        if (over || os::Clock::now() >= give_up) return {};
        os::Deadline next = give_up;
        if (watch.interval()) next = earliest({next, os::Clock::now() + *watch.interval()});
        pollfd fds[] = {{watch.fd(), POLLIN, 0}};
        CHECK(os::wait_for(fds, next));
        watch.clear();
    }
}

}  // namespace husk::tool
