#include "record/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/sha256.h"
#include "os/file.h"
#include "record/entry.h"
#include "record/json_line.h"
#include "run/state_dir.h"

namespace husk::audit {
namespace {

constexpr std::string_view before_digest = R"(,"chain":")";
constexpr std::string_view behind_digest = "\"}";
constexpr size_t digest_size = 64;
constexpr size_t tail_size = before_digest.size() + digest_size + behind_digest.size();

// Others hold it for microseconds; one who keeps it does so on purpose, or has been stopped.
constexpr std::chrono::seconds lock_patience(1);
constexpr std::chrono::microseconds look_again(200);

Result<void> lock(const os::Fd& file) {
    const auto give_up = std::chrono::steady_clock::now() + lock_patience;
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return failure("flock", errno, "audit");
        if (std::chrono::steady_clock::now() > give_up)
            return failure("flock", 0, "somebody keeps the file of the audit locked");
        std::this_thread::sleep_for(look_again);
    }
    return {};
}

// A line that is whole ends with its digest.
JournalLine split(std::string_view line) {
    JournalLine parts{.text = line, .record = {}, .digest = {}};
    if (line.size() <= tail_size || !line.ends_with(behind_digest)) return parts;
    const size_t at = line.size() - tail_size;
    if (!line.substr(at).starts_with(before_digest)) return parts;
    parts.record = line.substr(0, at);
    parts.digest = line.substr(at + before_digest.size(), digest_size);
    return parts;
}

// How a file of so many bytes ends: the digest of its last whole line.
struct End {
    std::string digest;
    bool is_torn = false;  // something without a newline stands behind it
};

Result<End> end_of(const os::Fd& file, uint64_t size) {
    const uint64_t usual = std::min<uint64_t>(size, tail_size + 1);
    const std::string tail = TRY(os::read_at(file, size - usual, usual));
    // The record itself may be any: only the digest behind it is looked at.
    if (tail.ends_with('\n')) {
        const std::string_view line = std::string_view(tail).substr(0, tail.size() - 1);
        if (line.starts_with(before_digest) && line.ends_with(behind_digest))
            return End{std::string(line.substr(before_digest.size(), digest_size))};
    }
    // Somebody was stopped in the middle of a line, or the disk was full. This is rare.
    const std::string all = TRY(os::read_at(file, 0, size));
    End end{.digest = "", .is_torn = !all.ends_with('\n')};
    size_t begin = 0;
    for (size_t newline = all.find('\n'); newline != std::string::npos;
         begin = newline + 1, newline = all.find('\n', begin)) {
        const auto line = split(std::string_view(all).substr(begin, newline - begin));
        if (!line.digest.empty()) end.digest = line.digest;
    }
    // Whole but for its newline, which comes with the next line.
    const auto last = split(std::string_view(all).substr(begin));
    if (!last.digest.empty()) end.digest = last.digest;
    return end;
}

std::string header_of(uint64_t number, const std::string& previous, const Removed& removed) {
    JsonLine line;
    line.whole("v", 1).text("what", "journal").count("file", number).whole("time", now_ms());
    line.text("previous", previous);
    if (removed.files > 0) line.json("removed", removed.json());
    return line.done();
}

// When a file was last written to, in milliseconds since 1970.
int64_t written_at(const os::Fd& dir, uint64_t number) {
    struct stat info{};
    if (::fstatat(dir.get(), file_name(number).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    return int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
}

uint64_t records_in(const os::Fd& dir, uint64_t number) {
    uint64_t lines = 0;
    const auto count = [&](const JournalLine& line) {
        if (!line.digest.empty()) ++lines;
    };
    if (!read_lines(dir, number, 0, count) || lines == 0) return 0;
    return lines - 1;  // without the first
}

std::string line_of(std::string_view record, std::string_view previous) {
    record.remove_suffix(1);  // the brace, which comes behind the digest
    std::string line(record);
    line += before_digest;
    line += digest_of(previous, record);
    line += behind_digest;
    line += '\n';
    return line;
}

}  // namespace

std::string digest_of(std::string_view previous, std::string_view record) {
    std::string all(previous);
    all += record;
    return sha256(all);
}

std::string file_name(uint64_t number) {
    constexpr size_t digits = 6;
    const std::string text = std::to_string(number);
    return std::string(digits - std::min(digits, text.size()), '0') + text + ".jsonl";
}

Journal::Journal(std::filesystem::path state, Retention retention)
    : path_(state.empty() ? run::default_state_path() : std::move(state)), retention_(retention) {}

Result<void> Journal::open_file(uint64_t number) {
    file_ = TRY(open_journal_file(dir_, number, O_RDWR | O_APPEND | O_CREAT, 0600));
    number_ = number;
    return {};
}

Result<void> Journal::open_newest() {
    if (!dir_) {
        const auto state = TRY(run::StateDir::open_or_make(path_));
        CHECK(os::make_directory_at(state.dir(), folder));
        dir_ = TRY(os::open_at(state.dir(), folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    }
    const auto numbers = TRY(file_numbers(dir_));
    return open_file(numbers.empty() ? 1 : numbers.back());
}

Result<uint64_t> Journal::enter() {
    constexpr int most_tries = 1000;  // each of them finds a file that others have filled
    if (!file_) CHECK(open_newest());
    for (int tries = 0; tries < most_tries; ++tries) {
        CHECK(lock(file_));
        struct stat info{};
        if (::fstat(file_.get(), &info) != 0) return failure("fstat", errno, "audit");
        const auto size = static_cast<uint64_t>(info.st_size);
        if (info.st_nlink == 0) {
            // Somebody has cleared it away, perhaps with the folder.
            dir_.reset();
            CHECK(open_newest());
        } else if (size >= retention_.file_bytes) {
            CHECK(open_file(number_ + 1));
        } else {
            return size;
        }
    }
    return failure("audit", 0, "its files are filled faster than they can be opened");
}

Result<void> Journal::write(std::string_view record, uint64_t size) {
    std::string text;
    End end;
    Removed removed;
    if (size > 0) {
        end = TRY(end_of(file_, size));
        if (end.is_torn) text = "\n";
    } else {
        // The first line of a file goes on where the file before it has ended.
        std::string previous;
        if (const auto before = open_journal_file(dir_, number_ - 1, O_RDONLY)) {
            struct stat info{};
            if (::fstat(before->get(), &info) != 0) return failure("fstat", errno, "audit");
            previous = TRY(end_of(*before, static_cast<uint64_t>(info.st_size))).digest;
        }
        removed = choose_removed();
        text = line_of(header_of(number_, previous, removed), previous);
        end.digest = split(std::string_view(text).substr(0, text.size() - 1)).digest;
    }
    text += line_of(record, end.digest);
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written < 0) return failure("write", errno, path_.string());
    if (static_cast<size_t>(written) < text.size()) return failure("write", ENOSPC, path_.string());
    // It is on record now.
    remove_files(removed);
    return {};
}

Removed Journal::choose_removed() const {
    constexpr size_t most_at_once = 8;  // others wait meanwhile, and there is a next time
    const auto before = first_line(dir_, number_ - 1);
    Removed removed = before ? removed_in(*before) : Removed{};
    const auto numbers = file_numbers(dir_);
    if (!numbers) return removed;
    size_t chosen = 0;
    for (const uint64_t number : *numbers) {
        if (number <= removed.files) continue;  // it was told, and whoever did was stopped there
        const uint64_t newer = number_ - number;
        const int64_t written = written_at(dir_, number);
        const bool is_young =
            now_ms() - written < std::chrono::milliseconds(retention_.keep).count();
        const bool goes =
            newer >= retention_.most_files || (newer >= retention_.files && !is_young);
        if (!goes || ++chosen > most_at_once) break;
        const uint64_t records = records_in(dir_, number);
        removed.files = number;
        removed.records += records;
        if (is_young) removed.early += records;
        removed.until = std::max(removed.until, written);
    }
    return removed;
}

void Journal::remove_files(const Removed& removed) const {
    if (removed.files == 0 || removed.files >= number_) return;
    const auto numbers = file_numbers(dir_);
    if (!numbers) return;
    for (const uint64_t number : *numbers)
        if (number <= removed.files) ::unlinkat(dir_.get(), file_name(number).c_str(), 0);
}

Result<void> Journal::append(std::string_view record) {
    const std::lock_guard one_thread(guard_);
    const auto size = enter();
    auto written = size ? write(record, *size) : Result<void>(std::unexpected(size.error()));
    if (file_) ::flock(file_.get(), LOCK_UN);
    return written;
}

Result<os::Fd> open_folder(const std::filesystem::path& state) {
    const auto path = state.empty() ? run::default_state_path() : state;
    auto dir = os::open(path / folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!dir && dir.error().code == ENOENT) return os::Fd();
    return dir;
}

Result<os::Fd> open_journal_file(const os::Fd& dir, uint64_t number, int flags, mode_t mode) {
    // A pipe would be waited at.
    os::Fd file =
        TRY(os::open_at(dir, file_name(number), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode));
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return failure("fstat", errno, file_name(number));
    if (!S_ISREG(info.st_mode)) return failure("audit", 0, file_name(number) + " is not a file");
    return file;
}

Result<std::string> first_line(const os::Fd& dir, uint64_t number) {
    constexpr size_t longest_header = 1024;
    const os::Fd file = TRY(open_journal_file(dir, number, O_RDONLY));
    const std::string begin = TRY(os::read_at(file, 0, longest_header));
    return begin.substr(0, begin.find('\n'));
}

Result<Removed> removed_so_far(const std::filesystem::path& state) {
    const os::Fd dir = TRY(open_folder(state));
    const auto numbers = TRY(file_numbers(dir));
    if (numbers.empty()) return Removed{};
    return removed_in(TRY(first_line(dir, numbers.back())));
}

Result<std::vector<uint64_t>> file_numbers(const os::Fd& dir) {
    std::vector<uint64_t> numbers;
    if (!dir) return numbers;
    for (const std::string& name : TRY(os::list(dir))) {
        uint64_t number = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
        if (read.ec == std::errc() && number > 0 && name == file_name(number))
            numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

Result<uint64_t> read_lines(const os::Fd& dir, uint64_t number, uint64_t offset,
                            const std::function<void(const JournalLine&)>& see) {
    constexpr size_t chunk = size_t{1} << 20;
    const os::Fd file = TRY(open_journal_file(dir, number, O_RDONLY));
    std::string text;
    while (true) {
        const std::string more = TRY(os::read_at(file, offset + text.size(), chunk));
        text += more;
        size_t begin = 0;
        for (size_t newline = text.find('\n'); newline != std::string::npos;
             begin = newline + 1, newline = text.find('\n', begin))
            see(split(std::string_view(text).substr(begin, newline - begin)));
        offset += begin;
        text.erase(0, begin);
        if (more.size() < chunk) return offset;
    }
}

}  // namespace husk::audit
