// The audit's truth: files of lines that are only ever added to, audit/NNNNNN.jsonl in the state
// directory. Each line holds a digest of itself and of the line before, so that a change in the
// middle shows. docs/audit.md is the page of the format, and says what that does not prove.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "record/removed.h"

namespace husk::audit {

inline constexpr const char* folder = "audit";

// How large files may become, and which are kept: somebody who calls as often as he can must not
// push out what was before him.
struct Retention {
    uint64_t file_bytes = 8ULL << 20;
    uint64_t files = 32;              // however old
    uint64_t most_files = 256;        // however young
    std::chrono::hours keep{7 * 24};  // between the two
};

// Adds records. From any thread, and beside any number of other processes.
class Journal {
public:
    // Nothing is opened or made before the first record. An empty path is the usual state
    // directory.
    explicit Journal(std::filesystem::path state, Retention retention = {});

    // One record, a JSON object on one line, with one write. It is not forced to the disk.
    Result<void> append(std::string_view record);

private:
    Result<void> open_newest();
    Result<void> open_file(uint64_t number);
    // With the lock: at the end of a file that takes one more.
    Result<uint64_t> enter();
    Result<void> write(std::string_view record, uint64_t size);
    // Which files go now, and what is gone with them.
    Removed choose_removed() const;
    void remove_files(const Removed& removed) const;

    std::filesystem::path path_;
    Retention retention_;
    std::mutex guard_;
    os::Fd dir_;
    os::Fd file_;
    uint64_t number_ = 0;
};

// ---- reading

// The folder; empty where nothing was ever recorded.
Result<os::Fd> open_folder(const std::filesystem::path& state);

// A file of the journal: nothing else under its name is ever opened, no link and no device.
Result<os::Fd> open_journal_file(const os::Fd& dir, uint64_t number, int flags, mode_t mode = 0);

// By which a file is known again, whatever its name.
Result<std::string> first_line(const os::Fd& dir, uint64_t number);

// What is no longer there, as the newest file says it.
Result<Removed> removed_so_far(const std::filesystem::path& state);

// The numbers of the files, lowest first.
Result<std::vector<uint64_t>> file_numbers(const os::Fd& dir);

std::string file_name(uint64_t number);

// A line of a file, without its newline.
struct JournalLine {
    std::string_view text;    // all of it: JSON
    std::string_view record;  // up to its digest; empty when the line is torn
    std::string_view digest;
};

// Calls `see` for the lines from `offset` on; a last one without a newline is still being written.
// Returns the offset behind the last that was seen.
Result<uint64_t> read_lines(const os::Fd& dir, uint64_t number, uint64_t offset,
                            const std::function<void(const JournalLine&)>& see);

// What stands behind each record.
std::string digest_of(std::string_view previous, std::string_view record);

}  // namespace husk::audit
