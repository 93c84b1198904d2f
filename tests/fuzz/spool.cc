// The record of a command and its log, as a reader of the spool finds them: the first 512 bytes are
// the record, the call's JSON is as long as the record says, and the rest is the log.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/utf8.h"
#include "collect/shell_files.h"
#include "collect/stream.h"
#include "render/ending_line.h"
#include "render/report_json.h"
#include "request/call_json.h"
#include "target.h"

namespace husk::fuzz {
namespace of_spool {
namespace {

using collect::Which;

constexpr uint64_t budget = 512;

os::Fd memory_file() { return os::Fd(::memfd_create("fuzz", MFD_CLOEXEC)); }

void fill(const os::Fd& file, std::string_view bytes) {
    demand(::ftruncate(file.get(), 0) == 0 && ::pwrite(file.get(), bytes.data(), bytes.size(), 0) ==
                                                  static_cast<ssize_t>(bytes.size()),
           "a file in memory can be written");
}

void check_shot(const collect::Shot& shot) {
    const collect::Kept& kept = shot.state.kept;
    demand(kept.head_end <= kept.tail_start && kept.tail_start <= kept.stored_end &&
               kept.stored_end <= kept.total,
           "the parts of a stream are in order");
    demand(text::is_utf8(shot.shown.text), "shown output is valid UTF-8");
    demand(shot.shown.text.find('\x1b') == std::string::npos, "shown output has no escapes");
    // U+FFFD for each byte, and a line about each gap.
    demand(shot.shown.text.size() <= 3 * budget + 1024, "shown output keeps to its budget");
    for (const auto& [first, last] : shot.shown.ranges)
        demand(first <= last && last <= kept.stored_end, "what is shown is stored");
}

void check_stream(const collect::ShellFiles& files, Which which, uint64_t offset) {
    for (const uint64_t since : {uint64_t{0}, offset}) {
        if (const auto shot = collect::show(files, which, since, budget)) check_shot(*shot);
        const auto piece = collect::read_from(files, which, since, budget);
        demand(piece && piece->bytes.size() <= budget, "a piece keeps to its size");
        demand(piece->at >= since, "a piece is not before the place that was asked for");
        const auto line = collect::start_of_line(files, which, since);
        demand(line && *line <= since, "a line begins before what is in it");
    }
    for (const uint64_t count : {uint64_t{1}, uint64_t{3}}) {
        if (const auto shot = collect::show_last_lines(files, which, count, budget))
            check_shot(*shot);
        if (const auto shot = collect::show_lines(files, which, count, count + 1, budget))
            check_shot(*shot);
    }
    if (const auto shot = collect::show_matches(files, which, *Pattern::compile("a|\\d"), budget))
        check_shot(*shot);
}

// The shell that the record is of, if that can be the id of one.
std::string id_in(const record::Record& page) {
    const std::string id(page.shell_id, ::strnlen(page.shell_id, sizeof page.shell_id));
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
    return std::ranges::all_of(id, is_letter) ? id : "k3f9-2";
}

std::string record_with(record::State state, record::Reason reason, std::string_view log) {
    CallNote note;
    note.command = "echo hi";
    note.session = "s";
    const std::string call = to_json(note);
    record::Record page{};
    page.magic = record::magic;
    page.version = record::version;
    page.header_size = record::size;
    page.state = state;
    page.reason = reason;
    page.cap = 1 << 20;
    page.created = 1'700'000'000'000'000'000;
    page.call_bytes = call.size();
    std::strcpy(page.shell_id, "k3f9-2");
    std::strcpy(page.boot_id, "00000000-0000-0000-0000-000000000000");
    page.out = {.bytes = log.size(),
                .lines = static_cast<uint64_t>(std::ranges::count(log, '\n')),
                .head_end = log.size(),
                .tail_start = log.size(),
                .stored_end = log.size(),
                .last_write = page.created,
                .error = 0,
                .last_byte = log.empty() ? 0U : static_cast<uint8_t>(log.back())};
    return std::string(reinterpret_cast<const char*>(&page), sizeof page) + call + std::string(log);
}

}  // namespace
}  // namespace of_spool

void spool(std::string_view bytes) {
    using namespace of_spool;
    static collect::ShellFiles files = [] {
        collect::ShellFiles made;
        made.record = memory_file();
        made.log = memory_file();
        made.error_log = memory_file();
        made.log_path = "/nonexistent/log/2.log";
        return made;
    }();
    record::Record page{};
    std::memcpy(&page, bytes.data(), std::min(bytes.size(), sizeof page));
    const std::string_view rest = bytes.substr(std::min(bytes.size(), sizeof page));
    const std::string_view log = rest.substr(std::min<uint64_t>(rest.size(), page.call_bytes));
    fill(files.record, bytes.substr(0, bytes.size() - log.size()));
    fill(files.log, log);
    fill(files.error_log, log.substr(log.size() / 2));
    files.id = id_in(page);

    const auto seen = collect::look(files);
    if (seen) {
        demand(seen->keeper == 0, "a file that nobody has locked has no keeper");
        const CallNote note = call_from_json(seen->call);
        Report report;
        report.command = note.command;
        report.ending = seen->ending;
        const std::string json = render::dump(render::report_json(report));
        demand(nlohmann::json::accept(json), "a report is JSON");
        demand(!render::ending_words(report).empty(), "an ending has words");
        render::ending_line(report);
    }
    check_stream(files, Which::Output, page.told_out);
    check_stream(files, Which::Errors, page.told_err);
}

std::vector<std::string> spool_seeds() {
    using namespace of_spool;
    using record::Reason;
    using record::State;
    return {record_with(State::Gone, Reason::Itself, "hello\n"),
            record_with(State::Gone, Reason::Deadline, ""),
            record_with(State::Running, Reason::Itself, "a\n\x1b[31mred\x1b[0m\nb\xff\n"),
            record_with(State::Prepared, Reason::Itself, ""),
            record_with(State::Ended, Reason::Limit, std::string(20000, 'x') + "\nlast\n"),
            record_with(State::Lost, Reason::KeeperKilled, "1\n2\n3\n")};
}

}  // namespace husk::fuzz
